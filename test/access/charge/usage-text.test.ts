/** The usage of an hour is a short text from whose sums nothing is lost. */
import fc from 'fast-check';
import { decodeUsage, encodeUsage } from '../../../lambdas/access/charge/usage-text.ts';
import type { MethodUsage } from '../../../lambdas/access/contract/metering.ts';
import { anyText } from '../../support/any-text.ts';

const MAX_USAGE_TEXT_BYTES = 800;

const COUNTERS = ['calls', 'cu', 'cached', 'errors'] as const;
const MAX_COUNT = 1_000_000;

const count = fc.integer({ min: 0, max: MAX_COUNT });
const name = (alphabet: string, maxLength: number) =>
  fc.string({ unit: fc.constantFrom(...alphabet), minLength: 1, maxLength });
const chain = fc.oneof(
  fc.constant('*'),
  name('abcz019', 1),
  name('abc_-9', 20).map((text) => `a${text}`),
);
const method = fc.oneof(name('aeth_BLOCK09/', 40), fc.constantFrom('*1', '*200', 'eth_call', 'data/chains'));
/** A price for each method: none has two. */
const PRICES = [1, 5, 10, 15, 20, 30, 50, 200];
const priceOf = (of: string) =>
  of.startsWith('*') ? Number(of.slice(1)) : (PRICES[of.length % PRICES.length] ?? 1);
const line = (names: { chain: fc.Arbitrary<string>; method: fc.Arbitrary<string> }) =>
  fc.record({ ...names, sent: count, cached: count, errors: count }).map(({ sent, cached, ...rest }) => ({
    ...rest,
    calls: sent + cached,
    cached,
    cu: sent * priceOf(rest.method) + cached,
  }));
const usage = (names: { chain: fc.Arbitrary<string>; method: fc.Arbitrary<string> }) =>
  fc.array(line(names), { maxLength: 120 });

function totals(lines: readonly MethodUsage[]): number[] {
  return COUNTERS.map((counter) => lines.reduce((sum, one) => sum + one[counter], 0));
}

/** Counters by chain and method, counted in another way than the code under test does. */
function byName(lines: readonly MethodUsage[]): Record<string, number[]> {
  const sums: Record<string, number[]> = {};
  for (const { chain, method } of lines) {
    sums[`${chain} ${method}`] = totals(lines.filter((one) => one.chain === chain && one.method === method));
  }
  return sums;
}

const USAGE: readonly MethodUsage[] = [
  { chain: 'example_mainnet', method: 'eth_call', calls: 2, cu: 40, cached: 0, errors: 0 },
  { chain: 'other-chain', method: 'eth_getLogs', calls: 1, cu: 1, cached: 1, errors: 0 },
  { chain: 'example_mainnet', method: 'eth_getProof', calls: 1, cu: 10, cached: 0, errors: 1 },
  { chain: 'example_mainnet', method: 'eth_call', calls: 1, cu: 20, cached: 0, errors: 0 },
];

test('a text is short, and says all', () => {
  const text = encodeUsage(USAGE);
  expect(text).toBe('example_mainnet eth_call:3:60 eth_getProof:1:10:0:1;other-chain eth_getLogs:1:1:1');
  expect(byName(decodeUsage(text) ?? [])).toEqual(byName(USAGE));
});

test('what fits is read as it was written, and nothing is ever lost from the sums', () => {
  fc.assert(
    fc.property(usage({ chain, method }), (lines) => {
      const text = encodeUsage(lines);
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(MAX_USAGE_TEXT_BYTES);
      const read = decodeUsage(text);
      if (read === undefined) throw new Error(`${text} cannot be read`);
      expect(totals(read)).toEqual(totals(lines));
      if (text === encodeUsage(lines, Number.POSITIVE_INFINITY)) expect(byName(read)).toEqual(byName(lines));
      expect(byName(decodeUsage(encodeUsage(read)) ?? [])).toEqual(byName(read));
    }),
    { numRuns: 500 },
  );
});

