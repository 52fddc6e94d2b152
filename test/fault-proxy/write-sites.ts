import {
  accountShard,
  entryOf,
  hourLane,
  type LaneTotal,
  slotOf,
  storeBehindMark,
} from '../../lambdas/access/charge/lane.ts';
import { encodeLane } from '../../lambdas/access/charge/lane-message.ts';
import { InputError } from '../../lambdas/access/contract/input-error.ts';
import type { MethodUsage } from '../../lambdas/access/contract/metering.ts';
import { keyIdOf } from '../../lambdas/access/keys/api-key.ts';
import { createMeter } from '../../lambdas/access/meter.ts';
import {
  type Item,
  isStoreUnavailable,
  type Put,
  type Store,
  type Update,
} from '../../lambdas/access/store/store.ts';
import { AFTER_ALL, type Table } from '../../lambdas/access/store/tables.ts';
import { createAccount } from '../../lambdas/accounts/create-account.ts';
import { creditAccount } from '../../lambdas/accounts/credit-account.ts';
import { debitAccount } from '../../lambdas/accounts/debit-account.ts';
import { createKey, setKeyStatus } from '../../lambdas/accounts/keys.ts';
import { rebuildAccount } from '../../lambdas/accounts/rebuild-account.ts';
import { setPlan } from '../../lambdas/accounts/set-plan.ts';
import { storeLanes } from '../../lambdas/charges/handler.ts';
import { settleAccount } from '../../lambdas/settlement/settle-account.ts';
import { settlementRecords } from '../../lambdas/settlement/settlement-ledger.ts';
import { hourOf } from '../../lambdas/shared/runtime/hour.ts';
import { KeptQueue, PLANS, StillClock } from '../access/metering-world.ts';
import { settledRecords } from '../settlement/settlement-fixture.ts';
import { passOn } from '../simulation/mutants/mutate-store.ts';
import { UNKEPT } from '../support/kept-leaves.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';
import type { ProxiedRequest } from './fault-proxy.ts';

const HOUR_MS = 3_600_000;
const OPENING_CU = 1_000_000;
const CALL_CU = 20;
const PLAN = PLANS.standard as (typeof PLANS)[string];
/** Time in which what a call costs flows back. */
const INCREMENT = (BigInt(CALL_CU) * 1_000_000_000_000n) / BigInt(PLAN.refillPerSecond);
/** Enough for every fault: each happens once. */
const MAX_ATTEMPTS = 8;
/** Attempts of the gateway at one charge; not all of them are needed if one is answered. */
const CHARGE_ATTEMPTS = 3;

/** An account of its own for one site and one fault, reached directly, and by the code under test through the proxy. */
export class Cell {
  readonly clock = new StillClock();
  readonly account: string;
  readonly apiKey: string;
  /** Goes to the emulator itself. */
  readonly stored: Store;
  /** Goes through the proxy. */
  readonly store: Store;

  constructor(name: string, stored: Store, store: Store) {
    this.account = name;
    this.apiKey = `rgw_${Buffer.from(name.padEnd(32).slice(-32)).toString('hex')}`;
    this.stored = stored;
    this.store = store;
  }

  get keyId(): string {
    return keyIdOf(this.apiKey);
  }

  async open(): Promise<void> {
    const credit = { cu: OPENING_CU, reference: 'opening' };
    await createAccount(this.stored, this.clock, { account: this.account, plan: 'standard', credit });
    await createKey(this.stored, this.clock, { account: this.account, apiKey: this.apiKey });
  }

  async item(): Promise<Item> {
    return (await this.stored.get('accounts', { account: this.account })) ?? {};
  }

  /** What a lane of its own has come to, which no request knows. */
  lane(name: string, cu: number, timeMs = this.clock.timeMs): LaneTotal {
    const used = `example_mainnet eth_blockNumber:${cu}:${cu}`;
    const total = BigInt(cu);
    const key = { account: this.account, shard: 0, hour: hourOf(timeMs), lane: name.padEnd(11, '-') };
    return { ...key, charges: 1, total, used };
  }

  /** Stores a lane of its own, directly. */
  charge(name: string, cu: number, timeMs?: number): Promise<void> {
    const { stored: store, clock } = this;
    return storeBehindMark({ store, clock, randomBytes: newBytes }, this.lane(name, cu, timeMs));
  }

  /** Compute units that the lanes of its hour hold. */
  async chargedCu(): Promise<bigint> {
    const page = await this.stored.query({
      table: 'lanes',
      partition: { attribute: 'account_shard', value: accountShard(this.account, 0) },
      sort: { attribute: 'hour_lane', from: hourLane(hourOf(this.clock.timeMs), ''), to: AFTER_ALL },
      limit: 100,
    });
    return page.items.reduce((sum, { total }) => sum + BigInt(total ?? 0), 0n);
  }

