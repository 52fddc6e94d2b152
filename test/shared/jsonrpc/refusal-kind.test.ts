/** Refusals of known providers and clients are read for what they are. */
import { textsOf } from '../../../lambdas/shared/jsonrpc/error-message.ts';
import { readRefusal } from '../../../lambdas/shared/jsonrpc/refusal-kind.ts';
import { ALL_ERRORS } from './node-errors.ts';

/** Rows that are read as another kind than their own. */
const wrong = ALL_ERRORS.flatMap((row) => {
  const { method, status, code, message, data, kind } = row;
  const words = [message, ...textsOf(data)].join('; ');
  const read = readRefusal({ method, status, code, message: words });
  return read === kind ? [] : [{ ...row, read }];
});

test(`${ALL_ERRORS.length - wrong.length} of ${ALL_ERRORS.length} rows of words are read right`, () => {
  expect(wrong).toEqual([]);
});

test.each([
  [3, 'execution reverted: block range too large'],
  [-32000, 'execution reverted: method not found'],
  [-32602, 'invalid argument 0: hex string without 0x prefix'],
  [-32000, 'something that no node has said before'],
])('code %i "%s" says nothing of the node', (code, message) => {
  expect(readRefusal({ method: 'eth_getLogs', status: 200, code, message })).toBeUndefined();
});

test('a range is one of eth_getLogs alone', () => {
  const refusal = { status: 200, code: -32000, message: 'block range too large' };
  expect(readRefusal({ ...refusal, method: 'eth_getLogs' })).toBe('range');
  expect(readRefusal({ ...refusal, method: 'eth_call' })).toBeUndefined();
});
