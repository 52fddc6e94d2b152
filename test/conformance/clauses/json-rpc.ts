import assert from 'node:assert/strict';
import { type Clause, Skipped, unseen } from '../clause.ts';
import { expectJson, expectRpcError, expectUnbilled, listOf, objectOf } from '../expect-shape.ts';
import type { Probe } from '../probe.ts';

const BLOCKED = [
  'eth_newFilter',
  'eth_newBlockFilter',
  'eth_newPendingTransactionFilter',
  'eth_getFilterLogs',
  'eth_getFilterChanges',
  'eth_uninstallFilter',
  'eth_subscribe',
  'eth_unsubscribe',
];
const FOREIGN = ['admin_peers', 'debug_setHead', 'personal_sign', 'eth', 'ETH_call', 'txpool_content'];
const NOWHERE = `0x${'5e'.repeat(32)}`;
const ADDRESS = `0x${'00'.repeat(19)}01`;
const MAX_BODY_BYTES = 2 * 1024 * 1024;
/** Weights of the specification, with params that any node answers. */
const WEIGHTS: readonly (readonly [string, readonly unknown[], number])[] = [
  ['eth_blockNumber', [], 1],
  ['eth_chainId', [], 1],
  ['eth_getBlockByNumber', ['latest', false], 5],
  ['eth_getBlockReceipts', ['latest'], 10],
  ['eth_getProof', [ADDRESS, [], 'latest'], 10],
  ['eth_call', [{ to: ADDRESS }, 'latest'], 20],
  ['eth_createAccessList', [{ to: ADDRESS }, 'latest'], 20],
  ['eth_estimateGas', [{ to: ADDRESS }], 20],
  ['eth_simulateV1', [{ blockStateCalls: [] }, 'latest'], 20],
  ['eth_sendRawTransaction', ['0x00'], 30],
  ['eth_getLogs', [{ fromBlock: 'latest', toBlock: 'latest' }], 50],
  ['debug_traceTransaction', [NOWHERE], 200],
  ['debug_traceCall', [{ to: ADDRESS }, 'latest', {}], 200],
];
/** Head of a chain on which block 1 is final. */
const FINAL_HEAD = 257n;
/** Price of an answer from a cache. */
const CACHED_CU = 1;
/** Requests after which an instance that keeps answers has been asked twice. */
const CACHE_ATTEMPTS = 10;

const call = (method: string, params: readonly unknown[] = [], id: unknown = 1) => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

/**
 * What a request took from the bucket and was billed, where the gateway says so: `weights` of its calls that are sent. An error
 * may be of those that are billed or not; the table of errors says which.
 */
