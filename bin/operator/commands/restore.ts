import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { TABLES, type Table } from '../../../lambdas/access/store/tables.ts';
import { sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import type { Telemetry } from '../../../lambdas/shared/runtime/telemetry.ts';
import { type Command, neededFlag, requiredText, switchFlag } from '../context/command.ts';
import { formatCount, renderRecord, renderTable } from '../context/text-table.ts';
import { type Difference, type RestoreCounts, restoreTable } from '../restore/restore-table.ts';
import type { TableReader } from '../restore/table-reader.ts';
import { keyAttributes } from '../restore/table-rules.ts';

const EXIT_DIFFERING = 1;
const MILLISECONDS_PER_SECOND = 1_000;

export const restore: Command = {
  name: 'restore',
  summary: 'put back items that a metering table lacks, from a restored copy; newer ones stay',
  positionals: [{ name: 'table', summary: `metering table: ${Object.keys(TABLES).join(', ')}` }],
  flags: {
    from: neededFlag('name of the restored table, in the same region'),
    'dry-run': switchFlag('only count what would be put'),
  },
  example: 'restore ledger --from ledger-restored --dry-run',
  async run({ store, clock, openTables }, args, notices) {
    const table = tableOf(requiredText(args, 'table'));
    const from = requiredText(args, 'from');
    const dryRun = args['dry-run'] === true;
    const { reader, names } = await openTables();
    const to = names[table];
    await requireCopy(reader, table, from, to);
    const begunMs = clock.now();
    const rate = ({ read }: RestoreCounts) =>
      Math.round((read * MILLISECONDS_PER_SECOND) / Math.max(clock.now() - begunMs, 1));
    const report = (counts: RestoreCounts) => tell(notices, table, counts, `${rate(counts)} items/s`);
    const { counts, differences } = await restoreTable({
      table,
      from,
      to,
      reader,
      store,
      dryRun,
      clock,
      report,
      pause: sleep,
    });
    const pace = rate(counts);
    return {
      json: { table, from, to, dry_run: dryRun, ...counts, items_per_second: pace, differences },
      text: textOf({ table, from, dryRun }, counts, pace, differences),
      exitCode: counts.differing === 0 ? 0 : EXIT_DIFFERING,
    };
  },
};

function tableOf(name: string): Table {
  if (Object.hasOwn(TABLES, name)) return name as Table;
  throw new InputError(`unknown table ${name} (tables: ${Object.keys(TABLES).join(', ')})`);
}

/** Rejects with {@link InputError} unless the table can be read and has the keys of the stage's. */
async function requireCopy(reader: TableReader, table: Table, from: string, to: string): Promise<void> {
  if (from === to) throw new InputError(`${from} is the table of the stage itself`);
  const description = await reader.describe(from);
  if (description === undefined) throw new InputError(`there is no table ${from} in this region`);
  const key = keyAttributes(table);
  if (description.key.join() !== key.join()) {
    throw new InputError(
      `${from} is no copy of ${table}: its key is ${description.key.join(', ')}, not ${key.join(', ')}`,
    );
  }
  if (!description.active) throw new InputError(`${from} cannot be read yet: it is still being restored`);
}

function tell(notices: Telemetry, table: Table, counts: RestoreCounts, pace: string): void {
  const { read, absent, older, differing } = counts;
  const reason = `${table}: ${absent + older} put, ${differing} differing, ${pace}`;
  notices.log('info', 'restore_progress', { count: read, reason });
}

function textOf(
  { table, from, dryRun }: { readonly table: Table; readonly from: string; readonly dryRun: boolean },
  counts: RestoreCounts,
  itemsPerSecond: number,
  differences: readonly Difference[],
): string {
  const put = dryRun ? 'would be put' : 'put';
  const summary = renderRecord({
    table: `${table}, from ${from}`,
    read: `${formatCount(counts.read)} (${formatCount(itemsPerSecond)} a second)`,
    absent: `${formatCount(counts.absent)} ${put}`,
    older: `${formatCount(counts.older)} ${put}`,
    present: formatCount(counts.present),
    newer: `${formatCount(counts.newer)} left as they are`,
    expired: `${formatCount(counts.expired)} left out`,
    differing: `${formatCount(counts.differing)} left as they are`,
  });
  if (differences.length === 0) return summary;
  const rows = differences.map(({ key, attributes }) => [
    Object.values(key).join(' '),
    attributes.join(', '),
  ]);
  const named =
    differences.length < counts.differing ? `\n\nOf ${formatCount(counts.differing)}, these are named:` : '';
  return `${summary}${named}\n\n${renderTable(['item', 'differs in'], rows)}`;
}
