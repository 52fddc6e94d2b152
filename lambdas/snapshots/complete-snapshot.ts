import type { ChainDatabase, Queries } from '../chain-data/chain-database.ts';
import type { Snapshot } from './snapshot.ts';

/** Balances of a token that differ from its transfers before it is no longer taken for a standard one. */
const MAX_MISMATCHES = 2;
/** Parts in which balances are applied, by the first bits of the holder: a statement has 45 seconds. */
const SLICES = 16;

/** Somebody else has completed the snapshot. */
export class CompletedElsewhereError extends Error {
  override readonly name = 'CompletedElsewhereError';
}

/**
 * Applies what the snapshot found, in one transaction: readers see the balances of the snapshot before, or of this one,
 * and never some of both.
 * @throws {CompletedElsewhereError} if that has been done
 */
export async function completeSnapshot(
  database: ChainDatabase,
  schema: string,
  { id, block }: Snapshot,
): Promise<void> {
  await database.transaction(async (queries) => {
    const { updated } = await queries.query(
      `UPDATE ${schema}.balance_snapshots SET completed_at = now(),
         changed_balances = (SELECT count(*) FROM ${schema}.balance_changes),
         verified_balances = (SELECT count(*) FROM ${schema}.balance_changes WHERE state = 'read')
       WHERE snapshot_id = :id AND completed_at IS NULL`,
      { id },
    );
    if (updated !== 1) throw new CompletedElsewhereError(`snapshot ${id} is complete`);
    await markUnsteadyTokens(queries, schema, id);
    for (let slice = 0; slice < SLICES; slice += 1)
      await applyBalances(queries, schema, { id, block, slice });
    await countHolders(queries, schema);
    await queries.query(
      `INSERT INTO ${schema}.coverage (dataset, covered)
       SELECT 'balances', folded FROM ${schema}.balance_snapshots WHERE snapshot_id = :id
       ON CONFLICT (dataset) DO UPDATE SET covered = EXCLUDED.covered, updated_at = now()`,
      { id },
    );
    await queries.query(`DELETE FROM ${schema}.balance_changes`);
  });
}

/** What transfers add up to, beside what the chain says. */
const compared = (schema: string, condition = '') => `
  compared AS MATERIALIZED (
    SELECT change.token, change.holder, change.delta, change.read_amount,
           coalesce(balance.amount, 0) AS before, coalesce(balance.amount, 0) + change.delta AS ledger
    FROM ${schema}.balance_changes AS change
    LEFT JOIN ${schema}.balances AS balance ON balance.holder = change.holder AND balance.token = change.token
    ${condition}
  )`;

/**
 * Counts balances that the transfers do not explain. A balance that changed without a transfer is rebased; one that is
 * always less than its transfers pays a fee.
 */
async function markUnsteadyTokens(queries: Queries, schema: string, id: number): Promise<void> {
  await queries.query(
    `WITH ${compared(schema)}, mismatched AS (
       SELECT token, count(*) AS mismatches,
              CASE WHEN bool_or(delta = 0) THEN 'rebasing' WHEN bool_and(read_amount < ledger) THEN 'fee_on_transfer'
                   ELSE 'non_standard' END AS model
       FROM compared WHERE read_amount <> ledger GROUP BY token
     ), marked AS (
       UPDATE ${schema}.tokens AS token
       SET balance_mismatches = token.balance_mismatches + mismatched.mismatches,
           balance_model = CASE
             WHEN mismatched.model = 'rebasing' THEN 'rebasing'
             WHEN token.balance_mismatches + mismatched.mismatches > ${MAX_MISMATCHES}
               AND token.balance_model = 'standard' THEN mismatched.model
             ELSE token.balance_model END
       FROM mismatched WHERE token.address = mismatched.token RETURNING mismatched.mismatches
     )
     UPDATE ${schema}.balance_snapshots
     SET mismatched_balances = (SELECT coalesce(sum(mismatches), 0) FROM marked) WHERE snapshot_id = :id`,
    { id },
  );
}

async function applyBalances(
  queries: Queries,
  schema: string,
  slice: { readonly id: number; readonly block: number; readonly slice: number },
): Promise<void> {
  await queries.query(
    `WITH ${compared(schema, `WHERE get_byte(change.holder, 0) % ${SLICES} = :slice`)}, found AS MATERIALIZED (
       SELECT compared.token, holder, before, least(greatest(coalesce(read_amount, ledger), 0), 2::numeric ^ 256 - 1) AS amount,
              CASE WHEN read_amount IS NULL OR read_amount = ledger THEN 'ledger' ELSE 'balance_of' END AS method,
              CASE WHEN read_amount IS NULL THEN 'unverified'
                   WHEN token.balance_model = 'rebasing' THEN 'rebasing' ELSE 'verified' END AS confidence
       FROM compared LEFT JOIN ${schema}.tokens AS token ON token.address = compared.token
     ), noted AS (
       INSERT INTO ${schema}.balance_history (holder, token, snapshot_id, amount, method, confidence)
       SELECT holder, token, :id, amount, method, confidence FROM found WHERE amount <> before
       ON CONFLICT DO NOTHING
     ), ended AS (
       DELETE FROM ${schema}.balances AS balance USING found
       WHERE found.amount = 0 AND balance.holder = found.holder AND balance.token = found.token
     )
     INSERT INTO ${schema}.balances AS balance (holder, token, amount, method, confidence, block_number, snapshot_id)
     SELECT holder, token, amount, method, confidence, :block, :id FROM found WHERE amount > 0
     ON CONFLICT (holder, token) DO UPDATE SET amount = EXCLUDED.amount, method = EXCLUDED.method,
       confidence = EXCLUDED.confidence, block_number = EXCLUDED.block_number, snapshot_id = EXCLUDED.snapshot_id`,
    slice,
  );
}

async function countHolders(queries: Queries, schema: string): Promise<void> {
  await queries.query(
    `UPDATE ${schema}.tokens AS token SET holder_count = counted.holders
     FROM (
       SELECT changed.token, (SELECT count(*) FROM ${schema}.balances AS balance WHERE balance.token = changed.token) AS holders
       FROM (SELECT DISTINCT token FROM ${schema}.balance_changes) AS changed
     ) AS counted
     WHERE token.address = counted.token AND token.holder_count <> counted.holders`,
  );
}