  /** The mark of an hour on the work list. */
  async markOf(timeMs: number): Promise<string | undefined> {
    const place = { account: this.account, shard: 0, hour: hourOf(timeMs) };
    const item = await this.stored.get('unsettled', { slot: slotOf(place), entry: entryOf(place) });
    return item && String(item.mark);
  }

  /** Settles as a run does that finds the hour on the work list, if it is there. */
  async settle(store = this.store): Promise<unknown> {
    const { clock, account } = this;
    const mark = await this.markOf(OPENED_MS);
    const marks = mark === undefined ? [] : [{ account, shard: 0, hour: hourOf(OPENED_MS), mark }];
    const books = {
      store,
      clock,
      pause: async () => {},
      telemetry: new RecordedTelemetry(),
      ...UNKEPT,
    };
    return settledRecords(settleAccount(books, account, marks));
  }
}

/** A place in the code that writes. */
export interface WriteSite {
  readonly name: string;
  /** Whether a request is the write that is meant. */
  readonly matches: (request: ProxiedRequest) => boolean;
  /** Requests that the fault happens to, one after the other. @default 1 */
  readonly times?: number;
  /** Brings the account to where the write comes next. */
  readonly prepare: (cell: Cell) => Promise<void>;
  /** Does what writes, as long as its caller would, and says in a word what came of it. */
  readonly run: (cell: Cell) => Promise<string>;
  /** Looks at what is stored once everything has arrived. */
  readonly check: (cell: Cell, outcome: string) => Promise<void>;
}

const USAGE: readonly MethodUsage[] = [
  { chain: 'example_mainnet', method: 'eth_call', calls: 1, cu: CALL_CU, cached: 0, errors: 0 },
];

