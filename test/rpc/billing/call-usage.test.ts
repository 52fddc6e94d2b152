/** A method that no table has is counted by its price. */
import { encodeUsage } from '../../../lambdas/access/charge/usage-text.ts';
import { callUsage } from '../../../lambdas/rpc/billing/call-usage.ts';
import type { UpstreamResponse } from '../../../lambdas/shared/jsonrpc/calls.ts';
import { answeredCall } from '../../support/answered-call.ts';

const RESULT: UpstreamResponse = { kind: 'result', result: Buffer.from('"0x1"') };

const usageOf = (method: string, response: UpstreamResponse) =>
  callUsage('example_mainnet', answeredCall(response, { method }));

test.each(['eth_nonsense', 'eth_', 'eth_call#', `eth_${'x'.repeat(1_000)}`, 'constructor'])(
  'an unknown method (%.20s) is counted by its price',
  (method) => {
    expect(usageOf(method, RESULT)).toMatchObject({ method: '*10', cu: 10 });
  },
);

test('an unknown method of a pattern is counted by the price of the pattern, also a cached one', () => {
  expect(usageOf('debug_traceNonsense', RESULT)).toMatchObject({ method: '*200', cu: 200 });
  const cached = { ...answeredCall(RESULT, { method: 'debug_traceNonsense' }), cached: true };
  expect(callUsage('example_mainnet', cached)).toMatchObject({ method: '*200', calls: 1, cached: 1, cu: 1 });
});

test('a batch of a hundred calls of a few methods is told apart in full', () => {
  const methods = [
    'eth_call',
    'debug_traceBlockByNumber',
    'eth_getRawTransactionByBlockNumberAndIndex',
    'net_version',
  ];
  const usage = Array.from(
    { length: 100 },
    (_, index) => usageOf(methods[index % 4] as string, RESULT) ?? [],
  );
  expect(encodeUsage(usage.flat())).toBe(
    'example_mainnet debug_traceBlockByNumber:25:5000 eth_call:25:500 ' +
      'eth_getRawTransactionByBlockNumberAndIndex:25:250 net_version:25:250',
  );
});
