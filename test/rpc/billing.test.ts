import { billedCu } from '../../lambdas/rpc/billing.ts';
import type { Call, NodeAnswer } from '../../lambdas/rpc/calls.ts';
import { OWN_TRACER, TRACER_ERRORS } from './tracer-errors.ts';

function nodeError(code: number, message: string, data?: unknown): NodeAnswer {
  return { kind: 'error', code, error: Buffer.from(JSON.stringify({ code, message, data })) };
}

const WEIGHT = 20;
const CALL: Pick<Call, 'method' | 'params'> = { method: 'eth_call', params: Buffer.from('[]') };

test('a result bills its weight', () => {
  expect(billedCu(CALL, { kind: 'result', result: Buffer.from('null') }, WEIGHT)).toBe(WEIGHT);
});

test('what the node did not answer is free', () => {
  expect(billedCu(CALL, { kind: 'failed', error: { reason: 'no_upstream_response' } }, WEIGHT)).toBe(0);
});

test.each([
  [4444, 'pruned history unavailable'],
  [-32002, 'anything'],
  [-32003, 'transaction rejected'],
  [-32600, 'invalid request'],
  [-32000, 'historical state 0xabc is not available'],
  [-32000, `historical state ${'0c'.repeat(32)} is not available`],
  [-32000, 'historical state of block #5 is not available'],
  [-32000, 'historical state is not available'],
])('the node error %i "%s" is free', (code, message) => {
  expect(billedCu(CALL, nodeError(code, message), WEIGHT)).toBe(0);
});

test.each([
  [3, 'execution reverted'],
  [-32000, 'header not found'],
  [-32000, 'historical state'],
  [-32000, 'is not available, historical state '],
  [-32000, 'execution reverted: historical state 0xabc is not available'],
  [-32000, 'historical state 0xabc is not available at result (<eval>:1:2(3))'],
  [-32000, `historical state ${'x'.repeat(101)} is not available`],
  [-32000, 'historical state {"calls":[1,2,3]} is not available'],
  [-32601, 'the method does not exist'],
  [-32602, 'historical state 0xabc is not available'],
  [-32603, 'internal error'],
  [-32005, 'limit exceeded'],
  [-32010, 'syncing'],
])('the node error %i "%s" bills its weight', (code, message) => {
  expect(billedCu(CALL, nodeError(code, message), WEIGHT)).toBe(WEIGHT);
});

test('only the message counts, not the data', () => {
  const error = nodeError(-32000, 'header not found', 'historical state x is not available');
  expect(billedCu(CALL, error, WEIGHT)).toBe(WEIGHT);
});

test('a message full of beginnings is read in linear time', () => {
  const error = nodeError(-32000, 'historical state '.repeat(500_000));
  expect(billedCu(CALL, error, WEIGHT)).toBe(WEIGHT);
});

describe('a trace by code of the client', () => {
  test.each(TRACER_ERRORS)('bills its weight, whatever it throws: %s', (message) => {
    const named = { method: 'debug_traceCall', params: Buffer.from('[{},"latest",{"tracer":"callTracer"}]') };
    expect(billedCu(OWN_TRACER, nodeError(-32000, message), WEIGHT)).toBe(WEIGHT);
    expect(billedCu(named, nodeError(-32000, message), WEIGHT)).toBe(WEIGHT);
  });

  test('bills its weight even where the node adds nothing to what it throws', () => {
    const error = nodeError(-32000, 'historical state 0xabc is not available');
    expect(billedCu(OWN_TRACER, error, WEIGHT)).toBe(WEIGHT);
    const named = {
      method: 'debug_traceTransaction',
      params: Buffer.from('["0x1",{"tracer":"callTracer"}]'),
    };
    expect(billedCu(named, error, WEIGHT)).toBe(0);
  });
});
