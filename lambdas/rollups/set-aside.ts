import type { Hex } from '../chain-data/decode/raw-block.ts';
import { readStored } from '../chain-data/store/rollup-cursor.ts';
import type { ChainConnection, ChainQueries } from '../shared/chain-database/chain-queries.ts';
import { DatabaseError, ResultTooLargeError } from '../shared/chain-database/database-error.ts';
import { loadRows } from '../shared/chain-database/load-rows.ts';
import { type Sql, sql, sqlText } from '../shared/chain-database/sql.ts';
import { errorField, log } from '../shared/runtime/log.ts';

/** Pools and tokens that one block can be made of. */
const MAX_SUBJECTS = 4_000;
const MAX_REASON_LENGTH = 255;
/** Classes of SQLSTATE that are of the data: out of range, against a constraint, too large. */
const OF_DATA = /^(22|23|54)/;

/** A pool by its id, or a token by its address. */
interface SetAsideSubject {
  readonly kind: 'pool' | 'token';
  readonly subject: Hex;
}

/** Whether it is what the chain says that failed, and so fails again. */
export function isOfData(error: unknown): boolean {
  if (error instanceof ResultTooLargeError || error instanceof RangeError || error instanceof TypeError)
    return true;
  return error instanceof DatabaseError && OF_DATA.test(error.sqlState ?? '');
}

/** SQL of whether a pool or token is not set aside. */
export function isDerived(kind: SetAsideSubject['kind'], column: Sql): Sql {
  return sql`NOT EXISTS (SELECT FROM {{schema}}.set_aside AS aside
    WHERE aside.subject_kind = ${sqlText(kind)} AND aside.subject = ${column})`;
}

/** Pools and tokens that the next block to derive concerns, and stock tokens whose derivation is behind. */
async function subjectsOf(chain: ChainQueries): Promise<{ block: number; subjects: SetAsideSubject[] }> {
  // Before the first step has been done, there is no cursor.
  const stored = await readStored(chain);
  const { rows } = await chain.query(
    sql`WITH next AS (
       SELECT coalesce((SELECT block_number + 1 FROM {{schema}}.cursors WHERE name = 'rollups'), :first) AS block
     )
     SELECT DISTINCT block, kind, encode(subject, 'hex') AS subject FROM next CROSS JOIN LATERAL (
       SELECT 'pool' AS kind, pool_id AS subject FROM {{schema}}.dex_swaps WHERE block_number = block
       UNION ALL SELECT 'pool', pool_id FROM {{schema}}.dex_liquidity_events WHERE block_number = block
       UNION ALL SELECT 'token', token_in FROM {{schema}}.dex_swaps WHERE block_number = block
       UNION ALL SELECT 'token', token_out FROM {{schema}}.dex_swaps WHERE block_number = block
       UNION ALL SELECT 'token', token FROM {{schema}}.erc20_transfers WHERE block_number = block
       UNION ALL SELECT 'token', token FROM {{schema}}.stock_multipliers WHERE block_number = block
       UNION ALL SELECT 'token', token FROM {{schema}}.stock_ledgers WHERE block_number < block - 1
       UNION ALL SELECT 'token', token FROM {{schema}}.stock_tokens
         WHERE token NOT IN (SELECT token FROM {{schema}}.stock_ledgers)
     ) AS named
     WHERE NOT EXISTS (SELECT FROM {{schema}}.set_aside WHERE subject_kind = kind AND set_aside.subject = named.subject)
     ORDER BY kind, subject LIMIT ${MAX_SUBJECTS}`,
    { first: stored?.from ?? 0 },
  );
  return {
    block: Number(rows[0]?.block ?? 0),
    subjects: rows.map(({ kind, subject }) => ({
      kind: kind as SetAsideSubject['kind'],
      subject: `0x${subject}`,
    })),
  };
}

async function noteAside(
  chain: ChainQueries,
  subjects: readonly SetAsideSubject[],
  { block, reason }: { readonly block: number; readonly reason: string },
): Promise<void> {
  await loadRows(chain, {
    table: sql`{{schema}}.set_aside`,
    columns: { subject_kind: 'text', subject: 'bytea', from_block: 'bigint', reason: 'text' },
    rows: subjects.map(({ kind, subject }) => [kind, subject, block, reason]),
  });
}

/** Ends a trial: nothing of it stays. */
class TrialOver extends Error {
  override readonly name = 'TrialOver';
}

/**
 * Finds the pool or token that a step over one block fails for, by trying it without some of them, and sets it aside:
 * from then on nothing is derived of it, and the rest continues. Noted in table `set_aside`, and logged.
 * @param failure what the step failed with
 * @throws `failure` if the step fails whatever is left out, and whatever a trial fails with for another reason
 */
export async function setAsideCulprit(
  connection: ChainConnection,
  step: (chain: ChainQueries) => Promise<unknown>,
  failure: unknown,
): Promise<void> {
  const { block, subjects } = await subjectsOf(connection);
  const reason = errorField(failure).slice(0, MAX_REASON_LENGTH);
  const failsWith = async (count: number): Promise<boolean> => {
    try {
      await connection.transaction(async (chain) => {
        await noteAside(chain, subjects.slice(count), { block, reason });
        await step(chain);
        throw new TrialOver();
      });
    } catch (error) {
      if (error instanceof TrialOver) return false;
      if (isOfData(error)) return true;
      throw error;
    }
    return false;
  };
  if (await failsWith(0)) throw failure;
  let [passing, failing] = [0, subjects.length];
  while (failing - passing > 1) {
    const middle = (passing + failing) >> 1;
    if (await failsWith(middle)) failing = middle;
    else passing = middle;
  }
  const culprit = subjects[failing - 1];
  if (culprit === undefined) throw failure;
  await noteAside(connection, [culprit], { block, reason });
  log('error', 'derivation_set_aside', {
    chain: connection.name,
    reason: `${culprit.kind} ${culprit.subject}`,
    error: reason,
  });
}
