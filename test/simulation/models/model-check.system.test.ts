import { coversLane, laneUpdate, mayTakeOff, newMark } from '../../../lambdas/access/charge/lane.ts';
import type { Action } from '../../../lambdas/access/store/store.ts';
import { isClosed } from '../../../lambdas/settlement/settlement-step.ts';
import { isAtLength } from '../../support/at-length.ts';
import { explore, type Model } from './explore.ts';
import { type Bounds, LaneModel, type LaneState, type Protocol } from './lane-model.ts';
import { stepAfterReading } from './settlement-model.ts';

const PROTOCOL: Protocol = {
  laneUpdate,
  newMark,
  coversLane,
  mayTakeOff,
  isClosed,
  nextStep: stepAfterReading,
  marksFirst: true,
  takesOffAsRead: true,
  keepsUnstored: true,
};

const ONE = {
  processes: 1,
  charges: 1,
  attempts: 1,
  deliveries: 0,
  runs: 1,
  forcedRuns: 0,
  restores: 0,
  ticks: 7,
  skewMs: 5_000,
};

/** Each explores another part of the protocol completely. */
const BOUNDS: readonly Bounds[] = [
  { ...ONE, name: 'two charges, two attempts', charges: 2, attempts: 2 },
  { ...ONE, name: 'two runs of settlement at once', runs: 2 },
  { ...ONE, name: 'a queue that delivers twice', attempts: 0, deliveries: 2 },
  { ...ONE, name: 'a queue that delivers out of order', attempts: 0, deliveries: 1, charges: 2 },
  { ...ONE, name: 'an attempt and the queue', deliveries: 1, ticks: 5 },
  { ...ONE, name: 'two processes', processes: 2, ticks: 5 },
  { ...ONE, name: 'the running hour settled before', charges: 2, forcedRuns: 1, ticks: 4 },
  { ...ONE, name: 'a restored account item', charges: 2, forcedRuns: 1, restores: 1, ticks: 4 },
];
/** Those with at most 40,000 states. The others have 360,000 of 466,000. */
const QUICK_BOUNDS: readonly string[] = [
  'two runs of settlement at once',
  'a queue that delivers out of order',
  'the running hour settled before',
  'a restored account item',
];
const TIME_LIMIT_MS = 600_000;

/** Plausible mistakes, each with the exploration that finds it. */
const MUTANTS: readonly {
  readonly name: string;
  readonly change: Partial<Protocol>;
  readonly bounds: string;
}[] = [
  {
    name: 'the total is written unconditionally',
    change: { laneUpdate: (lane) => ({ ...laneUpdate(lane), when: [] }) },
    bounds: 'two charges, two attempts',
  },
  {
    name: 'a lane is added to',
    change: {
      laneUpdate: (lane) => {
        const { set: { total = 0n, ...set } = {}, ...update } = laneUpdate(lane);
        return { ...update, when: [], set, add: { total: BigInt(total) } };
      },
    },
    bounds: 'two charges, two attempts',
  },
  {
    name: 'the mark is put after the lane',
    change: { marksFirst: false },
    bounds: 'two charges, two attempts',
  },
  {
    name: 'an hour is marked once',
    change: { coversLane: (_hour, markedAtMs) => markedAtMs !== undefined },
    bounds: 'two charges, two attempts',
  },
  {
    name: 'a mark is taken away whatever it is by now',
    change: { takesOffAsRead: false },
    bounds: 'a queue that delivers twice',
  },
  {
    name: 'a mark is taken away while a lane may follow it',
    change: { mayTakeOff: () => true },
    bounds: 'two charges, two attempts',
  },
  {
    name: 'a mark is kept for five minutes',
    change: { mayTakeOff: (mark, nowMs) => mayTakeOff(mark, nowMs + 10 * 60_000) },
    bounds: 'two charges, two attempts',
  },
  {
    name: 'a message is deleted before its lane is stored',
    change: { keepsUnstored: false },
    bounds: 'a queue that delivers twice',
  },
  {
    name: 'settlement adds the whole again',
    change: {
      nextStep: (state, scope, nowMs) => stepAfterReading({ ...state, records: new Map() }, scope, nowMs),
    },
    bounds: 'two charges, two attempts',
  },
  {
    name: 'the books are written whatever they are by now',
    change: {
      nextStep: (state, scope, nowMs) => {
        const step = stepAfterReading(state, scope, nowMs);
        if (step === undefined) return undefined;
        const [{ update }, ...others] = step.actions;
        return { ...step, actions: [{ update: { ...update, when: [] } }, ...others.map(withoutCondition)] };
      },
    },
    bounds: 'two runs of settlement at once',
  },
];

function withoutCondition(action: Action): Action {
  if ('update' in action) return { update: { ...action.update, when: [] } };
  return { put: { ...action.put, when: [] } };
}

let states = 0;

afterAll(() => {
  process.stdout.write(`model check: ${states.toLocaleString('en-US')} states, all that can be reached\n`);
});

test.each(BOUNDS.filter(({ name }) => isAtLength || QUICK_BOUNDS.includes(name)))(
  'every reachable state is sound: $name',
  (bounds) => {
    const found = explore(new LaneModel(PROTOCOL, bounds));
    states += found.states;
    process.stdout.write(
      `${bounds.name}: ${found.states.toLocaleString('en-US')} states, ${found.transitions.toLocaleString('en-US')} transitions\n`,
    );
    expect(found.violation).toBeUndefined();
  },
  TIME_LIMIT_MS,
);

test.each<Bounds>([
  { ...ONE, name: 'that store', forcedRuns: 1, restores: 1, ticks: 4 },
  { ...ONE, name: 'that queue', attempts: 0, deliveries: 1, ticks: 4 },
])('names tell states apart as JSON does, of processes $name', (bounds) => {
  const model = new LaneModel(PROTOCOL, bounds);
  const byJson: Model<LaneState> = {
    initial: model.initial,
    name: (state) => JSON.stringify(state),
    next: (state) => model.next(state),
    fault: (state, before) => model.fault(state, before),
  };
  const found = explore(model);
  expect(found.states).toBeGreaterThan(500);
  expect(explore(byJson)).toEqual(found);
});

test.each(MUTANTS)(
  'a model with a mistake is not sound: $name',
  ({ change, bounds: name }) => {
    const bounds = BOUNDS.find((candidate) => candidate.name === name);
    if (bounds === undefined) throw new Error(`there are no bounds ${name}`);
    const { violation } = explore(new LaneModel({ ...PROTOCOL, ...change }, bounds));
    expect(violation?.fault).toBeDefined();
  },
  TIME_LIMIT_MS,
);
