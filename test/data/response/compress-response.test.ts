import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { compressResponse } from '../../../lambdas/data/response/render-body.ts';

const LONG = JSON.stringify({ data: Array.from({ length: 200 }, (_, index) => `überall ${index}`) });

function responseOf(body: string, statusCode = 200) {
  return { statusCode, headers: { ETag: 'W/"tag"' }, body };
}

test.each([
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
] as const)('%s is the same text again', async (coding, decompress) => {
  const { headers, body, isBase64Encoded } = await compressResponse(responseOf(LONG), coding);
  expect(headers).toEqual({ ETag: 'W/"tag"', vary: 'accept-encoding', 'content-encoding': coding });
  expect(isBase64Encoded).toBe(true);
  expect(decompress(Buffer.from(String(body), 'base64')).toString()).toBe(LONG);
});

test.each([
  ['a client that takes no coding', responseOf(LONG), undefined],
  ['a short answer', responseOf('{}'), 'gzip'],
])('%s gets the text itself, with a word to caches', async (_, plain, acceptEncoding) => {
  expect(await compressResponse(plain, acceptEncoding)).toEqual({
    ...plain,
    headers: { ...plain.headers, vary: 'accept-encoding' },
  });
});

test('errors and 304 stay as they are', async () => {
  for (const status of [304, 400, 503])
    expect(await compressResponse(responseOf(LONG, status), 'gzip')).toEqual(responseOf(LONG, status));
});
