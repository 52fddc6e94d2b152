import type { Hex } from '../../lambdas/chain-data/decode/raw-block.ts';
import { TOPICS } from '../../lambdas/chain-data/decode/topics.ts';
import { runRollupSlot } from '../../lambdas/rollups/handler.ts';
import { toQuotes } from '../../lambdas/rollups/prices/quotes.ts';
import { connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import { newSchema, untouchedSchema } from '../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../database/migrated-database.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';
import { dumpDerived } from './derived-tables.ts';
import {
  address,
  EXCHANGES,
  FACTORY,
  type TestBlock,
  type TestPool,
  TradingChain,
  ZERO_ADDRESS,
} from './trading-chain.ts';

const DOLLAR = address(0xd0);
const WRAPPED = address(0xe0);
const STOCK = address(0x57);
const STABLES = { stables: [{ token: DOLLAR, decimals: 6, usd: '1' }], wrappedNative: WRAPPED };
const QUOTES = toQuotes(STABLES, [], EXCHANGES);
const E6 = 10n ** 6n;
const E18 = 10n ** 18n;
const MAX_UINT = 2n ** 256n - 1n;
const MINUTE_MS = 60_000;
const SLOT_MS = 90_000;
const START = Date.parse('2026-11-18T00:00:00Z') / 1_000;
const STRANGER = address(0xbad);

const REAL: TestPool = { id: address(0x1001), protocol: 'uniswap_v2', token0: DOLLAR, token1: WRAPPED };
/** A contract that announces itself as a pool of the same pair. */
const FORGED: TestPool = { ...REAL, id: STRANGER, factory: STRANGER };
/** A claim that the real pool holds other tokens. */
const HIJACK: TestPool = { ...REAL, token0: address(0x666), token1: address(0x667), factory: STRANGER };

const OPENING: TestBlock = {
  time: START,
  happenings: [
    { kind: 'pool', pool: REAL },
    { kind: 'sync', pool: REAL, reserves: [300_000n * E6, 100n * E18] },
  ],
};
const TRADE: TestBlock = {
  time: START + 10,
  happenings: [
    { kind: 'swap', pool: REAL, amounts: [3_000n * E6, -E18] },
    { kind: 'sync', pool: REAL, reserves: [303_000n * E6, 99n * E18] },
  ],
};

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

async function newChain(): Promise<TradingChain> {
  return new TradingChain(database.writer, await newSchema(database));
}

const derive = (chain: TradingChain, quotes = QUOTES) => chain.derive(quotes);

const prices = (chain: TradingChain) =>
  chain.lines(
    `SELECT encode(token, 'hex') AS token, block_number, price_usd::text FROM $token_prices ORDER BY 2, 1`,
  );
const derivedTo = async (chain: TradingChain) =>
  Number(await chain.lines(`SELECT block_number FROM $cursors WHERE name = 'rollups'`));
const digits = (hex: Hex) => hex.slice(2);

describe('a pool that a stranger announces', () => {
  const forgery: TestBlock = {
    time: START + 20,
    happenings: [
      { kind: 'pool', pool: FORGED },
      { kind: 'sync', pool: FORGED, reserves: [10n ** 30n, 1n] },
      { kind: 'swap', pool: FORGED, amounts: [10n ** 40n, -(10n ** 30n)] },
    ],
  };

  test('moves no price, values nothing, and its trades are told', async () => {
    const [sound, forged] = [await newChain(), await newChain()];
    await sound.append([OPENING, TRADE]);
    await forged.append([OPENING, TRADE, forgery]);
    await derive(sound);
    await derive(forged);
    expect(await prices(forged)).toEqual(await prices(sound));
    expect(await forged.lines('SELECT amount_usd FROM $dex_swaps WHERE block_number = 2')).toEqual(['-']);
    expect(await forged.lines('SELECT count(*) FROM $candles WHERE volume_usd > 1000000')).toEqual(['0']);
  });

  test('adds nothing to the figures of a stock', async () => {
    const chain = await newChain();
    await chain.listStock(STOCK);
    const pool = { ...FORGED, token0: STOCK, token1: DOLLAR };
    await chain.append([
      {
        time: START,
        happenings: [
          { kind: 'transfer', token: STOCK, from: ZERO_ADDRESS, to: address(1), amount: 5n },
          { kind: 'pool', pool },
          { kind: 'swap', pool, amounts: [7n, -(10n ** 30n)] },
        ],
      },
    ]);
    await derive(chain);
    const figures = 'SELECT dex_swap_count, dex_raw_volume::text, dex_vwap_usd FROM $stock_daily';
    expect(await chain.lines(figures)).toEqual(['0 0 -']);
  });

  test('prices nothing where no factory is listed, as no pool does', async () => {
    const chain = await newChain();
    await chain.append([OPENING, TRADE, forgery]);
    await derive(chain, toQuotes(STABLES));
    expect(await prices(chain)).toEqual([]);
    expect(await derivedTo(chain)).toBe(2);
  });

  test('prices from the first block on as soon as its factory is listed, and none when it is not any more', async () => {
    const [known, late] = [await newChain(), await newChain()];
    for (const chain of [known, late]) await chain.append([OPENING, TRADE]);
    await derive(known);
    await derive(late, toQuotes(STABLES));
    await derive(late);
    expect(await dumpDerived(database.writer, late.schema)).toEqual(
      await dumpDerived(database.writer, known.schema),
    );
    await derive(late, toQuotes(STABLES));
    expect(await prices(late)).toEqual([]);
  });
});

describe('a claim on the address of a real pool', () => {
  const claimed = (chain: TradingChain) =>
    chain.lines(
      `SELECT encode(factory, 'hex') AS factory, encode(token0, 'hex') AS token0, encode(token1, 'hex') AS token1
       FROM $dex_pools`,
    );
  const ofReal = [[EXCHANGES[0]?.factory ?? '0x', DOLLAR, WRAPPED].map(digits).join(' ')];

  test('that comes before the pool is made does not survive that', async () => {
    const chain = await newChain();
    await chain.append([{ time: START - 10, happenings: [{ kind: 'pool', pool: HIJACK }] }]);
    await derive(chain);
    expect(await claimed(chain)).not.toEqual(ofReal);
    await chain.append([OPENING, TRADE]);
    await derive(chain);
    expect(await claimed(chain)).toEqual(ofReal);
    const trades = `SELECT encode(token_in, 'hex') AS token_in, amount_usd::text FROM $dex_swaps`;
    expect(await chain.lines(trades)).toEqual([`${digits(DOLLAR)} 3000`]);
  });

  test('of hundreds of pools is undone, step by step, from what their factory logged', async () => {
    const chain = await newChain();
    const pools = Array.from({ length: 501 }, (_, index) => ({ ...HIJACK, id: address(0x10_0000 + index) }));
    const word = (hex: Hex): Hex => `0x${digits(hex).padStart(64, '0')}`;
    const topics = [TOPICS.v2PairCreated, word(DOLLAR), word(WRAPPED)];
    await chain.append([
      { time: START - 20, happenings: pools.map((pool) => ({ kind: 'pool', pool })) },
      {
        time: START - 10,
        happenings: pools.map(({ id }) => {
          const data: Hex = `${word(id)}${digits(word('0x1'))}`;
          return { kind: 'log', emitter: FACTORY, topics, data };
        }),
      },
    ]);
    expect(await derive(chain)).toEqual(['taken_back', 'derived']);
    expect(await claimed(chain)).toEqual(pools.flatMap(() => ofReal));
  });

  test('that comes in one page with the pool loses to it', async () => {
    const chain = await newChain();
    await chain.append([{ time: START - 20, happenings: [] }]);
    await derive(chain);
    await chain.append([{ time: START - 10, happenings: [{ kind: 'pool', pool: HIJACK }] }, OPENING, TRADE]);
    expect(await claimed(chain)).toEqual(ofReal);
  });
});

describe('numbers that no sum fits', () => {
  test('nine trades of all that 256 bits hold, in one transaction', async () => {
    const chain = await newChain();
    const pool = { ...REAL, id: address(0x1009), factory: STRANGER };
    await chain.append([
      OPENING,
      {
        time: START + 5,
        happenings: [
          { kind: 'pool', pool },
          ...Array.from(
            { length: 9 },
            () => ({ kind: 'swap', pool, amounts: [MAX_UINT, -MAX_UINT] }) as const,
          ),
        ],
      },
      TRADE,
    ]);
    await derive(chain);
    expect(await derivedTo(chain)).toBe(2);
    const volume = `SELECT max(volume_base)::text FROM $candles WHERE subject_kind = 'pool' AND trades = 9`;
    expect(await chain.lines(volume)).toEqual([String(9n * MAX_UINT)]);
    expect(await prices(chain)).toContainEqual(expect.stringMatching(/ 3000$/));
  });

  test('a multiplier of 2^200 and transfers of 2^255', async () => {
    const chain = await newChain();
    const other = address(0x58);
    for (const [token, multiplier] of [
      [STOCK, 2n ** 200n],
      [other, E18],
    ] as const)
      await chain.listStock(token, multiplier);
    await chain.append([
      {
        time: START,
        happenings: [
          { kind: 'transfer', token: STOCK, from: ZERO_ADDRESS, to: address(1), amount: 2n ** 255n },
          { kind: 'transfer', token: STOCK, from: ZERO_ADDRESS, to: address(1), amount: 2n ** 255n },
          { kind: 'transfer', token: other, from: ZERO_ADDRESS, to: address(1), amount: 11n },
        ],
      },
    ]);
    await derive(chain);
    expect(await derivedTo(chain)).toBe(0);
    const moved = await chain.lines(
      `SELECT encode(token, 'hex') AS token, transfers_raw_amount::text, transfers_ui_amount::text
       FROM $stock_daily ORDER BY token`,
    );
    expect(moved).toEqual([
      `${digits(STOCK)} ${2n ** 256n} ${2n * ((2n ** 255n * 2n ** 200n) / E18)}`,
      `${digits(other)} 11 11`,
    ]);
  });
});

describe('a stock that a stranger made', () => {
  const forged = address(0x66);
  const transfer = (token: Hex) =>
    ({ kind: 'transfer', token, from: ZERO_ADDRESS, to: address(1), amount: 10n }) as const;
  const blocks: TestBlock[] = [
    { time: START, happenings: [transfer(forged)] },
    {
      time: START + 10,
      happenings: [
        { kind: 'announce', token: STOCK, old: E18, multiplier: 2n * E18, effectiveAt: START + 10 },
      ],
    },
    { time: START + 20, happenings: [transfer(STOCK), transfer(forged)] },
  ];

  async function withAnnouncements(count: number, more: readonly Hex[] = []): Promise<TradingChain> {
    const chain = await newChain();
    for (const token of [STOCK, forged, ...more]) await chain.listStock(token);
    await chain.append([...blocks, { time: START + 30, happenings: more.map(transfer) }]);
    for (const token of [forged, ...more])
      await database.writer.query(
        `INSERT INTO ${chain.schema}.stock_multipliers
         SELECT decode(:token, 'hex'), 0, place, '', to_timestamp(:time), 1, 1, to_timestamp(:time), to_timestamp(:time)
         FROM generate_series(1, :count) AS place`,
        { token: digits(token), time: START, count },
      );
    await derive(chain);
    return chain;
  }

  const dayOf = (chain: TradingChain, token: Hex) =>
    chain.lines(
      `SELECT transfers_ui_amount::text, ui_multiplier::text FROM $stock_daily WHERE token = '\\x${digits(token)}'`,
    );

  test('hides no split of another, however often it announces one', async () => {
    const more = [0x40, 0x41, 0x42].map(address);
    const chain = await withAnnouncements(6_000, more);
    expect(await derivedTo(chain)).toBe(3);
    expect(await dayOf(chain, STOCK)).toEqual([`20 ${2n * E18}`]);
    expect(await dayOf(chain, forged)).toEqual(['10 1']);
    for (const token of more) expect(await dayOf(chain, token)).toEqual(['0 1']);
    expect(await chain.lines('SELECT * FROM $set_aside')).toEqual([]);
  });

  test('takes no place of one that a listed factory made, and holds nothing up', async () => {
    const chain = await newChain();
    await database.writer.query(
      `INSERT INTO ${chain.schema}.stock_tokens (token, issuer, initial_multiplier, registered_block, updated_block)
       SELECT decode(lpad(to_hex(number), 40, '0'), 'hex'), 'unknown', :one, 0, 0 FROM generate_series(1, 5003) AS number`,
      { one: E18 },
    );
    const late = address(0xffff);
    await chain.listStock(late);
    await chain.append([{ time: START, happenings: [transfer(late), transfer(address(5_003))] }]);
    await derive(chain);
    await database.writer.query(
      `UPDATE ${chain.schema}.stock_tokens SET factory = decode('${digits(STRANGER)}', 'hex')
       WHERE token = decode('${digits(late)}', 'hex')`,
    );
    await chain.append([{ time: START + 10, happenings: [] }]);
    await derive(chain);
    expect(await derivedTo(chain)).toBe(1);
    expect(await chain.lines('SELECT transfers FROM $stock_daily')).toEqual(['1']);
    expect((await dayOf(chain, late)).length).toBe(1);
    const aside = `SELECT count(*) FROM $set_aside WHERE reason LIKE '%not listed'`;
    expect(await chain.lines(aside)).toEqual(['3']);
  });
});

describe('a pool or token whose figures fail', () => {
  const second: TestPool = { ...REAL, id: address(0x1002) };
  const blocks: TestBlock[] = [
    OPENING,
    { time: START + 5, happenings: [{ kind: 'pool', pool: second }, ...tradesOf(second)] },
    TRADE,
  ];

  function tradesOf(pool: TestPool): TestBlock['happenings'] {
    return [
      { kind: 'swap', pool, amounts: [5n * E6, -7n] },
      { kind: 'transfer', token: STOCK, from: ZERO_ADDRESS, to: address(1), amount: 3n },
    ];
  }

  /** A chain whose table refuses some rows. */
  async function newRefusingChain(table: string, condition: string): Promise<TradingChain> {
    const chain = new TradingChain(database.writer, await untouchedSchema(database));
    const schema = chain.schema;
    await database.admin.query(`CREATE FUNCTION ${schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS
      $f$ BEGIN RAISE EXCEPTION 'too large' USING ERRCODE = '22003'; END $f$`);
    await database.admin.query(`CREATE TRIGGER refuse BEFORE INSERT ON ${schema}.${table} FOR EACH ROW
      WHEN (${condition}) EXECUTE FUNCTION ${schema}.refuse()`);
    return chain;
  }

  test('is set aside and noted, and the rest goes on', async () => {
    const undisturbed = await newChain();
    const chain = await newRefusingChain('candles', `NEW.subject = decode('${digits(second.id)}', 'hex')`);
    for (const one of [undisturbed, chain]) await one.append(blocks);
    await derive(undisturbed);
    await derive(chain);
    expect(await derivedTo(chain)).toBe(2);
    const aside = `SELECT subject_kind, encode(subject, 'hex') AS subject, from_block FROM $set_aside`;
    expect(await chain.lines(aside)).toEqual([`pool ${digits(second.id)} 1`]);
    const candles = (one: TradingChain) =>
      one.lines(
        `SELECT interval_seconds, start_time::text, close::text, trades FROM $candles
         WHERE subject = decode('${digits(REAL.id)}', 'hex') ORDER BY 1, 2`,
      );
    expect(await candles(chain)).toEqual(await candles(undisturbed));
    expect(await prices(chain)).toEqual(await prices(undisturbed));
  });

  test('is told by a figure of its own, once', async () => {
    const chain = await newRefusingChain('candles', `NEW.subject = decode('${digits(second.id)}', 'hex')`);
    await chain.append(blocks);
    const telemetry = new RecordedTelemetry();
    let now = START * 1_000;
    const slot = {
      connection: connectionTo(database.writer, chain.name),
      quotes: QUOTES,
      clock: { now: () => now },
      telemetry,
      pause: async (durationMs: number) => {
        now += durationMs;
      },
      remainingMs: () => SLOT_MS,
    };
    for (let minute = 0; minute < 2; minute += 1)
      await runRollupSlot(slot, { time: new Date(START * 1_000 + minute * MINUTE_MS).toISOString() });
    const lag = { Chain: chain.name, RollupLagBlocks: 0 };
    expect(telemetry.metrics()).toEqual([{ Chain: chain.name, DerivationsSetAside: 1 }, lag, lag]);
  });

  test('is a token, too', async () => {
    const chain = await newRefusingChain('stock_daily', `NEW.token = decode('${digits(STOCK)}', 'hex')`);
    await chain.listStock(STOCK);
    await chain.append(blocks);
    await derive(chain);
    expect(await derivedTo(chain)).toBe(2);
    expect(
      await chain.lines(`SELECT subject_kind, encode(subject, 'hex') AS subject FROM $set_aside`),
    ).toEqual([`token ${digits(STOCK)}`]);
  });

  test('is none where everything fails: then nothing is derived, and the run fails', async () => {
    const chain = await newRefusingChain('token_prices', 'true');
    await chain.append(blocks);
    await database.admin.query(
      `CREATE TRIGGER refuse_all BEFORE UPDATE ON ${chain.schema}.cursors FOR EACH ROW
       WHEN (NEW.name = 'rollups' AND NEW.block_number > 0) EXECUTE FUNCTION ${chain.schema}.refuse()`,
    );
    await expect(derive(chain)).rejects.toThrow('too large');
  });
});
