/** A key has the form of the specification, and is stored by its digest alone. */
import { randomBytes } from 'node:crypto';
import {
  API_KEY_PATTERN,
  generateApiKey,
  KEY_ID_PATTERN,
  keyIdOf,
} from '../../../lambdas/access/keys/api-key.ts';

test('a key is rgw_ and the hex digits of 32 random bytes', () => {
  expect(generateApiKey((size) => Buffer.alloc(size, 0xab))).toBe(`rgw_${'ab'.repeat(32)}`);
  expect(generateApiKey(randomBytes)).toMatch(API_KEY_PATTERN);
});

test('the id of a key is its SHA-256', () => {
  const keyId = keyIdOf(`rgw_${'0'.repeat(64)}`);
  expect(keyId).toBe('31b11a526e53e0acd4488b03c8ea039c92b313399c3cfc5befbef0cb89f860d6');
  expect(keyId).toMatch(KEY_ID_PATTERN);
});

test.each([
  '',
  'rgw_',
  `rgw_${'a'.repeat(63)}`,
  `rgw_${'a'.repeat(65)}`,
  `rgw_${'A'.repeat(64)}`,
  `rgw_${'a'.repeat(64)}\n`,
])('%j is no key', (text) => {
  expect(API_KEY_PATTERN.test(text)).toBe(false);
});
