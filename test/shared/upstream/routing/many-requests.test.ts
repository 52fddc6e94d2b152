/** A process of 64 requests serves them all, and refuses large results without room. */
import { LargeBodies } from '../../../../lambdas/shared/http/large-bodies.ts';
import { systemClock } from '../../../../lambdas/shared/runtime/clock.ts';
import { processBounds } from '../../../../lambdas/shared/runtime/process-bounds.ts';
import { dispatch } from '../../../../lambdas/shared/upstream/asking/dispatch.ts';
import { openChainUpstreams } from '../../../../lambdas/shared/upstream/chain-upstreams.ts';
import {
  connectNode,
  type NodeConnection,
} from '../../../../lambdas/shared/upstream/connection/node-connection.ts';
import {
  type ChainClient,
  createChainClient,
} from '../../../../lambdas/shared/upstream/routing/chain-client.ts';
import { answering, result } from '../../../nodes/replies.ts';
import { type Reply, type ScriptedNode, startScriptedNode } from '../../../nodes/scripted-node.ts';

const MAX_RESPONSE_BYTES = 1024 * 1024;
const AMPLE_MS = 60_000;
const answer = answering(({ params }) => ({ result: JSON.stringify(params) }));

let node: ScriptedNode;
let connection: NodeConnection;
/** Answers that the node holds back. */
let held: (() => void)[];
/** Requests that have to wait at the node before it answers any. */
let together: number;

const holding: Reply = (request, response) => {
  held.push(() => answer(request, response));
  if (held.length >= together) for (const release of held.splice(0)) release();
};

function serve(requests: number): ChainClient {
  const bounds = processBounds(requests, 1);
  const options = { clock: systemClock, maxResponseBytes: MAX_RESPONSE_BYTES, bounds };
  connection = connectNode({ url: node.url, ...options });
  return createChainClient(openChainUpstreams([{ name: 'only', connection }], options));
}

/** What becomes of so many requests of clients that come at once. */
function burst(client: ChainClient, count: number): Promise<readonly string[]> {
  const until = systemClock.now() + AMPLE_MS;
  const sent = Array.from({ length: count }, async (_, index) => {
    const call = { id: Buffer.from('1'), method: 'net_version', params: Buffer.from(`[${index}]`) };
    const [response] = await dispatch([call], client, until);
    return response?.kind === 'failed' ? response.error.reason : (response?.kind ?? '');
  });
  return Promise.all(sent);
}

beforeEach(async () => {
  held = [];
  node = await startScriptedNode(holding);
});
afterEach(async () => {
  connection.close();
  for (const release of held) release();
  await node.close();
});

test.each([64, 128])('%i requests wait for one chain in a process that may have 64', async (count) => {
  together = count;
  expect(new Set(await burst(serve(64), count))).toEqual(new Set(['result']));
});

describe('large results', () => {
  const LARGE_BYTES = 3_000_000;
  const LARGE_LIMIT = 4 * 1024 * 1024;
  const LARGE = JSON.stringify('a'.repeat(LARGE_BYTES));

  /** What becomes of calls that come at once, each with a large result and of a request of its own. */
  async function askLarge(bodies: LargeBodies, method: string): Promise<readonly unknown[]> {
    const bounds = processBounds(64, 1);
    const options = { clock: systemClock, maxResponseBytes: LARGE_LIMIT, bounds, largeBodies: bodies };
    connection = connectNode({ url: node.url, ...options });
    const chain = openChainUpstreams([{ name: 'only', connection }], options);
    const client = createChainClient(chain);
    node.script(...Array.from({ length: 8 }, () => result(LARGE)));
    const asked = Array.from({ length: 8 }, async (_, index) => {
      const call = { id: Buffer.from('1'), method, params: Buffer.from(`["0x${index}"]`) };
      const held = bodies.open(`key ${index % 2}`);
      const [response] = await dispatch([call], client, systemClock.now() + AMPLE_MS, { held });
      return response?.kind === 'failed' ? response.error : response?.kind;
    });
    const outcomes = await Promise.all(asked);
    expect(chain.upstreams[0]?.health.alive).toBe(true);
    return outcomes;
  }

  test('those without room are refused for that, at no upstream is anything wrong, and the others are given', async () => {
    const bodies = new LargeBodies(3 * LARGE_LIMIT);
    const outcomes = await askLarge(bodies, 'debug_traceTransaction');
    const refusal = { reason: 'gateway_overloaded', details: { rule: 'large_results' } };
    const given = outcomes.filter((one) => one === 'result');
    expect(given.length).toBeGreaterThanOrEqual(2);
    expect(outcomes.filter((one) => one !== 'result')).toEqual(Array(8 - given.length).fill(refusal));
    expect(node.requests).toHaveLength(8);
  });

  test('what acts has arrived: without room for its result it is not to be sent again', async () => {
    const bodies = new LargeBodies(LARGE_LIMIT);
    const outcomes = await askLarge(bodies, 'eth_sendRawTransaction');
    expect(outcomes).toContainEqual({ reason: 'no_upstream_response' });
    expect(outcomes).not.toContainEqual(expect.objectContaining({ reason: 'gateway_overloaded' }));
  });
});
