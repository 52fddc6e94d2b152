/** Only final results are cached, shared by instances, each as long and as large as its price allows. */
import { randomBytes } from 'node:crypto';
import { LOGS_MARGIN_BLOCKS } from '../../../lambdas/rpc/cache/final-results.ts';
import {
  type CachedRequest,
  ResponseCache,
  VIEW_MAX_AGE_MS,
} from '../../../lambdas/rpc/cache/response-cache.ts';
import {
  CONSTANT_TTL_MS,
  FINAL_TTL_MS,
  MAX_KEPT_BYTES,
  MAX_SHARED_BYTES,
} from '../../../lambdas/rpc/cache/shared-results.ts';
import { finalizedBlock } from '../../../lambdas/shared/upstream/routing/head-tracker.ts';
import {
  type AskedCall,
  type CacheInstance,
  CacheWorld,
  CHAIN,
  hashOf,
  quantity,
  UPSTREAMS,
} from './cache-world.ts';

/** For how long a result that is not shared is not looked for again, in milliseconds. */
const MISS_TTL_MS = 5_000;

const HEAD = 100_000n;
const FINAL = HEAD - 256n;
const HASH = hashOf(1);
const UPPER_HASH = HASH.toUpperCase().replace('X', 'x');
const OTHER_HASH = hashOf(2);

let world: CacheWorld;
let cache: CacheInstance;

beforeEach(() => {
  world = new CacheWorld();
  world.head = HEAD;
  cache = world.open();
});

/** Whether the second of two equal calls is answered without the node. */
async function isKept(call: AskedCall, response: unknown): Promise<boolean> {
  world.node = () => response;
  const [first] = await cache.ask(call);
  expect(first?.cached).toBe(false);
  const [second] = await cache.ask(call);
  expect(second?.response).toEqual(first?.response);
  expect(world.sent.length).toBe(second?.cached === true ? 1 : 2);
  return second?.cached === true;
}

describe('a response is kept', () => {
  test.each<[string, AskedCall, unknown]>([
    ['a constant', ['eth_chainId'], '0x1'],
    ['of the finalized block', ['eth_getBlockByNumber', quantity(FINAL), false], { number: quantity(FINAL) }],
    ['of the first block', ['eth_getBlockByNumber', '0x0', false], { number: '0x0' }],
    ['receipts of a final block', ['eth_getBlockReceipts', '0x5'], [{ blockNumber: '0x5' }]],
    [
      'a hash whose answer shows a final block',
      ['eth_getTransactionReceipt', HASH],
      { transactionHash: HASH, blockNumber: '0x5' },
    ],
    ['a hash in another case', ['eth_getBlockByHash', UPPER_HASH, false], { hash: HASH, number: '0x5' }],
    ['state of a final block', ['eth_getBalance', '0x00', '0x5'], '0x0'],
    ['logs', ['eth_getLogs', { fromBlock: '0x1', toBlock: quantity(FINAL - LOGS_MARGIN_BLOCKS) }], []],
    [
      'logs of a final block by its hash',
      ['eth_getLogs', { blockHash: HASH }],
      [{ blockHash: HASH, blockNumber: '0x5' }],
    ],
    [
      'traces, of which one reverted',
      ['debug_traceBlockByNumber', '0x5'],
      [{ txHash: HASH, result: { error: 'execution reverted' } }],
    ],
  ])('%s', async (_, call, response) => {
    expect(await isKept(call, response)).toBe(true);
  });
});

