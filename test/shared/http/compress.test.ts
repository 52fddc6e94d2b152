/** A response is compressed as the client accepts it. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { encodeBody } from '../../../lambdas/shared/http/body-pieces.ts';

const MIN_COMPRESSED_BYTES = 1024;

const LARGE = Buffer.from('{"jsonrpc":"2.0","id":1,"result":"0x"}'.repeat(100));
const SMALL = Buffer.from('{"jsonrpc":"2.0","id":1,"result":"0x1"}');

function decode(pieces: readonly Uint8Array[], coding: string | undefined): Buffer {
  const bytes = Buffer.concat(pieces);
  if (coding === 'br') return brotliDecompressSync(bytes);
  return coding === 'gzip' ? gunzipSync(bytes) : bytes;
}

test.each<[string | undefined, string | undefined]>([
  [undefined, undefined],
  ['', undefined],
  ['identity', undefined],
  ['deflate', undefined],
  ['gzip', 'gzip'],
  ['br', 'br'],
  ['gzip, deflate, br', 'br'],
  ['GZIP', 'gzip'],
  ['gzip;q=1.0, br;q=0.5', 'gzip'],
  ['gzip;q=0.5, br;q=0.9', 'br'],
  ['gzip ; q=0.3 , br;q=0', 'gzip'],
  ['gzip;q=0, br;q=0.000', undefined],
  ['*', 'br'],
  ['*;q=0', undefined],
  ['br;q=0, *', 'gzip'],
  ['gzip;q=0.5, identity', undefined],
  ['gzip;q=0.5, identity;q=0.5', 'gzip'],
  ['identity;q=0', undefined],
  ['gzip;q=nonsense', undefined],
  ['gzip;q=2', undefined],
  [',;=,', undefined],
])('accept-encoding %j gives %j', async (accepted, coding) => {
  const body = await encodeBody([LARGE], accepted);
  expect(body.headers).toEqual({
    vary: 'accept-encoding',
    ...(coding === undefined ? {} : { 'content-encoding': coding }),
  });
  expect(decode(body.pieces, coding).equals(LARGE)).toBe(true);
  if (coding !== undefined) expect(Buffer.concat(body.pieces).length).toBeLessThan(LARGE.length / 2);
});

test('a small body stays as it is, unless the client refuses that', async () => {
  expect((await encodeBody([SMALL], 'gzip, br')).pieces).toEqual([SMALL]);
  const forced = await encodeBody([SMALL], 'gzip, identity;q=0');
  expect(forced.headers['content-encoding']).toBe('gzip');
  expect(decode(forced.pieces, 'gzip').equals(SMALL)).toBe(true);
  expect((await encodeBody([SMALL], 'gzip, *;q=0')).headers['content-encoding']).toBe('gzip');
});

test('the length of all pieces decides', async () => {
  const half = Buffer.alloc(MIN_COMPRESSED_BYTES / 2, 'a');
  expect((await encodeBody([half], 'gzip')).headers['content-encoding']).toBeUndefined();
  expect((await encodeBody([half, half], 'gzip')).headers['content-encoding']).toBe('gzip');
});

test('any pieces come back as they were', async () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 5000, size: 'max' }), { maxLength: 20 });
  await fc.assert(
    fc.asyncProperty(pieces, fc.constantFrom('br', 'gzip'), async (sent, accepted) => {
      const body = await encodeBody(sent, `${accepted}, identity;q=0`);
      expect(decode(body.pieces, accepted).equals(Buffer.concat(sent))).toBe(true);
    }),
    { numRuns: 50 },
  );
});
