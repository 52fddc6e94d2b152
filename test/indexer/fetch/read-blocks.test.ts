import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { BlockError } from '../../../lambdas/indexer/blocks/block-error.ts';
import { createBlockReader } from '../../../lambdas/indexer/fetch/read-blocks.ts';
import type { NodePost } from '../../../lambdas/indexer/fetch/send-batch.ts';
import { UpstreamError } from '../../../lambdas/shared/http/upstream-error.ts';
import { word } from '../../chain-data/decode/raw-blocks.ts';
import { type Answerer, createFakeNode, httpResponse, type ReceivedCall } from './fake-node.ts';
import { answersOf, blockHash, makeBlock, makeChain, type NodeBlockJson } from './node-chain.ts';

const DEADLINE = 1_000_000;

/** A reader whose waits take no time but move the clock, and how long it has waited. */
function readerOf(node: NodePost, traces = false) {
  let now = 0;
  const waits: number[] = [];
  const wait = async (ms: number) => {
    waits.push(ms);
    now += ms;
  };
  return { waits, reader: createBlockReader({ node, clock: { now: () => now }, wait, traces }) };
}

async function readAll(node: NodePost, from: number, to: number, traces = false): Promise<RawBlock[]> {
  return collect(readerOf(node, traces).reader.read(from, to, { deadline: DEADLINE }));
}

async function collect(read: AsyncIterable<RawBlock>): Promise<RawBlock[]> {
  const blocks: RawBlock[] = [];
  for await (const block of read) blocks.push(block);
  return blocks;
}

/** Blocks that were yielded before the error, and the error. */
async function readUntilError(node: NodePost, from: number, to: number) {
  const numbers: number[] = [];
  try {
    for await (const block of readerOf(node).reader.read(from, to, { deadline: DEADLINE }))
      numbers.push(block.number);
  } catch (error) {
    if (!(error instanceof BlockError)) throw error;
    return { numbers, kind: error.kind, block: error.blockNumber };
  }
  return { numbers };
}

const numbersOf = (blocks: readonly RawBlock[]) => blocks.map(({ number }) => number);
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** The answers of a chain, except for what `change` gives. */
function except(
  chain: readonly NodeBlockJson[],
  change: (call: ReceivedCall) => ReturnType<Answerer> | undefined,
): Answerer {
  const usual = answersOf(chain);
  return (call) => change(call) ?? usual(call);
}

test('a range of blocks, whole and in order', async () => {
  const node = createFakeNode(answersOf(makeChain(301)));
  const blocks = await readAll(node, 1, 300);
  expect(numbersOf(blocks)).toEqual(range(1, 300));
  expect(node.requests.length).toBeLessThan(20);
  expect(blocks[4]).toMatchObject({
    number: 5,
    hash: blockHash(5),
    parentHash: blockHash(4),
    timestamp: 1_700_000_005,
    gasLimit: 0x4000000000000n,
    l1BlockNumber: 21_000_000,
    sendCount: 5,
    extra: { mixHash: expect.any(String) },
    traces: { kind: 'gap', reason: 'not_started' },
  });
  expect(blocks[4]?.transactions[1]).toMatchObject({
    to: '0x00000000000000000000000000000000000000aa',
    value: 0xffffffffffffffffffffffffn,
    extra: { ticketId: expect.any(String) },
    receipt: { status: 1, cumulativeGasUsed: 100_000n, logs: [{ logIndex: 1 }] },
  });
});

test('a single block, and a range of none', async () => {
  const node = createFakeNode(answersOf(makeChain(3, 0)));
  expect(numbersOf(await readAll(node, 2, 2))).toEqual([2]);
  expect(await readAll(node, 2, 1)).toEqual([]);
});

test('a block with 5,000 transactions', async () => {
  const chain = makeChain(3, 0);
  chain[1] = makeBlock(1, 5_000);
  const [block] = await readAll(createFakeNode(answersOf(chain)), 1, 1);
  expect(block?.transactions).toHaveLength(5_000);
});

test('the head', async () => {
  const { reader } = readerOf(createFakeNode(answersOf(makeChain(12))));
  expect((await reader.head({ deadline: DEADLINE })).number).toBe(11);
});

