import type { coversLane, laneUpdate, mayTakeOff, newMark } from '../../../lambdas/access/charge/lane.ts';
import { holds } from '../../../lambdas/access/store/store.ts';
import type { isClosed } from '../../../lambdas/settlement/settlement-step.ts';
import { hourEndMs } from '../../../lambdas/shared/runtime/clock.ts';
import { updated } from '../stores/memory-store.ts';
import { type Model, type Named, numberOf, type Transition } from './explore.ts';
import {
  type Books,
  CHARGE_CU,
  HOUR,
  type Ledger,
  NO_RECORD,
  type Reading,
  readsLastRecord,
  SettlementModel,
  type stepAfterReading,
} from './settlement-model.ts';

const TICK_MS = 5 * 60_000;
/** A request arrives in the tick in which it was signed or in the next one: later it is refused. */
const SIGNED_FOR_TICKS = 1;
const NONE = -1;
const HOUR_END_MS = hourEndMs(HOUR);
const UNIT_CU = 1_000;

/** How much happens in one exploration. Each number bounds what could go on for ever. */
export interface Bounds {
  readonly name: string;
  /** Process lives, each with a lane of its own; charges, and attempts to store them, of each. */
  readonly processes: number;
  readonly charges: number;
  readonly attempts: number;
  /** Deliveries by the queue; 0: there is no queue. */
  readonly deliveries: number;
  /** Runs of settlement, and those that are forced while the hour runs; two may be under way. */
  readonly runs: number;
  readonly forcedRuns: number;
  /** Times that the account item goes back to its first state. */
  readonly restores: number;
  /** Ticks of five minutes, from five minutes before the end of the hour. */
  readonly ticks: number;
  /** The clock of processes is behind, and that of settlement ahead, by so much, in milliseconds. */
  readonly skewMs: number;
}

/** The parts of the code that the model is made of, and the order in which the code uses them. */
export interface Protocol {
  readonly laneUpdate: typeof laneUpdate;
  readonly newMark: typeof newMark;
  readonly coversLane: typeof coversLane;
  readonly mayTakeOff: typeof mayTakeOff;
  readonly isClosed: typeof isClosed;
  readonly nextStep: typeof stepAfterReading;
  /** Whether a lane is sent only once its mark is certain; otherwise after it. */
  readonly marksFirst: boolean;
  /** Whether a mark is taken away only if it is the one that was read. */
  readonly takesOffAsRead: boolean;
  /** Whether a message leaves the queue only once its lane is stored. */
  readonly keepsUnstored: boolean;
}

/** The request for which a process, or the queue's consumer, is waiting. */
interface Work {
  readonly waits: 'nothing' | 'mark' | 'lane';
  /** Total that is to be stored. */
  readonly total: number;
  /** Mark that is to be put. */
  readonly mark: number;
  /** Whether what it waits for is done, so that the response can arrive. */
  readonly done: boolean;
}

interface Process {
  readonly alive: boolean;
  /** Charges so far, and those of them that it knows to be stored or queued. */
  readonly total: number;
  readonly safe: number;
  /** Tick of its last mark. */
  readonly markedAt: number;
  readonly work: Work;
  readonly left: number;
}

interface Consumer {
  readonly lane: number;
  readonly work: Work;
  readonly left: number;
}

/** A run of settlement: what it does next, and what it has read. */
interface Run {
  readonly next: 'nothing' | 'books' | 'lanes' | 'write' | 'take off';
  readonly forced: boolean;
  readonly tick: number;
  /** The mark that it read, and the tick in which that was put. */
  readonly mark: number;
  readonly markedAt: number;
  readonly changed: boolean;
  readonly books?: Books;
  readonly reading?: Reading;
  /** The books at a write that was refused. */
  readonly refused?: Books;
}

export interface LaneState {
  readonly tick: number;
  readonly processes: readonly Process[];
  readonly consumer: Consumer;
  /** Totals as they are stored, one lane for each process. */
  readonly stored: readonly number[];
  /** Per lane and total: tick in which the write was last signed, as long as it may arrive. */
  readonly sent: readonly (readonly number[])[];
  /** Tick in which each mark was put, as long as it matters. */
  readonly marks: readonly number[];
  /** The mark on the work list. */
  readonly listed: number;
  /** Per lane: totals in the queue. */
  readonly queue: readonly (readonly number[])[];
  readonly runs: readonly Run[];
  readonly runsLeft: number;
  readonly forcedLeft: number;
  readonly books: Books;
  readonly ledger: Ledger;
  readonly restoresLeft: number;
}

