import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { markSuperseded } from '../../lambdas/chain-data/store/multipliers.ts';
import { multiplierStates } from '../../lambdas/rollups/stock-multipliers.ts';
import { connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import { address, CHAIN, FINALIZED, type SeededChain, startSeededChain } from './seeded-chain.ts';

const HOLDER = address('a1');
const INITIAL = 7n;
const FIRST_BLOCK = 10;
const LAST_BLOCK = 18;
/** Of a block and token: transfers have the even ones. */
const LOGS = 6;
const SECONDS = 1_767_225_600;
/** Two blocks a second, as a fast chain has them. */
const timeOf = (block: number) => SECONDS + Math.floor(block / 2);

/** An announcement: where it stands, and when it takes effect. */
interface Announced {
  readonly block: number;
  readonly log: number;
  readonly effectiveAt: number;
  readonly multiplier: bigint;
}

let chain: SeededChain;
let tokens = 0;

beforeAll(async () => {
  chain = await startSeededChain();
  await chain.insert(`INSERT INTO {schema}.balance_snapshots (snapshot_id, block_number, block_hash, block_time, completed_at)
    VALUES (1, ${LAST_BLOCK}, '\\x00', to_timestamp(${timeOf(LAST_BLOCK)}), now())`);
  await chain.insert(`UPDATE {schema}.cursors SET block_time = to_timestamp(${timeOf(LAST_BLOCK)})`);
  await chain.insert(
    `INSERT INTO {schema}.coverage VALUES ('balances', '{[0,${FINALIZED}]}'), ('stock_tokens', '{[0,${FINALIZED}]}')`,
  );
});

afterAll(() => chain?.close());

/** A stock that announced this, with transfers around every log, and one holder at the last block. */
async function stockWith(announced: readonly Announced[]): Promise<string> {
  tokens += 1;
  const token = address(`57${tokens.toString(16).padStart(6, '0')}`);
  const [of, holder] = [token, HOLDER].map((hex) => `'\\x${hex.slice(2)}'::bytea`);
  const firstLog = tokens * LOGS;
  await chain.insert(`INSERT INTO {schema}.stock_tokens (token, issuer, initial_multiplier, registered_block, updated_block)
    VALUES (${of}, 'unknown', ${INITIAL}, 1, 1)`);
  for (const { block, log, effectiveAt, multiplier } of announced)
    await chain.insert(`INSERT INTO {schema}.stock_multipliers VALUES (${of}, ${block}, ${firstLog + log}, '\\x00',
      to_timestamp(${timeOf(block)}), 1, ${multiplier}, to_timestamp(${timeOf(block)}), to_timestamp(${effectiveAt}))`);
  await markSuperseded(connectionTo(chain.database.writer, CHAIN), { from: FIRST_BLOCK, to: LAST_BLOCK });
  await chain.insert(`INSERT INTO {schema}.erc20_transfers
        (block_number, log_index, tx_index, tx_hash, block_time, token, from_address, to_address, amount, kind)
    SELECT block, log + ${firstLog}, 0, '\\x00', to_timestamp(${SECONDS} + block / 2), ${of}, ${holder}, ${holder},
      10::numeric ^ 18, 'transfer'
    FROM generate_series(${FIRST_BLOCK}, ${LAST_BLOCK}) AS block, generate_series(0, ${LOGS - 1}, 2) AS log`);
  await chain.insert(`INSERT INTO {schema}.balances
    VALUES (${holder}, ${of}, 10::numeric ^ 18, 'ledger', 'verified', ${LAST_BLOCK}, 1)`);
  return token;
}

/** What the contract held after what was announced before a log. */
function inForce(announced: readonly Announced[], block: number, log: number): string {
  const before = announced.filter((one) => one.block < block || (one.block === block && one.log < log));
  const changes = before.map((one) => ({ ...one, announcedAt: timeOf(one.block) }));
  const held = multiplierStates(INITIAL, changes).at(-1) ?? {
    current: INITIAL,
    next: INITIAL,
    effectiveAt: 0,
  };
  return (timeOf(block) >= held.effectiveAt ? held.next : held.current).toString();
}

interface Moved {
  readonly block_number: number;
  readonly log_index: number;
  readonly ui_multiplier: string;
  readonly ui_amount: string;
}

async function expectInForce(announced: readonly Announced[]): Promise<void> {
  const token = await stockWith(announced);
  const { json } = await chain.get(`/stocks/${token}/transfers?limit=500&order=asc`);
  const moved = json.data as unknown as Moved[];
  expect(moved).toHaveLength(((LAST_BLOCK - FIRST_BLOCK + 1) * LOGS) / 2);
  for (const { block_number, log_index, ui_multiplier, ui_amount } of moved) {
    const log = log_index - tokens * LOGS;
    const multiplier = inForce(announced, block_number, log);
    expect({ block_number, log, ui_multiplier, ui_amount }).toEqual({
      block_number,
      log,
      ui_multiplier: multiplier,
      ui_amount: multiplier,
    });
  }
  const atTheEnd = inForce(announced, LAST_BLOCK, LOGS);
  const holders = await chain.get(`/tokens/${token}/holders`);
  expect(holders.json.data).toMatchObject([{ ui_multiplier: atTheEnd, ui_amount: atTheEnd }]);
  const held = await chain.get(`/addresses/${HOLDER}/stocks?limit=500`);
  expect(held.json.data.find((stock) => stock.token === token)).toMatchObject({
    ui_multiplier: atTheEnd,
    ui_balance: atTheEnd,
  });
  const last = announced.at(-1);
  const isPending = last !== undefined && last.effectiveAt > timeOf(LAST_BLOCK);
  expect((await chain.get(`/stocks/${token}`)).json.data).toMatchObject({
    ui_multiplier: atTheEnd,
    new_ui_multiplier: isPending ? last.multiplier.toString() : null,
    effective_at: isPending ? new Date(last.effectiveAt * 1_000).toISOString().replace('.000', '') : null,
  });
}

describe('the multiplier in force', () => {
  test('is that of the last announcement, also if another one names a later time', () =>
    expectInForce([
      { block: 11, log: 1, effectiveAt: timeOf(12), multiplier: 4n },
      { block: 15, log: 1, effectiveAt: 0, multiplier: 2n },
    ]));

  test('is not yet that of an announcement behind the transfer, in its own block', () =>
    expectInForce([{ block: 14, log: 3, effectiveAt: timeOf(14), multiplier: 4n }]));

  test('is the former one again if a second announcement of the block takes the place of a first', () =>
    expectInForce([
      { block: 14, log: 1, effectiveAt: timeOf(14), multiplier: 4n },
      { block: 14, log: 3, effectiveAt: timeOf(17), multiplier: 2n },
    ]));

  test('is what the contract would have answered, whatever was announced', async () => {
    const announcement = fc.record({
      block: fc.integer({ min: FIRST_BLOCK, max: LAST_BLOCK }),
      log: fc.constantFrom(1, 3),
      effectiveAt: fc.oneof(fc.constant(0), fc.integer({ min: timeOf(8), max: timeOf(22) })),
      multiplier: fc.bigInt({ min: 1n, max: 5n }),
    });
    const announced = fc
      .uniqueArray(announcement, { maxLength: 6, selector: ({ block, log }) => `${block} ${log}` })
      .map((all) => all.sort((one, other) => one.block - other.block || one.log - other.log));
    await fc.assert(fc.asyncProperty(announced, expectInForce), { numRuns: 60 });
  });
});

test('announcements of a status are those that have it in the list of all', async () => {
  await stockWith([
    { block: 11, log: 1, effectiveAt: timeOf(16), multiplier: 4n },
    { block: 12, log: 1, effectiveAt: timeOf(13), multiplier: 3n },
    { block: 15, log: 1, effectiveAt: timeOf(LAST_BLOCK), multiplier: 2n },
    { block: 18, log: 1, effectiveAt: timeOf(LAST_BLOCK) + 1, multiplier: 5n },
  ]);
  for (const order of ['asc', 'desc']) {
    const listed = async (query: string) =>
      (await chain.get(`/stocks/corporate-actions?limit=500&order=${order}${query}`)).json.data;
    const all = await listed('');
    for (const status of ['pending', 'effective', 'superseded']) {
      const those = all.filter((action) => action.status === status);
      expect(those.length).toBeGreaterThan(0);
      expect(await listed(`&status=${status}`)).toEqual(those);
    }
  }
});
