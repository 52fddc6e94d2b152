import { address, word } from '../../chain-data/decode/raw-blocks.ts';
import {
  MIGRATIONS,
  type MigratedDatabase,
  startMigratedDatabase,
} from '../../database/migrated-database.ts';
import { superuserSession } from '../../database/superuser.ts';
import { withBlock } from '../blocks/known-chains.ts';
import { blockHash, makeBlock } from '../fetch/node-chain.ts';
import { type ServedChain, serve } from './served-chain.ts';

const CHAIN = 'grown_chain';
/** The last migration of the release before further members were kept. */
const LAST_BEFORE = '022-visible-names';
/** The last migration that writes no table anew: the next copies those with most rows. */
const LAST_IN_PLACE = '029-bulk';
const HASH = word(0xabcdn);
const bytes = (hex: string) => `decode('${hex.slice(2)}', 'hex')`;

let database: MigratedDatabase;
let chain: ServedChain;
let files: { readonly before: string; readonly after: string };
let partitions: readonly unknown[];

/** A chain as the release before has stored it; then this release comes, and one block more. */
beforeAll(async () => {
  database = await startMigratedDatabase([]);
  await database.migrate(
    [CHAIN],
    MIGRATIONS.filter(({ name }) => name <= LAST_BEFORE),
  );
  await storeAsBefore();
  const before = await dataFiles();
  await database.migrate(
    [CHAIN],
    MIGRATIONS.filter(({ name }) => name <= LAST_IN_PLACE),
  );
  files = { before, after: await dataFiles() };
  await database.migrate([CHAIN]);
  const { rows } = await database.reader.query(
    `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = '${CHAIN}.withdrawals'::regclass ORDER BY 1`,
  );
  partitions = rows.map(({ name }) => name);
  const withdrawals = [{ index: '0x1', validatorIndex: '0x2', address: address(0xb0b), amount: '0x3' }];
  const json = makeBlock(1, 1);
  const transactions = json.transactions.map((one) => ({
    ...one,
    accessList: [{ address: address(1), storageKeys: [] }],
  }));
  chain = await serve(
    database,
    [makeBlock(0, 0), withBlock({ ...json, transactions }, { withdrawals, transactions })],
    CHAIN,
  );
});
afterAll(() => database?.close());

async function storeAsBefore(): Promise<void> {
  const run = (sql: string) => database.writer.query(sql.replaceAll('{schema}', CHAIN));
  const root = bytes(word(1));
  await run('SELECT {schema}.ensure_partitions(0, 30000000)');
  await run(`INSERT INTO {schema}.blocks (number, hash, parent_hash, time, miner, gas_limit, gas_used, base_fee_per_gas,
      state_root, transactions_root, receipts_root, extra_data, tx_count, log_count, size, extra)
    VALUES (0, ${bytes(blockHash(0))}, ${root}, '2023-11-14T22:13:20Z', ${bytes(address(0))}, 30000000, 21000, 7,
      ${root}, ${root}, ${root}, '\\x', 1, 0, 500, '{"mixHash": "0x01"}')`);
  await run(`INSERT INTO {schema}.transactions (block_number, tx_index, hash, block_hash, block_time, type, from_address,
      to_address, nonce, value, gas, gas_price, effective_gas_price, gas_used, cumulative_gas_used, status, log_count, input,
      input_size, extra)
    VALUES (0, 0, ${bytes(HASH)}, ${bytes(blockHash(0))}, '2023-11-14T22:13:20Z', 3, ${bytes(address(1))}, ${bytes(address(2))},
      1, 2, 21000, 7, 7, 21000, 21000, 1, 0, '\\x', 0, '{"maxFeePerBlobGas": "0x5"}')`);
  await run(`INSERT INTO {schema}.transaction_hashes VALUES (${bytes(HASH)}, 0, 0)`);
  await run(`INSERT INTO {schema}.ring VALUES (0, ${bytes(blockHash(0))}, ${root}, '2023-11-14T22:13:20Z')`);
  await run(`INSERT INTO {schema}.cursors (name, block_number, block_hash, block_time)
    SELECT name, 0, ${bytes(blockHash(0))}, '2023-11-14T22:13:20Z' FROM unnest(ARRAY['indexed', 'node']) AS name`);
  await run(`INSERT INTO {schema}.coverage (dataset, covered)
    SELECT name, '{[0,1)}' FROM unnest(ARRAY['blocks', 'transactions', 'logs']) AS name`);
}

/** Where the rows are: another file means that a table was written anew. */
async function dataFiles(): Promise<string> {
  const session = await superuserSession(database.postgres.superuser);
  const { rows } = await session.query<{ files: string }>(
    `SELECT string_agg(relname || ' ' || relfilenode, ',' ORDER BY relname) AS files
     FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
     WHERE nspname = '${CHAIN}' AND relname ~ '^(blocks|transactions|traces)' AND relkind IN ('r', 'i')`,
  );
  return rows[0]?.files ?? '';
}

test('members are added without writing a table or an index anew, and withdrawals have the partitions of the others', () => {
  expect(files.before).toContain('transactions_p3 ');
  expect(files.after.split(',')).toEqual(expect.arrayContaining(files.before.split(',')));
  expect(partitions).toEqual([0, 1, 2, 3].map((place) => `${CHAIN}.withdrawals_p${place}`));
});

test('rows of before are served, and null says what nobody knows of them', async () => {
  const block = await chain.get('/blocks/0');
  expect(block).toMatchObject({ gas_limit: 30_000_000, extra: { mixHash: '0x01' } });
  expect(await chain.get(`/transactions/${HASH}`)).toMatchObject({
    ...{ fee: '147000', total_fee: null, l1_fee: null, gas: 21_000, extra: { maxFeePerBlobGas: '0x5' } },
    ...{ access_list: null, authorization_list: null, blob_versioned_hashes: null },
    ...{ receipt_extra: null, extra_omitted: null },
  });
  expect(await chain.get('/status/coverage/withdrawals')).toMatchObject([
    { from_block: 0, to_block: 0, state: 'gap' },
    { from_block: 1, to_block: 1, state: 'covered' },
  ]);
});

test('blocks of this release have all of it', async () => {
  const [{ hash } = { hash: '' }] = (await chain.get('/blocks/1/transactions')) as unknown as [
    { hash: string },
  ];
  expect(await chain.get(`/transactions/${hash}`)).toMatchObject({
    total_fee: '50000',
    access_list: [{ address: address(1), storageKeys: [] }],
    receipt_extra: {},
    extra_omitted: [],
  });
  expect(await chain.get(`/addresses/${address(0xb0b)}/withdrawals`)).toMatchObject([
    { value: '3000000000' },
  ]);
});