type Next = Transition<LaneState>;

interface Begun {
  readonly state: LaneState;
  readonly work: Work;
}

const AT_REST: Work = { waits: 'nothing', total: 0, mark: NONE, done: false };
const NO_RUN: Run = { next: 'nothing', forced: false, tick: 0, mark: NONE, markedAt: NONE, changed: false };
const FIRST_BOOKS: Books = { settled: 0, moved: false, closed: 0 };
const MARKS = 6;

/** All that can become of the charges of one hour, from five minutes before its end. */
export class LaneModel implements Model<LaneState> {
  readonly initial: LaneState;
  readonly #bounds: Bounds;
  readonly #protocol: Protocol;
  readonly #settlement: SettlementModel;
  readonly #laneWrites = new Map<string, number>();
  readonly #closed = new Map<number, boolean>();

  constructor(protocol: Protocol, bounds: Bounds) {
    this.#protocol = protocol;
    this.#bounds = bounds;
    this.#settlement = new SettlementModel(protocol.nextStep);
    const { processes, charges, attempts, deliveries, runs, forcedRuns, restores } = bounds;
    const process = { alive: true, total: 0, safe: 0, markedAt: NONE, work: AT_REST, left: attempts };
    this.initial = {
      tick: 0,
      processes: Array.from({ length: processes }, () => process),
      consumer: { lane: 0, work: AT_REST, left: deliveries },
      stored: Array.from({ length: processes }, () => 0),
      sent: Array.from({ length: processes }, () => Array.from({ length: charges }, () => NONE)),
      marks: Array.from({ length: MARKS }, () => NONE),
      listed: NONE,
      queue: Array.from({ length: processes }, () => []),
      runs: [NO_RUN, NO_RUN],
      runsLeft: runs,
      forcedLeft: forcedRuns,
      books: FIRST_BOOKS,
      ledger: { revision: 0, total: 0, units: 0 },
      restoresLeft: restores,
    };
  }

  /** One character for each part: all names of a model have the same length. A part of `before` has its own. */
  name(state: LaneState, before?: Named<LaneState>): string {
    const { tick, listed, runsLeft, forcedLeft, restoresLeft } = state;
    const counts = [tick, listed - NONE, runsLeft, forcedLeft, restoresLeft];
    const known = before === undefined ? [] : partsOf(before.state);
    const numbers = partsOf(state).map((part, place) =>
      before !== undefined && part === known[place]
        ? before.name.charCodeAt(counts.length + place)
        : numberOf(part),
    );
    return String.fromCharCode(...counts, ...numbers);
  }

