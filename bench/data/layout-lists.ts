/** Lists and look-ups that read the tables whose layout is compared, of what has many rows there, some, and one. */
import type { Layouts } from './layouts.ts';
import { NOW } from './layouts.ts';

/** A token with most of the transfers. */
const EVERYWHERE = `0x${'ee'.repeat(20)}`;
/** Its transfers in each block, behind the others. */
const PER_BLOCK = 150;
const FIRST_LOG = 10_000;
/** Rows of an address that has some. */
const SOME = 20;
const MANY = 500;

/** A path below the chain; its pages are told apart by a cursor. */
export interface ComparedList {
  readonly name: string;
  readonly path: string;
}

/** Adds the transfers of {@link EVERYWHERE} to both layouts. */
export async function addEverywhere({ run, client }: Layouts, blocks: number): Promise<void> {
  const bytes = `decode('${EVERYWHERE.slice(2)}', 'hex')`;
  const holder = `substr(sha256(int8send(n % 5000)), 1, 20)`;
  await run(`INSERT INTO {schema}.erc20_transfers
      (block_number, log_index, tx_index, tx_hash, block_time, token, from_address, to_address, amount, kind)
    SELECT n / ${PER_BLOCK}, ${FIRST_LOG} + n % ${PER_BLOCK}, 0, sha256(int8send(n / ${PER_BLOCK})), '2026-01-01Z', ${bytes}, ${holder}, ${holder}, n,
      'transfer' FROM generate_series(0, ${blocks * PER_BLOCK - 1}) AS n`);
  await run(
    `INSERT INTO {schema}.tokens (address, standard, first_seen_block, updated_block) VALUES (${bytes}, 20, 0, 0)`,
  );
  await client.query('VACUUM (ANALYZE)');
}

/** The lists, of what a chain of so many blocks has. */
export async function comparedLists({ client }: Layouts, blocks: number): Promise<ComparedList[]> {
  /** The value that as nearly as possible so many rows have. */
  const having = async (table: string, column: string, rows: number): Promise<string> => {
    const found = await client.query<{ hex: string }>(
      `SELECT '0x' || encode(${column}, 'hex') AS hex FROM "${NOW}".${table} WHERE ${column} IS NOT NULL
       GROUP BY ${column} ORDER BY abs(count(*) - ${rows}), 1 LIMIT 1`,
    );
    return found.rows[0]?.hex ?? '';
  };
  const all = blocks * 1_000;
  const block = Math.floor(blocks / 2);
  const addresses = {
    'the busiest sender': await having('transactions', 'from_address', all),
    'an address with some rows': await having('transactions', 'from_address', SOME),
    'the busiest contract': await having('traces', 'to_address', all),
    'a contract whose calls are far apart': await having('traces', 'to_address', MANY),
  };
  const tokens = {
    'a token with most transfers': EVERYWHERE,
    'one with some': await having('erc20_transfers', 'token', SOME),
  };
  const hashes = await client.query<{ hex: string }>(
    `SELECT '0x' || encode(hash, 'hex') AS hex FROM "${NOW}".transactions WHERE block_number = ${block} AND tx_index = 5`,
  );
  const transaction = `/transactions/${hashes.rows[0]?.hex}`;
  const list = (name: string, path: string): ComparedList => ({ name, path });
  return [
    list('transactions', '/transactions?limit=500'),
    list('transfers', '/transfers?limit=500'),
    list('transactions of a block', `/blocks/${block}/transactions?limit=500`),
    list('logs of a block', `/blocks/${block}/logs?limit=500`),
    list('calls of a block', `/blocks/${block}/traces?limit=200`),
    list('a transaction', transaction),
    ...['logs', 'transfers', 'traces'].map((kind) =>
      list(`${kind} of a transaction`, `${transaction}/${kind}`),
    ),
    ...Object.entries(addresses).flatMap(([who, address]) => [
      list(`transactions of ${who}`, `/addresses/${address}/transactions?limit=500`),
      list(`native transfers of ${who}`, `/addresses/${address}/native-transfers?limit=500`),
      list(`internal transfers of ${who}`, `/addresses/${address}/internal-transfers?limit=500`),
      list(`transfers of ${who}`, `/addresses/${address}/transfers?limit=500`),
      list(`calls of ${who}`, `/addresses/${address}/traces?limit=200`),
      list(`calls of ${who}, oldest first`, `/addresses/${address}/traces?limit=200&order=asc`),
      list(`calls to ${who}`, `/addresses/${address}/traces?limit=200&direction=in`),
    ]),
    ...Object.entries(tokens).map(([which, token]) =>
      list(`transfers of ${which}`, `/tokens/${token}/transfers?limit=500`),
    ),
    list(
      'transfers of an address in a token',
      `/addresses/${addresses['the busiest sender']}/transfers?limit=500&token=${tokens['one with some']}`,
    ),
    list('logs by contract', `/logs?limit=500&address=${await having('logs', 'address', all)}`),
    list('logs by topic', `/logs?limit=500&topic0=${await having('logs', 'topic0', MANY)}`),
  ];
}

/** Overviews of addresses, which count up to a thousand rows of each kind. */
export function overviewsOf(lists: readonly ComparedList[]): ComparedList[] {
  return lists.flatMap(({ name, path }) => {
    const [, overview] = /^(\/addresses\/0x\w+)\/transactions/.exec(path) ?? [];
    return overview === undefined ? [] : [{ name: name.replace('transactions', 'overview'), path: overview }];
  });
}
