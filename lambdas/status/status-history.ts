import type { CacheStore } from 'gateway-access';
import { type HistoryRow, readHistory, WINDOW_MS } from '../indexer/chain-history.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { errorField } from '../shared/runtime/log.ts';
import type { ChainSettings } from '../shared/runtime/settings.ts';
import type { Telemetry } from '../shared/runtime/telemetry.ts';
import { type GatewayStatus, type HistoryEntry, timestamp } from './chain-status.ts';

/** Rows are read again once they are this old, in milliseconds: the endpoint is public. */
const MAX_AGE_MS = 30_000;

interface HistoryReaderParts {
  readonly chains: readonly ChainSettings[];
  /** Undefined in a stage without an index, which has no history. */
  readonly records: Pick<CacheStore, 'read'> | undefined;
  readonly clock: Clock;
  readonly log: Telemetry['log'];
}

/**
 * Adds the last day of one public chain to a status, oldest window first; a window that is missing is a gap. Each chain is read at most
 * once in half a minute. What cannot be read is left out.
 */
export function createHistoryReader({ chains, records, clock, log }: HistoryReaderParts) {
  const kept = new Map<string, { readonly readAt: number; readonly rows: readonly HistoryRow[] }>();
  const names = new Set(chains.filter((chain) => chain.public).map(({ chain }) => chain));

  const rowsOf = async (chain: string): Promise<readonly HistoryRow[] | undefined> => {
    if (records === undefined || !names.has(chain)) return undefined;
    const now = clock.now();
    const known = kept.get(chain);
    if (known !== undefined && now - known.readAt < MAX_AGE_MS) return known.rows;
    try {
      const rows = await readHistory(records, chain, clock);
      kept.set(chain, { readAt: now, rows });
      return rows;
    } catch (error) {
      log('warn', 'head_records_unavailable', { chain, error: errorField(error) });
      return undefined;
    }
  };

  return async (status: GatewayStatus, chain: string | undefined): Promise<GatewayStatus> => {
    const rows = chain === undefined ? undefined : await rowsOf(chain);
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
