/** The errors, prices and bounds of JSON-RPC are those of the specification, to the letter. */
import {
  MAX_UNBILLED_ERRORS,
  UNBILLED_ERRORS_WINDOW_MS,
  UnbilledErrors,
} from '../../lambdas/rpc/billing/call-usage.ts';
import { ResponseCache } from '../../lambdas/rpc/cache/response-cache.ts';
import { handleRequest } from '../../lambdas/rpc/handle-request.ts';
import { openChainUpstreams } from '../../lambdas/shared/upstream/chain-upstreams.ts';
import type { NodeConnection } from '../../lambdas/shared/upstream/connection/node-connection.ts';
import { type ChainClient, createChainClient } from '../../lambdas/shared/upstream/routing/chain-client.ts';
import { callsOf, type ReceivedCall } from '../nodes/replies.ts';
import { admittingMeter } from '../support/admitting-meter.ts';
import { stillHead } from '../support/still-head.ts';
import { CHAIN as USUAL_CHAIN } from './cache/cache-world.ts';
import { MemoryCacheStore } from './cache/memory-cache-store.ts';
import { OWN_TRACER, TRACER_ERRORS } from './tracer-errors.ts';

interface Told {
  readonly id: unknown;
  readonly result?: unknown;
  readonly error: {
    readonly code: number;
    readonly message: string;
    readonly data: Readonly<Record<string, unknown>>;
  };
}

/** The parts of a response that a client sees. */
interface Seen {
  readonly status: number;
  readonly bytes: number;
  readonly cost: number;
  readonly billed: number;
  readonly cache: string | undefined;
  readonly body: Told | readonly Told[];
}

const HEAD = stillHead(100_000n, 99_744n);
const MAX_CALL_GAS = 50_000_000;
const CHAIN = { ...USUAL_CHAIN, maxCallGas: MAX_CALL_GAS };

let now: number;
let node: ChainClient;
let cache: ResponseCache;
let unbilledErrors: UnbilledErrors;
/** Calls that reached the node. */
let sent: ReceivedCall[];
/** Milliseconds that the node had for each request. */
let waits: number[];
let answer: (call: ReceivedCall) => Readonly<Record<string, unknown>>;

beforeEach(() => {
  now = 1_000_000_000_000;
  sent = [];
  waits = [];
  answer = () => ({ result: '0x1' });
  const clock = { now: () => now };
  const { maxResponseBytes } = CHAIN;
  node = createChainClient(openChainUpstreams([{ name: 'only', connection }], { clock, maxResponseBytes }));
  cache = new ResponseCache({ clock, store: new MemoryCacheStore() });
  unbilledErrors = new UnbilledErrors(clock);
});

const connection: NodeConnection = {
  maxResponseBytes: CHAIN.maxResponseBytes,
  reserveIds: () => 1,
  close: () => {},
  async post(request) {
    const calls = callsOf(request.body);
    sent.push(...calls);
    waits.push(request.deadline - now);
    const responses = calls.map((call) => ({ jsonrpc: '2.0', id: call.id, ...answer(call) }));
    const batch = request.body[0] === '['.charCodeAt(0);
    return { status: 200, body: Buffer.from(JSON.stringify(batch ? responses : responses[0])) };
  },
};

const meter = admittingMeter();

/** Sends a body as a client of an account does. `text`: as it is. */
async function ask(body: unknown, account = 'a'): Promise<Seen> {
  const response = await handleRequest(
    {
      holder: { keyId: 'k', account },
      chain: { settings: CHAIN, node, head: HEAD, unbilledErrors },
      body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
      deadline: now + 20_000,
    },
    meter,
    cache,
  );
  if (response === undefined) throw new Error('no answer');
  const text = Buffer.concat(response.body).toString();
  return {
    status: response.status,
    bytes: text.length,
    cost: Number(response.headers['X-CU-Cost']),
    billed: Number(response.headers['X-CU-Billed']),
    cache: response.headers['X-Cache'],
    body: JSON.parse(text) as Told | readonly Told[],
  };
}

const call = (method: string, params: unknown = [], id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});
const nodeError = (code: number, message: string) => () => ({ error: { code, message } });
const errorOf = ({ body }: Seen) => (body as Told).error;
const transfer = call('eth_call', [{ to: `0x${'00'.repeat(20)}` }, 'latest']);

