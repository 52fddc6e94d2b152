import { textsOf } from '../../../lambdas/shared/jsonrpc/error-message.ts';
import { readLimit, type SubscriptionLimit } from '../../../lambdas/shared/jsonrpc/subscription-limit.ts';
import { ALL_ERRORS } from './node-errors.ts';

const LIMITS: readonly (string | undefined)[] = ['rate', 'quota', 'plan', 'auth'];

/** Rows that are about the subscription, and all others, which are not. */
const wrong = ALL_ERRORS.filter(({ method, status, code, message, data, kind }) => {
  const words = [message, ...textsOf(data)].join('; ');
  return (
    readLimit({ method, status, code, message: words })?.limit !== (LIMITS.includes(kind) ? kind : undefined)
  );
});

test(`${ALL_ERRORS.length - wrong.length} of ${ALL_ERRORS.length} rows are told to be of the subscription or not`, () => {
  expect(wrong).toEqual([]);
});

/** Responses without an error that could be read. */
test.each<[source: string, status: number, limit: SubscriptionLimit]>([
  ['Alchemy', 403, 'plan'],
  ['Infura, dRPC', 402, 'quota'],
  ['QuickNode, Ankr', 401, 'auth'],
  ['Ankr (older)', 429, 'rate'],
])('%s, HTTP %i without JSON: %s', (_, status, limit) => {
  expect(readLimit({ method: 'eth_getBalance', status })?.limit).toBe(limit);
});

test.each([
  ['a contract', -32000, 'execution reverted: rate limit exceeded'],
  ['a contract', -32005, 'execution reverted: quota exceeded'],
  ['geth', -32000, 'historical state 0xab is not available, upgrade your plan'],
  ['geth', -32000, 'nonce too low'],
  ['geth', -32000, 'exceeds block gas limit'],
])('%s, %i "%s": about the call', (_, code, message) => {
  expect(readLimit({ method: 'eth_getBalance', status: 200, code, message })).toBeUndefined();
});

test('a code is a limit beside words of one, and by itself says nothing', () => {
  const reading = (status: number, code: number, message: string) =>
    readLimit({ method: 'eth_call', status, code, message })?.by;
  expect(reading(429, -32000, 'x')).toBe('status');
  expect(reading(200, -32005, 'x')).toBeUndefined();
  expect(reading(200, -32009, 'Gas price below current base fee')).toBeUndefined();
  expect(reading(200, -32005, 'limit exceeded')).toBe('code');
  expect(reading(200, -32000, 'rate limit exceeded')).toBe('words');
});

test('long messages are read in linear time', () => {
  const long = 'requests per block '.repeat(200_000);
  expect(readLimit({ method: 'eth_call', status: 200, code: -32000, message: long })).toBeUndefined();
});