  *next(state: LaneState): Iterable<Next> {
    for (const { what, to } of this.#all(state)) yield { what, to: withoutPast(to, state) };
  }

  *#all(state: LaneState): Iterable<Next> {
    if (state.tick + 1 < this.#bounds.ticks) yield { what: 'tick', to: { ...state, tick: state.tick + 1 } };
    for (const place of state.processes.keys()) yield* this.#process(state, place);
    yield* this.#network(state);
    if (this.#bounds.deliveries > 0) yield* this.#consume(state);
    for (const place of state.runs.keys()) yield* this.#settle(state, place);
    if (state.restoresLeft > 0 && state.ledger.revision > 0) {
      const to = { ...state, books: FIRST_BOOKS, restoresLeft: state.restoresLeft - 1 };
      yield { what: 'the account item goes back', to };
    }
  }

  *#process(state: LaneState, place: number): Iterable<Next> {
    const process = state.processes[place] as Process;
    const { alive, total, safe, work, left, markedAt } = process;
    if (!alive) return;
    const change = (to: Partial<Process>, from = state) => withProcess(from, place, to);
    yield { what: `process ${place} dies`, to: change({ alive: false, work: AT_REST }) };
    if (state.tick === 0 && total < this.#bounds.charges) {
      yield { what: `process ${place} charges`, to: change({ total: total + 1 }) };
    }
    if (work.waits !== 'nothing') {
      yield { what: `process ${place} waits in vain`, to: change({ work: AT_REST }) };
      if (work.done) yield* this.#processGoesOn(state, place);
      return;
    }
    if (safe === total) return;
    if (left > 0) {
      const begun = this.#begin(state, place, total, markedAt);
      const to = change({ work: begun.work, left: left - 1 }, begun.state);
      yield { what: `process ${place} stores ${total}`, to };
    }
    if (this.#bounds.deliveries > 0) {
      const queued = withQueued(state, place, total);
      yield { what: `process ${place} queues ${total}`, to: change({ safe: total }, queued) };
      yield { what: `process ${place} queues ${total} and does not know`, to: queued };
    }
  }

  *#processGoesOn(state: LaneState, place: number): Iterable<Next> {
    const { work, safe } = state.processes[place] as Process;
    const { marksFirst } = this.#protocol;
    const isLast = work.waits === (marksFirst ? 'lane' : 'mark');
    if (isLast) {
      const to = {
        work: AT_REST,
        safe: Math.max(safe, work.total),
        ...(work.waits === 'mark' && { markedAt: state.tick }),
      };
      yield { what: `process ${place} knows ${work.total} to be stored`, to: withProcess(state, place, to) };
      return;
    }
    const markedAt = work.waits === 'mark' ? (state.marks[work.mark] ?? NONE) : NONE;
    const then = this.#goOn(state, place, work, markedAt);
    const what = `process ${place} goes on after its ${work.waits}`;
    const to = withProcess(then.state, place, { work: then.work, ...(marksFirst && { markedAt }) });
    yield { what, to };
  }

  /** First request of storing a lane. */
  #begin(state: LaneState, lane: number, total: number, markedAt: number): Begun {
    const covered = this.#covers(markedAt, state.tick);
    if (covered || !this.#protocol.marksFirst) return this.#send(state, lane, total);
    return this.#mark(state, total);
  }

  /** What follows a response, unless the mark no longer covers the lane. */
  #goOn(state: LaneState, lane: number, work: Work, markedAt: number): Begun {
    if (!this.#protocol.marksFirst) return this.#mark(state, work.total);
    return this.#covers(markedAt, state.tick)
      ? this.#send(state, lane, work.total)
      : { state, work: AT_REST };
  }

