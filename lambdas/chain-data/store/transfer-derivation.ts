import type { ChainConnection, ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { sql, sqlText } from '../../shared/chain-database/sql.ts';
import { DERIVED_DATASET, type DecodeOptions, transferRule } from '../decode/decode-logs.ts';
import { type BlockRange, rangeIn } from './block-range.ts';
import { cover, isCovered, lockCoverage } from './coverage.ts';
import { OvertakenError } from './cursor.ts';
import { deriveTransfers } from './derive-transfers.ts';
import { holdChain } from './neighbours.ts';

/** Pages that are looked for at once, their logs, and the blocks that they are looked for in. */
const MAX_PAGES = 32;
const PAGE_LOGS = 10_000;
const MAX_LOOK_BLOCKS = 10_000;

export type TransferDerivation = ReturnType<typeof openTransferDerivation>;

/** Brings the stored ERC-20 transfers of a chain in line with the rule of its settings, out of the stored logs. */
export function openTransferDerivation(connection: ChainConnection, options: DecodeOptions) {
  const rule = transferRule(options);
  return {
    /** Puts the rule in force. What was derived by another is not covered from here on. */
    enforce: async () => {
      if (await adoptRule(connection, rule)) return;
      await connection.transaction((chain) => changeRule(chain, rule));
    },
    /** The next stored blocks whose transfers are not those of the rule, in pages that one transaction each has room for. */
    pages: () => findPages(connection),
    /**
     * Derives a page, and covers it.
     * @throws {OvertakenError} if its blocks were taken back, or another rule is in force
     */
    derive: (page: BlockRange) =>
      connection.transaction(async (chain) => {
        await holdBlocks(chain, rule, page);
        await deriveTransfers(chain, page, options);
        await cover(chain, [DERIVED_DATASET], [page]);
      }),
  };
}

/** Notes the rule of an index that has none, which its settings have had from the beginning. @returns whether it is in force */
async function adoptRule(chain: ChainQueries, rule: string): Promise<boolean> {
  await chain.query(
    sql`INSERT INTO {{schema}}.derivations (dataset, rule) VALUES (${sqlText(DERIVED_DATASET)}, :rule) ON CONFLICT DO NOTHING`,
    { rule },
  );
  const { rows } = await chain.query(
    sql`SELECT rule FROM {{schema}}.derivations WHERE dataset = ${sqlText(DERIVED_DATASET)}`,
  );
  return rows[0]?.rule === rule;
}

async function changeRule(chain: ChainQueries, rule: string): Promise<void> {
  const { updated } = await chain.query(
    sql`UPDATE {{schema}}.derivations SET rule = :rule, updated_at = now()
     WHERE dataset = ${sqlText(DERIVED_DATASET)} AND rule <> :rule`,
    { rule },
  );
  if (updated === 0) return;
  // An indexer that stores blocks notes their transfers after this, and then by the rule in force.
  await lockCoverage(chain);
  await chain.query(
    sql`UPDATE {{schema}}.coverage SET covered = '{}', updated_at = now() WHERE dataset = ${sqlText(DERIVED_DATASET)}`,
  );
}

async function findPages(chain: ChainQueries): Promise<BlockRange[]> {
  const { rows } = await chain.query(
    sql`WITH part AS MATERIALIZED (
       SELECT lower(part) AS first, least(upper(part) - 1, lower(part) + ${MAX_LOOK_BLOCKS - 1}) AS last
       FROM {{schema}}.coverage AS stored, unnest(stored.covered - coalesce(
         (SELECT covered FROM {{schema}}.coverage WHERE dataset = ${sqlText(DERIVED_DATASET)}), '{}')) AS part
       WHERE stored.dataset = 'blocks' ORDER BY 1 LIMIT 1
     ), counted AS (
       SELECT number, (sum(log_count) OVER (ORDER BY number) - log_count) / ${PAGE_LOGS} AS page
       FROM {{schema}}.blocks WHERE number BETWEEN (SELECT first FROM part) AND (SELECT last FROM part)
     )
     SELECT min(number) AS from_block, max(number) AS to_block FROM counted
     GROUP BY page ORDER BY 1 LIMIT ${MAX_PAGES}`,
  );
  return rows.map(rangeIn);
}

/** Until the transaction ends, the head stays where it is, and so do the blocks and the rule. */
async function holdBlocks(chain: ChainQueries, rule: string, page: BlockRange): Promise<void> {
  await holdChain(chain);
  const { rows } = await chain.query(
    sql`SELECT rule FROM {{schema}}.derivations WHERE dataset = ${sqlText(DERIVED_DATASET)} FOR SHARE`,
  );
  if (rows[0]?.rule !== rule) throw new OvertakenError('transfers are derived by another rule meanwhile');
  if (!(await isCovered(chain, page)))
    throw new OvertakenError(`not all of blocks ${page.from} to ${page.to} are stored any more`);
}
