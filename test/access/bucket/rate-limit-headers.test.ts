/** The rate limit headers of a response say what is left and when it comes back. */
import { rateLimitHeaders, retryAfterSeconds } from '../../../lambdas/access/bucket/bucket.ts';

describe('rateLimitHeaders', () => {
  const units = { name: 'cu', quota: 5000, windowSeconds: 10, remaining: 4210, resetSeconds: 2 } as const;
  const calls = { name: 'rps', quota: 25, windowSeconds: 1, remaining: 12, resetSeconds: 1 } as const;

  test('writes one member for each limit', () => {
    expect(rateLimitHeaders([units, calls])).toEqual({
      'RateLimit-Policy': '"cu";q=5000;w=10, "rps";q=25;w=1',
      RateLimit: '"cu";r=4210;t=2, "rps";r=12;t=1',
    });
  });

  test('no limits, no headers', () => {
    expect(rateLimitHeaders([])).toEqual({});
  });
});

test.each([
  [0, 1],
  [1, 1],
  [1_000, 1],
  [1_001, 2],
])('a wait of %d ms is a Retry-After of %d s', (milliseconds, seconds) => {
  expect(retryAfterSeconds(milliseconds)).toBe(seconds);
});
