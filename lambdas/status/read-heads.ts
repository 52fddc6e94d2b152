import type { CacheStore } from 'gateway-access';
import { type ChainHeadRecord, readHeadRecords } from '../indexer/chain-head-record.ts';
import { ownCall } from '../shared/jsonrpc/calls.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import type { Telemetry } from '../shared/runtime/telemetry.ts';
import { dispatch } from '../shared/upstream/asking/dispatch.ts';
import { reportedHead } from '../shared/upstream/head/answered-head.ts';
import type { ChainClient } from '../shared/upstream/routing/chain-client.ts';
import { SharedItem } from '../shared/upstream/sharing/shared-item.ts';
import type { HeadReader, StatusHead } from './chain-status.ts';

/** Records are read again once they are this old: the endpoint is public. */
const RECORDS_MAX_AGE_MS = 2_000;
const MINUTE_MS = 60_000;
/** A chain whose indexer had no answer of a node for longer is not followed, in milliseconds: records are renewed each 10 s. */
const NODES_SILENT_MS = 60_000;
/** Time for a reading of the records, in milliseconds: nothing else tells an indexed head. */
export const RECORDS_TIMEOUT_MS = 1_000;

interface RecordedHeadParts {
  readonly clock: Clock;
  readonly log: Telemetry['log'];
  /** Minutes between two batches of the index. @default 0: it runs all the time */
  readonly batchMinutes?: number | undefined;
}

/**
 * Reads the indexed heads of chains. What a reading leaves out, because it failed or the store had no room, stays as it
 * was read before: such a head is true, and its lag grows. A chain of which nothing was read yet has none. A head is
 * `stuck` while its index is halted, or has got no head of a node for a minute (and the time between two batches).
 */
export function createRecordedHeads(
  records: Pick<CacheStore, 'read'>,
  chains: readonly string[],
  { clock, log, batchMinutes = 0 }: RecordedHeadParts,
): HeadReader {
  const heads = new SharedItem<ReadonlyMap<string, ChainHeadRecord>>({
    first: new Map(),
    get: async (before) => new Map([...before, ...(await readHeadRecords(records, chains))]),
    intervalMs: RECORDS_MAX_AGE_MS,
    clock,
    asking: { telemetry: { log }, event: 'head_records_unavailable' },
  });
  const silentMs = NODES_SILENT_MS + batchMinutes * MINUTE_MS;

  return async ({ chain }) => {
    const now = clock.now();
    const record = (await heads.lately()).get(chain);
    if (record === undefined) return undefined;
    const { block, timeMs, heardAtMs, halted = false } = record;
    return { block, timeMs, ...((halted || now - heardAtMs > silentMs) && { stuck: true }) };
  };
}

/** A head is asked for again once it is this old: the endpoint is public, and nodes are not. */
const HEAD_MAX_AGE_MS = 2_000;
/** Time that a node has to name its newest block, in milliseconds. */
const HEAD_TIMEOUT_MS = 2_000;

const NEWEST_BLOCK_CALL = ownCall('eth_getBlockByNumber', ['latest', false]);

/** Reads heads from the chains' nodes, each at most once in two seconds. While they do not tell, the last one stays. */
export function createHeadReader(nodes: ReadonlyMap<string, ChainClient>, clock: Clock): HeadReader {
  const headOf = (node: ChainClient) =>
    new SharedItem<StatusHead | undefined>({
      first: undefined,
      get: async (last) =>
        (await askNewestBlock(node, clock.now() + HEAD_TIMEOUT_MS)) ?? (last && { ...last, past: true }),
      intervalMs: HEAD_MAX_AGE_MS,
      clock,
    });
  const heads = new Map([...nodes].map(([chain, node]) => [chain, headOf(node)] as const));
  return async ({ chain }) => heads.get(chain)?.lately();
}

async function askNewestBlock(node: ChainClient, deadline: number): Promise<StatusHead | undefined> {
  const [response] = await dispatch([NEWEST_BLOCK_CALL], node, deadline);
  const head = response && reportedHead(NEWEST_BLOCK_CALL, response);
  return head?.timeMs === undefined ? undefined : { block: Number(head.number), timeMs: head.timeMs };
}
