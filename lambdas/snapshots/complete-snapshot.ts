import { MAX_ATTEMPTS } from '../indexer/describe/describe-tokens.ts';
import type { ChainConnection, ChainQueries } from '../shared/chain-database/chain-queries.ts';
import { sql } from '../shared/chain-database/sql.ts';
import { type HeldSnapshot, whileHeld } from './hold-snapshot.ts';

/** Balances of a token that differ from its transfers before it is no longer taken for a standard one. */
const MAX_MISMATCHES = 2;
/** Balances, or tokens, that one statement compares or applies: it has 45 seconds. */
const PAGE_ROWS = 20_000;
const MAX_AMOUNT = sql`2::numeric ^ 256 - 1`;
const BEFORE_ALL = '';
/** Longer than any address, and so above all of them. */
const ABOVE_ALL = 'ff'.repeat(21);

/** Changes above one and up to another, in the order of token and holder. Hex digits. */
interface Page {
  readonly after_token: string;
  readonly after_holder: string;
  readonly last_token: string;
  readonly last_holder: string;
}

/**
 * Applies what the snapshot found, in one transaction: readers see the balances of the snapshot before, or of this one,
 * and never some of both. Its statements are of so many rows at most.
 * @throws {SnapshotLostError} if that has been done, or another run is at it
 */
export async function completeSnapshot(
  connection: ChainConnection,
  snapshot: HeldSnapshot,
  pageRows = PAGE_ROWS,
): Promise<void> {
  const { id, block } = snapshot;
  await whileHeld(connection, snapshot, async (chain) => {
    await chain.query(
      sql`UPDATE {{schema}}.balance_snapshots SET completed_at = now(), leased_until = NULL WHERE snapshot_id = :id`,
      { id },
    );
    const pages = await pagesOf(chain, id, pageRows);
    for (const page of pages) await compareBalances(chain, { id, ...page });
    for (const page of pages) await applyBalances(chain, { id, block, ...page });
    await changeTokens(chain, id, pageRows);
    await chain.query(
      sql`INSERT INTO {{schema}}.coverage (dataset, covered)
       SELECT 'balances', folded FROM {{schema}}.balance_snapshots WHERE snapshot_id = :id
       ON CONFLICT (dataset) DO UPDATE SET covered = EXCLUDED.covered, updated_at = now()`,
      { id },
    );
  });
}

/** All pages at once, as what was found has no statistics yet by which PostgreSQL would find one page after the other. */
async function pagesOf(chain: ChainQueries, id: number, pageRows: number): Promise<Page[]> {
  const { rows } = await chain.query(
    sql`SELECT encode(token, 'hex') AS token, encode(holder, 'hex') AS holder FROM (
       SELECT token, holder, row_number() OVER (ORDER BY token, holder) AS place
       FROM {{schema}}.balance_changes WHERE snapshot_id = :id
     ) AS placed WHERE place % :page_rows = 0 ORDER BY place`,
    { id, page_rows: pageRows },
  );
  const ends = [...rows, { token: ABOVE_ALL, holder: ABOVE_ALL }];
  return ends.map(({ token, holder }, index) => ({
    after_token: String(rows[index - 1]?.token ?? BEFORE_ALL),
    after_holder: String(rows[index - 1]?.holder ?? BEFORE_ALL),
    last_token: String(token),
    last_holder: String(holder),
  }));
}

/** What transfers add up to, beside what the chain says. */
const COMPARED = sql`
  compared AS MATERIALIZED (
    SELECT *, least(greatest(coalesce(read_amount, ledger), 0), ${MAX_AMOUNT}) AS amount
    FROM (
      SELECT change.token, change.holder, change.delta, change.read_amount,
             coalesce(balance.amount, 0) AS before, coalesce(balance.amount, 0) + change.delta AS ledger
      FROM {{schema}}.balance_changes AS change
      LEFT JOIN {{schema}}.balances AS balance ON balance.holder = change.holder AND balance.token = change.token
      WHERE change.snapshot_id = :id
        AND (change.token, change.holder) > (decode(:after_token, 'hex'), decode(:after_holder, 'hex'))
        AND (change.token, change.holder) <= (decode(:last_token, 'hex'), decode(:last_holder, 'hex'))
    ) AS told
  )`;

