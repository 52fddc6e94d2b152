import type { Clock } from '../clock.ts';
import type { ChainSettings } from '../settings.ts';

/** The newest block of a chain. */
export interface Head {
  readonly block: number;
  /** Time of the block, in milliseconds since the epoch. */
  readonly timeMs: number;
}

/** Reads the head of a chain; undefined if its node does not say. */
export type ReadHead = (chain: ChainSettings) => Promise<Head | undefined>;

/** Answer of `GET /v1/status`. */
export interface GatewayStatus {
  /** ISO 8601. */
  readonly checked_at: string;
  readonly gateway: { readonly status: 'ok' | 'degraded' | 'down' };
  readonly chains: readonly {
    readonly chain: string;
    readonly chain_id: number;
    readonly head: { readonly block: number; readonly time: string; readonly lag_seconds: number };
  }[];
}

/**
 * Status of the public chains of a stage. `ok`: every one of them has a head; `degraded`: some have; `down`: none
 * has. A chain without a head is left out: there is nothing true to say of it.
 */
export async function readStatus(
  chains: readonly ChainSettings[],
  readHead: ReadHead,
  clock: Clock,
): Promise<GatewayStatus> {
  const publicChains = chains.filter((chain) => chain.public);
  const heads = await Promise.all(publicChains.map(readHead));
  const now = clock.now();
  const known = publicChains.flatMap((chain, index) => {
    const head = heads[index];
    return head === undefined
      ? []
      : [{ chain: chain.chain, chain_id: chain.chainId, head: renderHead(head, now) }];
  });
  return {
    checked_at: timestamp(now),
    gateway: { status: statusOf(known.length, publicChains.length) },
    chains: known,
  };
}

function statusOf(known: number, all: number): 'ok' | 'degraded' | 'down' {
  if (known === all) return 'ok';
  return known === 0 ? 'down' : 'degraded';
}

function renderHead({ block, timeMs }: Head, now: number) {
  return { block, time: timestamp(timeMs), lag_seconds: Math.max(0, Math.floor((now - timeMs) / 1000)) };
}

/** ISO 8601 in UTC, to the second where there is no fraction. */
function timestamp(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}
