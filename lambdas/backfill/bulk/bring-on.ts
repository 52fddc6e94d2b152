import type { BlockRange } from '../../chain-data/store/block-range.ts';
import { coverRows, coverSums } from '../../chain-data/store/coverage.ts';
import { holdChain } from '../../chain-data/store/neighbours.ts';
import { addLevels } from '../../chain-data/store/proof-levels.ts';
import { closeGaps } from '../../chain-data/store/trace-gaps.ts';
import type { ChainConnection, ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { DEADLOCK, hasState, LOCKED } from '../../shared/chain-database/database-error.ts';
import { joinSql, type Sql, sql, sqlName, sqlText } from '../../shared/chain-database/sql.ts';
import { errorField, log } from '../../shared/runtime/log.ts';
import { DERIVED_AFTER, type DerivedTable, EVENTS_OF_POOLS } from './derived-tables.ts';
import {
  type BulkOutcome,
  type BulkPartition,
  doneTo,
  findPartition,
  hasEarlier,
  levelsOfFiles,
  noteStep,
  notImported,
  runOn,
  runStep,
} from './manifest.ts';
import { POOLS_STEP, requireFit, storePools } from './store-pools.ts';

/** Indexes that are made at a time, each by one processor: those of a table together read it once. */
const BUILDS_AT_ONCE = 8;
/** Tables whose rows are derived before their indexes are made. */
const DERIVED_TABLES: ReadonlySet<string> = new Set(['dex_swaps', 'dex_liquidity_events']);
/** The first slice of a partition, and how long one is to take, in milliseconds: rows of it are locked as long. */
const FIRST_SLICES = 64;
const SLICE_MS = 2_000;

/** What of a partition a run came to. */
type Progress =
  /** Everything is stored, covered and derived. */
  | 'finished'
  /** The database works on a step, files are missing, or an earlier partition is: look again after a while. */
  | 'waits'
  /** The time of the run is over. */
  | 'out of time'
  /** Files were refused and have to be written again. */
  | 'refused';

interface BringOnParts {
  readonly connection: ChainConnection;
  /** Called once all files are imported, and not again once it has resolved. */
  readonly onImported: () => Promise<void>;
  /** Asked before each step. */
  readonly outOfTime: () => boolean;
}

/** Name of the step that is done once all files are imported. */
const IMPORTED_STEP = 'imported';

/**
 * Brings a partition on, step by step: its indexes, the comparison of all rows, what is derived, its place in the tables. It may
 * be stopped anywhere, and done by several at once: each step is done once.
 * @throws {StrangeBlocksError} if its blocks do not fit to those that are stored beside it, and {DatabaseError}
 */
export async function bringOn(parts: BringOnParts, first: number): Promise<Progress> {
  const partition = await findPartition(parts.connection, first);
  // One that was dropped meanwhile is nobody's work any more.
  if (partition === undefined || partition.from !== first || partition.finished) return 'finished';
  for (const step of partition.attached ? AFTER : [...BEFORE, ...AFTER]) {
    const progress = await step(parts, partition).catch((error: unknown) =>
      waitIfLocked(parts.connection.name, first, error),
    );
    if (progress !== 'done') return progress;
    if (parts.outOfTime()) return 'out of time';
  }
  return 'finished';
}

type Step = (parts: BringOnParts, partition: BulkPartition) => Promise<'done' | Progress>;

const BEFORE: readonly Step[] = [
  async ({ connection, onImported }, partition) => {
    if ((await notImported(connection, partition)).length > 0) return 'waits';
    if ((await doneTo(connection, partition.from, IMPORTED_STEP)) >= partition.to) return 'done';
    await onImported();
    await noteStep(connection, partition, IMPORTED_STEP);
    return 'done';
  },
  (parts, partition) => build(parts, partition, (table) => !DERIVED_TABLES.has(table)),
  ({ connection }, { from }) => runOn(connection, 'bulk_check', from),
  // What is derived goes in the order of the chain: a trade needs its pool, which an earlier partition may have.
  async ({ connection }, { from }) => ((await hasEarlier(connection, from)) ? 'waits' : 'done'),
  async ({ connection, outOfTime }, partition) =>
    (await storePools(connection, partition, outOfTime)) ? 'done' : 'out of time',
  deriving(EVENTS_OF_POOLS),
  (parts, partition) => build(parts, partition, (table) => DERIVED_TABLES.has(table)),
  ({ connection }, { from }) => runOn(connection, 'bulk_analyze', from),
  makeRoom,
  attach,
];

const AFTER: readonly Step[] = [
  ...DERIVED_AFTER.map(deriving),
  async ({ connection }, partition) => {
    await connection.transaction((chain) => coverSums(chain, partition));
    return runOn(connection, 'bulk_drop', partition.from);
  },
];

/** Makes the indexes that are wanted and not made, a few at a time; the largest come first, so that none is left for the end. */
async function build(parts: BringOnParts, { from }: BulkPartition, isWanted: (table: string) => boolean) {
  const { connection, outOfTime } = parts;
  const { rows } = await connection.query(
    sql`SELECT index_name::text AS index_name, parent::text AS parent FROM {{schema}}.bulk_indexes(:partition)
     WHERE NOT is_made
     ORDER BY pg_relation_size(format('{{schema}}.%I', child)::regclass) DESC, child, NOT is_key, index_name`,
    { partition: from },
  );
  const open = rows.filter(({ parent }) => isWanted(String(parent)));
  const outcomes: BulkOutcome[] = [];
  const lane = async () => {
    for (let next = open.shift(); next !== undefined && !outOfTime(); next = open.shift()) {
      const outcome = await runStep(
        connection,
        sql`SELECT {{schema}}.bulk_build(:partition, :name::text::name) AS said`,
        { partition: from, name: String(next.index_name) },
      );
      outcomes.push(outcome);
      // The database continues with it, so its place is taken.
      if (outcome === 'waits') return;
    }
  };
  await Promise.all(Array.from({ length: BUILDS_AT_ONCE }, lane));
  if (outcomes.includes('refused')) return 'refused';
  if (outcomes.includes('waits')) return 'waits';
  return open.length > 0 ? 'out of time' : 'done';
}

function deriving(table: DerivedTable): Step {
  return (parts, partition) => deriveTable(parts, partition, table);
}

/** Derives slice by slice, each as many blocks as keep a transaction short. */
async function deriveTable(
  { connection, outOfTime }: BringOnParts,
  { from, to }: BulkPartition,
  { step, at, statements }: DerivedTable,
) {
  const all = to - from + 1;
  const texts = joinSql(
    statements(from).map((statement) => sqlText(withPositions(statement))),
    ', ',
  );
  let blocks = at === 'once' ? all : Math.max(1, Math.ceil(all / FIRST_SLICES));
  for (
    let done = await doneTo(connection, from, step);
    done < to;
    done = await doneTo(connection, from, step)
  ) {
    if (outOfTime()) return 'out of time';
    const startedMs = performance.now();
    const outcome = await runStep(
      connection,
      sql`SELECT {{schema}}.bulk_run(:partition, :step, :first, :last, ARRAY[${texts}]) AS said`,
      { partition: from, step, first: done + 1, last: Math.min(to, done + blocks) },
    );
    if (outcome !== 'done') return outcome;
    const tookMs = performance.now() - startedMs;
    if (at === 'in slices') blocks = Math.max(1, tookMs > SLICE_MS ? Math.floor(blocks / 2) : 2 * blocks);
  }
  return 'done';
}

/** A statement whose parameters are `$1` and `$2`: the first and the last block. */
function withPositions(statement: Sql): string {
  return statement.replaceAll(/(?<!:):from\b/g, '$1').replaceAll(/(?<!:):to\b/g, '$2');
}

/** Readies the partition that holds these blocks so far for narrower bounds, in calls of one transaction each. */
async function makeRoom({ connection }: BringOnParts, { from }: BulkPartition) {
  const added = await runOn(connection, 'bulk_room', from);
  return added === 'waits' ? runOn(connection, 'bulk_room', from) : added;
}

/**
 * Makes the partition part of its tables and notes the coverage of its blocks, in one transaction: readers see all of it, or
 * nothing.
 */
async function attach({ connection }: BringOnParts, partition: BulkPartition) {
  const { from, to, transferRule } = partition;
  try {
    await connection.transaction(async (chain) => {
      await holdChain(chain);
      const { rows } = await chain.query(sql`SELECT {{schema}}.bulk_attach(:partition) AS said`, {
        partition: from,
      });
      if (rows[0]?.said === 'done') return;
      await requireFit(chain, partition);
      await recordStagedGaps(chain, { from, to });
      await coverRows(chain, { from, to }, transferRule);
      await addLevels(chain, await levelsOfFiles(chain, from));
      if (!(await arePoolsAsUsed(chain, from)))
        throw new ChangedPoolsError('other claims count for pools of these trades');
    });
    return 'done';
  } catch (error) {
    if (!(error instanceof ChangedPoolsError)) throw error;
    await deriveAgain(connection, from);
    return 'waits';
  }
}

/** Claims of pools were stored since the trades of a partition were derived by others. */
class ChangedPoolsError extends Error {
  override readonly name = 'ChangedPoolsError';
}

/** A step gives way to whoever holds a table, and is looked at again after a while. */
function waitIfLocked(chain: string, from: number, error: unknown): 'waits' {
  if (!hasState(error, LOCKED, DEADLOCK)) throw error;
  log('warn', 'bulk_step_waits', { chain, reason: `partition ${from}`, error: errorField(error) });
  return 'waits';
}

/** Blocks without traces, as gaps of those that follow each other for one reason; one that ends right below grows. */
async function recordStagedGaps(chain: ChainQueries, { from, to }: BlockRange): Promise<void> {
  await closeGaps(chain, { from, to });
  await chain.query(
    sql`INSERT INTO {{schema}}._trace_gaps (from_block, to_block, reason, last_error)
     SELECT min(block_number), max(block_number), reason, (array_agg(last_error ORDER BY block_number DESC))[1]
     FROM (
       SELECT *, block_number - row_number() OVER (PARTITION BY reason ORDER BY block_number) AS run
       FROM {{schema}}.${sqlName(`staged_gaps_b${from}`)}
     ) AS gap GROUP BY reason, run`,
  );
  await chain.query(
    sql`WITH first AS (
       DELETE FROM {{schema}}._trace_gaps AS first USING {{schema}}._trace_gaps AS before
       WHERE first.from_block = :from AND before.to_block = :from - 1 AND first.reason = before.reason
         AND before.attempts = first.attempts
       RETURNING before.from_block, first.to_block, coalesce(first.last_error, '') AS last_error
     )
     UPDATE {{schema}}._trace_gaps AS gap SET to_block = first.to_block, last_error = first.last_error, recorded_at = now()
     FROM first WHERE gap.from_block = first.from_block`,
    { from },
  );
}

async function arePoolsAsUsed(chain: ChainQueries, partition: number): Promise<boolean> {
  const { rows } = await chain.query(
    sql`SELECT count(*) AS others FROM {{schema}}.${sqlName(`staged_used_b${partition}`)} AS used
     LEFT JOIN {{schema}}.dex_pools AS pool USING (pool_id)
     WHERE (pool.protocol, pool.factory) IS DISTINCT FROM (used.protocol, used.factory)`,
  );
  return Number(rows[0]?.others) === 0;
}

/** Has the trades derived once more, and the claims of the partition compared with those that are stored by now. */
async function deriveAgain(chain: ChainConnection, partition: number): Promise<void> {
  await chain.query(
    sql`DELETE FROM {{schema}}.bulk_steps WHERE partition = :partition AND step IN (:pools, :events)`,
    { partition, pools: POOLS_STEP, events: EVENTS_OF_POOLS.step },
  );
}
