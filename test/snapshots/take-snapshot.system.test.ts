import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { NodeError } from '../../lambdas/indexer/fetch/node-error.ts';
import { type ConfirmWords, createRetryingClient } from '../../lambdas/indexer/fetch/retrying-client.ts';
import type { ChainDatabase } from '../../lambdas/shared/chain-database/chain-database.ts';
import { connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import { chainSchema } from '../../lambdas/shared/chain-database/chain-schema.ts';
import { completeSnapshot } from '../../lambdas/snapshots/complete-snapshot.ts';
import { foldTransfers } from '../../lambdas/snapshots/fold-transfers.ts';
import { SnapshotLostError, takeHold } from '../../lambdas/snapshots/hold-snapshot.ts';
import { ageOfBalances, openSnapshot } from '../../lambdas/snapshots/snapshot.ts';
import { takeSnapshot } from '../../lambdas/snapshots/take-snapshot.ts';
import { disturbed } from '../database/disturbed.ts';
import { linesOf } from '../database/lines-of.ts';
import { MADE_CHAINS, type MigratedDatabase, startMigratedDatabase } from '../database/migrated-database.ts';
import { createFakeNode, type ReceivedCall, type Said } from '../indexer/fetch/fake-node.ts';
import { isAtLength, repetitions } from '../support/at-length.ts';

const [CHAIN] = MADE_CHAINS;
const SCHEMA = chainSchema(CHAIN);
const HEAD = 400;
const FINALIZED = HEAD - 256;
const ZERO_HOLDER = 0;
const MAX_RUNS = 300;
/** Calls from one that fails, or before which a run stands still, to the next that does. */
const STEP = isAtLength ? 1 : 5;
const BALANCE_OF = '0x70a08231';
const TOTAL_SUPPLY = '0x18160ddd';
const ORACLE_PAUSED = '0x7706ba52';
const BLOCK_HASH = `0x${FINALIZED.toString(16).padStart(64, '0')}`;

interface Transfer {
  readonly block: number;
  readonly token: number;
  readonly from: number;
  readonly to: number;
  readonly amount: number;
}

const address = (number: number) => `0x${number.toString(16).padStart(40, '0')}`;
const bytea = (number: number) => `decode('${address(number).slice(2)}', 'hex')`;
const STEADY = 0x70;
const FEE = 0x71;
const REBASING = 0x72;
const UNREADABLE = 0x73;

let database: MigratedDatabase;
/** What `balanceOf` answers, by token and holder; by default what the transfers add up to. */
let chainSays: (token: number, holder: number) => Said;
let asked: ReceivedCall[];
/** What `totalSupply` and `oraclePaused` answer, by token; by default nothing. */
let supplySays: (token: number) => Said;
let pausedSays: (token: number) => Said;
let supplyCalls: ReceivedCall[];
/** What anything else answers, by its selector; by default nothing. */
let otherSays: (data: string) => Said;

beforeAll(async () => {
  database = await startMigratedDatabase([]);
});

afterAll(() => database?.close());

/** What snapshots write. */
const WRITTEN = [
  'balances',
  'balance_history',
  'balance_changes',
  'balance_token_changes',
  'balance_snapshots',
];
/** What they read. */
const INDEXED = ['erc20_transfers', 'stock_tokens', 'tokens', 'cursors', 'coverage', 'blocks'];

beforeEach(async () => {
  asked = [];
  supplyCalls = [];
  supplySays = pausedSays = () => REVERTED;
  otherSays = () => REVERTED;
  await empty(...WRITTEN, ...INDEXED);
  await setHead(HEAD);
});

const run = (sql: string) => database.writer.query(sql);
/** Rows of a statement as lines; `$` stands for the schema and its dot. */
const lines = (sql: string) => linesOf(database.reader, sql.replaceAll('$', `${SCHEMA}.`));

async function empty(...tables: readonly string[]): Promise<void> {
  for (const table of tables) await run(`DELETE FROM ${SCHEMA}.${table}`);
}

async function setHead(head: number): Promise<void> {
  await run(`INSERT INTO ${SCHEMA}.cursors (name, block_number, block_hash, block_time)
    SELECT name, ${head}, '\\x00', now() FROM unnest(ARRAY['indexed', 'node']) AS name
    ON CONFLICT (name) DO UPDATE SET block_number = EXCLUDED.block_number`);
  await run(`INSERT INTO ${SCHEMA}.coverage VALUES ('erc20_transfers', int8multirange(int8range(0, ${head + 1})))
    ON CONFLICT (dataset) DO UPDATE SET covered = EXCLUDED.covered`);
  const block = head - 256;
  await run(`INSERT INTO ${SCHEMA}.blocks VALUES (${block}, decode('${block.toString(16).padStart(64, '0')}', 'hex'), '\\x',
    now(), '\\x', 1, 1, NULL, '\\x', '\\x', '\\x', '\\x', 0, 0, 0) ON CONFLICT DO NOTHING`);
}

/** The next snapshot is due, at a head. */
async function dueAt(head: number): Promise<void> {
  await setHead(head);
  await run(`UPDATE ${SCHEMA}.balance_snapshots SET started_at = now() - interval '7 hours'`);
}

async function store(transfers: readonly Transfer[]): Promise<void> {
  for (const token of new Set(transfers.map(({ token }) => token)))
    await run(`INSERT INTO ${SCHEMA}.tokens (address, standard, first_seen_block, updated_block)
      VALUES (${bytea(token)}, 20, 0, 0) ON CONFLICT DO NOTHING`);
  const { rows } = await database.writer.query(`SELECT count(*) AS count FROM ${SCHEMA}.erc20_transfers`);
  const first = Number(rows[0]?.count);
  for (const [index, { block, token, from, to, amount }] of transfers.entries())
    await run(`INSERT INTO ${SCHEMA}.erc20_transfers
        (block_number, log_index, tx_index, tx_hash, block_time, token, from_address, to_address, amount, kind)
      VALUES (${block}, ${first + index}, 0, '\\x00', now(), ${bytea(token)},
      ${bytea(from)}, ${bytea(to)}, ${amount}, 'transfer')`);
}

function respond(call: ReceivedCall): Said {
  const [{ to, data }] = call.params as [{ to: string; data: string }];
  if (!data.startsWith(BALANCE_OF)) {
    supplyCalls.push(call);
    if (data === TOTAL_SUPPLY) return supplySays(Number(to));
    return data === ORACLE_PAUSED ? pausedSays(Number(to)) : otherSays(data);
  }
  asked.push(call);
  return chainSays(Number(to), Number(`0x${data.slice(-40)}`));
}

const amount = (value: number): Said => ({ result: `0x${value.toString(16).padStart(64, '0')}` });
const REVERTED: Said = { error: { code: 3, message: 'execution reverted' } };

/** Takes a snapshot as far as it goes; what the node answers is handed over after `held`. `confirm`: another node. */
function take(
  over: ChainDatabase = database.writer,
  held: () => Promise<void> = async () => undefined,
  confirm?: ConfirmWords,
) {
  const clock = { now: () => 0 };
  const fake = createFakeNode(respond);
  const post: typeof fake.post = async (request) => {
    const response = await fake.post(request);
    await held();
    return response;
  };
  const client = createRetryingClient({ ...fake, post }, clock, async () => undefined);
  const node = { ...client, ...(confirm && { confirm }) };
  return takeSnapshot({ connection: connectionTo(over, CHAIN), node, clock }, 1_000);
}

async function balances(): Promise<Record<string, string>> {
  const { rows } = await database.reader.query(
    `SELECT encode(token, 'hex') || ' ' || encode(holder, 'hex') AS pair, amount::text || ' ' || method || ' ' || confidence AS held
     FROM ${SCHEMA}.balances ORDER BY 1`,
  );
  return Object.fromEntries(rows.map(({ pair, held }) => [String(pair), String(held)]));
}

const pair = (token: number, holder: number) => `${address(token).slice(2)} ${address(holder).slice(2)}`;

/** What transfers up to a block add up to. */
function ledgerOf(transfers: readonly Transfer[], upTo = FINALIZED): Map<string, number> {
  const held = new Map<string, number>();
  const move = (token: number, holder: number, by: number) => {
    if (holder !== ZERO_HOLDER) held.set(pair(token, holder), (held.get(pair(token, holder)) ?? 0) + by);
  };
  for (const { block, token, from, to, amount } of transfers) {
    if (block > upTo) continue;
    move(token, to, amount);
    move(token, from, -amount);
  }
  return held;
}

function believe(transfers: readonly Transfer[], upTo = FINALIZED): void {
  const ledger = ledgerOf(transfers, upTo);
  chainSays = (token, holder) => amount(Math.max(0, ledger.get(pair(token, holder)) ?? 0));
}

const transfers: fc.Arbitrary<Transfer[]> = fc.array(
  fc.record({
    block: fc.integer({ min: 0, max: HEAD }),
    token: fc.constantFrom(STEADY, 0x7a),
    from: fc.constant(ZERO_HOLDER),
    to: fc.integer({ min: 1, max: 4 }),
    amount: fc.integer({ min: 0, max: 1_000 }),
  }),
  { maxLength: 12 },
);

describe('a snapshot', () => {
  test('is what the transfers up to the finalized block add up to, as the chain confirms it', async () => {
    await fc.assert(
      fc.asyncProperty(transfers, async (moved) => {
        await empty(...WRITTEN, 'erc20_transfers');
        await store(moved);
        believe(moved);
        expect((await take()).kind).toBe('completed');
        const expected = [...ledgerOf(moved)].filter(([, held]) => held > 0);
        expect(await balances()).toEqual(
          Object.fromEntries(expected.map(([key, held]) => [key, `${held} ledger verified`])),
        );
      }),
      { numRuns: repetitions(12) },
    );
  });

  test('counts a token whose transfers came late from all of them, once', async () => {
    const known = { block: 1, token: STEADY, from: ZERO_HOLDER, to: 1, amount: 5 };
    await store([known]);
    believe([known]);
    await take();
    const late = [2, 3].map((block) => ({ block, token: 0x7b, from: ZERO_HOLDER, to: block, amount: 10 }));
    await store(late);
    await run(
      `UPDATE ${SCHEMA}.tokens SET amounts = 'done', recount_snapshot = 0 WHERE address = ${bytea(0x7b)}`,
    );
    believe([known, ...late]);
    const expected = {
      [pair(STEADY, 1)]: '5 ledger verified',
      [pair(0x7b, 2)]: '10 ledger verified',
      [pair(0x7b, 3)]: '10 ledger verified',
    };
    for (const head of [HEAD * 3, HEAD * 9]) {
      await dueAt(head);
      expect((await take()).kind).toBe('completed');
      expect(await balances()).toEqual(expected);
    }
  });

  test.each([
    ["amounts = 'due'", 'standard', 0],
    ["amounts = 'done', recount_snapshot = 0", 'standard', 0],
    ["amounts = 'done', recount_snapshot = NULL", 'non_standard', 4],
  ])('judges a token of %s by its transfers if all are there: %s', async (settled, model, mismatches) => {
    await store([1, 2, 3, 4].map((to) => ({ block: 1, token: STEADY, from: ZERO_HOLDER, to, amount: 5 })));
    chainSays = () => amount(9);
    // A page is recast while the snapshot is under way.
    await take(database.writer, async () => void (await run(`UPDATE ${SCHEMA}.tokens SET ${settled}`)));
    expect(await lines('SELECT balance_model, balance_mismatches FROM $tokens')).toEqual([
      `${model} ${mismatches}`,
    ]);
  });

  test('goes on without a token of too many late transfers, whose known holders are read each time', async () => {
    const [known, late] = [1, 2].map((to) => ({ block: to, token: 0x7b, from: ZERO_HOLDER, to, amount: 5 }));
    await store([known as Transfer]);
    believe([known as Transfer]);
    await take();
    await store([late as Transfer]);
    await run(`UPDATE ${SCHEMA}.tokens SET amounts = 'done', recount_snapshot = 0, transfer_count = 100_001`);
    for (const head of [HEAD * 3, HEAD * 9]) {
      await dueAt(head);
      asked = [];
      expect((await take()).kind).toBe('completed');
      expect(asked).toHaveLength(1);
      expect(await balances()).toEqual({ [pair(0x7b, 1)]: '5 ledger verified' });
    }
    expect(await lines('SELECT recount_snapshot, balance_model FROM $tokens')).toEqual(['-1 non_standard']);
  });

  test('is the same, in however many pages it is applied', async () => {
    const moved = [STEADY, FEE, REBASING].flatMap((token) =>
      [1, 2, 3, 4].map((to) => ({ block: to, token, from: ZERO_HOLDER, to, amount: 10 * to })),
    );
    await store(moved);
    const outcome = async (pageRows: number) => {
      await empty(...WRITTEN);
      await run(
        `UPDATE ${SCHEMA}.tokens SET balance_mismatches = 0, balance_model = 'standard', holder_count = 0`,
      );
      const connection = connectionTo(database.writer, CHAIN);
      const due = await openSnapshot(connection);
      const held = due && (await takeHold(connection, due, 60));
      if (held === undefined) throw new Error('no snapshot is due');
      while (await foldTransfers(connection, held));
      await run(`UPDATE ${SCHEMA}.balance_changes SET state = 'read', read_amount = delta - CASE token
        WHEN ${bytea(FEE)} THEN 10 WHEN ${bytea(REBASING)} THEN get_byte(holder, 19) - 2 ELSE 0 END`);
      await completeSnapshot(connection, held, pageRows);
      const tokens = await lines(
        `SELECT right(encode(address, 'hex'), 2) AS token, holder_count, balance_mismatches, balance_model
         FROM $tokens ORDER BY 1`,
      );
      return { tokens, balances: await balances() };
    };
    const once = await outcome(1_000);
    expect(once.tokens).toEqual(['70 4 0 standard', '71 3 4 fee_on_transfer', '72 4 3 non_standard']);
    for (const pageRows of [1, 2, 3, 4, 12]) expect(await outcome(pageRows)).toEqual(once);
  });

  test('asks for balances at the block of its hash', async () => {
    const moved = [{ block: 1, token: STEADY, from: ZERO_HOLDER, to: 1, amount: 5 }];
    await store(moved);
    believe(moved);
    await take();
    expect(asked.map(({ params }) => params[1])).toEqual([{ blockHash: BLOCK_HASH }]);
  });

  test('is not due again for six hours, then adds what came since, and ends what ended', async () => {
    const first = [
      { block: 1, token: STEADY, from: ZERO_HOLDER, to: 1, amount: 5 },
      { block: 2, token: STEADY, from: ZERO_HOLDER, to: 2, amount: 7 },
    ];
    await store(first);
    believe(first);
    expect((await take()).kind).toBe('completed');
    expect((await take()).kind).toBe('idle');
    const second = [{ block: FINALIZED + 10, token: STEADY, from: 1, to: 3, amount: 5 }];
    await store(second);
    await setHead(HEAD + 100);
    const startedBefore = (age: string) =>
      run(`UPDATE ${SCHEMA}.balance_snapshots SET started_at = now() - interval '${age}'`);
    await startedBefore('5 hours 55 minutes');
    expect((await take()).kind).toBe('idle');
    await startedBefore('6 hours 1 minute');
    believe([...first, ...second], HEAD + 100 - 256);
    asked = [];
    expect((await take()).kind).toBe('completed');
    expect(asked).toHaveLength(2);
    expect(await balances()).toEqual({
      [pair(STEADY, 2)]: '7 ledger verified',
      [pair(STEADY, 3)]: '5 ledger verified',
    });
    const history = `SELECT amount::text FROM $balance_history WHERE holder = ${bytea(1)} ORDER BY snapshot_id`;
    expect(await lines(history)).toEqual(['5', '0']);
    expect(await lines(`SELECT holder_count FROM $tokens WHERE address = ${bytea(STEADY)}`)).toEqual(['2']);
  });

  test('is due at once while a chain is young: whenever twice as many blocks are final', async () => {
    chainSays = () => amount(0);
    await setHead(256);
    expect((await take()).kind).toBe('completed');
    expect((await take()).kind).toBe('idle');
    await setHead(256 + 70);
    expect((await take()).kind).toBe('completed');
    await setHead(256 + 139);
    expect((await take()).kind).toBe('idle');
    await setHead(256 + 140);
    expect((await take()).kind).toBe('completed');
    expect(await lines('SELECT block_number FROM $balance_snapshots ORDER BY snapshot_id')).toEqual([
      '0',
      '70',
      '140',
    ]);
  });

  test('adds blocks that were stored later, below the last one too', async () => {
    const late = { block: 3, token: STEADY, from: ZERO_HOLDER, to: 1, amount: 5 };
    const early = { block: 50, token: STEADY, from: ZERO_HOLDER, to: 1, amount: 2 };
    await run(`UPDATE ${SCHEMA}.coverage SET covered = int8multirange(int8range(10, ${HEAD + 1}))`);
    await store([early]);
    believe([early]);
    await take();
    await store([late]);
    await run(
      `UPDATE ${SCHEMA}.coverage SET covered = int8multirange(int8range(0, ${HEAD + 1})) WHERE dataset = 'erc20_transfers'`,
    );
    await run(`UPDATE ${SCHEMA}.balance_snapshots SET started_at = now() - interval '7 hours'`);
    believe([early, late]);
    await take();
    expect(await balances()).toEqual({ [pair(STEADY, 1)]: '7 ledger verified' });
  });

  test('believes the chain where transfers do not tell the truth, and marks such tokens', async () => {
    const holders = [1, 2, 3, 4];
    const moved = [FEE, REBASING, UNREADABLE].flatMap((token) =>
      holders.map((to) => ({ block: to, token, from: ZERO_HOLDER, to, amount: 100 })),
    );
    await store(moved);
    chainSays = (token) => (token === UNREADABLE ? REVERTED : amount(token === FEE ? 97 : 100));
    await take();
    expect(
      await lines(`SELECT right(encode(address, 'hex'), 2) AS token, balance_model FROM $tokens ORDER BY 1`),
    ).toEqual(['71 fee_on_transfer', '72 standard', '73 standard']);
    expect(await balances()).toMatchObject({
      [pair(FEE, 1)]: '97 balance_of verified',
      [pair(UNREADABLE, 1)]: '100 ledger unverified',
    });
    // One transfer makes the pair worth a look; that it grew beyond it is told of all that were looked at.
    await store([{ block: FINALIZED + 20, token: REBASING, from: 1, to: 2, amount: 1 }]);
    await dueAt(HEAD + 100);
    chainSays = (token, holder) => amount(token === REBASING ? 200 : holder);
    await take();
    expect((await balances())[pair(REBASING, 1)]).toMatch(/^200 balance_of/);
  });

  test('keeps what the transfers say where another node contradicts the balance, and asks it for no other', async () => {
    const moved = [FEE, STEADY].map((token) => ({ block: 1, token, from: ZERO_HOLDER, to: 1, amount: 100 }));
    await store(moved);
    chainSays = (token) => amount(token === FEE ? 97 : 100);
    const confirmed: unknown[] = [];
    await take(database.writer, undefined, async (calls, answers) => {
      confirmed.push(...calls.map(({ params }) => (params[0] as { to: string }).to));
      return answers.map(() => ({ error: new NodeError('contradicted', 'another node says otherwise') }));
    });
    expect(confirmed).toEqual([address(FEE)]);
    expect(await balances()).toMatchObject({
      [pair(FEE, 1)]: '100 ledger unverified',
      [pair(STEADY, 1)]: '100 ledger verified',
    });
  });

  test('keeps what the transfers say where the node no longer has the state', async () => {
    const moved = [{ block: 1, token: STEADY, from: ZERO_HOLDER, to: 1, amount: 5 }];
    await store(moved);
    chainSays = () => ({ error: { code: -32000, message: 'missing trie node' } });
    await take();
    expect(await balances()).toEqual({ [pair(STEADY, 1)]: '5 ledger unverified' });
  });

  test('waits while the index catches up or is halted', async () => {
    chainSays = () => amount(0);
    await run(`UPDATE ${SCHEMA}.cursors SET block_number = 5000 WHERE name = 'node'`);
    expect((await take()).kind).toBe('idle');
    await run(`UPDATE ${SCHEMA}.cursors SET block_number = ${HEAD}, halted = 'look' WHERE name = 'indexed'`);
    expect((await take()).kind).toBe('idle');
  });
});

describe('the supply of a token', () => {
  const supplies = () =>
    lines(
      `SELECT right(encode(address, 'hex'), 2) AS token, total_supply::text, supply_block FROM $tokens ORDER BY 1`,
    );
  const later = async () => {
    await dueAt(HEAD + 100);
    supplyCalls = [];
  };
  const mint = { block: 1, token: STEADY, from: ZERO_HOLDER, to: 1, amount: 5 };
  const describeAll = () => run(`UPDATE ${SCHEMA}.tokens SET metadata_status = 'complete', total_supply = 5`);

  test('is read again at the block of each snapshot after the token has moved', async () => {
    await store([mint]);
    await describeAll();
    believe([mint]);
    supplySays = () => amount(6);
    await take();
    expect(supplyCalls.map(({ params }) => params[1])).toEqual([{ blockHash: BLOCK_HASH }]);
    expect(await supplies()).toEqual([`70 6 ${FINALIZED}`]);
    // Nothing has moved: no balance is asked for.
    await later();
    await take();
    expect(supplyCalls).toEqual([]);
    await run(`UPDATE ${SCHEMA}.tokens SET updated_block = ${FINALIZED + 1}`);
    await later();
    supplySays = () => amount(1_000);
    await take();
    expect(await supplies()).toEqual([`70 1000 ${FINALIZED + 100}`]);
  });

  test('stays what it was, of the block that it was of, where the token does not say', async () => {
    await store([mint, { ...mint, token: FEE }]);
    await describeAll();
    believe([mint, { ...mint, token: FEE }]);
    supplySays = () => amount(7);
    await take();
    await run(`UPDATE ${SCHEMA}.tokens SET updated_block = ${FINALIZED + 1}`);
    await later();
    supplySays = (token) => (token === FEE ? REVERTED : amount(8));
    expect((await take()).kind).toBe('completed');
    expect(await supplies()).toEqual([`70 8 ${FINALIZED + 100}`, `71 7 ${FINALIZED}`]);
  });

  test('of a stock is read with each snapshot, and whether its oracle is paused', async () => {
    await store([mint]);
    await describeAll();
    believe([mint]);
    await run(`INSERT INTO ${SCHEMA}.stock_tokens
      (token, issuer, initial_multiplier, oracle_paused, registered_block, updated_block)
      VALUES (${bytea(STEADY)}, 'test', 1, false, 0, 0)`);
    const paused = () => lines('SELECT oracle_paused FROM $stock_tokens');
    supplySays = () => amount(5);
    await take();
    expect(await paused()).toEqual(['false']);
    await later();
    pausedSays = () => amount(1);
    await take();
    expect(await paused()).toEqual(['true']);
    await later();
    pausedSays = () => amount(0);
    await take();
    expect(await paused()).toEqual(['false']);
  });
});

describe('the age of the balances', () => {
  const age = () => ageOfBalances(connectionTo(database.writer, CHAIN));
  const hours = (count: number) => `now() - make_interval(hours => ${count})`;
  const insertSnapshot = (id: number, started: number, completed: string) =>
    run(`INSERT INTO ${SCHEMA}.balance_snapshots (snapshot_id, block_number, block_hash, block_time, started_at, completed_at)
      VALUES (${id}, ${id}, '\\x00', now(), ${hours(started)}, ${completed})`);
  const hoursOf = async () => {
    const { inForce, seconds } = await age();
    return { inForce, hours: seconds === undefined ? undefined : Math.round(seconds / 3_600) };
  };

  test('is not known before a block is indexed', async () => {
    await run(`UPDATE ${SCHEMA}.cursors SET block_number = -1 WHERE name = 'indexed'`);
    expect(await age()).toEqual({ inForce: false, seconds: undefined });
    await run(`DELETE FROM ${SCHEMA}.cursors`);
    expect(await age()).toEqual({ inForce: false, seconds: undefined });
  });

  test('is that of the index while the first snapshot cannot begin', async () => {
    await run(`UPDATE ${SCHEMA}.cursors SET block_time = ${hours(9)} WHERE name = 'indexed'`);
    expect(await hoursOf()).toEqual({ inForce: false, hours: 9 });
  });

  test('is the time that the first snapshot has taken until it is complete', async () => {
    await insertSnapshot(1, 10, 'NULL');
    expect(await hoursOf()).toEqual({ inForce: false, hours: 10 });
  });

  test('is the time since the newest complete one, whatever the next comes to', async () => {
    await insertSnapshot(1, 30, hours(29));
    await insertSnapshot(2, 12, hours(11));
    await insertSnapshot(3, 5, 'NULL');
    expect(await hoursOf()).toEqual({ inForce: true, hours: 11 });
  });
});

describe('two runs at once', () => {
  const first = [
    { block: 1, token: STEADY, from: ZERO_HOLDER, to: 1, amount: 50 },
    { block: 2, token: STEADY, from: ZERO_HOLDER, to: 2, amount: 70 },
    { block: 3, token: REBASING, from: ZERO_HOLDER, to: 1, amount: 30 },
  ];
  const second = [{ block: FINALIZED + 10, token: STEADY, from: 1, to: 2, amount: 20 }];
  const after = { [pair(STEADY, 1)]: '30 ledger verified', [pair(STEADY, 2)]: '90 ledger verified' };

  /** Takes the next snapshot, at whose block balances are others, and looks at what came of it. */
  async function takeSecond(): Promise<void> {
    await store(second);
    await dueAt(HEAD + 100);
    const ledger = ledgerOf([...first, ...second], HEAD + 100 - 256);
    chainSays = (token, holder) =>
      amount(token === REBASING ? 33 : Math.max(0, ledger.get(pair(token, holder)) ?? 0));
    expect((await take()).kind).toBe('completed');
    expect(await balances()).toMatchObject(after);
    expect((await balances())[pair(REBASING, 1)]).toBe('33 balance_of rebasing');
    expect(await lines(`SELECT balance_model FROM $tokens WHERE address = ${bytea(STEADY)}`)).toEqual([
      'standard',
    ]);
  }

  async function begin(): Promise<void> {
    await empty(...WRITTEN, ...INDEXED);
    await setHead(HEAD);
    await store(first);
    await run(`UPDATE ${SCHEMA}.tokens SET balance_model = 'rebasing' WHERE address = ${bytea(REBASING)}`);
    believe(first);
  }

  test('one loses the snapshot to another that took it over, also where that came no further', async () => {
    await begin();
    const late = gate();
    const overtaken = take(database.writer, late.pass).catch((error: unknown) => error);
    await late.reached;
    await endLease();
    await expect(take(failingAt(3, true))).rejects.toThrow('statement 3 failed');
    late.open();
    expect(await overtaken).toBeInstanceOf(SnapshotLostError);
  });

  test('leave the snapshot to the one that holds it, and ask nothing', async () => {
    await begin();
    const slow = gate();
    const holding = take(database.writer, slow.pass);
    await slow.reached;
    const before = asked.length;
    expect((await take()).kind).toBe('busy');
    expect(asked).toHaveLength(before);
    slow.open();
    expect((await holding).kind).toBe('completed');
    await takeSecond();
  });

  test('one that stood still between any two steps leaves nothing to the next snapshot', async () => {
    for (let step = 1; step < MAX_RUNS; step += STEP) {
      await begin();
      const late = gate();
      let ended = false;
      const overtaken = take(pausingAt(step, late.pass)).then(
        () => {
          ended = true;
        },
        (error: unknown) => error,
      );
      await Promise.race([late.reached, overtaken]);
      if (ended) return expect(step).toBeGreaterThan(5);
      await endLease();
      await take();
      late.open();
      const lost = await overtaken;
      if (lost !== undefined) expect(lost).toBeInstanceOf(SnapshotLostError);
      await takeSecond();
    }
    throw new Error('no run ended');
  });
});

describe('whatever fails, at every call of the database', () => {
  const moved = [STEADY, FEE].flatMap((token) =>
    [1, 2, 3].map((to) => ({ block: to, token, from: ZERO_HOLDER, to, amount: 10 * to })),
  );

  test.each([
    ['the next run goes on', false],
    ['or once it has died there, when its time is over', true],
  ])('%s, and the result is the same', async (_, dead) => {
    await store(moved);
    const ledger = ledgerOf(moved);
    chainSays = (token, holder) => amount((ledger.get(pair(token, holder)) ?? 0) - (token === FEE ? 1 : 0));
    await take();
    const undisturbed = await balances();
    for (let failing = 1; failing < MAX_RUNS; failing += STEP) {
      await empty(...WRITTEN);
      await run(
        `UPDATE ${SCHEMA}.tokens SET balance_mismatches = 0, balance_model = 'standard', holder_count = 0`,
      );
      const failed = await take(failingAt(failing, dead)).then(
        () => false,
        () => true,
      );
      if (failed && dead) await endLease();
      if (failed) expect((await take()).kind).toMatch(/completed|idle/);
      expect(await balances()).toEqual(undisturbed);
      if (!failed) return;
    }
    throw new Error('every call failed');
  });

  test('two runs at once make one snapshot', async () => {
    await store(moved);
    believe(moved);
    await Promise.allSettled([take(), take(), take()]);
    await take();
    expect(Object.values(await balances()).filter((held) => held.endsWith('verified'))).toHaveLength(6);
    expect(await lines('SELECT count(*) FROM $balance_snapshots')).toEqual(['1']);
  });
});

/** A database whose n-th statement fails; with `dead`, all that follow do, too. */
const failingAt = (failing: number, dead: boolean) =>
  disturbed(database.writer, (nth) => {
    if (nth === failing || (dead && nth > failing)) throw new Error(`statement ${failing} failed`);
  });

/** Where a run is held until it is let go. */
function gate() {
  const reached = Promise.withResolvers<void>();
  const opened = Promise.withResolvers<void>();
  return {
    reached: reached.promise,
    open: opened.resolve,
    pass: () => {
      reached.resolve();
      return opened.promise;
    },
  };
}

/** A database that holds a run before a transaction, or a statement outside of one. */
const pausingAt = (step: number, held: () => Promise<void>) =>
  disturbed(database.writer, (nth) => (nth === step ? held() : undefined), 'transaction');

/** As if the run that holds the snapshot had been gone for long. */
async function endLease(): Promise<void> {
  await run(`UPDATE ${SCHEMA}.balance_snapshots SET leased_until = now() - interval '1 second'`);
}

test('a token that said too little of itself is asked again when it finds new holders, a few times', async () => {
  const minted = [STEADY, FEE, REBASING, UNREADABLE].map((token) => ({
    block: 1,
    token,
    from: ZERO_HOLDER,
    to: 1,
    amount: 5,
  }));
  await store(minted);
  believe(minted);
  const told = (token: number, status: string, attempts: number) =>
    run(`UPDATE ${SCHEMA}.tokens SET metadata_status = '${status}', metadata_attempts = ${attempts}
      WHERE address = ${bytea(token)}`);
  await told(STEADY, 'complete', 1);
  await told(FEE, 'partial', 1);
  await told(REBASING, 'absent', 4);
  await told(UNREADABLE, 'absent', 5);
  await take();
  const states = `SELECT right(encode(address, 'hex'), 2) AS token, metadata_status FROM $tokens ORDER BY 1`;
  expect(await lines(states)).toEqual(['70 complete', '71 pending', '72 pending', '73 absent']);
});

describe('what a token calls itself', () => {
  const text = (value: string): Said => {
    const bytes = Buffer.from(value).toString('hex');
    const words = [32, value.length].map((word) => word.toString(16).padStart(64, '0')).join('');
    return { result: `0x${words}${bytes.padEnd(64, '0')}` };
  };
  const SELECTORS = { '0x06fdde03': 'name', '0x95d89b41': 'symbol', '0x313ce567': 'decimals' } as const;
  let says: { readonly name: Said; readonly symbol: Said; readonly decimals: Said };
  const mint = { block: 1, token: STEADY, from: ZERO_HOLDER, to: 1, amount: 5 };
  const named = async () => {
    const { rows } = await database.reader.query(
      `SELECT name, symbol, decimals, new_decimals, (SELECT json_agg(json_build_array(former.symbol, former.decimals, to_block)
         ORDER BY to_block) FROM ${SCHEMA}.token_names AS former) AS former FROM ${SCHEMA}.tokens`,
    );
    return { ...rows[0], former: JSON.parse(String(rows[0]?.former)) as unknown };
  };
  /** The next snapshot, 100 blocks higher, before which the token has moved. */
  const next = async (confirm?: ConfirmWords) => {
    await run(
      `UPDATE ${SCHEMA}.tokens SET updated_block = (SELECT block_number - 255 FROM ${SCHEMA}.cursors WHERE name = 'indexed')`,
    );
    await dueAt(Number(await lines(`SELECT block_number FROM $cursors WHERE name = 'indexed'`)) + 100);
    supplyCalls = [];
    expect((await take(database.writer, undefined, confirm)).kind).toBe('completed');
  };

  beforeEach(async () => {
    await empty('token_names');
    says = { name: text('Old Name'), symbol: text('OLD'), decimals: amount(18) };
    await store([mint]);
    believe([mint]);
    await run(
      `UPDATE ${SCHEMA}.tokens SET metadata_status = 'complete', name = 'Old Name', symbol = 'OLD', decimals = 18`,
    );
    supplySays = () => amount(5);
    otherSays = (data) => says[SELECTORS[data as keyof typeof SELECTORS]] ?? REVERTED;
    await take();
  });

  test('is read again with the snapshot after it has moved, and the old is kept with its block', async () => {
    says = { ...says, name: text('New Name'), symbol: text('NEW') };
    await next();
    const renamed = { name: 'New Name', symbol: 'NEW', decimals: 18, new_decimals: null };
    expect(await named()).toEqual({ ...renamed, former: [['OLD', 18, FINALIZED + 100]] });
    says = { name: REVERTED, symbol: REVERTED, decimals: REVERTED };
    await next();
    expect(await named()).toMatchObject(renamed);
  });

  test('is not read where nobody holds it and it has no price', async () => {
    await run(`UPDATE ${SCHEMA}.tokens SET holder_count = 0`);
    says = { ...says, symbol: text('NEW') };
    await next();
    expect(await named()).toMatchObject({ symbol: 'OLD' });
  });

  test('is read again behind all others where another node contradicts it, and keeps none from its turn', async () => {
    await run(`INSERT INTO ${SCHEMA}.tokens (address, standard, first_seen_block, updated_block, holder_count, metadata_status, supply_block)
      SELECT decode(lpad(to_hex(4096 + n), 40, '0'), 'hex'), 20, 0, 1, 1, 'complete', ${HEAD} FROM generate_series(1, 300) AS n`);
    const contradict: ConfirmWords = async (_, answers) =>
      answers.map(() => ({ error: new NodeError('contradicted', 'another node says otherwise') }));
    const asked = new Set<string>();
    for (const round of [1, 2]) {
      await next(contradict);
      for (const { params } of supplyCalls) {
        const { to, data } = params[0] as { to: string; data: string };
        if (data === '0x95d89b41') asked.add(to);
      }
      expect([round, asked.size]).toEqual([round, round === 1 ? 250 : 301]);
    }
    expect(
      await lines('SELECT count(*) FROM $tokens WHERE described_at IS NOT NULL AND described_block IS NULL'),
    ).toEqual(['301']);
  });

  test('of decimals counts when two readings in a row say it', async () => {
    for (const [decimals, believed, waiting] of [
      [77, 18, 77],
      [6, 18, 6],
      [6, 6, null],
      [18, 6, 18],
      [6, 6, null],
    ] as const) {
      says = { ...says, decimals: amount(decimals) };
      await next();
      expect(await named()).toMatchObject({ decimals: believed, new_decimals: waiting });
    }
    expect(await named()).toMatchObject({ former: [['OLD', 18, FINALIZED + 300]] });
  });

  test('is read of a bounded number of tokens a snapshot and a day, those that have a price first', async () => {
    await run(`INSERT INTO ${SCHEMA}.tokens (address, standard, first_seen_block, updated_block, holder_count, metadata_status, supply_block)
      SELECT decode(lpad(to_hex(4096 + n), 40, '0'), 'hex'), 20, 0, 1, 1, 'complete', ${HEAD} FROM generate_series(1, 300) AS n`);
    await run(
      `INSERT INTO ${SCHEMA}.price_scales VALUES (decode(lpad(to_hex(4096 + 300), 40, '0'), 'hex'), 18)`,
    );
    await next();
    const asked = supplyCalls.filter(({ params }) => (params[0] as { data: string }).data === '0x95d89b41');
    expect([asked.length, (asked[0]?.params[0] as { to: string } | undefined)?.to]).toEqual([
      250,
      address(4_096 + 300),
    ]);
    await run(`UPDATE ${SCHEMA}.tokens SET described_at = now(), updated_block = 100000`);
    await run(`INSERT INTO ${SCHEMA}.tokens (address, standard, first_seen_block, updated_block, metadata_status, described_at)
      SELECT decode(lpad(to_hex(65536 + n), 40, '0'), 'hex'), 20, 0, 1, 'absent', now() FROM generate_series(1, 700) AS n`);
    await next();
    expect(supplyCalls.filter(({ params }) => (params[0] as { data: string }).data === '0x95d89b41')).toEqual(
      [],
    );
    await empty('price_scales');
  });
});
