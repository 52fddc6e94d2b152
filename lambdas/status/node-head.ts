import type { Clock } from '../shared/runtime/clock.ts';
import { dispatch } from '../shared/upstream/asking/dispatch.ts';
import type { ChainClient } from '../shared/upstream/routing/chain-client.ts';
import type { HeadReader, StatusHead } from './chain-status.ts';

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
  const cache = new Map<
    string,
    { readonly head: Promise<StatusHead | undefined>; readonly askedAt: number }
  >();
  const last = new Map<string, StatusHead>();

  const read = async (
    chain: string,
    node: ChainClient,
    deadline: number,
  ): Promise<StatusHead | undefined> => {
    const head = await askNewestBlock(node, deadline);
    if (head !== undefined) last.set(chain, head);
    const known = last.get(chain);
    return head ?? (known && { ...known, past: true });
  };

  return async ({ chain }) => {
    const now = clock.now();
    const cached = cache.get(chain);
    if (cached !== undefined && now - cached.askedAt < HEAD_MAX_AGE_MS) return cached.head;
    const node = nodes.get(chain);
    if (node === undefined) return undefined;
    const head = read(chain, node, now + HEAD_TIMEOUT_MS);
    cache.set(chain, { head, askedAt: now });
    return head;
  };
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