describe('a response is not kept', () => {
  test.each<[string, AskedCall, unknown]>([
    [
      'above the finalized block',
      ['eth_getBlockByNumber', quantity(FINAL + 1n), false],
      { number: quantity(FINAL + 1n) },
    ],
    ['behind a tag', ['eth_getBlockByNumber', 'finalized', false], { number: '0x5' }],
    ['behind earliest', ['eth_getBlockByNumber', 'earliest', false], { number: '0x0' }],
    ['null', ['eth_getBlockByNumber', '0x5', false], null],
    ['null where no block is shown', ['eth_getBlockTransactionCountByNumber', '0x5'], null],
    ['an error', ['eth_getBlockByNumber', '0x5', false], new Error('-32000')],
    ['of another block than was asked for', ['eth_getBlockByNumber', '0x5', false], { number: '0x6' }],
    ['that does not show its block', ['eth_getBlockByNumber', '0x5', false], { hash: HASH }],
    ['an empty list of receipts', ['eth_getBlockReceipts', '0x5'], []],
    ['receipts of another block', ['eth_getBlockReceipts', '0x5'], [{ blockNumber: '0x6' }]],
    ['a pending transaction', ['eth_getTransactionByHash', HASH], { hash: HASH, blockNumber: null }],
    [
      'a recent transaction',
      ['eth_getTransactionByHash', HASH],
      { hash: HASH, blockNumber: quantity(FINAL + 1n) },
    ],
    [
      'of another transaction than was asked for',
      ['eth_getTransactionReceipt', HASH],
      { transactionHash: OTHER_HASH, blockNumber: '0x5' },
    ],
    [
      'of another block by its hash',
      ['eth_getBlockByHash', HASH, false],
      { hash: OTHER_HASH, number: '0x5' },
    ],
    [
      'logs of another block by its hash',
      ['eth_getLogs', { blockHash: HASH }],
      [{ blockHash: OTHER_HASH, blockNumber: '0x5' }],
    ],
    ['what does not show the hash', ['eth_getBlockByHash', HASH, false], { number: '0x5' }],
    ['no logs of a block by its hash', ['eth_getLogs', { blockHash: HASH }], []],
    ['logs that a node behind may lack', ['eth_getLogs', { fromBlock: '0x1', toBlock: quantity(FINAL) }], []],
    ['the trace of a hash of which nothing is known', ['debug_traceTransaction', HASH], {}],
    [
      'traces, of which one failed',
      ['debug_traceBlockByNumber', '0x5'],
      [{ result: {} }, { error: 'timeout' }],
    ],
    ['traces that are no list', ['debug_traceBlockByNumber', '0x5'], {}],
    ['what asks for the present', ['eth_gasPrice'], '0x1'],
    ['what is of the node alone', ['net_peerCount'], '0x1'],
  ])('%s', async (_, call, response) => {
    expect(await isKept(call, response)).toBe(false);
  });

  test('while it is not known what is final', async () => {
    world.head = undefined;
    expect(await isKept(['eth_getBlockByNumber', '0x5', false], { number: '0x5' })).toBe(false);
  });

  test('of a node that has failed', async () => {
    world.settings = { ...world.settings, maxResponseBytes: 3 };
    expect((await cache.ask(['eth_gasPrice']))[0]).toEqual({
      response: 'upstream_response_too_large',
      cached: false,
    });
  });
});

test('a trace by hash is kept once another answer has shown its block to be final', async () => {
  const [transaction, block] = [hashOf('tx'), hashOf('block')];
  world.node = (method) =>
    method === 'eth_getTransactionReceipt'
      ? { transactionHash: transaction, blockHash: block, blockNumber: '0x5' }
      : [{ result: method }];
  const traces: AskedCall[] = [
    ['debug_traceTransaction', transaction.toUpperCase().replace('X', 'x')],
    ['debug_traceBlockByHash', block],
  ];
  await cache.ask(...traces);
  await cache.ask(['eth_getTransactionReceipt', transaction]);
  expect((await cache.ask(...traces)).map(({ cached }) => cached)).toEqual([false, false]);
  expect((await cache.ask(...traces)).map(({ cached }) => cached)).toEqual([true, true]);
});

test('a hash that a shared response shows is known to be final too', async () => {
  world.node = (method) =>
    method === 'eth_getTransactionReceipt' ? { transactionHash: HASH, blockNumber: '0x5' } : {};
  await cache.ask(['eth_getTransactionReceipt', HASH]);
  await cache.ask(['eth_getTransactionReceipt', HASH]);
  const other = world.open();
  await other.ask(['eth_getTransactionReceipt', HASH], ['debug_traceTransaction', HASH]);
  expect((await other.ask(['debug_traceTransaction', HASH]))[0]?.cached).toBe(true);
});

