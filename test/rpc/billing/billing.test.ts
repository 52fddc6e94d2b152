/** Errors of a node are billed or free by their code, as the table of errors says. */
import { billedCu } from '../../../lambdas/rpc/billing/call-usage.ts';
import type { UpstreamResponse } from '../../../lambdas/shared/jsonrpc/calls.ts';
import { TRACER_ERRORS } from '../tracer-errors.ts';

function nodeError(code: number, message: string, data?: unknown): UpstreamResponse {
  return { kind: 'error', code, error: Buffer.from(JSON.stringify({ code, message, data })) };
}

const WEIGHT = 20;

test.each([
  [4444, 'pruned history unavailable'],
  [-32002, 'anything'],
  [-32003, 'transaction rejected'],
  [-32600, 'invalid request'],
  [-32000, `historical state ${'x'.repeat(101)} is not available`],
  [-32000, 'historical state {"calls":[1,2,3]} is not available'],
  [-32000, TRACER_ERRORS[0] as string],
])('the node error %i "%s" is free', (code, message) => {
  expect(billedCu(nodeError(code, message), WEIGHT)).toBe(0);
});

test.each([
  [-32000, 'header not found'],
  [-32000, 'historical state'],
  [-32000, 'is not available, historical state '],
  [-32000, 'historical stateis not availabl'],
  [3, 'execution reverted: historical state 0xabc is not available'],
  [-32601, 'the method does not exist'],
  [-32602, 'historical state 0xabc is not available'],
  [-32603, 'internal error'],
  [-32005, 'limit exceeded'],
  [-32010, 'syncing'],
])('the node error %i "%s" bills its weight', (code, message) => {
  expect(billedCu(nodeError(code, message), WEIGHT)).toBe(WEIGHT);
});

test('a message full of beginnings is read in linear time', () => {
  const error = nodeError(-32000, 'historical state '.repeat(500_000));
  expect(billedCu(error, WEIGHT)).toBe(WEIGHT);
});

test('an error with an escaped name and megabytes of data is read', () => {
  const data = JSON.stringify('x'.repeat(2_000_000));
  const error = `{"data":${data},"code":-32000,"mess\\u0061ge":"historical state 0x1 is not available"}`;
  expect(billedCu({ kind: 'error', code: -32000, error: Buffer.from(error) }, WEIGHT)).toBe(0);
});
