import type { LaneLeaf } from '../../../lambdas/shared/bill/lane-leaf.ts';
import { type Bill, groupBy, lanesName, type Stated } from './bill.ts';
import { type LanePosition, parsePosition } from './lane-position.ts';

type State = Pick<LanePosition, 'n' | 'total'>;

/**
 * What is wrong with what responses told of their lanes; undefined: nothing. A lane that was billed below what was told is
 * an under-charge, as after a killed process, and goes to the notes.
 */
export function badHeaders(
  { headers, lanes }: Bill,
  records: readonly Stated[],
  notes: string[],
): string | undefined {
  const positions: LanePosition[] = [];
  for (const text of headers) {
    const position = parsePosition(text);
    if (position === undefined) return `${JSON.stringify(text.slice(0, 100))} is no X-CU-Lane`;
    positions.push(position);
  }
  // Of revisions, the last one has the lanes of the whole hour.
  const last = new Map(records.map((record) => [record.hour, record]));
  let isOpen = 0;
  for (const [name, told] of groupBy(positions, ({ hour, lane }) => `${hour}/${lane}`)) {
    const failure = contradictionOf(name, told);
    if (failure !== undefined) return failure;
    const [{ hour, lane } = { hour: '', lane: '' }] = told;
    const record = last.get(hour);
    const leaves = record && lanes.get(lanesName(record));
    if (leaves === undefined) {
      isOpen += told.length;
      continue;
    }
    const billed = badLane(
      name,
      told,
      leaves.find((leaf) => leaf.lane === lane),
      notes,
    );
    if (billed !== undefined) return billed;
  }
  if (isOpen > 0)
    notes.push(`${isOpen} headers are of hours without a record, or whose lanes are not given.`);
  return undefined;
}

function contradictionOf(name: string, told: readonly LanePosition[]): string | undefined {
  const inOrder = [...told].sort((one, other) => one.n - other.n || one.total - other.total);
  for (const [place, state] of inOrder.entries()) {
    const before = inOrder[place - 1];
    if (before !== undefined && !agree(before, state))
      return `responses told of lane ${name} that ${inWords(before)}, and that ${inWords(state)}`;
  }
  return undefined;
}

function badLane(
  name: string,
  told: readonly LanePosition[],
  leaf: LaneLeaf | undefined,
  notes: string[],
): string | undefined {
  for (const state of leaf !== undefined && leaf.n > 0 ? told : [])
    if (leaf !== undefined && !agree(state, leaf))
      return `a response told of lane ${name} that ${inWords(state)}, and the record bills that ${inWords(leaf)}`;
  const most = told.reduce((total, state) => Math.max(total, state.total), 0);
  const billed = leaf?.total ?? 0;
  if (billed < most)
    notes.push(
      `Under-charge: responses told of lane ${name} that it has ${most} CU, and ${billed} were billed: ${most - billed} CU in your favour.`,
    );
  return undefined;
}

/** Whether two states can be of one lane: more charges have a higher total. */
function agree(one: State, other: State): boolean {
  return Math.sign(one.n - other.n) === Math.sign(one.total - other.total);
}

function inWords({ n, total }: State): string {
  return `${n} charges have ${total} CU`;
}