  #send(state: LaneState, lane: number, total: number): Begun {
    const sent = state.sent.map((ticks, place) =>
      place === lane ? ticks.map((tick, index) => (index === total - 1 ? state.tick : tick)) : ticks,
    );
    return { state: { ...state, sent }, work: { waits: 'lane', total, mark: NONE, done: false } };
  }

  #mark(state: LaneState, total: number): Begun {
    const mark = state.marks.indexOf(NONE);
    if (mark < 0) throw new Error(`more than ${MARKS} marks matter`);
    const marks = state.marks.map((tick, place) => (place === mark ? state.tick : tick));
    return { state: { ...state, marks }, work: { waits: 'mark', total, mark, done: false } };
  }

  #covers(markedAt: number, tick: number): boolean {
    const { coversLane } = this.#protocol;
    return coversLane(HOUR, markedAt === NONE ? undefined : this.#processMs(markedAt), this.#processMs(tick));
  }

  /** Whatever was sent arrives, once or several times, in any order, or not at all. */
  *#network(state: LaneState): Iterable<Next> {
    for (const [mark, tick] of state.marks.entries()) {
      if (tick === NONE || state.tick > tick + SIGNED_FOR_TICKS) continue;
      const done = (work: Work): Work =>
        work.waits === 'mark' && work.mark === mark ? { ...work, done: true } : work;
      yield { what: `mark ${mark} arrives`, to: withDone({ ...state, listed: mark }, done) };
    }
    for (const [lane, ticks] of state.sent.entries()) {
      for (const [index, tick] of ticks.entries()) {
        if (tick === NONE) continue;
        const total = index + 1;
        const after = this.#laneAfter(state.stored[lane] ?? 0, total);
        const stored = state.stored.map((before, place) => (place === lane ? after : before));
        const done = (work: Work, of: number): Work =>
          work.waits === 'lane' && work.total === total && of === lane ? { ...work, done: true } : work;
        yield { what: `total ${total} of lane ${lane} arrives`, to: withDone({ ...state, stored }, done) };
      }
    }
  }

  /** Total of a lane after a write, by the code's own condition. */
  #laneAfter(stored: number, total: number): number {
    const key = `${stored} ${total}`;
    const known = this.#laneWrites.get(key);
    if (known !== undefined) return known;
    const cu = BigInt(total) * CHARGE_CU;
    const lane = {
      account: 'acme',
      shard: 0,
      hour: HOUR,
      lane: 'lane-------',
      charges: total,
      total: cu,
      used: `c m:${total}:${cu}`,
    };
    const update = this.#protocol.laneUpdate(lane);
    const before = stored === 0 ? undefined : { ...update.key, total: BigInt(stored) * CHARGE_CU };
    const after = holds(update.when, before)
      ? Number(BigInt(updated(before, update).total ?? 0n) / CHARGE_CU)
      : stored;
    this.#laneWrites.set(key, after);
    return after;
  }

  *#consume(state: LaneState): Iterable<Next> {
    const { consumer } = state;
    const { work, lane, left } = consumer;
    const change = (to: Partial<Consumer>, from = state): LaneState => ({
      ...from,
      consumer: { ...consumer, ...to },
    });
    if (work.waits === 'nothing') {
      if (left === 0) return;
      for (const [queued, totals] of state.queue.entries()) {
        for (const total of totals) {
          const taken = this.#protocol.keepsUnstored ? state : withoutQueued(state, queued, total);
          const begun = this.#begin(taken, queued, total, NONE);
          const to = change({ lane: queued, work: begun.work, left: left - 1 }, begun.state);
          yield { what: `the queue delivers ${total} of lane ${queued}`, to };
        }
      }
      return;
    }
    yield { what: 'the consumer fails', to: change({ work: AT_REST }) };
    if (!work.done) return;
    if (work.waits === (this.#protocol.marksFirst ? 'lane' : 'mark')) {
      yield { what: 'the message stays', to: change({ work: AT_REST }) };
      yield {
        what: 'the message is deleted',
        to: change({ work: AT_REST }, withoutQueued(state, lane, work.total)),
      };
      return;
    }
    const then = this.#goOn(
      state,
      lane,
      work,
      work.waits === 'mark' ? (state.marks[work.mark] ?? NONE) : NONE,
    );
    yield {
      what: `the consumer goes on after its ${work.waits}`,
      to: change({ work: then.work }, then.state),
    };
  }

  *#settle(state: LaneState, place: number): Iterable<Next> {
    const run = state.runs[place] as Run;
    const change = (to: Run, from = state) => withRun(from, place, to);
    if (run.next === 'nothing') {
      yield* this.#startRun(state, place);
      return;
    }
    yield { what: `run ${place} ends early`, to: change(NO_RUN) };
    switch (run.next) {
      case 'books':
        if (run.refused && isSame(run.refused, state.books)) return;
        yield {
          what: `run ${place} reads the books`,
          to: change({ ...run, next: 'lanes', books: state.books }),
        };
        return;
      case 'lanes':
        yield { what: `run ${place} reads lanes and record`, to: change(this.#decide(run, state)) };
        return;
      case 'write':
        yield* this.#write(state, place);
        return;
      case 'take off': {
        const matches = !this.#protocol.takesOffAsRead || state.listed === run.mark;
        const to = change(NO_RUN, matches ? { ...state, listed: NONE } : state);
        yield { what: `run ${place} takes the hour off the list`, to };
        return;
      }
    }
  }

  *#startRun(state: LaneState, place: number): Iterable<Next> {
    const { tick, listed, runsLeft, forcedLeft } = state;
    const run: Run = { ...NO_RUN, next: 'books', tick };
    if (forcedLeft > 0 && !this.#isClosed(tick)) {
      const to = withRun({ ...state, forcedLeft: forcedLeft - 1 }, place, { ...run, forced: true });
      yield { what: `forced run ${place} starts`, to };
    }
    if (runsLeft > 0 && listed !== NONE && this.#isClosed(tick)) {
      const to = withRun({ ...state, runsLeft: runsLeft - 1 }, place, {
        ...run,
        mark: listed,
        markedAt: state.marks[listed] ?? NONE,
      });
      yield { what: `run ${place} reads the list`, to };
    }
  }

  #decide(run: Run, { stored, ledger }: LaneState): Run {
    const { books = FIRST_BOOKS, tick, forced } = run;
    return this.#withReading(run, this.#readingOf(books, stored, ledger, tick, forced));
  }

  #readingOf(books: Books, lanes: readonly number[], ledger: Ledger, tick: number, forced: boolean): Reading {
    const { revision, total } = ledger;
    const last = readsLastRecord(books) ? { revision, total } : NO_RECORD;
    return { books, lanes, last, nowMs: this.#settlementMs(tick), forced };
  }

  /** What a run does with what it knows: writes, reads again, takes the hour off the list, or ends. */
  #withReading({ refused: _refused, books: _books, reading: _reading, ...run }: Run, reading: Reading): Run {
    const decision = this.#settlement.decide(reading);
    if (decision === 'write') return { ...run, next: 'write', changed: true, reading };
    const { mark, changed, markedAt, tick } = run;
    if (decision === 'unknown') return { ...run, next: 'books', refused: reading.books };
    if (changed || mark === NONE) return NO_RUN;
    const text = this.#protocol.newMark(this.#processMs(markedAt), () => new Uint8Array(8));
    return this.#protocol.mayTakeOff(text, this.#settlementMs(tick)) ? { ...run, next: 'take off' } : NO_RUN;
  }

  *#write(state: LaneState, place: number): Iterable<Next> {
    const run = state.runs[place] as Run;
    const { reading, ...rest } = run;
    if (reading === undefined) throw new Error('a run writes without a reading');
    const again: Run = { ...rest, next: 'books' };
    const { applied, books, ledger, after } = this.#settlement.write(reading, state.books, state.ledger);
    if (!applied) {
      const to = withRun(state, place, { ...again, refused: reading.books });
      yield { what: `a write of run ${place} is refused`, to };
      return;
    }
    const written = { ...state, books, ledger };
    yield { what: `run ${place} writes`, to: withRun(written, place, this.#withReading(run, after)) };
    yield { what: `run ${place} writes and does not know`, to: withRun(written, place, again) };
  }

  fault(state: LaneState, before: LaneState): string | undefined {
    const { stored, processes, ledger, books, listed, queue, consumer, runs } = state;
    const sum = stored.reduce((total, one) => total + one, 0);
    if (stored.some((total, lane) => total < (before.stored[lane] ?? 0))) return 'the total of a lane fell';
    if (stored.some((total, lane) => total > (processes[lane]?.total ?? 0)))
      return 'a lane holds more than was answered';
    if (ledger.total > sum) return 'more is settled than is stored';
    const added = ledger.revision - before.ledger.revision;
    if (added < 0 || added > 1 || (added === 1) !== ledger.total > before.ledger.total)
      return 'records do not form a chain';
    if (ledger.units !== Math.floor((ledger.total * Number(CHARGE_CU)) / UNIT_CU))
      return 'billing units do not add up';
    if (this.#bounds.restores === 0 && books.settled !== ledger.total)
      return 'the books are not the sum of the records';
    if (sum > ledger.total && listed === NONE) return 'a stored lane is neither settled nor on the list';
    const lost = processes.findIndex(({ safe }, lane) => {
      const kept = Math.max(0, ...(queue[lane] ?? []));
      return safe > Math.max(stored[lane] ?? 0, kept, consumer.lane === lane ? consumer.work.total : 0);
    });
    if (lost >= 0) return 'what a process knew to be stored is not';
    const doubted = runs.some(({ next, refused }) => next === 'books' && refused && isSame(refused, books));
    if (this.#bounds.restores === 0 && doubted) return 'settlement takes a sound account for a damaged one';
    if (this.#bounds.restores === 0 && runs.every(({ next }) => next === 'nothing'))
      return this.#unsettleable(state, sum);
    return undefined;
  }

  /** A run of settlement that nothing disturbs settles all that is stored. */
  #unsettleable({ books, ledger, stored, tick }: LaneState, sum: number): string | undefined {
    if (!this.#isClosed(tick)) return undefined;
    const reading = this.#readingOf(books, stored, ledger, tick, false);
    const decision = this.#settlement.decide(reading);
    if (decision === 'unknown') return 'settlement takes a sound account for a damaged one';
    const settled = decision === 'write' ? this.#settlement.write(reading, books, ledger).ledger : ledger;
    return settled.total === sum ? undefined : 'settlement leaves what is stored';
  }

  #isClosed(tick: number): boolean {
    const known = this.#closed.get(tick);
    if (known !== undefined) return known;
    const closed = this.#protocol.isClosed(HOUR, this.#settlementMs(tick));
    this.#closed.set(tick, closed);
    return closed;
  }

  #processMs(tick: number): number {
    return HOUR_END_MS + (tick - 1) * TICK_MS - this.#bounds.skewMs;
  }

  #settlementMs(tick: number): number {
    return HOUR_END_MS + (tick - 1) * TICK_MS + this.#bounds.skewMs;
  }
}

