/** What is logged of unknown words has no key, URL or address. */
import fc from 'fast-check';
import { isUnknownRefusal, publicWords } from '../../../lambdas/shared/jsonrpc/unknown-words.ts';
import { anyText } from '../../support/any-text.ts';

const MAX_TOLD_LENGTH = 200;

test.each([
  [3, 'execution reverted: something else'],
  [-32000, 'execution reverted: a word of a contract'],
  [-32000, 'nonce too low: next nonce 5, tx nonce 4'],
  [-32000, 'insufficient funds for gas * price + value'],
  [-32000, 'transaction underpriced'],
  [-32000, 'max fee per gas less than block base fee'],
  [-32000, 'invalid opcode: INVALID'],
  [-32000, 'transaction not found'],
  [-32602, 'missing value for required argument 0'],
  [-32603, 'Internal error'],
])('code %i "%s" is about the call, or says nothing', (code, message) => {
  expect(isUnknownRefusal({ method: 'eth_call', status: 200, code, message })).toBe(false);
});

test.each([
  ['eth_call', -32000, 'the moon is full'],
  ['eth_getLogs', -32602, 'you want a lot'],
  ['eth_call', -32602, 'anything at all'],
  ['eth_getLogs', -39_999, 'not today'],
])('%s, code %i "%s" is unknown', (method, code, message) => {
  expect(isUnknownRefusal({ method, status: 200, code, message })).toBe(true);
});

test('what is told has no key, no URL, no address, one line, and an end', () => {
  const key = 'x'.repeat(10) + '7'.repeat(22);
  const told = publicWords(
    `no\n more at https://node.example/v2/${key}?a=1 for ${key}, 0x${'ab1'.repeat(20)} now`,
  );
  expect(told).toBe('no more at <url> for <token>, <token> now');
  expect(publicWords('ab '.repeat(500))).toHaveLength(MAX_TOLD_LENGTH);
  fc.assert(
    fc.property(anyText({ maxLength: 2_000 }), (message) => {
      const words = publicWords(message);
      expect(words.length).toBeLessThanOrEqual(MAX_TOLD_LENGTH);
      expect(words).not.toMatch(/[\n\r]|:\/\/\S/);
      expect(words.isWellFormed()).toBe(true);
    }),
  );
});