describe('a head that is read next', () => {
  const NEXT = { deadline: DEADLINE, isReadNext: true };
  const ofBlocks = (node: ReturnType<typeof createFakeNode>) =>
    node.requests.flat().filter(({ method }) => method === 'eth_getBlockByNumber').length;

  test.each([
    ['one block', 1],
    ['several blocks', 4],
    ['more than a page', 40],
  ])('comes whole, and is not asked for again: %s', async (_, count) => {
    const node = createFakeNode(answersOf(makeChain(count)));
    const { reader } = readerOf(node);
    const { number } = await reader.head(NEXT);
    expect(await collect(reader.read(0, number, NEXT))).toEqual(await readAll(node, 0, number));
    expect(ofBlocks(node)).toBe(2 * count);
    await collect(reader.read(number, number, NEXT));
    expect(ofBlocks(node)).toBe(2 * count + 1);
  });

  test.each([1, 4])('is asked for anew where its chain is another meanwhile: %i blocks', async (count) => {
    const chain = makeChain(count);
    const node = createFakeNode(answersOf(chain));
    const { reader } = readerOf(node);
    const { number } = await reader.head(NEXT);
    // Of the same parent, with other transactions.
    const other = JSON.parse(
      JSON.stringify(makeBlock(number, 3)).replaceAll(blockHash(number), word(0x0bad)),
    );
    chain[number] = other;
    const blocks = await collect(reader.read(0, number, NEXT));
    expect(blocks.at(-1)).toMatchObject({ hash: word(0x0bad), transactions: { length: 3 } });
  });

  test('is a header where the block is too large', async () => {
    const node = createFakeNode(answersOf(makeChain(3)), ([call]) =>
      call?.params[1] === true && call.params[0] === 'latest' ? httpResponse(413, '') : undefined,
    );
    const { reader } = readerOf(node);
    expect((await reader.head(NEXT)).number).toBe(2);
    expect(await collect(reader.read(0, 2, NEXT))).toHaveLength(3);
  });
});