/** Counts, for each token, holders that come and go, and balances that the transfers do not explain. */
async function compareBalances(chain: ChainQueries, page: Page & { readonly id: number }): Promise<void> {
  await chain.query(
    sql`WITH ${COMPARED}
       INSERT INTO {{schema}}.balance_token_changes AS change
         (snapshot_id, token, new_holders, mismatches, rebased, lessened)
       SELECT :id, token, count(*) FILTER (WHERE amount > 0) - count(*) FILTER (WHERE before > 0),
              count(*) FILTER (WHERE read_amount <> ledger),
              coalesce(bool_or(delta = 0) FILTER (WHERE read_amount <> ledger), false),
              coalesce(bool_and(read_amount < ledger) FILTER (WHERE read_amount <> ledger), true)
       FROM compared GROUP BY token
       ON CONFLICT (snapshot_id, token) DO UPDATE SET new_holders = change.new_holders + EXCLUDED.new_holders,
         mismatches = change.mismatches + EXCLUDED.mismatches, rebased = change.rebased OR EXCLUDED.rebased,
         lessened = change.lessened AND EXCLUDED.lessened`,
    { ...page },
  );
}

async function applyBalances(
  chain: ChainQueries,
  page: Page & { readonly id: number; readonly block: number },
): Promise<void> {
  await chain.query(
    sql`WITH ${COMPARED}, found AS MATERIALIZED (
       SELECT compared.token, holder, before, amount,
              CASE WHEN read_amount IS NULL OR read_amount = ledger THEN 'ledger' ELSE 'balance_of' END AS method,
              CASE WHEN read_amount IS NULL THEN 'unverified'
                   WHEN token.balance_model = 'rebasing' OR change.rebased THEN 'rebasing'
                   ELSE 'verified' END AS confidence
       FROM compared LEFT JOIN {{schema}}.tokens AS token ON token.address = compared.token
       LEFT JOIN {{schema}}.balance_token_changes AS change ON change.snapshot_id = :id AND change.token = compared.token
     ), noted AS (
       INSERT INTO {{schema}}.balance_history (holder, token, snapshot_id, amount, method, confidence)
       SELECT holder, token, :id, amount, method, confidence FROM found WHERE amount <> before
       ON CONFLICT DO NOTHING
     ), ended AS (
       DELETE FROM {{schema}}.balances AS balance USING found
       WHERE found.amount = 0 AND balance.holder = found.holder AND balance.token = found.token
     )
     INSERT INTO {{schema}}.balances AS balance (holder, token, amount, method, confidence, block_number, snapshot_id)
     SELECT holder, token, amount, method, confidence, :block, :id FROM found WHERE amount > 0
     ON CONFLICT (holder, token) DO UPDATE SET amount = EXCLUDED.amount, method = EXCLUDED.method,
       confidence = EXCLUDED.confidence, block_number = EXCLUDED.block_number, snapshot_id = EXCLUDED.snapshot_id`,
    { ...page },
  );
}

/**
 * Counts the holders of tokens, and marks those whose balances do not follow their transfers: a balance that changed
 * without a transfer is rebased; one that is always less than its transfers pays a fee. A token whose transfers still come late
 * (`recastTransfers`) cannot be judged by them. A token that said too little of itself is asked again when it has found new holders. The last to be done, as the
 * indexer waits for these tokens from here on.
 */
async function changeTokens(chain: ChainQueries, id: number, pageRows: number): Promise<void> {
  let after: string | undefined = BEFORE_ALL;
  while (after !== undefined) {
    const { rows } = await chain.query(
      sql`WITH page AS MATERIALIZED (
         SELECT * FROM {{schema}}.balance_token_changes
         WHERE snapshot_id = :id AND token > decode(:after, 'hex') ORDER BY token LIMIT :page_rows
       ), locked AS MATERIALIZED (
         SELECT address, coalesce(amounts = 'due' OR recount_snapshot = 0, false) AS is_late FROM {{schema}}.tokens
         WHERE address IN (SELECT token FROM page WHERE new_holders <> 0 OR mismatches > 0)
         ORDER BY address FOR UPDATE
       ), changed AS (
         UPDATE {{schema}}.tokens AS token
         SET holder_count = token.holder_count + page.new_holders,
             metadata_status = CASE WHEN token.metadata_status IN ('partial', 'absent')
               AND token.metadata_attempts < ${MAX_ATTEMPTS} THEN 'pending' ELSE token.metadata_status END,
             balance_mismatches = token.balance_mismatches + CASE WHEN is_late THEN 0 ELSE page.mismatches END,
             balance_model = CASE
               WHEN is_late THEN token.balance_model
               WHEN page.rebased THEN 'rebasing'
               WHEN page.mismatches = 0 OR token.balance_model <> 'standard'
                 OR token.balance_mismatches + page.mismatches <= ${MAX_MISMATCHES} THEN token.balance_model
               WHEN page.lessened THEN 'fee_on_transfer' ELSE 'non_standard' END
         FROM page JOIN locked ON locked.address = page.token WHERE token.address = page.token
       )
       SELECT encode(token, 'hex') AS token FROM page ORDER BY page.token OFFSET :page_rows - 1 LIMIT 1`,
      { id, after, page_rows: pageRows },
    );
    after = rows[0] && String(rows[0].token);
  }
}
