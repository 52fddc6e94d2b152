/** A response leaves in the bytes that it was made of. */
import { Buffer, isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { respond, type StreamedResponse } from '../../../lambdas/rpc/response/render-response.ts';
import { anyText } from '../../support/any-text.ts';

/** Far above what is written at once. */
const LONG_BYTES = 100_000;

async function answerOf(...body: Uint8Array[]): Promise<StreamedResponse> {
  return respond({ status: 200, headers: {}, body }, 'request', undefined);
}

/** The bytes that a client gets. */
async function sent({ body }: StreamedResponse): Promise<Buffer> {
  return typeof body === 'string' ? Buffer.from(body) : Buffer.concat(await body.toArray());
}

test('the bytes of a short answer pass as they are, in however many pieces', async () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 60 }),
    anyText({ maxLength: 20 }).map((text) => Buffer.from(text)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(bytes, { maxLength: 4 }), async (pieces) => {
      const whole = Buffer.concat(pieces);
      const response = await answerOf(...pieces);
      expect(await sent(response)).toEqual(whole);
      expect(typeof response.body === 'string').toBe(isUtf8(whole));
    }),
  );
});

test.each([
  ['a byte order mark', Buffer.from([0xef, 0xbb, 0xbf, 0x7b])],
  ['a character whose bytes two pieces share', Buffer.from('€')],
  ['half a character', Buffer.from([0xe2, 0x82])],
  ['no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ['half of a surrogate pair', Buffer.from([0xed, 0xa0, 0x80])],
])('%s stays what it is', async (_name, bytes) => {
  expect(await sent(await answerOf(bytes.subarray(0, 1), bytes.subarray(1)))).toEqual(bytes);
});

test('a long answer is streamed', async () => {
  const response = await answerOf(Buffer.alloc(LONG_BYTES, 'a'));
  expect(response.body).not.toEqual(expect.any(String));
  expect(await sent(response)).toHaveLength(LONG_BYTES);
});
