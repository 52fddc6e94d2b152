/** The number of blocks that a provider names is read from its words. */
import fc from 'fast-check';
import { cautiousBlocks, suggestedBlocks, toldBlocks } from '../../../lambdas/shared/jsonrpc/told-range.ts';
import { LOG_ERRORS } from './node-errors.ts';

/** Blocks that pass for certain, of each provider that says so. */
const PASSING: Readonly<Record<string, number>> = {
  'Alchemy (paid)': 499,
  'Alchemy (free)': 499,
  'Infura 2026': 9_999,
  QuickNode: 9_999,
  'QuickNode (trial)': 4,
  'Ankr (newer)': 9_999,
  'BlastAPI (older), 1RPC': 1_023,
  BlockPI: 1_023,
  dRPC: 9_999,
  Cloudflare: 799,
  thirdweb: 3_499,
  Coinbase: 999,
  PublicNode: 49_999,
  merkle: 999,
  Sei: 1_999,
  Morph: 4_999,
  Avalanche: 2_047,
  'Moonbeam, Frontier': 1_023,
  Harmony: 1_023,
  Swell: 999,
  Somnia: 999,
  'proxies as of Zircuit': 3_499,
  'Reth, OP-reth, HyperEVM': 99_999,
};
const ranges = LOG_ERRORS.filter(({ source, kind }) => kind === 'range' && source in PASSING);

test.each(ranges.map(({ source, message }) => [source, message] as const))(
  '%s says "%s"',
  (source, message) => {
    expect(toldBlocks(message)).toBe(PASSING[source]);
  },
);

test('a provider that says it in its data', () => {
  const words =
    'Invalid params; the range 55074203 - 55124202 exceeds the range allowed for your plan (49999 > 2000).';
  expect(toldBlocks(words)).toBe(1_999);
});

test('one that says nothing of a number', () => {
  expect(toldBlocks('block range too large')).toBeUndefined();
  expect(toldBlocks('at most 0 blocks')).toBeUndefined();
  expect(cautiousBlocks(100_000)).toBe(1_000);
  expect(cautiousBlocks(901)).toBe(113);
  expect(cautiousBlocks(1)).toBe(1);
});

test('a suggested range, in hexadecimal and decimal', () => {
  expect(suggestedBlocks('Try with this block range [0x1, 0x1f3].')).toBe(499);
  expect(suggestedBlocks('query exceeds max results 20000, retry with the range 23879634-23879696')).toBe(63);
  expect(suggestedBlocks('query returned more than 10000 results')).toBeUndefined();
  expect(suggestedBlocks('Try with this block range [0x2, 0x1].')).toBeUndefined();
});

test('whatever a node says, what passes is a positive number', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (words) => {
      const told = toldBlocks(words);
      expect(told === undefined || (Number.isInteger(told) && told >= 1)).toBe(true);
    }),
  );
});