/** Parts of a state in their places, which are the same in all states of a model. */
function partsOf(state: LaneState): object[] {
  const { processes, runs, consumer, stored, sent, marks, queue, books, ledger } = state;
  return [...processes, ...runs, consumer, stored, sent, marks, queue, books, ledger];
}

function withProcess(state: LaneState, place: number, to: Partial<Process>): LaneState {
  const processes = state.processes.map((process, index) =>
    index === place ? { ...process, ...to } : process,
  );
  return { ...state, processes };
}

function withRun(state: LaneState, place: number, run: Run): LaneState {
  return { ...state, runs: state.runs.map((before, index) => (index === place ? run : before)) };
}

function withQueued(state: LaneState, lane: number, total: number): LaneState {
  const queue = state.queue.map((totals, place) =>
    place === lane ? [...new Set([...totals, total])].sort() : totals,
  );
  return { ...state, queue };
}

function withoutQueued(state: LaneState, lane: number, total: number): LaneState {
  const queue = state.queue.map((totals, place) =>
    place === lane ? totals.filter((one) => one !== total) : totals,
  );
  return { ...state, queue };
}

/** Tells every process, and the consumer, that what it waits for has arrived; each works on the lane of its place. */
function withDone(state: LaneState, done: (work: Work, lane: number) => Work): LaneState {
  const { consumer } = state;
  return {
    ...state,
    processes: changed(state.processes, (process, lane) => withWork(process, done(process.work, lane))),
    consumer: withWork(consumer, done(consumer.work, consumer.lane)),
  };
}