describe('a node with limits', () => {
  test('batches shrink to what it takes and grow again', async () => {
    const limit = (calls: readonly ReceivedCall[]) =>
      calls.length > 10 ? 'batch size too large' : undefined;
    const node = createFakeNode(answersOf(makeChain(200)), limit);
    expect(numbersOf(await readAll(node, 0, 199))).toEqual(range(0, 199));
    const refused = node.requests.filter(({ length }) => length > 10).length;
    expect(refused).toBeGreaterThan(1);
    expect(refused).toBeLessThan(node.requests.length / 2);
  });

  test.each([
    ['HTTP 413', httpResponse(413, '<html>')],
    ['an error of its own', httpResponse(200, { error: { code: -32003, message: 'response too large' } })],
  ])('%s halves the page', async (_, response) => {
    const node = createFakeNode(answersOf(makeChain(20)));
    node.mishaps.push(() => response);
    expect(numbersOf(await readAll(node, 0, 19))).toEqual(range(0, 19));
  });

  test('a response over the limit halves the page, and one block comes in parts', async () => {
    const node = createFakeNode(answersOf(makeChain(20)));
    const limited: NodePost = {
      ...node,
      post: async (request) => {
        const response = await node.post(request);
        if (response.body.length < 4_000) return response;
        throw new UpstreamError('too_large', { sent: true, reusedSocket: false });
      },
    };
    expect(numbersOf(await readAll(limited, 0, 19))).toEqual(range(0, 19));
  });

  test('one that is too large even so is an error', async () => {
    const node = createFakeNode(answersOf(makeChain(3)), () => 'response size exceeded');
    expect(await readUntilError(node, 0, 2)).toEqual({ numbers: [], kind: 'too_large', block: 0 });
  });

  test('429 is waited for, and after the second in a row the page is smaller', async () => {
    const node = createFakeNode(answersOf(makeChain(10)));
    node.mishaps.push(
      () => httpResponse(429, ''),
      () => httpResponse(200, { error: { code: -32005, message: 'rate limit exceeded' } }),
      (calls) =>
        httpResponse(
          200,
          calls.map(({ id }) => ({ id, error: { code: 429, message: 'too many requests' } })),
        ),
    );
    const { reader, waits } = readerOf(node);
    const blocks = await collect(reader.read(0, 9, { deadline: DEADLINE }));
    expect(blocks).toHaveLength(10);
    expect(waits).toEqual([250, 500, 250]);
    expect(node.requests.map(({ length }) => length)).toEqual([20, 20, 10, 10, 10]);
  });

  test.each([
    ['7', 7_000],
    ['3600', 15_000],
    ['0', 250],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 250],
  ])('a node that says retry-after: %s is left alone for %i ms', async (retryAfter, waitMs) => {
    const node = createFakeNode(answersOf(makeChain(2)));
    node.mishaps.push(() => ({ ...httpResponse(429, ''), retryAfter }));
    const { reader, waits } = readerOf(node);
    expect(await collect(reader.read(0, 1, { deadline: DEADLINE }))).toHaveLength(2);
    expect(waits).toEqual([waitMs]);
  });

  test('one that answers 429 to more than five calls at once is read, and seldom asked for more', async () => {
    const limit = (calls: readonly ReceivedCall[]) => (calls.length > 5 ? 'too many requests' : undefined);
    const node = createFakeNode(answersOf(makeChain(300)), limit);
    expect(numbersOf(await readAll(node, 0, 299, true))).toEqual(range(0, 299));
    const refused = node.requests.filter(({ length }) => length > 5).length;
    expect(refused).toBeLessThan(node.requests.length / 5);
  });

  test('one that answers 429 is asked for fewer pages at a time, and later for more again', async () => {
    const node = createFakeNode(answersOf(makeChain(1_000, 0)), (calls) =>
      node.requests.length <= 20 && calls.length > 1 ? 'too many requests' : undefined,
    );
    const [atOnce, most] = [{ count: 0 }, [] as number[]];
    const slow: NodePost = {
      ...node,
      post: async (request) => {
        atOnce.count += 1;
        most.push(atOnce.count);
        await new Promise(setImmediate);
        atOnce.count -= 1;
        return node.post(request);
      },
    };
    expect(await readAll(slow, 0, 999)).toHaveLength(1_000);
    expect(most.join('')).toMatch(/^1234+1112.*4444$/);
  });

  test('one that answers five calls a second is read', async () => {
    let now = 0;
    const perSecond = new Map<number, number>();
    const limit = (calls: readonly ReceivedCall[]) => {
      const second = Math.floor(now / 1_000);
      const count = (perSecond.get(second) ?? 0) + calls.length;
      if (count > 5) return 'too many requests';
      perSecond.set(second, count);
      return undefined;
    };
    const wait = async (ms: number) => {
      await new Promise(setImmediate);
      now += ms;
    };
    const node = createFakeNode(answersOf(makeChain(60)), limit);
    const reader = createBlockReader({ node, clock: { now: () => now }, wait, traces: false });
    expect(await collect(reader.read(0, 59, { deadline: DEADLINE }))).toHaveLength(60);
  });

  test('for ever is not waited', async () => {
    const node = createFakeNode(answersOf(makeChain(2)), () => 'too many requests');
    expect(await readUntilError(node, 0, 1)).toEqual({ numbers: [], kind: 'unavailable', block: 0 });
    // Four calls twice, two calls twice, and one call as often as is waited for.
    expect(node.requests).toHaveLength(14);
  });

  test('without eth_getBlockReceipts receipts come one by one, and it is asked for only once', async () => {
    const unsupported = {
      error: { code: -32601, message: 'the method eth_getBlockReceipts does not exist' },
    };
    const answer = except(makeChain(200, 3), ({ method }) =>
      method === 'eth_getBlockReceipts' ? unsupported : undefined,
    );
    const node = createFakeNode(answer);
    const blocks = await readAll(node, 0, 199);
    const counts = blocks.flatMap(({ transactions }) =>
      transactions.map(({ receipt }) => receipt.logs.length),
    );
    expect(new Set(counts)).toEqual(new Set([1]));
    const methods = node.requests.flat().map(({ method }) => method);
    expect(methods.filter((method) => method === 'eth_getTransactionReceipt')).toHaveLength(600);
    expect(methods.filter((method) => method === 'eth_getBlockReceipts').length).toBeLessThan(100);
  });
});

