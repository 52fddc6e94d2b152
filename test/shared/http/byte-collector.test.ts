import fc from 'fast-check';
import { ByteCollector } from '../../../lambdas/shared/http/large-bodies.ts';

/** Of every length, with bytes that tell their place. */
const chunk = fc
  .tuple(fc.nat(40_000), fc.nat(255))
  .map(([length, first]) => Buffer.from(Uint8Array.from({ length }, (_, place) => first + place)));

test('chunks come out as one buffer, whatever their sizes and the declared length', () => {
  fc.assert(
    fc.property(
      fc.array(chunk, { maxLength: 8 }),
      fc.option(fc.nat(100_000), { nil: undefined }),
      (chunks, expectedBytes) => {
        const collector = new ByteCollector(1_000_000, expectedBytes);
        for (const chunk of chunks) expect(collector.add(chunk)).toBe(true);
        expect(collector.join().equals(Buffer.concat(chunks))).toBe(true);
      },
    ),
    { numRuns: 200 },
  );
});

test('the limit is the last length that passes', () => {
  const collector = new ByteCollector(10, 10);
  expect(collector.add(Buffer.from('12345'))).toBe(true);
  expect(collector.add(Buffer.from('123456'))).toBe(false);
  expect(collector.add(Buffer.from('67890'))).toBe(true);
  expect(collector.add(Buffer.from('1'))).toBe(false);
  expect(collector.join().toString()).toBe('1234567890');
});

test('nothing collected is an empty buffer, also with a limit of zero', () => {
  expect(new ByteCollector(0).join()).toHaveLength(0);
  expect(new ByteCollector(0).add(Buffer.from('1'))).toBe(false);
  expect(new ByteCollector(0).add(Buffer.alloc(0))).toBe(true);
});

test('a million chunks of one byte cost about a million bytes', () => {
  const collector = new ByteCollector(2_000_000);
  const before = process.memoryUsage().arrayBuffers;
  for (let index = 0; index < 1_000_000; index += 1) collector.add(Buffer.of(index));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
  expect(collector.join()).toHaveLength(1_000_000);
});
