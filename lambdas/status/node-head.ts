import type { Clock } from '../shared/runtime/clock.ts';
import { dispatch } from '../shared/upstream/asking/dispatch.ts';
import type { ChainClient } from '../shared/upstream/routing/chain-client.ts';
import type { HeadReader, StatusHead } from './chain-status.ts';
import { SharedItem } from '../shared/upstream/sharing/shared-item.ts';

/** A head is asked for again once it is this old: the endpoint is public, and nodes are not. */
const HEAD_MAX_AGE_MS = 2_000;
/** Time that a node has to name its newest block, in milliseconds. */
const HEAD_TIMEOUT_MS = 2_000;

const NEWEST_BLOCK_CALL = {
  id: Buffer.from('null'),
  method: 'eth_getBlockByNumber',
  params: Buffer.from('["latest",false]'),
};
const QUANTITY = /^0x[0-9a-f]{1,12}$/;

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
  if (response?.kind !== 'result') return undefined;
  const block = JSON.parse(Buffer.from(response.result).toString()) as {
    number?: unknown;
    timestamp?: unknown;
  } | null;
  const number = quantity(block?.number);
  const seconds = quantity(block?.timestamp);
  return number === undefined || seconds === undefined
    ? undefined
    : { block: number, timeMs: seconds * 1000 };
}

function quantity(value: unknown): number | undefined {
  return typeof value === 'string' && QUANTITY.test(value) ? Number(value) : undefined;
}
