import {
  type AccountItem,
  readAccountItem,
  toStoredAccount,
} from '../../../lambdas/access/accounts/account-item.ts';
import { type Action, holds, type Item } from '../../../lambdas/access/store/store.ts';
import type { HourLeaves } from '../../../lambdas/settlement/hour-leaves.ts';
import { recordKey } from '../../../lambdas/settlement/settlement-ledger.ts';
import {
  knowsRecords,
  nextRecord,
  nextStep,
  type SettlementScope,
  type SettlementState,
} from '../../../lambdas/settlement/settlement-step.ts';
import { hourAfter } from '../../../lambdas/shared/runtime/clock.ts';
import { hourSum } from '../../support/hour-sum.ts';
import { actionTarget, updated } from '../stores/memory-store.ts';
import { textOf } from './explore.ts';

/** The hour that the model is about. */
export const HOUR = '2026-11-20T23';
/** Compute units of one charge: less than a billing unit, so that two revisions can share one. */
export const CHARGE_CU = 600n;
const GRANTED_CU = 1_000_000n;
/** What a settlement knows of the last record that reads none. */
export const NO_RECORD = { revision: 0, total: 0 };

/** The books, in charges: the account item, and the ledger. */
export interface Books {
  /** `settled` of the account item. */
  readonly settled: number;
  /** Whether `open_from` is after the hour. */
  readonly moved: boolean;
  /** `closed` of the account item. */
  readonly closed: number;
}

/** The records of the hour. */
export interface Ledger {
  readonly revision: number;
  /** Sum of what they settled, in charges, and of their billing units. */
  readonly total: number;
  readonly units: number;
}

/** The items that one settlement has read. */
export interface Reading {
  readonly books: Books;
  /** Totals of the lanes, in charges. */
  readonly lanes: readonly number[];
  /** The last record, where the settlement reads it. */
  readonly last: Pick<Ledger, 'revision' | 'total'>;
  readonly nowMs: number;
  readonly forced: boolean;
}

/** Whether there is something to write. `unknown`: the account item does not know of the records. */
type Decision = 'write' | 'nothing' | 'unknown';

/** Outcome of a settlement's next write. */
export interface Outcome {
  readonly applied: boolean;
  readonly books: Books;
  readonly ledger: Ledger;
  /** Knowledge of the settlement after it. */
  readonly after: Reading;
}

/** A settlement that has read the hour. Undefined: it has no lanes. */
interface ReadState extends SettlementState {
  readonly hour: HourLeaves | undefined;
}

/** The next write of a settlement: with a record if the hour has more than its last one. */
export function stepAfterReading(state: ReadState, scope: SettlementScope, nowMs: number) {
  const { account, records, hour } = state;
  const last = hour && records.get(hour.hour);
  const isRisen = hour !== undefined && hour.cu > (last?.total_cu ?? 0n);
  const record = isRisen ? nextRecord(account, hour, last, { nowMs, salt: '' }) : undefined;
  const step = nextStep(state, record, scope, nowMs);
  return step && { ...step, record };
}

/** The settlement's own decision, by numbers: each is computed once. */
export class SettlementModel {
  readonly #nextStep: typeof stepAfterReading;
  readonly #steps = new Map<string, ReturnType<typeof stepAfterReading>>();
  readonly #decisions = new Map<string, Decision>();
  readonly #outcomes = new Map<string, Outcome>();

  constructor(step: typeof stepAfterReading) {
    this.#nextStep = step;
  }

  decide(reading: Reading): Decision {
    const key = keyOf(reading);
    const known = this.#decisions.get(key) ?? this.#decide(reading);
    this.#decisions.set(key, known);
    return known;
  }

  /** The write, as it is carried out on the books and the ledger as they are by then. */
  write(reading: Reading, books: Books, ledger: Ledger): Outcome {
    const key = `${keyOf(reading)} ${textOf(books)} ${textOf(ledger)}`;
    const known = this.#outcomes.get(key) ?? this.#write(reading, books, ledger);
    this.#outcomes.set(key, known);
    return known;
  }

