import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { address, FINALIZED, type SeededChain, startSeededChain } from './seeded-chain.ts';

const TOKEN = address('70');

let chain: SeededChain;

beforeAll(async () => {
  chain = await startSeededChain();
  const token = `'\\x${TOKEN.slice(2)}'::bytea`;
  await chain.insert(`INSERT INTO {schema}.tokens (address, standard, total_supply, first_seen_block, updated_block)
    VALUES (${token}, 20, 1, 1, 1)`);
  await chain.insert(`INSERT INTO {schema}.stock_tokens (token, issuer, initial_multiplier, registered_block, updated_block)
    VALUES (${token}, 'unknown', 1, 1, 1)`);
  await chain.insert(`INSERT INTO {schema}.balance_snapshots (snapshot_id, block_number, block_hash, block_time, completed_at)
    VALUES (1, ${FINALIZED}, '\\x00', now(), now())`);
  await chain.insert(`INSERT INTO {schema}.balances
    SELECT decode(lpad(holder, 40, '0'), 'hex'), ${token}, amount, 'ledger', 'verified', ${FINALIZED}, 1
    FROM (VALUES ('a1', 2::numeric ^ 255), ('b2', 214749), ('c3', 2), ('d4', 1)) AS held (holder, amount)`);
});

afterAll(() => chain?.close());

test.each([`/tokens/${TOKEN}/holders`, `/stocks/${TOKEN}/holders`])(
  'a holder of more than the supply has no share of it: %s',
  async (path) => {
    const { statusCode, json } = await chain.get(path);
    expect({ statusCode, error: json.error }).toEqual({ statusCode: 200, error: undefined });
    expect(json.data.map(({ balance, share_bps }) => [balance, share_bps])).toEqual([
      [(2n ** 255n).toString(), null],
      ['214749', null],
      ['2', null],
      ['1', 10_000],
    ]);
  },
);
