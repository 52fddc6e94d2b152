import type { CacheStore } from 'gateway-access';
import type { Status } from '../../clients/typescript/src/unmetered.ts';
import { type HistoryRow, readHistory, WINDOW_MS } from '../indexer/chain-history.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import type { ChainSettings } from '../shared/runtime/settings.ts';
import type { Telemetry } from '../shared/runtime/telemetry.ts';
import { SharedItem } from '../shared/upstream/sharing/shared-item.ts';
import { timestamp } from './chain-status.ts';

/** Rows are read again once they are this old, in milliseconds: the endpoint is public. */
const MAX_AGE_MS = 30_000;

/** One of the windows of five minutes in which the index ran. */
interface HistoryEntry {
  /** When the window begins, ISO 8601. */
  readonly time: string;
  readonly block: number | null;
  readonly lag_seconds: number | null;
  readonly latency_ms: number | null;
  /** Part of the index's questions that the chain's nodes answered, 0 to 1. */
  readonly answered: number | null;
}

/** A status with the history of one chain, if it is asked for and can be read. */
interface StatusWithHistory extends Status {
  readonly chains: readonly (Status['chains'][number] & { readonly history?: readonly HistoryEntry[] })[];
}

interface HistoryReaderParts {
  readonly chains: readonly ChainSettings[];
  /** Undefined in a stage without an index, which has no history. */
  readonly records: Pick<CacheStore, 'read'> | undefined;
  readonly clock: Clock;
  readonly log: Telemetry['log'];
}

/**
 * Adds the last day of one public chain to a status, oldest window first; a window that is missing is a gap. Each chain is read at most
 * once in half a minute. What could not be read yet is left out.
 */
export function createHistoryReader({ chains, records, clock, log }: HistoryReaderParts) {
  const rowsOf = (chain: string) =>
    new SharedItem<readonly HistoryRow[] | undefined>({
      first: undefined,
      get: async () => records && readHistory(records, chain, clock),
      intervalMs: MAX_AGE_MS,
      clock,
      asking: { chain, telemetry: { log }, event: 'head_records_unavailable' },
    });
  const histories = new Map(
    chains.filter((chain) => chain.public).map(({ chain }) => [chain, rowsOf(chain)] as const),
  );

  return async (status: Status, chain: string | undefined): Promise<StatusWithHistory> => {
    const rows = chain === undefined ? undefined : await histories.get(chain)?.lately();
    if (rows === undefined) return status;
    const history = rows.map(render);
    return {
      ...status,
      chains: status.chains.map((one) => (one.chain === chain ? { ...one, history } : one)),
    };
  };
}

function render({ window, block, lagSeconds, asked, answered, answeredMs }: HistoryRow): HistoryEntry {
  return {
    time: timestamp(window * WINDOW_MS),
    block: block < 0 ? null : block,
    lag_seconds: lagSeconds < 0 ? null : lagSeconds,
    latency_ms: answered === 0 ? null : Math.round(answeredMs / answered),
    answered: asked === 0 ? null : Math.round((answered / asked) * 10_000) / 10_000,
  };
}
