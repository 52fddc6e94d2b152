import type { ChainSchema } from '../../shared/chain-database/chain-schema.ts';
import { isIndexed } from '../plan/indexed-bytes.ts';
import type { Scope } from '../plan/plan.ts';
import type { SomeResources } from '../plan/resource.ts';
import { hex, iso } from '../plan/sql-text.ts';

/** Rows of an index that are counted, of each count: what an overview reads has a bound, whatever the address has done. */
const MAX_COUNTED = 1_000;

const FINALIZED = '(SELECT finalized FROM head)';

/** A list of what an address has done, by the side of it that the address is on. */
interface Activity {
  readonly table: 'transactions' | 'erc20_transfers' | 'nft_transfers';
  /** Column that has the address, which an index has in the order of the blocks. */
  readonly side: 'from_address' | 'to_address';
  /** Field with the number of rows. */
  readonly field: string;
}

const ACTIVITIES: readonly Activity[] = [
  { table: 'transactions', side: 'from_address', field: 'transactions_sent' },
  { table: 'transactions', side: 'to_address', field: 'transactions_received' },
  { table: 'erc20_transfers', side: 'from_address', field: 'erc20_transfers_sent' },
  { table: 'erc20_transfers', side: 'to_address', field: 'erc20_transfers_received' },
  { table: 'nft_transfers', side: 'from_address', field: 'nft_transfers_sent' },
  { table: 'nft_transfers', side: 'to_address', field: 'nft_transfers_received' },
];
/** Sides that show when an address was first and last there, though nothing of them is counted: contracts are made by others. */
const SIGHTINGS = [
  { table: 'transactions', side: 'contract_address' },
  { table: 'traces', side: 'to_address' },
] as const;
const DATASETS = [...new Set([...ACTIVITIES, ...SIGHTINGS].map(({ table }) => table)), 'logs'] as const;

/** Topic of user operations, as the index has it. */
const USER_OPERATION = "'\\x49628fd1471006c1482da88028e9ce4dbb080b815c9b0344d39e5a8e6ec1419f'";

/** SQL of whether a row of a table has an address on a side. */
function isOn(schema: ChainSchema, table: (typeof DATASETS)[number], side: string, address: string): string {
  return table === 'nft_transfers' ? `${side} = ${address}` : isIndexed(schema, side, address);
}

/** SQL of how much of the blocks up to the finalized one a data set covers. */
function coverageOf(schema: ChainSchema, dataset: string): string {
  return `coalesce((
      SELECT CASE WHEN covered @> int8range(0, ${FINALIZED}, '[]') THEN 'full'
        WHEN covered && int8range(0, ${FINALIZED}, '[]') THEN 'partial' ELSE 'none' END
      FROM ${schema}.coverage WHERE dataset = '${dataset}'
    ), 'none')`;
}

/** SQL of the first or the last row that an address has of anything, by block. */
function endOf(schema: ChainSchema, address: string, end: 'first' | 'last'): string {
  const order = end === 'first' ? 'ASC' : 'DESC';
  const scans = [...ACTIVITIES, ...SIGHTINGS].map(
    ({ table, side }) => `(SELECT block_number, block_time FROM ${schema}.${table}
      WHERE ${isOn(schema, table, side, address)} AND block_number <= ${FINALIZED} ORDER BY block_number ${order} LIMIT 1)`,
  );
  return `(SELECT json_build_object('block_number', block_number, 'timestamp', ${iso('block_time')})
    FROM (${scans.join(' UNION ALL ')}) AS each ORDER BY block_number ${order} LIMIT 1)`;
}

/** SQL of a count: null where nothing is covered, and not exact where blocks are missing or there is more to count. */
function countOf(schema: ChainSchema, address: string, { table, side, field }: Activity): string {
  return `(SELECT json_build_object(
      'count', CASE WHEN covered.${table} <> 'none' THEN least(count(*), ${MAX_COUNTED}) END,
      'exact', covered.${table} = 'full' AND count(*) <= ${MAX_COUNTED})
    FROM (SELECT 1 FROM ${schema}.${table}
      WHERE ${isOn(schema, table, side, address)} AND block_number <= ${FINALIZED} LIMIT ${MAX_COUNTED + 1}) AS counted) AS ${field}`;
}

/**
 * Joins what made a contract: the last transaction that did, or the last call within one. A receipt names a contract also where its
 * transaction failed.
 */