describe('the instances share a table', () => {
  const call: AskedCall = ['eth_getBlockByNumber', '0x5', true];
  const block = { number: '0x5', extraData: '0x'.padEnd(5_000, 'ab') };

  beforeEach(async () => {
    world.node = () => block;
    await cache.ask(call);
    await cache.ask(call);
  });

  test('but not what was asked for once', async () => {
    world.node = (_, [number]) => ({ number });
    world.store.writes.length = 0;
    for (let number = 6; number < 106; number++) {
      await cache.ask(['eth_getBlockByNumber', quantity(number), true]);
    }
    expect(world.store.writes).toEqual([]);
    const again: AskedCall = ['eth_getBlockByNumber', '0x6', true];
    for (let times = 0; times < 3; times++) await cache.ask(again);
    expect(world.store.writes.map((keys) => keys.length)).toEqual([1]);
    expect((await world.open().ask(again))[0]?.cached).toBe(true);
  });

  test('one read finds what another has kept, and no node and no head is asked', async () => {
    const [written] = world.store.responses.values();
    expect(written?.body.length).toBeLessThan(500);
    world.headReads = 0;
    world.store.reads.length = 0;
    const other = world.open();
    expect(await other.ask(call, ['eth_getBlockByNumber', '0x5', true])).toEqual([
      { response: block, cached: true },
      { response: block, cached: true },
    ]);
    // The version of the chain's cache is read with it.
    expect(world.store.reads).toEqual([[written?.key, `version#${world.settings.chain}`]]);
    expect(await other.ask(call)).toEqual([{ response: block, cached: true }]);
    expect(world.store.reads).toHaveLength(1);
    expect(world.sent).toHaveLength(1);
    // The request does not wait for it.
    expect(world.headReads).toBe(1);
  });

  test('also while no node says where the head is', async () => {
    world.head = undefined;
    expect((await world.open().ask(call))[0]?.cached).toBe(true);
  });

  test('what has expired is not given, although the table still has it', async () => {
    world.now += FINAL_TTL_MS;
    expect((await world.open().ask(call))[0]?.cached).toBe(false);
    expect((await cache.ask(call))[0]?.cached).toBe(false);
    expect((await cache.ask(call))[0]?.cached).toBe(true);
  });

  test('a constant expires earlier', async () => {
    world.settings = { ...CHAIN, upstreams: ['http://127.0.0.1:1', 'http://127.0.0.1:2'] };
    const other = world.open();
    const calls: readonly AskedCall[] = [['net_version'], ['eth_getBalance', '0x00', '0x5']];
    // Both upstreams are asked for each.
    for (const one of calls) expect((await other.ask(one))[0]?.cached).toBe(false);
    world.sent.push('other');
    for (const one of calls) expect((await other.ask(one))[0]?.cached).toBe(false);
    expect((await other.ask(...calls)).map(({ cached }) => cached)).toEqual([true, true]);
    world.now += CONSTANT_TTL_MS;
    expect((await other.ask(...calls)).map(({ cached }) => cached)).toEqual([false, true]);
  });

  test('an item that cannot be read is a miss', async () => {
    for (const [key, response] of world.store.responses) {
      world.store.responses.set(key, { ...response, body: Buffer.from('no zstd') });
    }
    expect(await world.open().ask(call)).toEqual([{ response: block, cached: false }]);
  });

  test('an answer that is too large is kept in memory alone', async () => {
    const large: AskedCall = ['eth_getBlockByNumber', '0x6', true];
    world.node = () => ({ number: '0x6', extraData: randomBytes(MAX_SHARED_BYTES).toString('hex') });
    world.store.writes.length = 0;
    await cache.ask(large);
    expect((await cache.ask(large))[0]?.cached).toBe(true);
    expect(world.store.writes).toEqual([]);
    expect((await world.open().ask(large))[0]?.cached).toBe(false);
  });

  test('one that is larger than what 1 CU may buy is kept nowhere', async () => {
    const huge: AskedCall = ['eth_getBlockByNumber', '0x7', true];
    world.node = () => ({ number: '0x7', extraData: '0x'.padEnd(MAX_KEPT_BYTES, '0') });
    world.store.writes.length = 0;
    for (let times = 0; times < 3; times++) expect((await cache.ask(huge))[0]?.cached).toBe(false);
    expect(world.store.writes).toEqual([]);
  });

  test('chains and chain ids are kept apart', async () => {
    world.settings = { ...world.settings, chain: 'example_testnet' };
    expect((await cache.ask(call))[0]?.cached).toBe(false);
    world.settings = { ...world.settings, chainId: 2 };
    expect((await cache.ask(call))[0]?.cached).toBe(false);
  });

  test('what is not there is not looked for again at once', async () => {
    world.node = () => null;
    world.store.reads.length = 0;
    await cache.ask(['eth_getTransactionReceipt', HASH]);
    await cache.ask(['eth_getTransactionReceipt', HASH]);
    expect(world.store.reads).toHaveLength(1);
    world.now += MISS_TTL_MS;
    await cache.ask(['eth_getTransactionReceipt', HASH]);
    expect(world.store.reads).toHaveLength(2);
  });

  test('what is too new to be there is not looked for', async () => {
    world.store.reads.length = 0;
    await cache.ask(['eth_getBlockByNumber', quantity(HEAD), true]);
    expect(world.store.reads).toEqual([]);
  });
});

