import type { ReadSecret } from '../../aws/cached-secrets.ts';
import type { ChainSettings } from '../../runtime/settings.ts';
import type { ChainUpstreams } from '../chain-upstreams.ts';
import { connectChain, tellOfWrongChain } from '../connect-chain.ts';
import type { ChainObserver } from '../routing/serve-chain.ts';
import { type Answered, broadcast } from './broadcast.ts';
import { Shadows } from './shadow.ts';

/** Share of the calls that a shadow gets unless the stage file says another. */
const DEFAULT_SHARE = 0.01;
const PERCENT = 100;
/** Largest response of a shadow that is read, in bytes. */
const MAX_SHADOW_BYTES = 1024 * 1024;

/** What further upstreams get of a request, once its response is sent. */
export interface Copies {
  /** Sends what is due of answered calls, and waits for it: two seconds at the most. Never rejects but for a defect. */
  send(answered: readonly Answered[]): Promise<void>;
}

/** The copies that a chain wants; undefined if it wants none. */
export function openCopies(
  settings: ChainSettings,
  node: ChainUpstreams,
  observer: ChainObserver,
  readSecret: ReadSecret,
): Copies | undefined {
  const { broadcast: count = 1, shadows = [] } = settings;
  const compared = shadows.length === 0 ? undefined : openShadows(settings, node, observer, readSecret);
  if (count === 1 && compared === undefined) return undefined;
  return {
    send: async (answered) => {
      await Promise.all([
        count > 1 ? broadcast(node, count, answered) : undefined,
        compared?.compare(answered),
      ]);
    },
  };
}

function openShadows(
  settings: ChainSettings,
  node: ChainUpstreams,
  { clock, telemetry, bounds }: ChainObserver,
  readSecret: ReadSecret,
): Shadows {
  const { chain, shadows = [] } = settings;
  const connected = connectChain(
    {
      ...settings,
      upstreams: shadows,
      maxResponseBytes: Math.min(settings.maxResponseBytes, MAX_SHADOW_BYTES),
    },
    { clock, readSecret, bounds, onWrongChain: tellOfWrongChain(settings, telemetry) },
  );
  const shares = shadows.map(({ shadow }) => (typeof shadow === 'number' ? shadow / PERCENT : DEFAULT_SHARE));
  return new Shadows({ chain, node, shadows: connected, shares, telemetry });
}