function joinCreation(schema: ChainSchema, address: string): string {
  const newest = `block_number <= ${FINALIZED} ORDER BY block_number DESC, tx_index DESC LIMIT 1`;
  return `LEFT JOIN LATERAL (SELECT * FROM (
      (SELECT block_number, tx_index, block_time, hash, from_address, false AS is_call FROM ${schema}.transactions
        WHERE ${isOn(schema, 'transactions', 'contract_address', address)} AND status IS DISTINCT FROM 0 AND ${newest})
      UNION ALL (SELECT block_number, tx_index, block_time, tx_hash, from_address, true FROM ${schema}.traces
        WHERE ${isOn(schema, 'traces', 'to_address', address)} AND trace_index > 0 AND error IS NULL
          AND type IN ('CREATE', 'CREATE2') AND ${newest})
    ) AS each ORDER BY block_number DESC, tx_index DESC LIMIT 1) AS made ON true`;
}

/** SQL of the fields on who made a contract. What sends transactions has a key, though its calls make contracts (EIP-7702). */
function creationColumns(schema: ChainSchema): string {
  return `${hex('made.from_address')} AS created_by,
    CASE WHEN made.is_call IS NULL THEN NULL WHEN NOT made.is_call THEN 'eoa'
      WHEN EXISTS (SELECT 1 FROM ${schema}.transactions WHERE ${isIndexed(schema, 'from_address', 'made.from_address')})
        THEN 'delegated' ELSE 'contract' END AS created_by_kind,
    CASE WHEN made.is_call IS NOT NULL THEN json_build_object('block_number', made.block_number,
      'timestamp', ${iso('made.block_time')}, 'transaction_hash', ${hex('made.hash')}) END AS created_in,
    CASE WHEN made.is_call IS NOT NULL THEN NULL
      WHEN covered.transactions = 'full' AND covered.traces = 'full' THEN 'not_seen' ELSE 'no_coverage' END AS created_by_reason`;
}

/** SQL of whether a contract that is believed has logged a user operation of the address: one probe of the index for each. */
function smartAccountColumn({ schema, bind, entryPoints }: Scope, address: string): string {
  const sender = bind.bytes(`0x${'00'.repeat(12)}${address.slice(2)}`);
  const operations = entryPoints.map(
    (entryPoint) => `EXISTS (SELECT 1 FROM ${schema}.logs WHERE topic0 = ${USER_OPERATION}
      AND ${isIndexed(schema, 'topic2', sender)} AND ${isIndexed(schema, 'address', bind.bytes(entryPoint))}
      AND block_number <= ${FINALIZED})`,
  );
  return `CASE WHEN ${['false', ...operations].join(' OR ')} THEN true WHEN covered.logs = 'full' THEN false END
    AS seen_as_smart_account`;
}

/** SQL of what an address is known as; a pool can be a token as well. */
const LABEL = `(SELECT json_build_object(
      'kind', CASE WHEN pool.protocol IS NOT NULL THEN 'pool' WHEN stock.token IS NOT NULL THEN 'stock'
        WHEN token.standard = 20 THEN 'token' ELSE 'collection' END,
      'name', coalesce(stock.name, token.name), 'symbol', coalesce(stock.symbol, token.symbol),
      'standard', 'erc' || token.standard, 'protocol', pool.protocol)
    WHERE token.address IS NOT NULL OR pool.protocol IS NOT NULL OR stock.token IS NOT NULL) AS label`;

export const ADDRESS_RESOURCES = {
  getAddress: (scope, { address }) => {
    const { schema, bind } = scope;
    const bytes = bind.bytes(address);
    const covered = DATASETS.map((dataset) => `${coverageOf(schema, dataset)} AS ${dataset}`);
    return {
      branches: [{ from: `(SELECT ${bytes} AS address)`, where: [] }],
      joins: `CROSS JOIN (SELECT ${covered.join(', ')}) AS covered
        ${joinCreation(schema, bytes)}
        LEFT JOIN ${schema}.tokens AS token ON token.address = ${bytes}
        LEFT JOIN ${schema}.stock_tokens AS stock ON stock.token = ${bytes}
        LEFT JOIN ${schema}.dex_pools AS pool ON pool.pool_id = ${bytes}`,
      columns: `${hex('t.address')} AS address, ${endOf(schema, bytes, 'first')} AS first_seen,
        ${endOf(schema, bytes, 'last')} AS last_seen,
        ${creationColumns(schema)}, ${smartAccountColumn(scope, address)},
        ${ACTIVITIES.map((activity) => countOf(schema, bytes, activity)).join(', ')},
        row_to_json(covered) AS coverage, ${LABEL}`,
      covers: { from: '0', to: 'finalized' },
      stateOf: address,
    };
  },
} satisfies SomeResources;