describe('while the table is down', () => {
  const call = (number: number): AskedCall => ['eth_getBlockByNumber', quantity(number), true];

  beforeEach(() => {
    world.node = (_, [number]) => ({ number });
    world.store.failure = new Error('down');
  });

  test('answers come from the node and from memory', async () => {
    expect((await cache.ask(call(1)))[0]).toEqual({ response: { number: '0x1' }, cached: false });
    expect((await cache.ask(call(1)))[0]?.cached).toBe(true);
  });

  test('it is left alone for a moment, and then used again', async () => {
    await cache.ask(call(1));
    await cache.ask(call(2));
    expect([world.store.reads.length, world.store.writes.length]).toEqual([1, 0]);
    world.store.failure = undefined;
    world.now += 1_000;
    await cache.ask(call(3), call(1));
    expect([world.store.reads.length, world.store.writes.length]).toEqual([2, 1]);
  });
});

test('answers in the order of the calls, found or not', async () => {
  world.node = (_, [number]) => ({ number });
  const block = (number: number): AskedCall => ['eth_getBlockByNumber', quantity(number), true];
  await cache.ask(block(2), block(4));
  const told = await cache.ask(block(1), block(2), block(3), block(4), block(2), block(1));
  expect(told).toEqual([
    { response: { number: '0x1' }, cached: false },
    { response: { number: '0x2' }, cached: true },
    { response: { number: '0x3' }, cached: false },
    { response: { number: '0x4' }, cached: true },
    { response: { number: '0x2' }, cached: true },
    { response: { number: '0x1' }, cached: true },
  ]);
  expect(world.sent.slice(2)).toEqual([
    'eth_getBlockByNumber ["0x1",true]',
    'eth_getBlockByNumber ["0x3",true]',
  ]);
});

test('white space and the spelling of the number of a block make no other call of it, anything else does', async () => {
  world.node = () => ({ number: '0x5' });
  const cachedOf = async (params: string) =>
    (await cache.askRaw([['eth_getBlockByNumber', params]])).map(({ cached }) => cached);
  expect(await cachedOf('["0x5",true]')).toEqual([false]);
  expect(await cachedOf(' [ "0x5" , true ]')).toEqual([true]);
  expect(await cachedOf('["0x05",true]')).toEqual([true]);
  expect(await cachedOf('["0x5",false]')).toEqual([false]);
});

test('equal calls of a batch are shared once', async () => {
  world.node = () => ({ number: '0x5' });
  const call: AskedCall = ['eth_getBlockByNumber', '0x5', true];
  await cache.ask(call, call);
  await cache.ask(call, call);
  expect(world.store.writes.map((keys) => keys.length)).toEqual([1]);
});

describe('many spellings of one question have one place', () => {
  test.each<[string, (number: string) => AskedCall, unknown]>([
    ['a block', (number) => ['eth_getBlockByNumber', number, true], { number: '0xabc' }],
    ['a balance', (number) => ['eth_getBalance', '0x00', number], '0x1'],
    [
      'a range of logs',
      (number) => ['eth_getLogs', { fromBlock: number, address: '0x0A', toBlock: number }],
      [],
    ],
  ])('%s', async (_, callAt, response) => {
    world.node = () => response;
    const spellings = Array.from({ length: 13 }, (_unused, zeros) => `0x${'0'.repeat(zeros)}aBC`);
    await cache.ask(callAt('0xabc'));
    for (const number of spellings) expect((await cache.ask(callAt(number)))[0]?.cached).toBe(true);
    expect([world.sent.length, world.store.responses.size]).toEqual([1, 1]);
  });

  test('but a node that is strict is asked what the client has written', async () => {
    world.node = (_, [number]) => (number === '0x05' ? new Error('-32602') : { number });
    const block = (number: string): AskedCall => ['eth_getBlockByNumber', number, true];
    const told = await cache.ask(block('0x05'), block('0x5'));
    expect(told.map(({ response }) => response)).toEqual(['error -32602', { number: '0x5' }]);
  });
});