describe('-32000 historical state ... is not available: not billed', () => {
  test.each([
    'historical state 0xabc is not available',
    'historical state for block 1.5 is not available',
    'Historical state 0x12 is not available',
    'HISTORICAL STATE IS NOT AVAILABLE',
    'historical state 0x12 is not available, use an archive node',
    'error: historical state of block #5 (pruned) is not available.',
  ])("with the node's own message: %s", async (message) => {
    answer = nodeError(-32000, message);
    const seen = await ask(transfer);
    expect([seen.status, seen.cost, seen.billed]).toEqual([200, 20, 0]);
    expect(errorOf(seen)).toEqual({ code: -32000, message });
  });

  const trace = call('debug_traceTransaction', JSON.parse(Buffer.from(OWN_TRACER.params ?? []).toString()));
  const mux = call('debug_traceTransaction', [`0x${'ab'.repeat(32)}`, { tracer: 'muxTracer' }]);

  test.each([trace, mux])('nor with a JavaScript tracer or muxTracer', async (traced) => {
    answer = nodeError(-32000, TRACER_ERRORS[0] as string);
    const seen = await ask(traced);
    expect([seen.cost, seen.billed]).toEqual([200, 0]);
  });

  test('but an account that makes a node say it all the time has to wait, unbilled, and no other has', async () => {
    answer = nodeError(-32000, TRACER_ERRORS[0] as string);
    for (let traces = 0; traces < MAX_UNBILLED_ERRORS; traces++) await ask(trace);
    sent = [];
    const refused = await ask(trace);
    expect([refused.status, refused.cost, refused.billed, sent]).toEqual([200, 0, 0, []]);
    expect(errorOf(refused)).toEqual({
      code: -32005,
      message: 'gateway overloaded, retry later',
      data: {
        reason: 'gateway_overloaded',
        retryable: true,
        rule: 'unbilled_errors',
        retry_after_ms: UNBILLED_ERRORS_WINDOW_MS,
      },
    });
    const beside = (await ask([call('eth_subscribe'), trace])).body as readonly Told[];
    expect(beside.map(({ error }) => error.data.reason)).toEqual([
      'method_not_allowed',
      'gateway_overloaded',
    ]);
    answer = () => ({ result: {} });
    expect((await ask(trace, 'another account')).billed).toBe(200);
    expect((await ask(call('debug_traceBlockByNumber', ['0x1', { tracer: 'callTracer' }]))).billed).toBe(200);
    expect((await ask(transfer)).billed).toBe(20);
    now += UNBILLED_ERRORS_WINDOW_MS;
    expect((await ask(trace)).billed).toBe(200);
  });

  test('nor does a contract that reverts with these words run for nothing without an end', async () => {
    answer = nodeError(-32000, 'execution reverted: historical state x is not available');
    for (let calls = 0; calls < MAX_UNBILLED_ERRORS; calls++) expect((await ask(transfer)).billed).toBe(0);
    expect(errorOf(await ask(transfer)).code).toBe(-32005);
    answer = () => ({ result: '0x1' });
    expect((await ask(call('eth_getBalance', ['0x', 'latest']))).billed).toBe(10);
  });

  test('nor does one whose estimates run out of gas at a node that says so by -32003', async () => {
    const estimate = call('eth_estimateGas', [{ to: '0x01', data: '0x02' }]);
    answer = nodeError(-32003, 'gas required exceeds allowance (30000000)');
    for (let calls = 0; calls < MAX_UNBILLED_ERRORS; calls++) {
      const seen = await ask(estimate);
      expect([seen.billed, errorOf(seen).code]).toEqual([0, -32003]);
    }
    const refused = await ask(estimate);
    expect([refused.cost, errorOf(refused).data?.rule]).toEqual([0, 'unbilled_errors']);
    answer = () => ({ result: '0x1' });
    expect((await ask(estimate, 'another account')).billed).toBe(20);
    now += UNBILLED_ERRORS_WINDOW_MS;
    expect((await ask(estimate)).billed).toBe(20);
  });

  test('but rejected transactions are no executions, however many there are', async () => {
    answer = nodeError(-32003, 'transaction rejected');
    for (let calls = 0; calls < 2 * MAX_UNBILLED_ERRORS; calls++) {
      expect(errorOf(await ask(call('eth_sendRawTransaction', [`0x0${calls}`]))).code).toBe(-32003);
    }
  });

  test('nor does a tracer that throws that there is no such transaction', async () => {
    answer = nodeError(-32000, 'transaction not found');
    for (let traces = 0; traces < MAX_UNBILLED_ERRORS; traces++) expect((await ask(trace)).billed).toBe(0);
    expect(errorOf(await ask(trace)).data?.rule).toBe('unbilled_errors');
  });

  test('an honest caller is neither billed nor refused, however often the node has dropped the state', async () => {
    answer = nodeError(-32000, 'historical state 0xabc is not available');
    for (let calls = 0; calls < 3 * MAX_UNBILLED_ERRORS; calls++) {
      const seen = await ask(transfer);
      expect([seen.billed, errorOf(seen).code]).toEqual([0, -32000]);
    }
  });
});

