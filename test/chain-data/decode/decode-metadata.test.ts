import fc from 'fast-check';
import { concatHex, encodeAbiParameters, type Hex, padHex, stringToHex, toHex } from 'viem';
import {
  decodeDecimals,
  decodeTokenText,
  decodeUint,
} from '../../../lambdas/chain-data/decode/decode-metadata.ts';
import { word } from './raw-blocks.ts';

const text = (value: string) => encodeAbiParameters([{ type: 'string' }], [value]);
const bytes = (value: Uint8Array) => encodeAbiParameters([{ type: 'bytes' }], [toHex(value)]);

test.each<[string, Hex, string | null]>([
  ['a text', text('USD Coin'), 'USD Coin'],
  ['no text', text(''), ''],
  ['32 bytes', padHex(stringToHex('MKR'), { dir: 'right' }), 'MKR'],
  ['32 empty bytes', word(0), ''],
  ['invalid UTF-8', bytes(Uint8Array.of(0x41, 0xff, 0xfe, 0x42)), 'AB'],
  ['NUL bytes', text('A\0B\0'), 'AB'],
  ['a NUL inside of 32 bytes', padHex('0x410042', { dir: 'right' }), 'AB'],
  ['300 letters', text('x'.repeat(300)), 'x'.repeat(255)],
  ['300 emoji', text('🦄'.repeat(300)), '🦄'.repeat(255)],
  ['nothing', '0x', null],
  ['half a word', '0x1234', null],
  ['an offset out of the data', concatHex([word(1_000), word(1)]), null],
  ['a length out of the data', concatHex([word(32), word(1_000)]), null],
  ['a length out of what is left', concatHex([word(32), word(40)]), null],
  ['more than 64 KiB', text('x'.repeat(65_537)), null],
])('a name or symbol that is %s', (_, returned, expected) => {
  expect(decodeTokenText(returned)).toBe(expected);
});

test('numbers, or none', () => {
  expect(decodeDecimals(word(18))).toBe(18);
  expect(decodeDecimals(word(256))).toBeNull();
  expect(decodeDecimals('0x')).toBeNull();
  expect(decodeUint(word(-1))).toBe(2n ** 256n - 1n);
  expect(decodeUint('0x00')).toBeNull();
});

test('no bytes throw, and what comes out PostgreSQL can hold', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 160 }), fc.boolean(), (random, asText) => {
      const returned = asText ? bytes(random) : toHex(random);
      const decoded = decodeTokenText(returned) ?? '';
      expect(decoded).not.toContain('\0');
      expect(decoded.isWellFormed()).toBe(true);
      decodeDecimals(returned);
    }),
  );
});