export const WRITE_SITES: readonly WriteSite[] = [
  {
    name: 'draw from a full bucket',
    matches: updates('keys'),
    prepare: open,
    run: admit,
    check: checkDraws(0n),
  },
  {
    name: 'draw from a draining bucket',
    matches: updates('keys'),
    prepare: async (cell) => {
      await cell.open();
      expect(await admit(cell, cell.stored)).toBe('admitted');
    },
    run: admit,
    check: checkDraws(1n),
  },
  {
    name: 'mark of an hour',
    matches: puts('unsettled'),
    prepare: open,
    run: chargeThenConsume,
    check: checkCharged,
  },
  {
    name: 'lane',
    matches: updates('lanes'),
    prepare: open,
    run: chargeThenConsume,
    check: checkCharged,
  },
  {
    name: 'lane, at every attempt',
    matches: updates('lanes'),
    times: CHARGE_ATTEMPTS,
    prepare: open,
    run: chargeThenConsume,
    check: checkCharged,
  },
  {
    name: 'lane that rises',
    matches: updates('lanes'),
    prepare: open,
    run: async (cell) => {
      const meter = meterOf(cell, cell.store);
      await meter.charge(holderOf(cell), CALL_CU, USAGE).store();
      const outcome = await meter.charge(holderOf(cell), CALL_CU, USAGE).store();
      await meter.storeDue();
      return outcome;
    },
    check: async (cell) => expect(await cell.chargedCu()).toBe(2n * BigInt(CALL_CU)),
  },
  {
    name: 'mark from the queue',
    matches: puts('unsettled'),
    prepare: open,
    run: (cell) => consume(cell, [encodeLane(cell.lane('queued', CALL_CU))]),
    check: checkCharged,
  },
  {
    name: 'lane from the queue',
    matches: updates('lanes'),
    prepare: open,
    run: (cell) => consume(cell, [encodeLane(cell.lane('queued', CALL_CU))]),
    check: checkCharged,
  },
  {
    name: 'settlement of an hour',
    matches: transactions('ledger'),
    prepare: async (cell) => {
      await cell.open();
      await cell.charge('lane', 1_999);
      cell.clock.timeMs += 2 * HOUR_MS;
    },
    run: settle,
    check: checkSettled(1_999, 1, 1),
  },
  {
    name: 'second revision',
    matches: ({ operation, body }) => operation === 'TransactWriteItems' && body.includes('#000002'),
    prepare: async (cell) => {
      await cell.open();
      await cell.charge('lane', 600);
      cell.clock.timeMs += 2 * HOUR_MS;
      await cell.settle(cell.stored);
      await cell.charge('late', 500, OPENED_MS);
      cell.clock.timeMs += HOUR_MS;
    },
    run: settle,
    check: checkSettled(1_100, 2, 1),
  },
  {
    name: 'hour off the work list',
    matches: ({ operation, body }) => operation === 'DeleteItem' && body.includes('-unsettled"'),
    prepare: async (cell) => {
      await cell.open();
      await cell.charge('lane', 600);
      cell.clock.timeMs += 2 * HOUR_MS;
      await cell.settle(cell.stored);
    },
    run: settle,
    check: checkSettled(600, 1, 0),
  },
  {
    name: 'account made anew',
    matches: puts('accounts'),
    prepare: async (cell) => {
      await cell.open();
      const backup = await cell.item();
      await cell.charge('lane', 1_200);
      cell.clock.timeMs += 2 * HOUR_MS;
      await cell.settle(cell.stored);
      await cell.stored.put({ table: 'accounts', item: backup, when: [] });
    },
    run: async (cell) => {
      // Lanes are looked for in every shard there can be: these many reads are not what the faults are for.
      const store = { ...passOn(cell.stored), put: (put: Put) => cell.store.put(put) };
      return repeat(() => rebuildAccount({ store, clock: cell.clock, pause: async () => {} }, cell.account));
    },
    check: checkSettled(1_200, 1, 1),
  },
  {
    name: 'credit',
    matches: transactions('ledger'),
    prepare: open,
    run: (cell) =>
      repeat(() => creditAccount(cell.store, cell.clock, cell.account, { cu: 500, reference: 'invoice-1' })),
    check: async (cell) => {
      expect((await cell.item()).granted).toBe(BigInt(OPENING_CU + 500));
    },
  },
  {
    name: 'debit',
    matches: transactions('ledger'),
    prepare: open,
    run: (cell) => {
      const debit = { cu: 300, reference: 'refund-1', reason: 'Refunded' };
      return repeat(() => debitAccount(cell.store, cell.clock, cell.account, debit));
    },
    check: async (cell) => {
      expect(await cell.item()).toMatchObject({ granted: BigInt(OPENING_CU), debited: 300n });
    },
  },
  {
    name: 'new account',
    matches: transactions('accounts'),
    prepare: async () => {},
    run: (cell) => {
      const credit = { cu: OPENING_CU, reference: 'opening' };
      return repeat(() =>
        createAccount(cell.store, cell.clock, { account: cell.account, plan: 'free', credit }),
      );
    },
    check: async (cell) => {
      expect(await cell.item()).toMatchObject({ granted: BigInt(OPENING_CU), settled: 0n, plan: 'free' });
    },
  },
  {
    name: 'new key',
    matches: transactions('keys'),
    prepare: open,
    run: (cell) => {
      const apiKey = `rgw_${Buffer.from(`2${cell.account}`.padEnd(32).slice(0, 32)).toString('hex')}`;
      return repeat(() => createKey(cell.store, cell.clock, { account: cell.account, apiKey }));
    },
    check: async (cell) => {
      const apiKey = `rgw_${Buffer.from(`2${cell.account}`.padEnd(32).slice(0, 32)).toString('hex')}`;
      const item = await cell.stored.get('keys', { key_id: keyIdOf(apiKey) });
      expect(item).toMatchObject({ account: cell.account, status: 'active' });
    },
  },
  {
    name: 'key status',
    matches: transactions('keys'),
    prepare: open,
    run: (cell) => repeat(() => setKeyStatus(cell.store, cell.clock, cell.keyId, 'disabled')),
    check: async (cell) => {
      expect((await cell.stored.get('keys', { key_id: cell.keyId }))?.status).toBe('disabled');
      expect(await admit(cell, cell.stored)).toBe('key_unknown');
    },
  },
  {
    name: 'plan',
    matches: transactions('accounts'),
    prepare: open,
    run: (cell) => repeat(() => setPlan(cell.store, cell.clock, cell.account, { plan: 'large' })),
    check: async (cell) => {
      expect((await cell.item()).plan).toBe('large');
    },
  },
];

/** When each account is opened. */
const OPENED_MS = new StillClock().timeMs;

let randomNumbers = 0;

/** Bytes that were never given out before, where there is room for it. */
function newBytes(count: number): Uint8Array {
  randomNumbers += 1;
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(randomNumbers);
  return Buffer.concat([bytes, Buffer.alloc(count)]).subarray(0, count);
}

async function open(cell: Cell): Promise<void> {
  await cell.open();
}

function puts(table: Table): WriteSite['matches'] {
  return ({ operation, body }) => operation === 'PutItem' && body.includes(`-${table}"`);
}

function updates(table: Table): WriteSite['matches'] {
  return ({ operation, body }) => operation === 'UpdateItem' && body.includes(`-${table}"`);
}

function transactions(table: Table): WriteSite['matches'] {
  return ({ operation, body }) => operation === 'TransactWriteItems' && body.includes(`-${table}"`);
}

