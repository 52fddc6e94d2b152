import { readCharge } from '../../lambdas/access/account-charge.ts';
import { createAccount, creditAccount, setPlan } from '../../lambdas/access/accounts.ts';
import { keyIdOf } from '../../lambdas/access/api-key.ts';
import { isStoreUnavailable } from '../../lambdas/access/bookkeeping.ts';
import { encodeCharge } from '../../lambdas/access/charge-message.ts';
import { applyCharge, type Charge } from '../../lambdas/access/charge-update.ts';
import { hourOf } from '../../lambdas/access/hour.ts';
import { InputError } from '../../lambdas/access/input-error.ts';
import { createKey, setKeyStatus } from '../../lambdas/access/keys.ts';
import { createMeter } from '../../lambdas/access/meter.ts';
import type { MethodUsage } from '../../lambdas/access/metering.ts';
import { settleAccount } from '../../lambdas/access/settle-account.ts';
import { settlementRecords } from '../../lambdas/access/settlement-ledger.ts';
import type { Item, Store } from '../../lambdas/access/store.ts';
import type { Table } from '../../lambdas/access/tables.ts';
import { foldUsage } from '../../lambdas/access/usage-fold.ts';
import { usageLines } from '../../lambdas/access/usage-read.ts';
import { encodeUsage } from '../../lambdas/access/usage-text.ts';
import { applyCharges } from '../../lambdas/charges/handler.ts';
import { KeptQueue, PLANS, StillClock } from '../access/metering-world.ts';
import type { ProxiedRequest } from './fault-proxy.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const OPENING_CU = 1_000_000;
const CALL_CU = 20;
const PLAN = PLANS.standard as (typeof PLANS)[string];
/** Time in which what a call costs flows back. */
const INCREMENT = (BigInt(CALL_CU) * 1_000_000_000_000n) / BigInt(PLAN.refillPerSecond);
/** Enough for every fault: each happens once. */
const MAX_ATTEMPTS = 8;
/** Attempts of the gateway at one charge; not all of them are needed if one is answered. */
const CHARGE_ATTEMPTS = 3;
/** More idle lanes than settlement leaves alone. */
const IDLE_LANES = 12;
const IDLE_CU = 7;

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

  /** A charge in a lane of its own, which no request knows. */
  charge(lane: string, cu: number, timeMs = this.clock.timeMs): Charge {
    const seq = BigInt(timeMs) * 1_000n;
    return {
      account: this.account,
      lane: lane.padEnd(11, '-'),
      cu: BigInt(cu),
      hour: hourOf(timeMs),
      seq,
      used: USED,
    };
  }

  async apply(charge: Charge): Promise<void> {
    expect((await applyCharge(this.stored, charge)).state).toBe('applied');
  }

  settle(store = this.store): Promise<unknown> {
    const { clock } = this;
    return settleAccount({ store, clock, pause: async () => {} }, this.account);
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
const USED = encodeUsage(USAGE);

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
    name: 'charge',
    matches: updates('accounts'),
    prepare: open,
    run: chargeThenConsume,
    check: checkCharged,
  },
  {
    name: 'charge, at every attempt',
    matches: updates('accounts'),
    times: CHARGE_ATTEMPTS,
    prepare: open,
    run: chargeThenConsume,
    check: checkCharged,
  },
  {
    name: 'charge from the queue',
    matches: updates('accounts'),
    prepare: open,
    run: (cell) => consume(cell, [encodeCharge(cell.charge('queued', CALL_CU))]),
    check: checkCharged,
  },
  {
    name: 'settlement of an hour',
    matches: transactions('ledger'),
    prepare: async (cell) => {
      await cell.open();
      await cell.apply(cell.charge('lane', 1_999));
      cell.clock.timeMs += 2 * HOUR_MS;
    },
    run: settle,
    check: checkSettled(1_999, 1, 1),
  },
  {
    name: 'settlement with pruning and move',
    matches: transactions('ledger'),
    prepare: async (cell) => {
      await cell.open();
      await idleLanes(cell);
      cell.clock.timeMs += DAY_MS;
      await cell.apply(cell.charge('lane', 1_000));
      cell.clock.timeMs += 2 * HOUR_MS;
    },
    run: settle,
    check: checkSettled(IDLE_LANES * IDLE_CU + 1_000, 2, 1),
  },
  {
    name: 'second revision',
    matches: ({ operation, body }) => operation === 'TransactWriteItems' && body.includes('#000002'),
    prepare: async (cell) => {
      await cell.open();
      await cell.apply(cell.charge('lane', 600));
      const usedMs = cell.clock.timeMs;
      cell.clock.timeMs += 2 * HOUR_MS;
      await cell.settle(cell.stored);
      await cell.apply(cell.charge('late', 500, usedMs));
    },
    run: settle,
    check: checkSettled(1_100, 2, 1),
  },
  {
    name: 'pruning alone',
    matches: updates('accounts'),
    prepare: async (cell) => {
      await cell.open();
      await idleLanes(cell);
      cell.clock.timeMs += 2 * HOUR_MS;
      await cell.settle(cell.stored);
      cell.clock.timeMs += DAY_MS;
    },
    run: settle,
    check: async (cell) => {
      const item = await cell.item();
      expect(Object.keys(item).filter((name) => name.startsWith('w_'))).toEqual([]);
      const again = await applyCharge(
        cell.stored,
        cell.charge('idle0', IDLE_CU, cell.clock.timeMs - DAY_MS - 2 * HOUR_MS),
      );
      expect(again.state).toBe('too_late');
      await checkSettled(IDLE_LANES * IDLE_CU, 1, 0)(cell);
    },
  },
  {
    name: 'move in the index alone',
    matches: updates('accounts'),
    prepare: async (cell) => {
      await cell.open();
      const { account, clock } = cell;
      const pending_hour = hourOf(clock.timeMs);
      await cell.stored.update({ table: 'accounts', key: { account }, when: [], set: { pending_hour } });
      clock.timeMs += 2 * HOUR_MS;
    },
    run: settle,
    check: async (cell) => {
      expect((await cell.item()).pending_hour).toBeUndefined();
      await cell.apply(cell.charge('later', 30));
      expect((await cell.item()).pending_hour).toBe(hourOf(cell.clock.timeMs));
    },
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
      expect(await cell.item()).toMatchObject({ granted: BigInt(OPENING_CU), charged: 0n, plan: 'free' });
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
    matches: updates('keys'),
    prepare: open,
    run: (cell) => repeat(() => setKeyStatus(cell.store, cell.keyId, 'disabled')),
    check: async (cell) => {
      expect((await cell.stored.get('keys', { key_id: cell.keyId }))?.status).toBe('disabled');
      expect(await admit(cell, cell.stored)).toBe('key_unknown');
    },
  },
  {
    name: 'plan',
    matches: updates('accounts'),
    prepare: open,
    run: (cell) => repeat(() => setPlan(cell.store, cell.account, 'large')),
    check: async (cell) => {
      expect((await cell.item()).plan).toBe('large');
    },
  },
  {
    name: 'usage',
    matches: transactions('usage'),
    prepare: open,
    run: async (cell) => {
      const before = await cell.item();
      await cell.apply(cell.charge('lane', CALL_CU));
      const charge = readCharge(before, await cell.item());
      return repeat(() => foldUsage(cell.store, cell.account, charge === undefined ? [] : [charge]));
    },
    check: async (cell) => {
      const hour = hourOf(cell.clock.timeMs);
      const lines = await Array.fromAsync(usageLines(cell.stored, cell.account, hour, hour));
      expect(lines).toEqual([{ ...USAGE[0], hour }]);
    },
  },
];

