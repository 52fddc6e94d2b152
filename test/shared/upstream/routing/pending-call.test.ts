/** Of the responses to a call the best one is kept: a newest block does not go back. */
import type { Call, UpstreamResponse } from '../../../../lambdas/shared/jsonrpc/calls.ts';
import { PendingCall } from '../../../../lambdas/shared/upstream/routing/pending-call.ts';
import type { Upstream } from '../../../../lambdas/shared/upstream/upstream.ts';

const CALL: Call = {
  id: Buffer.from('1'),
  method: 'eth_getBlockByNumber',
  params: Buffer.from('["latest",false]'),
};
const [A, B] = [{ name: 'a' }, { name: 'b' }] as unknown as [Upstream, Upstream];

function block(number: number): UpstreamResponse {
  const result = { number: `0x${number.toString(16)}`, hash: `0x${'1'.repeat(64)}`, timestamp: '0x1' };
  return { kind: 'result', result: Buffer.from(JSON.stringify(result)) };
}

test('a block that is behind what clients have seen is no better than a newer one of a node that is behind', () => {
  const call = new PendingCall(CALL);
  call.offer(block(102), 'unknown_behind', A);
  call.offer(block(99), 'behind_served_head', B);
  expect(call.response).toEqual(block(102));
  expect(call.answeredBy).toBe(A);
});

test('of two that are behind the newer is kept, and either is better than an error', () => {
  const call = new PendingCall(CALL);
  const error = Buffer.from('{"code":-32000,"message":"no"}');
  call.offer({ kind: 'error', code: -32_000, error }, 'missing_data', A);
  for (const number of [98, 99, 97]) call.offer(block(number), 'behind_served_head', B);
  expect(call.response).toEqual(block(99));
});