describe('a node that is broken', () => {
  test.each([
    ['HTML', () => httpResponse(200, '<html>')],
    ['HTTP 500', () => httpResponse(500, 'no')],
    [
      'too few answers',
      (calls: readonly ReceivedCall[]) =>
        httpResponse(
          200,
          calls.slice(1).map(({ id }) => ({ id, result: null })),
        ),
    ],
    ['no answers', () => httpResponse(200, [])],
    [
      'neither result nor error',
      (calls: readonly ReceivedCall[]) =>
        httpResponse(
          200,
          calls.map(({ id }) => ({ id })),
        ),
    ],
  ])('for a moment, with %s, is asked again', async (_, mishap) => {
    const node = createFakeNode(answersOf(makeChain(4)));
    node.mishaps.push(mishap);
    expect(numbersOf(await readAll(node, 0, 3))).toEqual([0, 1, 2, 3]);
  });

  test('for good is an error', async () => {
    const node: NodePost = {
      reserveIds: () => 1,
      post: () => Promise.reject(new UpstreamError('unreachable', { sent: false, reusedSocket: false })),
    };
    expect(await readUntilError(node, 5, 9)).toEqual({ numbers: [], kind: 'unavailable', block: 5 });
  });
});

describe('parts that do not belong together end the range at their block', () => {
  const broken: [string, string, (json: NodeBlockJson) => NodeBlockJson][] = [
    [
      'a log is missing',
      'inconsistent',
      (json) => ({
        ...json,
        receipts: json.receipts.map((one, index) => (index === 0 ? { ...one, logs: [] } : one)),
      }),
    ],
    [
      'the last log is missing',
      'inconsistent',
      (json) => ({
        ...json,
        receipts: json.receipts.map((one, index) => (index === 1 ? { ...one, logs: [] } : one)),
      }),
    ],
    ['a receipt is missing', 'missing', (json) => ({ ...json, receipts: json.receipts.slice(1) })],
    ['a receipt is null', 'missing', (json) => ({ ...json, receipts: [json.receipts[0], null] as never })],
    ['receipts are null', 'missing', (json) => ({ ...json, receipts: null as never })],
    [
      'receipts are in another order',
      'inconsistent',
      (json) => ({ ...json, receipts: json.receipts.toReversed() }),
    ],
    [
      'receipts of another block',
      'inconsistent',
      (json) => ({ ...json, receipts: makeBlock(9, 2).receipts }),
    ],
    ['a removed log', 'malformed', (json) => ({ ...json, receipts: changeLog(json, { removed: true }) })],
    [
      'a log of another block',
      'malformed',
      (json) => ({ ...json, receipts: changeLog(json, { blockHash: blockHash(9) }) }),
    ],
    [
      'five topics',
      'malformed',
      (json) => ({ ...json, receipts: changeLog(json, { topics: new Array(5).fill(blockHash(1)) }) }),
    ],
    ['a fraction', 'malformed', (json) => ({ ...json, block: { ...json.block, gasUsed: 1.5 } })],
    ['half a byte', 'malformed', (json) => ({ ...json, block: { ...json.block, extraData: '0x123' } })],
    [
      'only hashes of transactions',
      'malformed',
      (json) => ({ ...json, block: { ...json.block, transactions: [blockHash(1)] } }),
    ],
    ['another block', 'inconsistent', (json) => ({ ...json, block: makeBlock(9, 2).block })],
    [
      'another parent',
      'wrong_parent',
      (json) => ({ ...json, block: { ...json.block, parentHash: blockHash(77) } }),
    ],
    ['no block', 'missing', (json) => ({ ...json, block: null as never })],
    ['a text in place of a block', 'malformed', (json) => ({ ...json, block: 'block' as never })],
  ];

  function changeLog(json: NodeBlockJson, change: object) {
    return json.receipts.map((receipt) => ({
      ...receipt,
      logs: (receipt.logs as object[]).map((log) => ({ ...log, ...change })),
    }));
  }

  test.each(broken)('%s: %s', async (_, kind, change) => {
    const chain = makeChain(10);
    chain[4] = change(makeBlock(4, 2));
    expect(await readUntilError(createFakeNode(answersOf(chain)), 1, 9)).toEqual({
      numbers: [1, 2, 3],
      kind,
      block: 4,
    });
  });

  test('another parent at the edge of two pages', async () => {
    const chain = makeChain(100);
    for (let number = 16; number < 100; number += 1) {
      const json = makeBlock(number, 0);
      chain[number] = number === 16 ? { ...json, block: { ...json.block, parentHash: blockHash(77) } } : json;
    }
    expect(await readUntilError(createFakeNode(answersOf(chain)), 0, 99)).toMatchObject({
      kind: 'wrong_parent',
      block: 16,
    });
  });

  test('what is there a moment later is no error', async () => {
    const chain = makeChain(4);
    let asked = 0;
    const answer = except(chain, ({ method, params }) =>
      method === 'eth_getBlockReceipts' && params[0] === '0x2' && asked++ < 2 ? { result: null } : undefined,
    );
    expect(numbersOf(await readAll(createFakeNode(answer), 0, 3))).toEqual([0, 1, 2, 3]);
  });
});