async function open(cell: Cell): Promise<void> {
  await cell.open();
}

function updates(table: Table): WriteSite['matches'] {
  return ({ operation, body }) => operation === 'UpdateItem' && body.includes(`-${table}"`);
}

function transactions(table: Table): WriteSite['matches'] {
  return ({ operation, body }) => operation === 'TransactWriteItems' && body.includes(`-${table}"`);
}

function meterOf(cell: Cell, store: Store, queue = new KeptQueue()) {
  let lanes = 0;
  return createMeter({
    store,
    queue,
    settings: { plans: PLANS, defaultPlan: 'standard' },
    clock: cell.clock,
    randomBytes: (count) => {
      lanes += 1;
      return new Uint8Array(count).fill(lanes);
    },
    pause: async () => {},
  });
}

async function admit(cell: Cell, store = cell.store): Promise<string> {
  const holder = { keyId: cell.keyId, account: cell.account };
  const admission = await meterOf(cell, store).admit(holder, { cu: CALL_CU, calls: 1 });
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
  const holder = { keyId: cell.keyId, account: cell.account };
  const { state } = await meterOf(cell, cell.store, queue).charge(holder, CALL_CU, USAGE);
  await consume(cell, queue.charges.map(encodeCharge));
  return state;
}

/** Delivers messages again and again until none fails. */
async function consume(cell: Cell, bodies: readonly string[]): Promise<string> {
  let messages = bodies.map((body, place) => ({ messageId: `m${place}`, body }));
  for (let delivery = 1; delivery <= MAX_ATTEMPTS; delivery += 1) {
    const { batchItemFailures } = await applyCharges(cell.store, messages);
    if (batchItemFailures.length === 0) return times(delivery);
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    messages = messages.filter(({ messageId }) => failed.has(messageId));
  }
  throw new Error(`charges failed in ${MAX_ATTEMPTS} deliveries`);
}

async function checkCharged(cell: Cell): Promise<void> {
  const item = await cell.item();
  expect(item.charged).toBe(BigInt(CALL_CU));
  expect(item[`h_${hourOf(cell.clock.timeMs)}`]).toBe(BigInt(CALL_CU));
}

async function idleLanes(cell: Cell): Promise<void> {
  for (let lane = 0; lane < IDLE_LANES; lane += 1) await cell.apply(cell.charge(`idle${lane}`, IDLE_CU));
}

/** Settles, and again as the next hour would. */
async function settle(cell: Cell): Promise<string> {
  const outcome = await repeat(() => cell.settle());
  await cell.settle();
  return outcome;
}

function checkSettled(cu: number, records: number, units: number): (cell: Cell) => Promise<void> {
  return async (cell) => {
    const settlements = await Array.fromAsync(settlementRecords(cell.stored, cell.account));
    const sum = (amounts: readonly bigint[]) => amounts.reduce((total, one) => total + one, 0n);
    expect(settlements.length).toBe(records);
    expect(sum(settlements.map(({ settled_cu }) => settled_cu))).toBe(BigInt(cu));
    expect(sum(settlements.map(({ billing_units }) => billing_units))).toBe(BigInt(units));
    const item = await cell.item();
    expect(item).toMatchObject({ charged: BigInt(cu), settled: BigInt(cu) });
    expect(item.pending_hour).toBeUndefined();
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
