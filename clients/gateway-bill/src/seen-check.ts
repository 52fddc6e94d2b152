import type { LaneLeaf } from '../../../lambdas/shared/bill/lane-leaf.ts';
import type { Receipt } from '../../../lambdas/shared/bill/receipt.ts';
import { type Bill, groupBy, lanesName, type Stated } from './bill.ts';
import { type LanePosition, parsePosition } from './lane-position.ts';
import { dearestRequest, type KnownPosition, risenLane } from './usage-checks.ts';

type State = Pick<LanePosition, 'n' | 'total'>;

/** What responses and receipts stated of a lane. */
interface SeenPosition extends LanePosition {
  /** Time of the receipt, in ISO 8601; undefined: a header, which came before its hour was settled. */
  readonly toldAt: string | undefined;
}

/**
 * What is wrong with what responses and receipts stated of lanes; undefined: nothing. A lane that was billed below what was
 * stated is an under-charge, as after a killed process, and goes to the notes.
 */
export function badTold(
  { headers, lanes, prices }: Bill,
  records: readonly Stated[],
  receipts: readonly Receipt[],
  notes: string[],
): string | undefined {
  const all: SeenPosition[] = receipts.flatMap(({ hour, told_at, lanes: positions }) =>
    positions.map(({ lane, n, total }) => ({ hour, lane, n, total, toldAt: told_at })),
  );
  for (const text of headers) {
    const position = parsePosition(text);
    if (position === undefined) return `${JSON.stringify(text.slice(0, 100))} is no X-CU-Lane`;
    all.push({ ...position, toldAt: undefined });
  }
  // Of revisions, the last one has the lanes of the whole hour.
  const last = new Map(records.map((record) => [record.hour, record]));
  let open = 0;
  let untold = 0;
  const dearestCu = dearestRequest({ prices });
  for (const [hour, ofHour] of groupBy(all, (position) => position.hour)) {
    const record = last.get(hour);
    const shown = record && lanes.get(lanesName(record));
    const leaves = shown && new Map(shown.map((leaf) => [leaf.lane, leaf]));
    for (const [lane, positions] of groupBy(ofHour, (one) => one.lane)) {
      const name = `${hour}/${lane}`;
      const leaf = leaves?.get(lane);
      const risen = risenLane(name, inOrderOf(positions, leaf), dearestCu);
      const failure = contradictionOf(name, positions) ?? badLane(name, positions, leaf) ?? risen.failure;
      if (failure !== undefined) return failure;
      // Of a lane without a header, its owner kept none on purpose.
      if (positions.some(({ toldAt }) => toldAt === undefined)) untold += risen.untold;
      if (record === undefined || leaves === undefined) open += positions.length;
      else notes.push(...underCharge(name, positions, leaf?.total ?? 0, record));
    }
  }
  if (untold > 0) notes.push(`${untold} charges without a header: only the lanes have them.`);
  if (open > 0)
    notes.push(
      `${open} headers and lanes of receipts are of hours without a record, or whose lanes are missing.`,
    );
  return undefined;
}

function contradictionOf(name: string, positions: readonly SeenPosition[]): string | undefined {
  const inOrder = positions
    .filter(({ n }) => n > 0)
    .sort((one, other) => one.n - other.n || one.total - other.total);
  for (const [place, state] of inOrder.entries()) {
    const before = inOrder[place - 1];
    const isTwice =
      before?.n === state.n && (before.billed ?? state.billed) !== (state.billed ?? before.billed);
    if (isTwice)
      return `two headers of request ${state.n} of lane ${name} differ: ${before.billed} CU billed, and ${state.billed}`;
    if (before !== undefined && !agree(before, state))
      return `responses or receipts contradict each other on lane ${name}: ${inWords(before)}, and ${inWords(state)}`;
  }
  return undefined;
}

/** The different states that a lane is known to have been in, in their order, with what the last charge of each was billed. */
function inOrderOf(positions: readonly SeenPosition[], leaf: LaneLeaf | undefined): readonly KnownPosition[] {
  const told = positions.map((one) => ({ ...one, isTold: one.toldAt === undefined }));
  const all: readonly KnownPosition[] = leaf === undefined ? told : [...told, { ...leaf, isTold: false }];
  const states = new Map<number, KnownPosition>();
  for (const { n, total, isTold, billed = states.get(n)?.billed } of all) {
    const isToldAlready = states.get(n)?.isTold === true;
    if (n > 0)
      states.set(n, { n, total, isTold: isTold || isToldAlready, ...(billed !== undefined && { billed }) });
  }
  return [...states.values()].sort((one, other) => one.n - other.n);
}

function badLane(
  name: string,
  positions: readonly SeenPosition[],
  leaf: LaneLeaf | undefined,
): string | undefined {
  if (leaf === undefined || leaf.n === 0) return undefined;
  const other = positions.find((state) => state.n > 0 && !agree(state, leaf));
  return (
    other &&
    `lane ${name} differs: a response or receipt states that ${inWords(other)}, the record that ${inWords(leaf)}`
  );
}

/** What is to be noted where less was billed than was stated. */
function underCharge(
  name: string,
  positions: readonly SeenPosition[],
  billed: number,
  { number, settled_at }: Stated,
): readonly string[] {
  const mostOf = (some: readonly SeenPosition[]) =>
    some.reduce((most, { total }) => Math.max(most, total), 0);
  const most = mostOf(positions);
  const mostBefore = mostOf(positions.filter(({ toldAt }) => toldAt === undefined || toldAt <= settled_at));
  if (mostBefore > billed)
    return [
      `Under-charge: lane ${name} was stated to have ${mostBefore} CU, and ${billed} were billed: ${mostBefore - billed} CU in your favour.`,
    ];
  if (most <= billed) return [];
  return [`Lane ${name} has ${most - billed} CU that came after record ${number}: in no record yet.`];
}

/** Whether two states can be of one lane: more charges have a higher total. */
function agree(one: State, other: State): boolean {
  return Math.sign(one.n - other.n) === Math.sign(one.total - other.total);
}

function inWords({ n, total }: State): string {
  return `${n} charges have ${total} CU`;
}