describe('traces', () => {
  const tracesAt = async (node: NodePost, number: number) =>
    (await readAll(node, number, number, true))[0]?.traces;

  test('of every transaction', async () => {
    const node = createFakeNode(answersOf(makeChain(40)));
    const blocks = await readAll(node, 0, 39, true);
    expect(blocks).toHaveLength(40);
    expect(blocks[3]?.traces).toMatchObject({
      kind: 'traced',
      calls: [{ type: 'CALL', value: 1n, calls: [{ type: 'STATICCALL', value: 0n, calls: [] }] }, {}],
    });
  });

  test.each<[string, string, (json: NodeBlockJson) => unknown]>([
    [
      'an error for one transaction',
      'rpc_error',
      ({ traces }) => [traces[0], { txHash: traces[1]?.txHash, error: 'execution failed' }],
    ],
    ['an old transaction', 'node_pruned', ({ traces }) => [traces[0], { error: 'Resource not found' }]],
    ['a timeout', 'timeout', ({ traces }) => [traces[0], { error: 'execution timeout' }]],
    ['one too few', 'rpc_error', ({ traces }) => traces.slice(1)],
    ['another transaction', 'rpc_error', ({ traces }) => traces.toReversed()],
    ['null', 'rpc_error', () => null],
    ['a frame without type', 'rpc_error', ({ traces }) => traces.map((one) => ({ ...one, result: {} }))],
  ])('%s: a gap, %s', async (_, reason, change) => {
    const chain = makeChain(3);
    const answer = except(chain, (call) =>
      call.method === 'debug_traceBlockByNumber' ? { result: change(makeBlock(1, 2)) } : undefined,
    );
    expect(await tracesAt(createFakeNode(answer), 1)).toMatchObject({ kind: 'gap', reason });
  });

  test.each([
    [-32601, 'method not found', 'unsupported'],
    [-32000, 'missing trie node', 'node_pruned'],
    [4444, 'pruned history unavailable', 'node_pruned'],
    [-32000, 'something broke', 'rpc_error'],
  ])('error %i %s: a gap, %s', async (code, message, reason) => {
    const answer = except(makeChain(3), (call) =>
      call.method === 'debug_traceBlockByNumber' ? { error: { code, message } } : undefined,
    );
    expect(await tracesAt(createFakeNode(answer), 1)).toMatchObject({ kind: 'gap', reason });
  });

  test('blocks that run no code are told without asking', async () => {
    const plain = makeBlock(1, 2);
    const bloom = makeBlock(1, 0).block.logsBloom;
    const receipts = plain.receipts.map((one, index) => ({
      ...one,
      logs: [],
      gasUsed: index === 0 ? '0x5208' : '0x5308',
      gasUsedForL1: index === 0 ? '0x0' : '0x100',
    }));
    const chain = [makeBlock(0, 0), { ...plain, receipts, block: { ...plain.block, logsBloom: bloom } }];
    const node = createFakeNode(answersOf(chain));
    const blocks = await readAll(node, 0, 1, true);
    expect(blocks[0]?.traces).toEqual({ kind: 'traced', calls: [] });
    expect(blocks[1]?.traces).toMatchObject({
      kind: 'traced',
      calls: [{ gasUsed: 21_000n, calls: [] }, { gasUsed: 21_256n }],
    });
    expect(node.requests).toHaveLength(1);
  });
});

test('leaving early ends what is on its way', async () => {
  const node = createFakeNode(answersOf(makeChain(1_000)));
  const signals: (AbortSignal | undefined)[] = [];
  const watched: NodePost = {
    ...node,
    post: (request) => {
      signals.push(request.signal);
      return node.post(request);
    },
  };
  for await (const block of readerOf(watched).reader.read(0, 999, { deadline: DEADLINE }))
    if (block.number === 3) break;
  expect(signals.filter((signal) => signal?.aborted !== true)).toEqual([]);
  expect(signals.length).toBeLessThan(10);
});