describe('-32000 transaction not found, block not found: not billed', () => {
  test.each([
    ['eth_getTransactionByHash', 'transaction not found'],
    ['eth_getBlockReceipts', 'block not found'],
    ['debug_traceTransaction', 'transaction not found'],
    ['debug_traceBlockByNumber', 'block not found'],
  ])('of the node that is asked %s: %s', async (method, message) => {
    answer = nodeError(-32000, message);
    const seen = await ask(call(method, ['0x1']));
    expect([seen.status, seen.billed]).toEqual([200, 0]);
    expect(errorOf(seen)).toMatchObject({ code: -32000, message, data: { retryable: false } });
  });
});

describe('-32601 method not available: <method>, HTTP 200, unbilled', () => {
  test.each(['eth_newFilter', 'eth_subscribe', 'admin_peers', 'eth', '', 'x'.repeat(1_024)].filter(Boolean))(
    'names the method whole: %s',
    async (method) => {
      const seen = await ask(call(method));
      expect([seen.status, seen.billed, sent]).toEqual([200, 0, []]);
      expect(errorOf(seen)).toEqual({
        code: -32601,
        message: `method not available: ${method}`,
        data: {
          reason: 'method_not_allowed',
          retryable: false,
          message: `the method ${method.slice(0, 100)} does not exist/is not available`,
        },
      });
    },
  );
});