test('names of any kind make a text that can be read', () => {
  fc.assert(
    fc.property(usage({ chain: fc.string(), method: anyText() }), (lines) => {
      const text = encodeUsage(lines);
      expect(text).toMatch(/^[ -~]*$/);
      expect(text.length).toBeLessThanOrEqual(MAX_USAGE_TEXT_BYTES);
      expect(totals(decodeUsage(text) ?? [])).toEqual(totals(lines));
    }),
  );
});

test('the methods that cost most are told apart, the others are summed', () => {
  const lines = Array.from({ length: 100 }, (_, index) => ({
    chain: 'example_mainnet',
    method: `eth_method${index}`,
    calls: index + 1,
    cu: (index + 1) * (index % 2 === 0 ? 20 : 10),
    cached: 0,
    errors: 0,
  }));
  const text = encodeUsage(lines);
  expect(text.length).toBeLessThanOrEqual(MAX_USAGE_TEXT_BYTES);
  const read = decodeUsage(text) ?? [];
  const kept = read.filter((one) => !one.method.startsWith('*')).map((one) => one.cu);
  const dearest = lines.map(({ cu }) => cu).sort((one, other) => other - one);
  expect(kept).toEqual(dearest.slice(0, kept.length));
  expect(kept.length).toBeGreaterThan(15);
  const sums = read.filter((one) => one.method.startsWith('*'));
  expect(sums.map((one) => one.method).sort()).toEqual(['*10', '*20']);
  for (const { method, calls, cu } of sums) expect(cu).toBe(calls * Number(method.slice(1)));
});

test('cached calls are summed with others of their price, those that are all cached with calls at 1 CU', () => {
  const counted = { calls: 3, cached: 2, errors: 1 };
  const lines = [
    { chain: 'one', method: 'eth_getCode', ...counted, cu: 12 },
    { chain: 'two', method: 'eth_getProof', ...counted, cu: 12 },
    { chain: 'two', method: 'eth_call', calls: 2, cached: 2, errors: 0, cu: 2 },
  ];
  expect(encodeUsage(lines, 45)).toBe('one *10:3:12:2:1;two *10:3:12:2:1 *1:2:2:2');
  expect(encodeUsage(lines, 30)).toBe('* *10:6:24:4:2 *1:2:2:2');
});

test('a line whose calls have no one price is never summed, however long the text', () => {
  const odd = { chain: 'one', method: 'eth_call', calls: 2, cu: 41, cached: 0, errors: 0 };
  const even = { ...odd, method: 'eth_getCode', cu: 20 };
  expect(encodeUsage([odd, even], 10)).toBe('one eth_call:2:41;* *10:2:20');
  const oddlyCached = { ...odd, cached: 2 };
  expect(encodeUsage([oddlyCached, even], 10)).toBe('one eth_call:2:41:2;* *10:2:20');
  // Nor has it a name to stand for one that cannot be written.
  expect(encodeUsage([{ ...odd, method: 'eth-call' }])).toBe('one *:2:41');
});

test.each([
  ['a'],
  ['a '],
  ['a eth_call'],
  ['a eth_call:1'],
  ['a eth_call:1:'],
  ['a eth_call:1:2:3:4:5'],
  ['a eth_call:1:-2'],
  ['a eth_call:1:2.5'],
  ['a eth_call:1:2;'],
  ['a eth#call:1:2'],
  ['a *x:1:2'],
  ['a **:1:2'],
  ['A eth_call:1:2'],
  ['a  eth_call:1:2'],
  ['a eth_call:1:99999999999999999'],
])('%s is none', (text) => {
  expect(decodeUsage(text)).toBeUndefined();
});

test('no usage is an empty text', () => {
  expect(encodeUsage([])).toBe('');
  expect(decodeUsage('')).toEqual([]);
});