test('what is kept is apart from the response that it came in', async () => {
  const result = Buffer.from('{"number":"0x5"}');
  const alone = new ResponseCache({ clock: { now: () => world.now }, store: world.store });
  const request: CachedRequest = {
    chain: {
      settings: CHAIN,
      head: { known: HEAD, readFinal: async () => finalizedBlock(HEAD) },
      node: UPSTREAMS,
    },
    calls: [{ id: Buffer.from('1'), method: 'eth_getBlockByNumber', params: Buffer.from('["0x5",true]') }],
    deadline: world.now + 20_000,
    send: async () => [{ kind: 'result', result }],
  };
  await alone.answer(request);
  result.fill('x');
  const { responses } = await alone.answer(request);
  expect(responses).toMatchObject([
    { response: { kind: 'result', result: new Uint8Array(Buffer.from('{"number":"0x5"}')) }, cached: true },
  ]);
});

test('answers of a batch are together no larger than what a node may send', async () => {
  world.node = () => ({ number: '0x5', extraData: 'x'.repeat(1_000) });
  const call: AskedCall = ['eth_getBlockByNumber', '0x5', true];
  await cache.ask(call);
  world.settings = { ...world.settings, maxResponseBytes: 2_500 };
  const told = await cache.ask(call, call, call);
  expect(told.map(({ cached }) => cached)).toEqual([true, true, false]);
  expect(told[2]?.response).toBe('upstream_response_too_large');
});

test('what is final is asked for once in a while, and not at all by what is known to be', async () => {
  world.node = (_, [number]) => ({ number });
  const recent: AskedCall = ['eth_getBlockByNumber', quantity(FINAL + 5n), true];
  await cache.ask(['eth_gasPrice']);
  expect(world.headReads).toBe(0);
  await cache.ask(['eth_getBlockByNumber', '0x5', true]);
  world.now += VIEW_MAX_AGE_MS - 1;
  await cache.ask(recent);
  expect(world.headReads).toBe(1);
  world.now += 1;
  world.head = HEAD + 5n;
  await cache.ask(['eth_getBlockByNumber', '0x6', true]);
  expect(world.headReads).toBe(1);
  // The request does not wait for a newer view, which serves the next one.
  await cache.ask(recent);
  expect(world.headReads).toBe(2);
  expect((await cache.ask(recent))[0]?.cached).toBe(false);
  expect((await cache.ask(recent))[0]?.cached).toBe(true);
});

test('a block that becomes final while its response is under way is not kept', async () => {
  const alone = new ResponseCache({ clock: { now: () => world.now }, store: world.store });
  const number = quantity(FINAL + 1n);
  const request = (id: string, send: CachedRequest['send']): CachedRequest => ({
    chain: {
      settings: CHAIN,
      head: { known: world.head, readFinal: async () => finalizedBlock(world.head ?? 0n) },
      node: UPSTREAMS,
    },
    calls: [
      { id: Buffer.from('1'), method: 'eth_getBlockByNumber', params: Buffer.from(`["${number}",${id}]`) },
    ],
    deadline: world.now + 20_000,
    send,
  });
  const response = { kind: 'result', result: Buffer.from(JSON.stringify({ number })) } as const;
  await alone.answer(
    request('true', async () => {
      world.head = HEAD + 10n;
      world.now += VIEW_MAX_AGE_MS;
      await alone.answer(request('false', async () => [response]));
      await alone.answer(request('false', async () => [response]));
      return [response];
    }),
  );
  const cachedOf = async (id: string) =>
    (await alone.answer(request(id, async () => [response]))).responses.map(({ cached }) => cached);
  expect(await cachedOf('false')).toEqual([true]);
  expect(await cachedOf('true')).toEqual([false]);
  expect(await cachedOf('true')).toEqual([true]);
});

test('a head that turns out never to have been true makes nothing final any longer', async () => {
  world.node = (_, [number]) => ({ number });
  world.head = HEAD + 10_000n;
  await cache.ask(['eth_getBlockByNumber', '0x5', true]);
  world.head = HEAD;
  world.now += VIEW_MAX_AGE_MS;
  await cache.ask(['eth_getTransactionReceipt', HASH]);
  const recent: AskedCall = ['eth_getBlockByNumber', quantity(HEAD), true];
  await cache.ask(recent);
  expect((await cache.ask(recent))[0]?.cached).toBe(false);
});

test('no request waits long for a head that does not come', async () => {
  world.node = () => ({ number: '0x5' });
  Object.defineProperty(world, 'head', { get: () => new Promise(() => {}) });
  expect((await cache.ask(['eth_getBlockByNumber', '0x5', true]))[0]).toEqual({
    response: { number: '0x5' },
    cached: false,
  });
});
