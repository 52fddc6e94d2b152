/** Chunks of any size cost about the bytes that they have. */
import { ByteCollector } from '../../../lambdas/shared/http/large-bodies.ts';

test('a million chunks of one byte cost about a million bytes', () => {
  const collector = new ByteCollector(2_000_000);
  const before = process.memoryUsage().arrayBuffers;
  for (let index = 0; index < 1_000_000; index += 1) collector.add(Buffer.of(index));
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(64 * 1024 * 1024);
  expect(collector.join()).toHaveLength(1_000_000);
});