describe('-32700 parse error (malformed JSON body)', () => {
  test('is not what JSON is that nests deep', async () => {
    const deep = (levels: number) =>
      `{"jsonrpc":"2.0","id":1,"method":"eth_call","params":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    expect((await ask(deep(1_000))).billed).toBe(20);
    expect(errorOf(await ask(deep(1_024)))).toEqual({
      code: -32600,
      message: 'invalid request',
      data: { reason: 'invalid_request', retryable: false, rule: 'nested_too_deep', max_levels: 1_024 },
    });
    expect(errorOf(await ask(deep(1_024).slice(0, -1))).code).toBe(-32700);
  });
});

describe('a request costs the sum of the weights of its calls', () => {
  test('of a hundred equal calls the first is billed its weight, each further one 1 CU', async () => {
    const seen = await ask(Array.from({ length: 100 }, (_, id) => ({ ...transfer, id })));
    expect([seen.cost, seen.billed, sent.length]).toEqual([2_000, 20 + 99, 1]);
    expect((seen.body as Told[]).map(({ id, result }) => [id, result])).toEqual(
      Array.from({ length: 100 }, (_, id) => [id, '0x1']),
    );
  });

  test('an error of the node that is not billed is billed to none of them', async () => {
    answer = nodeError(4444, 'pruned history unavailable');
    expect((await ask([transfer, transfer])).billed).toBe(0);
    answer = nodeError(3, 'execution reverted');
    expect(await ask([transfer, transfer])).toMatchObject({ billed: 21, cache: 'miss, hit' });
  });

  test('transactions that are equal are two, and both are sent', async () => {
    const raw = call('eth_sendRawTransaction', ['0x02']);
    expect((await ask([raw, raw])).billed).toBe(60);
    expect(sent).toHaveLength(2);
  });

  test('refused calls of a batch cost nothing', async () => {
    const seen = await ask([transfer, call('eth_subscribe', []), {}, call('eth_chainId')]);
    expect([seen.cost, seen.billed]).toEqual([21, 21]);
  });
});

describe('-32600 invalid request', () => {
  test('"params": null is an omitted one', async () => {
    expect((await ask(call('eth_chainId', null))).billed).toBe(1);
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 1, method: 'eth_chainId' }]);
  });

  test('a call without an id is answered with the id null', async () => {
    expect((await ask({ jsonrpc: '2.0', method: 'eth_chainId' })).body).toMatchObject({ id: null });
  });
});

describe('what a refusal repeats of what the client sent', () => {
  const MAX_REFUSAL_BYTES = 2_048;

  test.each([
    ['an id of 2 MiB', call('eth_chainId', [], 'i'.repeat(2_000_000))],
    ['an id of 2 MiB, of a method that is not served', call('eth_subscribe', [], 'i'.repeat(2_000_000))],
    ['a number of 2 MiB', `{"jsonrpc":"2.0","method":"eth_chainId","id":${'9'.repeat(2_000_000)}}`],
    ['a method of 2 MiB', call('m'.repeat(2_000_000))],
    ['120,000 members', Object.fromEntries(Array.from({ length: 120_000 }, (_, at) => [`member ${at}`, 0]))],
    [
      '120,000 members behind those of a call',
      { ...transfer, ...Object.fromEntries(Array.from({ length: 120_000 }, (_, at) => [`x${at}`, 0])) },
    ],
  ])('is small: %s', async (_, body) => {
    const seen = await ask(body);
    expect(errorOf(seen)).toMatchObject({ code: -32600, message: 'invalid request' });
    expect(seen.bytes).toBeLessThan(MAX_REFUSAL_BYTES);
    expect([seen.billed, sent]).toEqual([0, []]);
  });
});

describe('gas of a call that the client makes up is capped, as nodes cap it', () => {
  const CAPPED = `0x${MAX_CALL_GAS.toString(16)}`;
  const methods = ['eth_call', 'eth_estimateGas', 'eth_createAccessList', 'debug_traceCall'];
  const sentGas = (name = 'gas') => (sent[0]?.params?.[0] as Record<string, unknown> | undefined)?.[name];

  test.each(methods)('%s with 2^40 gas', async (method) => {
    await ask(
      call(method, [{ to: '0x00', gas: '0x10000000000', data: '0x' }, 'latest', { tracer: 'callTracer' }]),
    );
    expect(sent[0]?.params).toEqual([
      { to: '0x00', gas: CAPPED, data: '0x' },
      'latest',
      { tracer: 'callTracer' },
    ]);
  });

  test.each(['GAS', 'Gas', 'gasLimit', 'ga\\u0073', 'ga\u017f'])(
    'whatever a lenient node reads: %s',
    async (name) => {
      const params = `[{"${name}":"0xffffffffff","to":"0x00"},"latest"]`;
      await ask(`{"jsonrpc":"2.0","id":1,"method":"eth_call","params":${params}}`);
      expect(sentGas(JSON.parse(`"${name}"`))).toBe(CAPPED);
    },
  );

  test.each([
    '"0x2faf081"',
    '"0x0000000000000002faf081"',
    '"0XFFFFFFFF"',
    '"50000001"',
    '50000001',
    '5.1e7',
    '1e400',
  ])('however it is written: %s', async (gas) => {
    await ask(`{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"gas":${gas}},"latest"]}`);
    expect(sentGas()).toBe(CAPPED);
  });

  test.each(['"0x2faf080"', '"0x5208"', 'null', '{}', '"much"', '50000000'])(
    '%s stays as it came',
    async (gas) => {
      await ask(`{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[{"gas":${gas}},"latest"]}`);
      expect(JSON.stringify(sentGas())).toBe(gas);
    },
  );

  test('what is no such call is not looked at', async () => {
    await ask(call('eth_getBalance', [{ gas: '0xffffffffff' }, 'latest']));
    await ask(call('eth_call', ['0xffffffffff']));
    await ask(call('eth_call', null, 2));
    expect(sent.map(({ params }) => params)).toEqual([
      [{ gas: '0xffffffffff' }, 'latest'],
      ['0xffffffffff'],
      undefined,
    ]);
  });
});

test('a node has no more time for an execution than such calls are worth, and the whole of it for a trace', async () => {
  await ask(transfer);
  await ask(call('eth_getBalance', ['0x', 'latest']));
  await ask(call('debug_traceTransaction', ['0x']));
  await ask([transfer, call('eth_getLogs', [{ fromBlock: '0x1', toBlock: '0x2' }])]);
  expect(waits).toEqual([10_000, 10_000, 20_000, 20_000]);
});

describe('a response from a cache is billed 1 CU, and bounded', () => {
  test('100 blocks of 300 KB are not bought for 100 CU', async () => {
    const size = 300 * 1024;
    answer = ({ params }) => ({ result: { number: params?.[0], extraData: 'x'.repeat(size) } });
    const blocks = Array.from({ length: 100 }, (_, id) =>
      call('eth_getBlockByNumber', [`0x${id.toString(16)}`, true], id),
    );
    await ask(blocks);
    const again = await ask(blocks);
    expect([again.billed, again.cache?.includes('hit')]).toEqual([500, false]);
  });
});