function withWork<Worker extends Process | Consumer>(worker: Worker, work: Work): Worker {
  return work === worker.work ? worker : { ...worker, work };
}

/** Forgets what can make no difference any more; the state before it has done so. */
function withoutPast(state: LaneState, before: LaneState): LaneState {
  const { tick, listed, processes, consumer, runs } = state;
  const isOver = (signed: number) => signed !== NONE && tick > signed + SIGNED_FOR_TICKS;
  const matters = (mark: number) =>
    listed === mark ||
    consumer.work.mark === mark ||
    processes.some(({ work }) => work.mark === mark) ||
    runs.some((run) => run.mark === mark);
  const [one, other] = runs;
  // Runs have no names: which of two is in which place makes no difference.
  const isSwapped =
    runs !== before.runs &&
    one !== undefined &&
    other !== undefined &&
    one !== other &&
    numberOf(one) > numberOf(other);
  return {
    ...state,
    runs: isSwapped ? [other, one] : runs,
    sent:
      tick === before.tick
        ? state.sent
        : changed(state.sent, (ticks) => changed(ticks, (signed) => (isOver(signed) ? NONE : signed))),
    marks: changed(state.marks, (signed, mark) => (isOver(signed) && !matters(mark) ? NONE : signed)),
  };
}

/** A list with other items, or the list itself if no item becomes another. */
function changed<T>(items: readonly T[], change: (item: T, place: number) => T): readonly T[] {
  const after = items.map(change);
  return after.some((item, place) => item !== items[place]) ? after : items;
}

function isSame(one: Books, other: Books): boolean {
  return one.settled === other.settled && one.moved === other.moved;
}
