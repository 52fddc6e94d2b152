import assert from 'node:assert/strict';
import { type Check, type Checks, Skipped } from '../clause.ts';
import { expectJson, expectRpcError, expectUnbilled, listOf, objectOf } from '../expect-shape.ts';
import type { Probe } from '../probe.ts';

/** Methods that the gateway refuses though nodes have them. */
export const BLOCKED = [
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
export const WEIGHTS: readonly (readonly [string, readonly unknown[], number])[] = [
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

function refuses(body: unknown, code: number, message: string | RegExp): Check {
  return async (probe) => void expectRpcError(await probe.post(body), code, message);
}

/** Calls, batches and their envelope. */
export const CALL_CHECKS: Checks = {
  'calls.1': async (probe) => {
    for (const id of ['"a"', '12345678901234567890', 'null']) {
      const { text } = await probe.post(`{"jsonrpc":"2.0","id":${id},"method":"eth_chainId"}`);
      assert.match(text, new RegExp(`"id":\\s*${id}[,}]`));
      assert.match(text, /"result"/);
    }
  },
  'calls.4': async (probe) => {
    const whole = call('eth_chainId');
    for (const wrong of [{ jsonrpc: '1.0' }, { jsonrpc: 2 }, { method: 1 }, { params: {} }, { params: 'x' }])
      expectRpcError(await probe.post({ ...whole, ...wrong }), -32600, 'invalid request');
  },
  'calls.2': async (probe) => {
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
  'calls.3': async (probe) => {
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
  'policy.1': async (probe) => {
    for (const method of FOREIGN) {
      expectRpcError(await probe.call(method), -32601, `method not available: ${method}`);
    }
  },
  ...Object.fromEntries(
    BLOCKED.map((method, at) => [
      `policy.2.${at + 1}`,
      refuses(call(method, [{}]), -32601, `method not available: ${method}`),
    ]),
  ),
};

/** Errors of the gateway. */
export const ERROR_CHECKS: Checks = {
  'errors.1': refuses('{"jsonrpc":"2.0"', -32700, 'parse error (malformed JSON body)'),
  'errors.2': refuses({ jsonrpc: '2.0', id: 1 }, -32600, 'invalid request'),
  'errors.3': refuses(
    Array.from({ length: 101 }, (_, id) => call('eth_chainId', [], id)),
    -32600,
    'batch too large: max 100 calls',
  ),
  'errors.4': refuses(
    '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","Method":"eth_call"}',
    -32600,
    'invalid request: ambiguous member name',
  ),
  'errors.5': refuses(
    call('eth_foo_bar*'.replace('eth', 'geth')),
    -32601,
    'method not available: geth_foo_bar*',
  ),
  'errors.6': refuses(
    call('eth_getLogs', [{ fromBlock: '0x0', toBlock: '0xffffffffffff' }]),
    -32602,
    /^eth_getLogs block range too large: max \d+ blocks$/,
  ),
  'errors.8': async (probe) => {
    const seen = await probe.call('eth_getBalance', [ADDRESS, '0x0']);
    if (objectOf(seen.json, 'the response').result !== undefined)
      throw new Skipped('the state of block 0 is there');
    expectRpcError(seen, -32011, /^historical state is not available beyond the most recent \d+ blocks$/);
  },
  'errors.9': refuses(call('debug_traceTransaction', [NOWHERE]), -32000, 'transaction not found'),
  'errors.10': refuses(call('debug_traceBlockByHash', [NOWHERE]), -32000, 'block not found'),
  'errors.15': async (probe) => {
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
  'limits.1': async (probe) => {
    const whole = JSON.stringify(call('web3_sha3', ['0x']));
    const fitting = await probe.post(whole.padEnd(MAX_BODY_BYTES, ' '));
    assert.equal(fitting.status, 200);
    const seen = await probe.post(whole.padEnd(MAX_BODY_BYTES + 1, ' '));
    assert.ok(objectOf(seen.json, 'the response').error !== undefined, 'a larger body is taken');
    expectUnbilled(seen);
  },
};

/** What calls cost. */
export const METERING_CHECKS: Checks = {
  ...Object.fromEntries(
    WEIGHTS.map(([method, params, weight]): [string, Check] => [
      `weights.${method}`,
      (probe) => expectPrice(probe, call(method, params), [weight]),
    ]),
  ),
  'metering.6': (probe) => expectPrice(probe, call('eth_gasPrice'), [10]),
  'metering.1': async (probe) => {
    const batch = [call('eth_chainId'), call('eth_call', [{ to: ADDRESS }, 'latest']), call('eth_gasPrice')];
    await expectPrice(probe, batch, [1, 20, 10]);
    await expectPrice(probe, [call('eth_subscribe'), call('eth_chainId')], [1]);
  },
  'metering.4': async (probe) => {
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
};
