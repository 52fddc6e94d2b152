import { COUNTED_BLOCKS, PROVEN_PARTS } from '../../shared/verify/chain-proof.ts';
import type { DataOperationId } from '../operations/operations.ts';
import type { Resources, SomeResources } from '../plan/resource.ts';
import { iso } from '../plan/sql-text.ts';
import { ACTIVITY_RESOURCES } from './activity.ts';
import { ADDRESS_RESOURCES } from './addresses.ts';
import { APPROVAL_RESOURCES } from './approvals.ts';
import { BALANCE_RESOURCES } from './balances.ts';
import { BATCH_RESOURCES } from './batches.ts';
import { BLOCK_RESOURCES } from './blocks.ts';
import { DEX_RESOURCES } from './dex.ts';
import { keysOf, scanOf } from './keys.ts';
import { LOG_RESOURCES } from './logs.ts';
import { NATIVE_TRANSFER_RESOURCES } from './native-transfers.ts';
import { NFT_RESOURCES } from './nfts.ts';
import { PRICE_RESOURCES } from './prices.ts';
import { STOCK_RESOURCES } from './stocks.ts';
import { TOKEN_RESOURCES } from './tokens.ts';
import { TRACE_RESOURCES } from './traces.ts';
import { TRANSACTION_RESOURCES } from './transactions.ts';
import { TRANSFER_RESOURCES } from './transfers.ts';

/** Columns of the freshness view, in the order of the description; times and days are rendered. */
const FRESHNESS_COLUMNS = `t.database, t.table_name, t.category, t.key_kind, t.max_block_number,
  ${iso('t.max_time')} AS max_time, t.seconds_behind, t.blocks_behind, t.rows_estimate, t.bytes_estimate,
  t.follow_last_block, t.follow_lag_blocks, ${iso('t.checked_at')} AS checked_at, t.max_day::text AS max_day,
  t.days_behind, t.trace_min_block, t.trace_max_block, t.trace_gap_ranges, t.trace_gap_blocks`;
const COVERAGE_RESOURCES = {
  getFreshness: (scope) => ({
    branches: scanOf(scope, 'freshness'),
    keys: keysOf('text', 'table_name'),
    columns: FRESHNESS_COLUMNS,
  }),
  listCoverage: ({ schema, bind }, { dataset }) => {
    const name = bind.text(dataset);
    const covered = `coalesce((SELECT covered FROM ${schema}.coverage WHERE dataset = ${name}), '{}'::int8multirange)`;
    const gaps =
      dataset === 'traces'
        ? `SELECT from_block, to_block, 'gap', reason FROM ${schema}._trace_gaps`
        : `SELECT lower(gap), upper(gap) - 1, 'gap', '${dataset === 'balances' ? 'next_snapshot' : 'not_started'}'
           FROM unnest(int8multirange(int8range(0, (SELECT as_of FROM head), '[]')) - ${covered}) AS gap`;
    return {
      branches: [
        {
          from: `(SELECT lower(part) AS from_block, upper(part) - 1 AS to_block, 'covered' AS state, NULL AS reason
            FROM unnest(${covered}) AS part UNION ALL ${gaps})`,
          where: [],
        },
      ],
      keys: keysOf('bigint', 'from_block'),
      columns: 't.from_block, t.to_block, t.state, t.reason',
    };
  },
  listProofLevels: (scope) => ({
    branches: scanOf(scope, 'proof_levels'),
    keys: keysOf('bigint', 'from_block'),
    // A contradiction ends the hashes that are agreed: all above is of the branch that it is about.
    joins: `CROSS JOIN LATERAL (SELECT least(t.from_block + ${COUNTED_BLOCKS - 1}, (SELECT as_of FROM head)) AS to_block) AS counted
      LEFT JOIN ${scope.schema}.cursors AS other ON other.name = 'contradicted'
      CROSS JOIN LATERAL (SELECT greatest(0, least(counted.to_block - greatest(other.block_number, t.from_block) + 1,
        t.blocks - t.hash_agreed)) * (other.name IS NOT NULL)::int AS contradicted) AS hashes`,
    columns: `t.from_block, counted.to_block, t.blocks, t.hash_agreed,
      t.blocks - t.hash_agreed - hashes.contradicted AS hash_single, hashes.contradicted AS hash_contradicted,
      ${PROVEN_PARTS.map((part) => `t.${part}_computed, t.${part}_agreed, t.blocks - t.${part}_computed - t.${part}_agreed AS ${part}_told`).join(', ')}`,
  }),
} satisfies SomeResources;

/** Operations on the data of one chain: all but the list of chains. */
export type ChainOperationId = Exclude<DataOperationId, 'listChains'>;

/** How each operation finds its rows. */
export const RESOURCES: Resources<ChainOperationId> = {
  ...ACTIVITY_RESOURCES,
  ...ADDRESS_RESOURCES,
  ...APPROVAL_RESOURCES,
  ...BALANCE_RESOURCES,
  ...BATCH_RESOURCES,
  ...BLOCK_RESOURCES,
  ...COVERAGE_RESOURCES,
  ...DEX_RESOURCES,
  ...LOG_RESOURCES,
  ...NATIVE_TRANSFER_RESOURCES,
  ...NFT_RESOURCES,
  ...PRICE_RESOURCES,
  ...STOCK_RESOURCES,
  ...TOKEN_RESOURCES,
  ...TRACE_RESOURCES,
  ...TRANSACTION_RESOURCES,
  ...TRANSFER_RESOURCES,
};
