import { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import {
  type StreamedDataResponse,
  streamDataResponse,
} from '../../../lambdas/data/response/stream-response.ts';

const LONG = JSON.stringify({ data: Array.from({ length: 200 }, (_, index) => `überall ${index}`) });

function responseOf(body: string, statusCode = 200) {
  return { statusCode, headers: { ETag: 'W/"tag"' }, body };
}

async function bytesOf(body: StreamedDataResponse['body']): Promise<Buffer> {
  if (typeof body === 'string') throw new Error('the body is a text');
  return Buffer.concat((await body.toArray()).map((piece) => Buffer.from(piece)));
}

test.each([
  ['gzip', gunzipSync],
  ['br', brotliDecompressSync],
] as const)('%s is the same text again', async (coding, decompress) => {
  const { headers, body } = await streamDataResponse(responseOf(LONG), coding);
  expect(headers).toEqual({ ETag: 'W/"tag"', vary: 'accept-encoding', 'content-encoding': coding });
  expect(decompress(await bytesOf(body)).toString()).toBe(LONG);
});

test.each([
  ['a client that takes no coding', responseOf(LONG), undefined],
  ['a short answer', responseOf('{}'), 'gzip'],
])('%s gets the text itself, with a word to caches', async (_, plain, acceptEncoding) => {
  expect(await streamDataResponse(plain, acceptEncoding)).toEqual({
    ...plain,
    headers: { ...plain.headers, vary: 'accept-encoding' },
  });
});

test('errors and 304 stay as they are', async () => {
  for (const status of [304, 400, 503])
    expect(await streamDataResponse(responseOf(LONG, status), 'gzip')).toEqual(responseOf(LONG, status));
});

describe('an export', () => {
  const LINES = ['a\n', 'b\n', 'end\n'];

  async function* linesOf(onEnd: () => void = () => {}) {
    try {
      yield* LINES;
    } finally {
      onEnd();
    }
  }

  const file = (onEnd?: () => void, isCompressed = false) => ({
    ...responseOf(''),
    file: { stream: linesOf(onEnd), isCompressed, sent: { bytes: 0 } },
  });

  test.each([
    [undefined, (bytes: Buffer) => bytes],
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
  ] as const)('is the same lines with %s', async (coding, decompress) => {
    const { headers, body } = await streamDataResponse(file(), coding);
    expect(headers['content-encoding']).toBe(coding);
    expect(decompress(await bytesOf(body)).toString()).toBe(LINES.join(''));
  });

  test('that is compressed as it is stays so', async () => {
    const { headers, body } = await streamDataResponse(file(undefined, true), 'gzip, br');
    expect(headers['content-encoding']).toBeUndefined();
    expect((await bytesOf(body)).toString()).toBe(LINES.join(''));
  });

  test.each([undefined, 'gzip'])('reads no further page once its client is gone, %s', async (coding) => {
    await new Promise<void>((ended) => {
      void streamDataResponse(file(ended), coding).then(({ body }) => {
        if (!(body instanceof Readable)) throw new Error('the body is a text');
        body.once('readable', () => body.destroy());
      });
    });
  });
});
