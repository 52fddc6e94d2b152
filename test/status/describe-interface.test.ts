import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { readDescription } from '../../api/read-description.ts';
import { describedBy, descriptionResponse } from '../../lambdas/status/describe-interface.ts';

const TEXT = JSON.stringify(readDescription());
const description = describedBy(TEXT);

const ask = (headers: Record<string, string> = {}) =>
  descriptionResponse(description, {
    headers,
    requestContext: { requestId: 'r' } as Parameters<typeof descriptionResponse>[1]['requestContext'],
  });

test.each([
  ['br, gzip', 'br', brotliDecompressSync],
  ['gzip', 'gzip', gunzipSync],
  ['*', 'br', brotliDecompressSync],
])('a client that takes %s is sent a sixth of the bytes', async (accepted, coding, decompress) => {
  const { headers, body, isBase64Encoded } = await ask({ 'Accept-Encoding': accepted });
  expect(headers).toMatchObject({
    'content-encoding': coding,
    vary: 'accept-encoding',
    ETag: description.etag,
  });
  expect(isBase64Encoded).toBe(true);
  const bytes = Buffer.from(String(body), 'base64');
  expect(decompress(bytes).toString()).toBe(TEXT);
  expect(bytes.length).toBeLessThan(TEXT.length / 6);
});

test.each<[Record<string, string>]>([
  [{}],
  [{ 'accept-encoding': 'identity' }],
  [{ 'accept-encoding': 'br;q=0, zstd' }],
])('one that takes none of them, as it says by %j, is sent the text', async (headers) => {
  const response = await ask(headers);
  expect(response.headers).not.toHaveProperty('content-encoding');
  expect(response.body).toBe(TEXT);
});

test('one that has it is told so, whatever it takes', async () => {
  expect(await ask({ 'if-none-match': description.etag, 'accept-encoding': 'br' })).toMatchObject({
    statusCode: 304,
    headers: { ETag: description.etag, vary: 'accept-encoding', 'Cache-Control': 'public, max-age=3600' },
    body: '',
  });
});

test('each coding is made once', () => {
  expect(description.coded('br')).toBe(description.coded('gzip;q=0.5, br'));
  expect(description.coded('gzip')).not.toBe(description.coded('br'));
});
