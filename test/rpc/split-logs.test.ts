/** Logs of more blocks than a node takes are put together from parts, exactly and at a bounded price. */
import { billedCu } from '../../lambdas/rpc/billing/call-usage.ts';
import type { Call, UpstreamResponse } from '../../lambdas/shared/jsonrpc/calls.ts';
import { MAX_PARTS } from '../../lambdas/shared/upstream/policies/get-logs.ts';
import type { ReceivedCall } from '../nodes/replies.ts';
import { hex } from '../nodes/simulated-chain.ts';
import { type Character, call, SimulatedGateway, told } from '../nodes/simulated-gateway.ts';

const WEIGHT = 50;
const LOGS = 'eth_getLogs';

const blocksOf = ({ params }: ReceivedCall) => {
  const [{ fromBlock, toBlock }] = params as readonly [{ fromBlock: string; toBlock: string }];
  return Number(toBlock) - Number(fromBlock) + 1;
};
const logs = (from: number, to: number | string) =>
  call(LOGS, [{ fromBlock: hex(from), toBlock: typeof to === 'number' ? hex(to) : to }]);
const errorOf = (code: number, message: string) => ({ error: JSON.stringify({ code, message }) });

/** A node that gives logs of so many blocks at once. */
const taking = (blocks: number, words = `query exceeds max block range ${blocks}`): Character => ({
  respond: (asked) =>
    asked.method === LOGS && blocksOf(asked) > blocks ? errorOf(-32602, words) : undefined,
});

/** A node that gives at most so many logs, of which each block has one. */
const giving = (count: number, words = `query returned more than ${count} results`): Character => ({
  respond: (asked) => (asked.method === LOGS && blocksOf(asked) > count ? errorOf(-32005, words) : undefined),
});

/** The logs of the simulated chain: one a block. */
const expected = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => hex(from + index));

function world(characters: readonly Character[], pays = true) {
  const gateway = new SimulatedGateway(characters);
  const drawn: Call[] = [];
  const payAgain = async (calls: readonly Call[]) => {
    if (pays) drawn.push(...calls);
    return pays;
  };
  return {
    gateway,
    drawn,
    ask: async (...calls: readonly Call[]) => gateway.clock.until(gateway.start(calls, undefined, payAgain)),
    sent: () => gateway.received().filter(({ method }) => method === LOGS),
  };
}

const read = (response: UpstreamResponse | undefined) =>
  JSON.parse(told(response as UpstreamResponse)) as unknown;

test('24 of 24 calls over nodes of 100, of 1,000 and of any blocks are whole', async () => {
  const { ask, sent } = world([taking(100), taking(1_000), {}]);
  for (let round = 0; round < 24; round += 1) {
    const from = 10 + round;
    const [response] = await ask(logs(from, from + 900));
    expect(read(response)).toEqual(expected(from, from + 900));
  }
  // What is known of the strict one saves it from being asked.
  expect(sent().length).toBeLessThanOrEqual(26);
});

test('where every node takes 100, the call is sent in parts, drawn for each, and billed once', async () => {
  const { ask, drawn, sent } = world([taking(100), taking(100)]);
  const [response] = await ask(logs(10, 910));
  expect(read(response)).toEqual(expected(10, 910));
  expect(billedCu(response as UpstreamResponse, WEIGHT)).toBe(WEIGHT);
  expect(drawn).toHaveLength(9);
  expect(sent().filter((one) => blocksOf(one) <= 100)).toHaveLength(10);
  // Later ones go in parts from the start.
  const before = sent().length;
  expect(read((await ask(logs(10, 910)))[0])).toEqual(expected(10, 910));
  expect(sent().length - before).toBe(10);
});

test('up to the newest block, by its tag', async () => {
  const { gateway, ask } = world([taking(100)]);
  await ask(call('eth_blockNumber'));
  const head = gateway.chain.head;
  expect(read((await ask(logs(head - 300, 'latest')))[0])).toEqual(expected(head - 300, head));
});

test('a range that would take more than 16 parts is refused, unbilled, and says what passes', async () => {
  const { ask, sent } = world([taking(10, 'eth_getLogs is limited to a 10 block range')]);
  const [response] = await ask(logs(10, 910));
  expect(response).toMatchObject({
    kind: 'failed',
    error: { reason: 'logs_range_too_large', details: { max_blocks: 9 * MAX_PARTS } },
  });
  expect(billedCu(response as UpstreamResponse, WEIGHT)).toBe(0);
  expect(sent()).toHaveLength(1);
});