async function expectPrice(probe: Probe, body: unknown, weights: readonly number[]): Promise<void> {
  const { headers, text } = await probe.post(body);
  const cost = headers.get('x-cu-cost');
  if (cost === null) throw new Skipped('the gateway does not say what a request costs');
  assert.equal(cost, String(sum(weights)));
  const billed = headers.get('x-cu-billed');
  if (billed === null) throw new Skipped('the gateway does not say what it bills');
  const cached = headers.get('x-cache')?.split(', ') ?? [];
  const prices = weights.map((weight, at) => (cached[at] === 'hit' ? CACHED_CU : weight));
  const isError = /"error":/.test(text);
  const expected = isError && weights.length === 1 ? [0, ...prices] : [sum(prices)];
  assert.ok(
    expected.includes(Number(billed)),
    `${billed} CU are billed, and ${expected.join(' or ')} are due`,
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function refuses(id: string, words: string, body: unknown, code: number, message: string | RegExp): Clause {
  return { id, words, check: async (probe) => void expectRpcError(await probe.post(body), code, message) };
}

/** Calls, batches and their envelope. */
export const CALL_CLAUSES: readonly Clause[] = [
  {
    id: 'calls.1',
    words: 'Call: object: `jsonrpc` (string, `2.0`), `id`, `method`, `params` (array; may be omitted)',
    check: async (probe) => {
      for (const id of ['"a"', '12345678901234567890', 'null']) {
        const { text } = await probe.post(`{"jsonrpc":"2.0","id":${id},"method":"eth_chainId"}`);
        assert.match(text, new RegExp(`"id":\\s*${id}[,}]`));
        assert.match(text, /"result"/);
      }
    },
  },
  {
    id: 'calls.4',
    words: 'Call: `jsonrpc` is `2.0`, `method` a string, `params` an array: else -32600 invalid request',
    check: async (probe) => {
      const whole = call('eth_chainId');
      for (const wrong of [
        { jsonrpc: '1.0' },
        { jsonrpc: 2 },
        { method: 1 },
        { params: {} },
        { params: 'x' },
      ])
        expectRpcError(await probe.post({ ...whole, ...wrong }), -32600, 'invalid request');
    },
  },
  {
    id: 'calls.2',
    words:
      'Response: JSON-RPC 2.0 response object with `id` and either a result or an error with numeric `code` and string `message`',
    check: async (probe) => {
      const seen = await probe.call('eth_chainId', [], 'x');
      expectJson(seen);
      const answered = objectOf(seen.json, 'the response');
      assert.deepEqual([answered.jsonrpc, answered.id], ['2.0', 'x']);
      assert.deepEqual(Object.keys(answered).sort(), ['id', 'jsonrpc', 'result']);
      const failed = objectOf(
        (await probe.call('eth_getBalance', ['no address', 'latest'])).json,
        'the response',
      );
      const { code, message } = objectOf(failed.error, 'error');
      assert.deepEqual([typeof code, typeof message], ['number', 'string']);
    },
  },
  {
    id: 'calls.3',
    words: 'Batch response: array in the same order as the requests, matched by `id`',
    check: async (probe) => {
      const batch = [call('eth_chainId', [], 3), call('eth_subscribe', [], 1), call('net_version', [], 2)];
      const seen = await probe.post(batch);
      expectJson(seen);
      const responses = listOf(seen.json, 'the response');
      assert.equal(responses.length, batch.length);
      assert.deepEqual(
        responses.map((one) => objectOf(one, 'an answer').id),
        [3, 1, 2],
      );
      assert.equal(objectOf(objectOf(responses[1], 'an answer').error, 'error').code, -32601);
      for (const [at, method] of [
        [0, 'eth_chainId'],
        [2, 'net_version'],
      ] as const) {
        const alone = objectOf((await probe.call(method)).json, 'the response');
        assert.deepEqual(objectOf(responses[at], 'an answer').result, alone.result, method);
      }
    },
  },
  {
    id: 'policy.1',
    words:
      'Allowed method patterns: `eth_*`, `net_*`, `web3_*`, `debug_trace*`; any non-matching method returns HTTP 200 with -32601, unbilled.',
    check: async (probe) => {
      for (const method of FOREIGN) {
        expectRpcError(await probe.call(method), -32601, `method not available: ${method}`);
      }
    },
  },
  ...BLOCKED.map((method, at) =>
    refuses(
      `policy.2.${at + 1}`,
      `Blocked even though it matches a pattern: \`${method}\`: HTTP 200, -32601 (\`method not available: <method>\`), unbilled`,
      call(method, [{}]),
      -32601,
      `method not available: ${method}`,
    ),
  ),
];

/** Errors of the gateway. */
export const ERROR_CLAUSES: readonly Clause[] = [
  refuses(
    'errors.1',
    '-32700, 200: parse error (malformed JSON body), not billed',
    '{"jsonrpc":"2.0"',
    -32700,
    'parse error (malformed JSON body)',
  ),
  refuses(
    'errors.2',
    '-32600, 200: invalid request, not billed',
    { jsonrpc: '2.0', id: 1 },
    -32600,
    'invalid request',
  ),
  refuses(
    'errors.3',
    '-32600, 200: batch too large: max <N> calls; calls per batch: 100 maximum',
    Array.from({ length: 101 }, (_, id) => call('eth_chainId', [], id)),
    -32600,
    'batch too large: max 100 calls',
  ),
  refuses(
    'errors.4',
    '-32600, 200: invalid request: ambiguous member name',
    '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","Method":"eth_call"}',
    -32600,
    'invalid request: ambiguous member name',
  ),
  refuses(
    'errors.5',
    '-32601, 200: method not available: <method>',
    call('eth_foo_bar*'.replace('eth', 'geth')),
    -32601,
    'method not available: geth_foo_bar*',
  ),
  refuses(
    'errors.6',
    '-32602, 200: eth_getLogs block range too large: max <N> blocks',
    call('eth_getLogs', [{ fromBlock: '0x0', toBlock: '0xffffffffffff' }]),
    -32602,
    /^eth_getLogs block range too large: max \d+ blocks$/,
  ),
  unseen(
    'errors.7',
    '-32010, 200: node is syncing; latest-state calls are temporarily unavailable',
    'it takes a node that syncs',
  ),
  {
    id: 'errors.8',
    words: '-32011, 200: historical state is not available beyond the most recent <N> blocks',
    check: async (probe) => {
      const seen = await probe.call('eth_getBalance', [ADDRESS, '0x0']);
      if (objectOf(seen.json, 'the response').result !== undefined)
        throw new Skipped('the state of block 0 is there');
      expectRpcError(seen, -32011, /^historical state is not available beyond the most recent \d+ blocks$/);
    },
  },
  refuses(
    'errors.9',
    '-32000, 200: transaction not found, not billed',
    call('debug_traceTransaction', [NOWHERE]),
    -32000,
    'transaction not found',
  ),
  refuses(
    'errors.10',
    '-32000, 200: block not found, not billed',
    call('debug_traceBlockByHash', [NOWHERE]),
    -32000,
    'block not found',
  ),
  unseen('errors.11', '-32000, 200: upstream unavailable', 'it takes nodes that are down'),
  unseen('errors.12', '-32000, 200: upstream response too large', 'it takes an answer of many megabytes'),
  unseen('errors.13', '-32005, 200: gateway overloaded, retry later', 'it takes a gateway under load'),
  unseen('errors.14', '-32005, 429: rate limit exceeded', 'it would use up the bucket of the key'),
  {
    id: 'errors.15',
    words: '-32005, 429: request cost <N> CU exceeds burst capacity <M> CU, not billed',
    check: async (probe) => {
      const batch = Array.from({ length: 100 }, (_, id) =>
        call('debug_traceTransaction', [`0x${String(id).padStart(64, '0')}`], id),
      );
      const account = await probe.send('/v1/account', { headers: { 'x-api-key': probe.key } });
      const limits =
        account.status === 200 ? objectOf(objectOf(account.json, 'the account').limits, 'limits') : {};
      const capacity = Number(limits.bucket_capacity_cu ?? Number.POSITIVE_INFINITY);
      if (capacity >= 20_000)
        throw new Skipped('no request of this key costs more than its bucket holds, as far as is known');
      const seen = await probe.post(batch);
      expectRpcError(seen, -32005, `request cost 20000 CU exceeds burst capacity ${capacity} CU`, 429);
    },
  },
  unseen(
    'errors.16',
    '-32603, 200: no response from upstream; malformed upstream response; internal gateway error',
    'it takes nodes that fail',
  ),
  unseen('errors.17', '-32020, 402: insufficient balance', 'the key has a balance'),
  unseen('errors.18', '-32021, 503: billing data temporarily unavailable', 'it takes an outage of the store'),
  unseen(
    'errors.19',
    '-32030, 502, 503, 504: rpc gateway unreachable, unavailable, timed out',
    'it takes an outage of the functions',
  ),
  {
    id: 'limits.1',
    words: 'Request body: 2 MiB maximum',
    check: async (probe) => {
      const whole = JSON.stringify(call('web3_sha3', ['0x']));
      const fitting = await probe.post(whole.padEnd(MAX_BODY_BYTES, ' '));
      assert.equal(fitting.status, 200);
      const seen = await probe.post(whole.padEnd(MAX_BODY_BYTES + 1, ' '));
      assert.ok(objectOf(seen.json, 'the response').error !== undefined, 'a larger body is taken');
      expectUnbilled(seen);
    },
  },
];

/** What calls cost. */
export const METERING_CLAUSES: readonly Clause[] = [
  ...WEIGHTS.map(
    ([method, params, weight]): Clause => ({
      id: `weights.${method}`,
      words: `\`${method.startsWith('debug_trace') ? 'debug_trace*' : method}\`: ${weight} CU`,
      check: (probe) => expectPrice(probe, call(method, params), [weight]),
    }),
  ),
  {
    id: 'metering.6',
    words: 'Default weight: 10 CU.',
    check: (probe) => expectPrice(probe, call('eth_gasPrice'), [10]),
  },
  {
    id: 'metering.1',
    words: "A request's cost is the sum of the weights of its calls.",
    check: async (probe) => {
      const batch = [
        call('eth_chainId'),
        call('eth_call', [{ to: ADDRESS }, 'latest']),
        call('eth_gasPrice'),
      ];
      await expectPrice(probe, batch, [1, 20, 10]);
      await expectPrice(probe, [call('eth_subscribe'), call('eth_chainId')], [1]);
    },
  },
  {
    id: 'metering.4',
    words: 'A cached response is always billed at 1 CU.',
    check: async (probe) => {
      if ((await probe.head()) < FINAL_HEAD)
        throw new Skipped('the chain has too few blocks for one that is final');
      for (let attempt = 0; attempt < CACHE_ATTEMPTS; attempt++) {
        const { headers } = await probe.call('eth_getBlockByNumber', ['0x1', false]);
        if (headers.get('x-cache') === null)
          throw new Skipped('the gateway does not say what it has from a cache');
        if (headers.get('x-cache') === 'hit')
          return assert.equal(headers.get('x-cu-billed'), String(CACHED_CU));
      }
      throw new Skipped('no answer came from a cache');
    },
  },
  unseen(
    'metering.2',
    "Billing occurs only after the node's response is received, and is settled hourly.",
    'the books show it: operator settlements',
  ),
  unseen(
    'metering.3',
    'Settlement is floor(total CU / 1000) billing units per account per hour.',
    'the books show it: operator settlements',
  ),
];