  #decide(reading: Reading): Decision {
    if (!knowsRecords(stateOf(reading))) return 'unknown';
    return this.#step(reading) === undefined ? 'nothing' : 'write';
  }

  #step(reading: Reading) {
    const key = keyOf(reading);
    if (this.#steps.has(key)) return this.#steps.get(key);
    const { nowMs, forced } = reading;
    const scope = forced ? { hour: HOUR, force: true } : {};
    const step = this.#nextStep(stateOf(reading), scope, nowMs);
    this.#steps.set(key, step);
    return step;
  }

  #write(reading: Reading, books: Books, ledger: Ledger): Outcome {
    const step = this.#step(reading);
    if (step === undefined) throw new Error('there is nothing to write');
    const item = toStoredAccount(accountOf(books));
    const stored = (action: Action): Item | undefined => {
      const { table, key } = actionTarget(action);
      if (table === 'accounts') return item;
      return Array.from({ length: ledger.revision }, (_, place) => recordKey(HOUR, place + 1))
        .filter((record) => record === key.record)
        .map((record) => ({ record }))[0];
    };
    const applied = step.actions.every((action) => holds(actionTarget(action).when, stored(action)));
    const last = step.after.records.get(HOUR);
    const after: Reading = {
      ...reading,
      books: booksOf(step.after.account),
      last: last ? { revision: last.revision, total: charges(last.total_cu) } : NO_RECORD,
    };
    if (!applied) return { applied, books, ledger, after: reading };
    const [update] = step.actions.flatMap((action) => ('update' in action ? [action.update] : []));
    if (update === undefined) throw new Error('a settlement does not write to the account');
    const { record } = step;
    return {
      applied,
      books: booksOf(readAccountItem(updated(item, update))),
      ledger: record
        ? {
            revision: record.revision,
            total: ledger.total + charges(record.settled_cu),
            units: ledger.units + Number(record.billing_units),
          }
        : ledger,
      after,
    };
  }
}

/** Whether a settlement reads the last record of the hour. */
export function readsLastRecord({ settled, moved, closed }: Books): boolean {
  return moved || settled !== closed;
}

/** Tells readings apart. */
function keyOf({ books, lanes, last, nowMs, forced }: Reading): string {
  return `${textOf(books)} ${lanes} ${last.revision} ${last.total} ${nowMs} ${forced}`;
}

function stateOf({ books, lanes, last }: Reading): ReadState {
  const items = lanes.flatMap((total, lane) => (total === 0 ? [] : [laneItem(lane, total)]));
  const cu = items.reduce((sum, { total }) => sum + BigInt(total), 0n);
  const record = last.revision > 0 ? recordOf(last) : undefined;
  return {
    account: accountOf(books),
    records: new Map(record && [[HOUR, record]]),
    hour: items.length === 0 ? undefined : hourSum({ hour: HOUR, lanes: items, cu }),
    unread: hourAfter(HOUR),
  };
}

function laneItem(lane: number, total: number) {
  const cu = BigInt(total) * CHARGE_CU;
  return {
    account_shard: 'acme#0',
    hour_lane: `${HOUR}#${lane}`,
    total: cu,
    used: `c m:${total}:${cu}`,
  } satisfies Item;
}

function recordOf({ revision, total }: Pick<Ledger, 'revision' | 'total'>) {
  const cu = BigInt(total) * CHARGE_CU;
  return {
    account: 'acme',
    hour: HOUR,
    revision,
    settled_cu: cu,
    total_cu: cu,
    billing_units: 0n,
    remainder_cu: 0n,
    lanes: 1,
    number: revision,
    previous: '',
    root: '',
    digest: '',
    used: '',
    settled_at: '',
    salt: '',
  };
}

function accountOf({ settled, moved, closed }: Books): AccountItem {
  return {
    account: 'acme',
    plan: 'standard',
    planRevision: 1n,
    shards: 1,
    keys: 1,
    enabledKeys: 1,
    disabledAtMs: 0,
    granted: GRANTED_CU,
    debited: 0n,
    settled: BigInt(settled) * CHARGE_CU,
    openFrom: moved ? hourAfter(HOUR) : HOUR,
    closed: BigInt(closed) * CHARGE_CU,
    createdAt: '2026-11-01T00:00:00.000Z',
  };
}

function booksOf({ settled, openFrom, closed }: AccountItem): Books {
  return { settled: charges(settled), moved: openFrom > HOUR, closed: charges(closed) };
}

function charges(cu: bigint): number {
  return Number(cu / CHARGE_CU);
}
