/** The price that is worked out again from request and response is what was billed, whatever the calls and answers are. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { billOutcomes } from '../../../lambdas/rpc/billing/call-usage.ts';
import { rpcPrice } from '../../../lambdas/rpc/billing/price-again.ts';
import { renderCacheMarks, renderResponses } from '../../../lambdas/rpc/response/render-response.ts';
import type { CallOutcome } from '../../../lambdas/rpc/response/rpc-response.ts';
import { FIRST_PRICE_LIST } from '../../../lambdas/shared/bill/price-list.ts';
import type { UpstreamResponse } from '../../../lambdas/shared/jsonrpc/calls.ts';

const LAMBDAS = join(import.meta.dirname, '..', '..', '..', 'lambdas');
const METHODS = [
  'eth_blockNumber',
  'eth_call',
  'eth_getBlockByNumber',
  'eth_getLogs',
  'eth_sendRawTransaction',
  'debug_traceTransaction',
  'debug_traceCall',
  'net_version',
  'eth_somethingNew',
];

const nodeError = (code: number, message: string): UpstreamResponse => ({
  kind: 'error',
  code,
  error: Buffer.from(JSON.stringify({ code, message, data: { reason: 'of the node' } })),
});

const responses = fc.oneof<fc.Arbitrary<UpstreamResponse>[]>(
  fc.constantFrom('"0x1"', 'null', '{"error":{"code":4444}}').map((result) => ({
    kind: 'result',
    result: Buffer.from(result),
  })),
  fc
    .tuple(
      fc.constantFrom(3, 4444, -32000, -32002, -32003, -32600, -32602),
      fc.constantFrom(
        'execution reverted',
        'HISTORICAL STATE 0xab is not available',
        'is not available: historical state',
      ),
    )
    .map(([code, message]) => nodeError(code, message)),
  fc.constantFrom('upstream_unavailable', 'transaction_not_found', 'method_not_allowed').map((reason) => ({
    kind: 'failed',
    error: { reason } as never,
  })),
);

const outcomes: fc.Arbitrary<CallOutcome & { readonly method: string }> = fc
  .record({
    method: fc.constantFrom(...METHODS),
    response: responses,
    cached: fc.boolean(),
    isRefused: fc.boolean(),
  })
  .map(({ method, response, cached, isRefused }) => {
    const id = Buffer.from('1');
    if (isRefused) return { method, refused: { id, error: { reason: 'method_not_allowed' } as never } };
    const call = { id, method, params: [], sent: Buffer.from('[]') } as never;
    return { method, call, response, cached };
  });

/** The price of a request of these calls, as a client could work it out. */
function priceOf(all: readonly (CallOutcome & { readonly method: string })[], isBatch: boolean) {
  const calls = all.map(({ method }) => ({ jsonrpc: '2.0', id: 1, method, params: [] }));
  return rpcPrice(
    {
      asked: Buffer.from(JSON.stringify(isBatch ? calls : calls[0])),
      cacheMarks: renderCacheMarks(all),
      body: renderResponses(isBatch, all),
    },
    FIRST_PRICE_LIST,
  );
}

test('it is what was billed', () => {
  fc.assert(
    fc.property(fc.array(outcomes, { minLength: 1, maxLength: 12 }), fc.boolean(), (all, isBatch) => {
      const given = isBatch ? all : all.slice(0, 1);
      const billed = billOutcomes('example_mainnet', given);
      const cu = billed.reduce((sum, one) => sum + ('usage' in one ? (one.usage?.cu ?? 0) : 0), 0);
      expect(priceOf(given, isBatch)).toEqual({ least: cu, most: cu });
    }),
  );
});

test('a method that no list has is no price at all', () => {
  const call = { id: Buffer.from('1'), method: 'other_method', params: [] } as never;
  const response = { kind: 'result', result: Buffer.from('1') } as const;
  expect(priceOf([{ method: 'other_method', call, response, cached: false }], false)?.least).toBeNaN();
});

test('a request that was refused as a whole costs nothing, and one that is too long is not looked at', () => {
  const asked = Buffer.from('{}');
  expect(rpcPrice({ asked, cacheMarks: undefined, body: [] }, FIRST_PRICE_LIST)).toEqual({
    least: 0,
    most: 0,
  });
  const body = [Buffer.alloc(600_000, ' ')];
  expect(rpcPrice({ asked, cacheMarks: 'miss', body }, FIRST_PRICE_LIST)).toBeUndefined();
});

test('answers that are not those of the request have no price, and of a call that cannot be read none but a refusal', () => {
  const answers = [{ error: { code: -32_600, data: { reason: 'invalid_request' } } }, { result: '0x1' }];
  const calls = [1, { jsonrpc: '2.0', id: 1, method: 'eth_blockNumber' }];
  const of = (asked: unknown, cacheMarks: string) =>
    rpcPrice(
      { asked: Buffer.from(JSON.stringify(asked)), cacheMarks, body: [Buffer.from(JSON.stringify(answers))] },
      FIRST_PRICE_LIST,
    )?.most;
  expect(of(calls, '-, miss')).toBe(1);
  expect(of(calls, 'miss')).toBeUndefined();
  expect(of(calls.slice(1), '-, miss')).toBeUndefined();
  expect(of('no calls', '-, miss')).toBeUndefined();
  answers.reverse();
  expect(of(calls, 'miss, -')).toBeNaN();
});

test('it imports nothing of the code that bills', () => {
  for (const file of ['rpc/billing/price-again.ts', 'data/response/price-again.ts', 'mcp/price-again.ts']) {
    const imported = [...readFileSync(join(LAMBDAS, file), 'utf8').matchAll(/from '([^']+)'/g)].map(
      ([, from]) => from,
    );
    expect(imported.filter((from) => /call-usage|plan\/price|shared\/methods/.test(String(from)))).toEqual(
      [],
    );
  }
});
