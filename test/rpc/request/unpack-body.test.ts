/** A body may be gzip, within the bound of a plain one. */
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { parseRequest } from '../../../lambdas/rpc/request/parse-calls.ts';
import { MAX_BODY_BYTES } from '../../../lambdas/shared/jsonrpc/calls.ts';

const callOf = (id: string) => Buffer.from(JSON.stringify({ jsonrpc: '2.0', id, method: 'eth_chainId' }));
const CALL = callOf('1');

test('whatever was packed is what comes out, whatever the header says', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.uint8Array({ maxLength: 2_000 }), fc.string().map(callOf)),
      fc.constantFrom(undefined, 'gzip', 'identity', 'br'),
      (bytes, coding) => {
        expect(parseRequest(gzipSync(bytes), coding)).toEqual(parseRequest(bytes));
      },
    ),
  );
});

test('a body that was unpacked before stays as it is, with the header that is left', () => {
  for (const coding of [undefined, '', 'gzip', 'GZIP', 'identity', 'x-gzip'])
    expect(parseRequest(CALL, coding)).toEqual(parseRequest(CALL));
});

test.each([
  ['br', brotliCompressSync(CALL)],
  ['deflate', deflateSync(CALL)],
  ['zstd', CALL],
  ['gzip, br', CALL],
])('%s is not read, and the error says why', (coding, body) => {
  expect(parseRequest(body, coding)).toEqual({
    refused: { reason: 'unsupported_encoding', details: { rule: 'content_encoding' } },
  });
});

test('a small body does not become a large one', () => {
  const refused = {
    reason: 'body_too_large',
    parameters: { max: MAX_BODY_BYTES },
    details: { max_bytes: MAX_BODY_BYTES },
  };
  expect(parseRequest(gzipSync(Buffer.alloc(MAX_BODY_BYTES + 1)))).toEqual({ refused });
  expect(parseRequest(gzipSync(Buffer.alloc(400 * 1024 * 1024)))).toEqual({ refused });
  expect(parseRequest(gzipSync(Buffer.alloc(MAX_BODY_BYTES)))).toEqual({
    refused: { reason: 'parse_error' },
  });
});

test.each<[string, (packed: Buffer) => Uint8Array]>([
  ['cut off', (packed) => packed.subarray(0, -1)],
  ['only its header', (packed) => packed.subarray(0, 10)],
  ['followed by something', (packed) => Buffer.concat([packed, Buffer.from('x')])],
  ['of two members', (packed) => Buffer.concat([packed, packed])],
  ['of another length than it says', (packed) => Buffer.concat([packed.subarray(0, -4), Buffer.alloc(4)])],
  [
    'of another sum than it says',
    (packed) => Buffer.concat([packed.subarray(0, -8), Buffer.alloc(4), packed.subarray(-4)]),
  ],
])('gzip that is %s is malformed', (_, change) => {
  expect(parseRequest(change(gzipSync(CALL)))).toEqual({
    refused: { reason: 'parse_error', details: { rule: 'content_encoding' } },
  });
});

test('no bytes whatever after the magic throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      const result = parseRequest(Buffer.concat([Buffer.from([0x1f, 0x8b, 0x08]), bytes]));
      expect('calls' in result || ['parse_error', 'invalid_request'].includes(result.refused.reason)).toBe(
        true,
      );
    }),
  );
});
