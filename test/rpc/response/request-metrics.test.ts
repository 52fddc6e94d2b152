/** The metrics of a request are its calls, errors, prices and times, by class and reason. */
import type { RpcResponse } from '../../../lambdas/rpc/response/rpc-response.ts';
import { countCalls, requestMetrics } from '../../../lambdas/rpc/response/rpc-response.ts';
import type { Reason } from '../../../lambdas/shared/jsonrpc/error-catalogue.ts';
import { failed } from '../../../lambdas/shared/jsonrpc/match-responses.ts';

const FIGURES: ReturnType<typeof countCalls> = {
  calls: 1,
  refused: 0,
  unanswered: 0,
  cached: 0,
  nodeErrors: 0,
  classes: new Map([['logs', { calls: 1, cu: 50 }]]),
  errors: new Map(),
};

function linesOf(response: Partial<RpcResponse>) {
  return requestMetrics({
    response: { status: 200, headers: {}, body: [], ...response },
    chain: 'one',
    requestId: 'r',
    latencyMs: 30,
    chargeMs: 4,
  });
}

test('a request of one class takes one line, with where its time went', () => {
  const times = { admissionMs: 3, upstreamMs: 20 };
  expect(linesOf({ figures: FIGURES, times, billedCu: 50 })).toEqual([
    {
      values: {
        Requests: 1,
        Calls: 1,
        Latency: 30,
        UpstreamLatency: 20,
        AddedLatency: 10,
        BilledComputeUnits: 50,
      },
      dimensions: { Chain: 'one' },
      fields: { requestId: 'r', status: 200, admissionMs: 3, chargeMs: 4 },
      breakdown: { by: { MethodClass: 'logs' }, values: { Calls: 1, BilledComputeUnits: 50 } },
    },
  ]);
});

test('a request of one method that a table has is found by it', () => {
  const [line] = linesOf({ figures: { ...FIGURES, method: 'eth_getLogs' } });
  expect(line?.fields).toMatchObject({ method: 'eth_getLogs' });
});

test.each<[string, readonly string[], string | undefined]>([
  ['of one method', ['eth_call', 'eth_call'], 'eth_call'],
  ['of two', ['eth_call', 'eth_getLogs'], undefined],
  ['of a method that no table has', ['eth_secretWord'], undefined],
  ['of none', [], undefined],
])('calls %s have the method that their line names', (_, methods, method) => {
  const outcomes = methods.map((name) => ({
    call: { id: 1, method: name, params: [] },
    cached: false,
    response: { kind: 'result', result: Buffer.from('1') },
  }));
  expect(countCalls(outcomes as never).method).toBe(method);
});

test('a mixed batch takes a line for each class, and for each reason of an error', () => {
  const figures: ReturnType<typeof countCalls> = {
    calls: 5,
    refused: 2,
    unanswered: 0,
    cached: 0,
    nodeErrors: 1,
    classes: new Map([
      ['refused', { calls: 2, cu: 0 }],
      ['read', { calls: 3, cu: 20 }],
    ]),
    errors: new Map([
      ['method_not_allowed', 2],
      ['node_error', 1],
    ]),
  };
  const [whole, ...others] = linesOf({ figures, billedCu: 20 });
  expect(whole?.values).toMatchObject({ Requests: 1, Calls: 5, BilledComputeUnits: 20 });
  expect(whole?.breakdown).toBeUndefined();
  expect(others.map(({ values, breakdown }) => [values, breakdown?.by, breakdown?.values])).toEqual([
    [undefined, { MethodClass: 'refused' }, { Calls: 2, BilledComputeUnits: 0 }],
    [undefined, { MethodClass: 'read' }, { Calls: 3, BilledComputeUnits: 20 }],
    [undefined, { Reason: 'method_not_allowed' }, { Errors: 2 }],
    [undefined, { Reason: 'node_error' }, { Errors: 1 }],
  ]);
});

test('calls that the cache has answered are counted', () => {
  const [line] = linesOf({ figures: { ...FIGURES, calls: 3, cached: 2 } });
  expect(line?.values).toMatchObject({ Calls: 3, CacheHits: 2 });
  expect(line?.values).not.toHaveProperty('RefusedCalls');
});

test('calls that found no node are told apart from those that are refused for what they are', () => {
  const screened = ['upstream_unavailable', 'node_syncing', 'method_not_allowed'].map((reason) => ({
    refused: { id: Buffer.from('1'), error: { reason: reason as Reason } },
  }));
  const billed = ['no_upstream_response', 'malformed_upstream_response', 'upstream_response_too_large'].map(
    (reason) => ({
      call: { id: Buffer.from('1'), method: 'eth_call', params: undefined },
      response: failed(reason as Reason),
      cached: false,
      usage: undefined,
    }),
  );
  const figures = countCalls([...screened, ...billed]);
  expect(figures).toMatchObject({ calls: 6, refused: 1, unanswered: 4 });
  const [whole] = linesOf({ figures });
  expect(whole?.values).toMatchObject({ Calls: 6, RefusedCalls: 1, UnansweredCalls: 4 });
});

test('a request that was refused as a whole has its reason', () => {
  const [whole, error] = linesOf({ status: 402, refused: 'insufficient_balance' });
  expect(whole?.values).toMatchObject({ Requests: 1, Calls: 0, RefusedForBalance: 1, BilledComputeUnits: 0 });
  expect(error?.breakdown).toEqual({ by: { Reason: 'insufficient_balance' }, values: { Errors: 1 } });
});