test.each<[string, Character]>([
  ['names no number', taking(300, 'block range is too wide')],
  ['counts results', giving(300)],
])('what is said to pass is less than was asked, and passes in the end: %s', async (_name, node) => {
  const { ask } = world([node]);
  let blocks = 9_000;
  for (let attempt = 0; blocks > 16 * 150; attempt += 1) {
    const [response] = await ask(logs(1, blocks));
    const max = maxOf(response);
    if (max === undefined) return expect(read(response)).toEqual(expected(1, blocks));
    expect(max).toBeLessThanOrEqual(blocks / 2);
    expect(attempt).toBeLessThan(4);
    blocks = max;
  }
  expect(read((await ask(logs(1, blocks)))[0])).toEqual(expected(1, blocks));
});

function maxOf(response: UpstreamResponse | undefined): number | undefined {
  if (response?.kind !== 'failed') return undefined;
  return response.error.details?.max_blocks as number;
}

test('no part is sent if the bucket is empty', async () => {
  const { ask, sent } = world([taking(100)], false);
  const [response] = await ask(logs(10, 910));
  expect(response).toMatchObject({ kind: 'failed', error: { reason: 'rate_limited' } });
  expect(sent()).toHaveLength(1);
});

test('a node that names no number is asked for an eighth, and smaller parts where that is still too much', async () => {
  const { ask, sent } = world([taking(100, 'block range too large')]);
  expect(read((await ask(logs(10, 509)))[0])).toEqual(expected(10, 509));
  expect(sent().length).toBeLessThanOrEqual(MAX_PARTS + 1);
});

test('too many results: the range is halved, or cut as is suggested, also if that is the range itself', async () => {
  const halves = world([giving(200)]);
  expect(read((await halves.ask(logs(10, 509)))[0])).toEqual(expected(10, 509));
  const same = world([giving(200, 'query exceeds max results 200, retry with the range 10-509')]);
  const words = 'query returned more than 200 results. Try with this block range [0xa, 0xd1].';
  expect(read((await world([giving(200, words)]).ask(logs(10, 509)))[0])).toEqual(expected(10, 509));
  expect(read((await same.ask(logs(10, 509)))[0])).toEqual(expected(10, 509));
});

test('a number of results says nothing of the range of other filters', async () => {
  const { gateway, ask, sent } = world([giving(200)]);
  await ask(logs(10, 509));
  const upstream = gateway.node.upstreams[0];
  expect(upstream?.lessons.maxRange).toBe(Number.POSITIVE_INFINITY);
  expect(sent().length).toBeLessThanOrEqual(1 + MAX_PARTS);
});

test('one block with too many logs is the response of the node', async () => {
  const { ask } = world([giving(0)]);
  const [response] = await ask(logs(10, 12));
  expect(response).toMatchObject({ kind: 'error', code: -32005 });
});

test('a part that fails fails the call, unbilled', async () => {
  const broken: Character = {
    respond: (asked) => {
      if (asked.method !== LOGS) return undefined;
      if (blocksOf(asked) > 100) return errorOf(-32602, 'query exceeds max block range 100');
      const [filter] = asked.params as [{ fromBlock: string }];
      return Number(filter.fromBlock) > 400 ? errorOf(-32000, 'request timed out') : undefined;
    },
  };
  const [response] = await world([broken]).ask(logs(10, 910));
  expect(response).toMatchObject({ kind: 'failed', error: { reason: 'upstream_unavailable' } });
  expect(billedCu(response as UpstreamResponse, WEIGHT)).toBe(0);
});

test('a newest block that is replaced meanwhile: once again, then it is no response', async () => {
  let hash = 0;
  const forking = (changes: number): Character => ({
    respond: (asked) => {
      if (asked.method === LOGS && blocksOf(asked) > 100)
        return errorOf(-32602, 'query exceeds max block range 100');
      const isTop = asked.method === 'eth_getBlockByNumber' && asked.params?.[0] !== 'latest';
      if (!isTop) return undefined;
      hash += 1;
      const shown = Math.min(hash, changes);
      return {
        result: JSON.stringify({ number: asked.params?.[0], hash: `0x${String(shown).padStart(64, '0')}` }),
      };
    },
  });
  const once = world([forking(2)]);
  await once.ask(call('eth_blockNumber'));
  const head = once.gateway.chain.head;
  expect(read((await once.ask(logs(head - 300, head)))[0])).toEqual(expected(head - 300, head));
  hash = 0;
  const always = world([forking(1_000)]);
  await always.ask(call('eth_blockNumber'));
  const [response] = await always.ask(logs(head - 300, head));
  expect(response).toMatchObject({ kind: 'failed', error: { reason: 'upstream_unavailable' } });
});

test('results that are too large together are said to be', async () => {
  const large: Character = {
    respond: (asked) => {
      if (asked.method !== LOGS) return undefined;
      if (blocksOf(asked) > 100) return errorOf(-32602, 'query exceeds max block range 100');
      return { result: JSON.stringify(['x'.repeat(300_000)]) };
    },
  };
  const [response] = await world([large]).ask(logs(10, 910));
  expect(response).toMatchObject({ kind: 'failed', error: { reason: 'upstream_response_too_large' } });
});
