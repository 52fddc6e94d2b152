import { PassThrough, Readable } from 'node:stream';
import fc from 'fast-check';
import { readLines } from '../../local/functions/environment.ts';
import { frameReader, writeFrame } from '../../local/functions/frames.ts';
import { MetadataReader } from '../../local/functions/metadata-reader.ts';
import { anyText } from '../support/any-text.ts';

/** Bytes cut into pieces at random places. */
function pieces(bytes: Buffer, cuts: readonly number[]): Buffer[] {
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return places.slice(1).map((end, index) => bytes.subarray(places[index], end));
}

const cutsOf = fc.array(fc.nat(), { maxLength: 12 });

test('metadata and body do not depend on how the stream is cut', async () => {
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), fc.uint8Array(), cutsOf, async (metadata, body, cuts) => {
      const bytes = Buffer.concat([Buffer.from(JSON.stringify(metadata)), Buffer.alloc(8), body]);
      const reader = Readable.from(pieces(bytes, cuts)).pipe(new MetadataReader());
      expect(await reader.metadata).toEqual(JSON.parse(JSON.stringify(metadata)));
      expect(Buffer.concat(await reader.toArray())).toEqual(Buffer.from(body));
    }),
  );
});

test('frames do not depend on how the connection is cut', () => {
  const frames = fc.array(
    fc.tuple(fc.nat({ max: 255 }), fc.nat(0xff_ff_ff_ff), fc.uint8Array({ maxLength: 300 })),
  );
  fc.assert(
    fc.property(frames, cutsOf, (sent, cuts) => {
      const connection = new PassThrough();
      for (const frame of sent) writeFrame(connection, ...frame);
      const received: [number, number, Uint8Array][] = [];
      const contents: Buffer[] = [];
      const read = frameReader((kind, invocation, piece, isLast) => {
        contents.push(piece);
        if (isLast) received.push([kind, invocation, Uint8Array.from(Buffer.concat(contents.splice(0)))]);
      });
      for (const piece of pieces(connection.read() ?? Buffer.alloc(0), cuts)) read(piece);
      expect(received).toEqual(sent);
    }),
  );
});

test.each([
  ['', 'ends before its metadata'],
  ['{}\0\0\0\0\0\0\0', 'ends before its metadata'],
  ['x'.repeat(16 * 1024), 'has no metadata'],
  [`"${'x'.repeat(16 * 1024)}"\0\0\0\0\0\0\0\0`, 'has no metadata'],
])('a response without metadata is malformed', async (text, message) => {
  const reader = Readable.from([Buffer.from(text)]).pipe(new MetadataReader());
  await expect(reader.metadata).rejects.toThrow(message);
});

test('metadata that is not JSON is malformed', async () => {
  const reader = Readable.from([Buffer.from('{]\0\0\0\0\0\0\0\0')]).pipe(new MetadataReader());
  await expect(reader.metadata).rejects.toThrow(SyntaxError);
});

test('log lines do not depend on how the stream is cut', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anyText()), cutsOf, async (texts, cuts) => {
      const bytes = Buffer.from(texts.join('\n'));
      const stream = new PassThrough();
      const lines: string[] = [];
      readLines(stream, (line) => lines.push(line));
      const ended = new Promise((resolve) => stream.on('end', resolve));
      for (const piece of pieces(bytes, cuts)) stream.write(piece);
      stream.end();
      await ended;
      const expected = bytes.toString().split('\n');
      if (expected.at(-1) === '') expected.pop();
      expect(lines).toEqual(expected);
    }),
  );
});

test('a log line without an end is cut', async () => {
  const stream = new PassThrough();
  const lines: string[] = [];
  readLines(stream, (line) => lines.push(line));
  for (let i = 0; i < 5; i++) stream.write('x'.repeat(100 * 1024));
  stream.end();
  await new Promise((resolve) => stream.on('end', resolve));
  expect(lines.map(({ length }) => length)).toEqual([256 * 1024, 244 * 1024]);
});
