/** The time that a provider asks for is read from its header or its words. */
import fc from 'fast-check';
import { waitInHeader, waitInText } from '../../../lambdas/shared/jsonrpc/told-wait.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

test.each<[string | undefined, number | undefined]>([
  ['7', 7_000],
  [' 7 ', 7_000],
  ['0.5', 500],
  ['94608000', 94_608_000_000],
  ['Sun, 01 Mar 2026 12:00:30 GMT', 30_000],
  ['Sun, 01 Mar 2029 12:00:00 GMT', Date.parse('2029-03-01T12:00:00Z') - NOW],
  ['Sun, 01 Mar 2026 11:59:30 GMT', undefined],
  ['0', undefined],
  ['-5', undefined],
  ['soon', undefined],
  ['Sunday', undefined],
  ['1e99', undefined],
  ['9'.repeat(400), undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After %s', (header, ms) => {
  expect(waitInHeader(header, NOW)).toBe(ms);
});

test.each<[string, number | undefined]>([
  ['{"code":-32005,"message":"x","data":{"rate":{"backoff_seconds":30,"allowed_rps":1},"see":"y"}}', 30_000],
  ['{"message":"x","retry_after":5}', 5_000],
  ['{"error":{"data":{"retryAfter":"2.5"}}}', 2_500],
  ['{"data":{"retry_after_ms":1500,"limit":"cu"}}', 1_500],
  ['{"data":{"try_again_in":"59m59.5s"}}', 3_599_500],
  ['{"data":{"try_again_in":"4.6ms"}}', undefined],
  ['{"message":"rate limited, try again in 12 seconds"}', 12_000],
  ['slow down, retry after 250 ms', 250],
  ['Please wait 2 minutes', 120_000],
  ['retry in 3 hours', 10_800_000],
  ['{"data":{"retry_after":-5}}', undefined],
  ['{"data":{"retry_after":"soon"}}', undefined],
  ['{"data":{"retry_after":null}}', undefined],
  ['{"data":{"limit":5,"count":7}}', undefined],
  ['<html>', undefined],
  ['', undefined],
])('%s', (text, ms) => {
  expect(waitInText(text)).toBe(ms);
});

test('whatever a node writes, the wait is a positive number or none', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.json(), fc.integer().map(String)), (text) => {
      for (const wait of [waitInHeader(text, NOW), waitInText(text)]) {
        expect(wait === undefined || (Number.isFinite(wait) && wait > 0)).toBe(true);
      }
    }),
  );
});