function meterOf(cell: Cell, store: Store, queue = new KeptQueue()) {
  return createMeter({
    store,
    queue,
    settings: {
      plans: PLANS,
      defaultPlan: 'standard',
      metering: { storeBeforeAnswer: false, groupCommitCu: 0 },
    },
    clock: cell.clock,
    randomBytes: newBytes,
    pause: async () => {},
    telemetry: new RecordedTelemetry(),
  });
}

function holderOf({ keyId, account }: Cell) {
  return { keyId, account };
}

async function admit(cell: Cell, store = cell.store): Promise<string> {
  // The account is read beside the draw: that reading is not what the faults are for.
  const drawing = { ...passOn(cell.stored), update: (update: Update) => store.update(update) };
  const admission = await meterOf(cell, drawing).admit(holderOf(cell), { cu: CALL_CU });
  return admission.admitted ? 'admitted' : admission.refusal.reason;
}

/** Authenticates and admits as an instance does that has just started, every request of it through the cell's store. */
export async function admitAnew(cell: Cell): Promise<string> {
  const meter = meterOf(cell, cell.store);
  const admission = await meter.admit(holderOf(cell), { cu: CALL_CU });
  return admission.admitted ? 'admitted' : admission.refusal.reason;
}

/** Every admission was drawn for; what is drawn without one makes the limit stricter, once. */
function checkDraws(drawnBefore: bigint): WriteSite['check'] {
  return async (cell, outcome) => {
    const item = await cell.stored.get('keys', { key_id: cell.keyId });
    const now = BigInt(cell.clock.timeMs) * 1_000_000_000n;
    const tat = typeof item?.tat === 'bigint' ? item.tat : now;
    const draws = (tat - now) / INCREMENT - drawnBefore;
    expect(['admitted', 'billing_unavailable']).toContain(outcome);
    expect(draws).toBeGreaterThanOrEqual(outcome === 'admitted' ? 1n : 0n);
    expect(draws).toBeLessThanOrEqual(2n);
  };
}

/** Charges as the gateway does, and delivers what it has queued. */
async function chargeThenConsume(cell: Cell): Promise<string> {
  const queue = new KeptQueue();
  const outcome = await meterOf(cell, cell.store, queue).charge(holderOf(cell), CALL_CU, USAGE).store();
  await consume(cell, queue.lanes.map(encodeLane));
  return outcome;
}

/** Delivers messages again and again until none fails. */
async function consume(cell: Cell, bodies: readonly string[]): Promise<string> {
  const { store, clock } = cell;
  let messages = bodies.map((body, place) => ({ messageId: `m${place}`, body }));
  for (let delivery = 1; delivery <= MAX_ATTEMPTS; delivery += 1) {
    const storing = { store, clock, randomBytes: newBytes, telemetry: new RecordedTelemetry() };
    const { batchItemFailures } = await storeLanes(storing, messages);
    if (batchItemFailures.length === 0) return times(delivery);
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    messages = messages.filter(({ messageId }) => failed.has(messageId));
  }
  throw new Error(`lanes failed in ${MAX_ATTEMPTS} deliveries`);
}

async function checkCharged(cell: Cell): Promise<void> {
  expect(await cell.chargedCu()).toBe(BigInt(CALL_CU));
  expect(await cell.markOf(cell.clock.timeMs)).toBeDefined();
}

/** Settles, and again until nothing is on the work list. */
async function settle(cell: Cell): Promise<string> {
  const outcome = await repeat(() => cell.settle());
  cell.clock.timeMs += HOUR_MS;
  await cell.settle();
  return outcome;
}

function checkSettled(cu: number, records: number, units: number): (cell: Cell) => Promise<void> {
  return async (cell) => {
    // A mark or a deletion that arrives late is followed by one more look.
    await cell.settle(cell.stored);
    const settlements = await Array.fromAsync(settlementRecords({ store: cell.stored }, cell.account));
    const sum = (amounts: readonly bigint[]) => amounts.reduce((total, one) => total + one, 0n);
    expect(settlements.length).toBe(records);
    expect(sum(settlements.map(({ settled_cu }) => settled_cu))).toBe(BigInt(cu));
    expect(sum(settlements.map(({ billing_units }) => billing_units))).toBe(BigInt(units));
    expect((await cell.item()).settled).toBe(BigInt(cu));
    expect(await cell.markOf(OPENED_MS)).toBeUndefined();
  };
}

/** Does something until it is known to be done; `exists already` says that it is. */
async function repeat(work: () => Promise<unknown>): Promise<string> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
    try {
      await work();
      return times(attempt);
    } catch (error) {
      if (error instanceof InputError && attempt > 1) return times(attempt);
      if (!isStoreUnavailable(error)) throw error;
    }
  }
  throw new Error(`no certainty after ${MAX_ATTEMPTS} attempts`);
}

function times(attempts: number): string {
  return attempts === 1 ? 'at once' : `attempt ${attempts}`;
}
