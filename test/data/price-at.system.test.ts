import { afterAll, beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { address, FINALIZED, HEAD, type SeededChain, startSeededChain } from './seeded-chain.ts';

const TOKEN = address('70');
const START_MS = Date.parse('2026-01-01T00:00:00Z');
const BLOCK_MS = 10_000;
/** Blocks that are not stored, and so have no price. */
const MISSING = { from: 150, to: 179 };
const PRICED = Array.from({ length: 100 }, (_, index) => index * 6).filter(
  (block) => block < MISSING.from || block > MISSING.to,
);

let chain: SeededChain;

beforeAll(async () => {
  chain = await startSeededChain();
  await chain.insert(`DELETE FROM {schema}.blocks WHERE number BETWEEN ${MISSING.from} AND ${MISSING.to}`);
  await chain.insert(`INSERT INTO {schema}.token_prices
      (token, block_number, block_time, price_usd, method, sample_trades)
    SELECT '\\x${TOKEN.slice(2)}', n, '2026-01-01T00:00:00Z'::timestamptz + n * interval '10 seconds', 1 + n, 'peg', 0
    FROM unnest('{${PRICED.join(',')}}'::bigint[]) AS n`);
});

afterAll(() => chain?.close());

test('the price at a moment is the newest one until then, of a final block', async () => {
  const latest = (HEAD + 10) * BLOCK_MS;
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: latest }), async (elapsed) => {
      const at = new Date(START_MS + elapsed).toISOString();
      const { json } = await chain.get(`/tokens/${TOKEN}/price?at=${at}`);
      const newest = PRICED.findLast((block) => block * BLOCK_MS <= elapsed && block <= FINALIZED);
      expect(json.data).toMatchObject({ block_number: newest, price_usd: String(1 + (newest ?? 0)) });
    }),
    { numRuns: 100 },
  );
  const before = await chain.get(`/tokens/${TOKEN}/price?at=2025-12-31T23:59:59Z`);
  expect([before.statusCode, before.json.error?.code]).toEqual([404, 'not_found']);
});
