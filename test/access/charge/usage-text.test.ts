import fc from 'fast-check';
import { decodeUsage, encodeUsage, MAX_USAGE_TEXT_BYTES } from '../../../lambdas/access/charge/usage-text.ts';
import type { MethodUsage } from '../../../lambdas/access/contract/metering.ts';
import { anyText } from '../../support/any-text.ts';

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
const method = fc.oneof(name('aeth_BLOCK09/', 40), fc.constantFrom('*', 'other', 'eth_call', 'data/chains'));
const line = (names: { chain: fc.Arbitrary<string>; method: fc.Arbitrary<string> }) =>
  fc.record({ ...names, calls: count, cu: count, cached: count, errors: count });
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
      if (!read.some((one) => one.method === '*')) expect(byName(read)).toEqual(byName(lines));
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
    calls: 1,
    cu: index + 1,
    cached: 0,
    errors: 0,
  }));
  const read = decodeUsage(encodeUsage(lines)) ?? [];
  const kept = read.filter((one) => one.method !== '*').map((one) => one.cu);
  expect(kept).toEqual(kept.map((_, index) => 100 - index));
  expect(kept.length).toBeGreaterThan(15);
  expect(read.filter((one) => one.method === '*')).toHaveLength(1);
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
