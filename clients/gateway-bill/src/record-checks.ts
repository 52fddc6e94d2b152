import { type LaneLeaf, laneLeafText } from '../../../lambdas/shared/bill/lane-leaf.ts';
import { leafHash, treeRoot } from '../../../lambdas/shared/bill/merkle-tree.ts';
import { NO_RECORD, parseStatement } from '../../../lambdas/shared/bill/record-statement.ts';
import { type Bill, groupBy, lanesName, type Stated } from './bill.ts';

const BILLING_UNIT_CU = 1_000;

/** What is wrong with what the records say of themselves; undefined: nothing. */
export function badStatement({ account, settlements }: Bill): string | undefined {
  for (const row of settlements) {
    const stated = parseStatement(row.statement);
    if (stated === undefined)
      return `the statement of hour ${row.hour}, revision ${row.revision}, cannot be read`;
    if (stated.account !== account) return `record ${stated.number} is one of account ${stated.account}`;
    for (const name of [
      ...(['hour', 'revision', 'settled_cu', 'total_cu', 'billing_units'] as const),
      ...(['remainder_cu', 'settled_at'] as const),
    ])
      if (row[name] !== stated[name])
        return `record ${stated.number} states ${name} ${stated[name]}, and the list says ${row[name]}`;
  }
  return undefined;
}

/** What is wrong with the order of the records; undefined: each names the one before it. */
export function badChain({ seen }: Bill, records: readonly Stated[]): string | undefined {
  for (const [place, record] of records.entries()) {
    const before = records[place - 1];
    if (record.number === 1 && record.previous !== NO_RECORD) return 'record 1 names a record before it';
    if (place === 0 && record.number > 1) return 'record 1 was left out';
    if (before === undefined) continue;
    if (record.number === before.number) return `there are two records ${record.number}`;
    if (record.number !== before.number + 1) return `record ${before.number + 1} was left out`;
    if (record.previous !== before.hash)
      return `record ${record.number} does not name record ${before.number} as it is shown`;
  }
  if (seen.record === undefined) return undefined;
  const again = records.find(({ number }) => number === seen.record?.number);
  if (again === undefined) return `record ${seen.record.number}, which was seen before, is gone`;
  if (again.hash !== seen.record.hash) return `record ${again.number} is another one than was seen before`;
  return undefined;
}

/** What is wrong with the roots of the records; undefined: each is the one over the lanes that are shown. */
export function badRoot({ lanes }: Bill, records: readonly Stated[], notes: string[]): string | undefined {
  for (const record of records) {
    const { number, root, lanes: count } = record;
    const shown = lanes.get(lanesName(record));
    if (shown === undefined) {
      notes.push(`The lanes of record ${number} are missing: they were not checked.`);
      continue;
    }
    if (shown.length !== count)
      return `record ${number} states ${count} lanes, and ${shown.length} are shown`;
    if (treeRoot(shown.map((leaf) => leafHash(laneLeafText(leaf)))).toString('hex') !== root)
      return `a lane of record ${number} is another than it states`;
  }
  return undefined;
}

/** What is wrong with the sums; undefined: lanes add up to records, and records to billing units. */
export function badSum({ lanes }: Bill, records: readonly Stated[]): string | undefined {
  for (const record of records) {
    const shown = lanes.get(lanesName(record));
    if (shown === undefined) continue;
    if (new Set(shown.map(placeOf)).size !== shown.length) return `record ${record.number} has a lane twice`;
    const sum = shown.reduce((cu, { total }) => cu + total, 0);
    if (sum !== record.total_cu)
      return `the lanes of record ${record.number} add up to ${sum} CU, not ${record.total_cu}`;
  }
  for (const some of byHour(records).values()) {
    const failure = badHour(some);
    if (failure !== undefined) return failure;
  }
  return undefined;
}

function badHour(revisions: readonly Stated[]): string | undefined {
  const [first] = revisions;
  if (first === undefined) return undefined;
  // That a record before it was left out is what another check names.
  let total = first.revision === 1 ? 0 : first.total_cu - first.settled_cu;
  let units = Math.floor(total / BILLING_UNIT_CU);
  let { revision } = first;
  for (const record of revisions) {
    if (record.revision !== revision) return `hour ${record.hour} has no revision ${revision}, or two`;
    revision += 1;
    total += record.settled_cu;
    units += record.billing_units;
    if (record.total_cu !== total)
      return `record ${record.number} has a total of ${record.total_cu} CU, not ${total}`;
    if (units !== Math.floor(total / BILLING_UNIT_CU) || record.remainder_cu !== total % BILLING_UNIT_CU)
      return `record ${record.number} bills ${record.billing_units} units and leaves ${record.remainder_cu} CU`;
  }
  return undefined;
}

/** What is wrong with later revisions; undefined: each has all lanes at least where the one before had them. */
export function badRevision({ lanes }: Bill, records: readonly Stated[]): string | undefined {
  for (const some of byHour(records).values()) {
    let before: readonly LaneLeaf[] = [];
    for (const record of some) {
      const shown = lanes.get(lanesName(record));
      if (shown === undefined) continue;
      const now = new Map(shown.map((leaf) => [placeOf(leaf), leaf]));
      for (const leaf of before) {
        const { n, total } = now.get(placeOf(leaf)) ?? { n: -1, total: -1 };
        if (n < leaf.n || total < leaf.total)
          return `record ${record.number} has lane ${leaf.lane} below the revision before it`;
      }
      before = shown;
    }
  }
  return undefined;
}

function byHour(records: readonly Stated[]): ReadonlyMap<string, readonly Stated[]> {
  const inOrder = [...records].sort((one, other) => one.revision - other.revision);
  return groupBy(inOrder, ({ hour }) => hour);
}

function placeOf({ shard, lane }: LaneLeaf): string {
  return `${shard} ${lane}`;
}
