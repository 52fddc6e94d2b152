import { systemClock } from '../../lambdas/shared/runtime/clock.ts';
import { StreamingRate } from '../../local/functions/streaming-rate.ts';

const MEGABYTE = 1_000_000;

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

/** Bytes that have come through. */
function passing(rate: StreamingRate): () => number {
  let bytes = 0;
  rate.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  return () => bytes;
}

test('the first 6 MB pass at once, the others at 2 MB a second', async () => {
  const rate = new StreamingRate(systemClock);
  const passed = passing(rate);
  for (let count = 0; count < 10; count++) rate.write(Buffer.alloc(MEGABYTE));
  rate.end();
  await jest.advanceTimersByTimeAsync(0);
  expect(passed()).toBe(6 * MEGABYTE);
  await jest.advanceTimersByTimeAsync(499);
  expect(passed()).toBe(6 * MEGABYTE);
  await jest.advanceTimersByTimeAsync(1);
  expect(passed()).toBe(7 * MEGABYTE);
  await jest.advanceTimersByTimeAsync(1_500);
  expect(passed()).toBe(10 * MEGABYTE);
  expect(rate.readableEnded).toBe(true);
});

test('a slow writer is not slowed down', async () => {
  const rate = new StreamingRate(systemClock);
  const passed = passing(rate);
  rate.write(Buffer.alloc(6 * MEGABYTE + 2));
  await jest.advanceTimersByTimeAsync(10_000);
  rate.write(Buffer.alloc(MEGABYTE));
  await jest.advanceTimersByTimeAsync(0);
  expect(passed()).toBe(7 * MEGABYTE + 2);
  rate.destroy();
  expect(jest.getTimerCount()).toBe(0);
});
