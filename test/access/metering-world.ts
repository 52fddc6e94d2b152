import { randomBytes } from 'node:crypto';
import type { ChargeQueue } from '../../lambdas/access/charge/charge.ts';
import { accountShard, type LaneTotal } from '../../lambdas/access/charge/lane.ts';
import type { KeyHolder } from '../../lambdas/access/contract/metering.ts';
import { keyIdOf } from '../../lambdas/access/keys/api-key.ts';
import { createMeter, type ProcessMeter } from '../../lambdas/access/meter.ts';
import { type Item, type Key, type Store, StoreUnavailableError } from '../../lambdas/access/store/store.ts';
import type { Table } from '../../lambdas/access/store/tables.ts';
import { type Clock, hourOf } from '../../lambdas/shared/runtime/clock.ts';
import type { MeteringSettings, PlanSettings } from '../../lambdas/shared/runtime/settings.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

/** A clock that stands still until it is moved. */
export class StillClock implements Clock {
  timeMs: number;

  constructor(timeMs = Date.UTC(2026, 10, 20, 23, 30)) {
    this.timeMs = timeMs;
  }

  now(): number {
    return this.timeMs;
  }
}

/** What happens to one request to the store: nothing applied and told so, no response in time (before, or after it applied), or a reset. */
export type Fault = 'throttled' | 'request_lost' | 'answer_lost' | 'broke';

/** Passes requests on, counts them, and fails the next ones by a script. */
export class FaultyStore implements Store {
  reads = 0;
  writes = 0;
  /** Faults of the next reads and writes, in order; `undefined` lets one through. */
  readonly readFaults: (Fault | undefined)[] = [];
  readonly writeFaults: (Fault | undefined)[] = [];
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  get: Store['get'] = (...request) => this.#read(() => this.#store.get(...request));

  query: Store['query'] = (query) => this.#read(() => this.#store.query(query));

  put: Store['put'] = (put) => this.#write(() => this.#store.put(put));

  update: Store['update'] = (update) => this.#write(() => this.#store.update(update));

  delete: Store['delete'] = (target) => this.#write(() => this.#store.delete(target));

  transact: Store['transact'] = (actions) => this.#store.transact(actions);

  #read<T>(request: () => Promise<T>): Promise<T> {
    this.reads++;
    return failing(this.readFaults.shift(), request);
  }

  #write<T>(request: () => Promise<T>): Promise<T> {
    this.writes++;
    return failing(this.writeFaults.shift(), request);
  }

  forgetCounts(): void {
    this.reads = 0;
    this.writes = 0;
  }
}

async function failing<T>(fault: Fault | undefined, request: () => Promise<T>): Promise<T> {
  if (fault === 'throttled') throw new StoreUnavailableError('throttled', false);
  if (fault === 'request_lost') throw new StoreUnavailableError('timed out', true);
  const response = await request();
  if (fault === 'broke') throw new StoreUnavailableError('reset', true, undefined, true);
  if (fault === 'answer_lost') throw new StoreUnavailableError('timed out', true);
  return response;
}

/** A queue that keeps what it is sent, or fails the next times. */
export class KeptQueue implements ChargeQueue {
  readonly lanes: LaneTotal[] = [];
  failures = 0;

  async send(lane: LaneTotal): Promise<void> {
    if (this.failures > 0) {
      this.failures--;
      throw new Error('queue unavailable');
    }
    this.lanes.push(lane);
  }
}

const NO_OPTIONS = { drawAhead: false, shards: 1 };

export const PLANS: Readonly<Record<string, PlanSettings>> = {
  standard: { bucketCapacity: 1_000, refillPerSecond: 100, ...NO_OPTIONS },
  free: { bucketCapacity: 1_000, refillPerSecond: 100, requestsPerSecond: 5, ...NO_OPTIONS },
  large: { bucketCapacity: 100_000, refillPerSecond: 10_000, ...NO_OPTIONS },
  busy: { bucketCapacity: 10_000, refillPerSecond: 1_000, drawAhead: true, shards: 1 },
};

/** One account with one key, metered by one instance over a store that can fail. */
export class MeteringWorld {
  readonly clock = new StillClock();
  readonly queue = new KeptQueue();
  readonly apiKey = `rgw_${randomBytes(32).toString('hex')}`;
  readonly holder: KeyHolder = {
    keyId: keyIdOf(this.apiKey),
    account: `account-${randomBytes(6).toString('hex')}`,
  };
  readonly store: FaultyStore;
  /** The store itself, to look at and to change what is stored. */
  readonly stored: Store;
  readonly telemetry = new RecordedTelemetry();
  readonly meter: ProcessMeter;
  readonly pauses: number[] = [];

  constructor(stored: Store) {
    this.stored = stored;
    this.store = new FaultyStore(stored);
    this.meter = this.instance();
  }

  /** Another instance of the gateway, which has seen nothing yet. */
  instance(store: Store = this.store, metering: Partial<MeteringSettings> = {}): ProcessMeter {
    return createMeter({
      store,
      queue: this.queue,
      settings: {
        plans: PLANS,
        defaultPlan: 'standard',
        metering: { storeBeforeAnswer: false, groupCommitCu: 0, ...metering },
      },
      clock: this.clock,
      randomBytes: (count) => randomBytes(count),
      telemetry: this.telemetry,
      pause: async (durationMs) => {
        this.pauses.push(durationMs);
        this.clock.timeMs += durationMs;
      },
    });
  }

  async create({ plan = 'standard', granted = 1_000_000n } = {}): Promise<this> {
    const { keyId, account } = this.holder;
    await this.write('accounts', {
      account,
      plan,
      plan_revision: 1n,
      shards: 1n,
      keys: 1n,
      enabled_keys: 1n,
      disabled_at_ms: 0n,
      granted,
      settled: 0n,
      closed: 0n,
      open_from: hourOf(this.clock.timeMs),
      created_at: new Date(this.clock.timeMs).toISOString(),
    });
    await this.write('keys', { key_id: keyId, account, status: 'active' });
    return this;
  }

  async write(table: Table, item: Item): Promise<void> {
    await this.stored.put({ table, item, when: [] });
  }

  async set(table: Table, key: Key, attributes: Item): Promise<void> {
    await this.stored.update({ table, key, when: [], set: attributes });
  }

  async setKeyStatus(status: string): Promise<void> {
    await this.set('keys', { key_id: this.holder.keyId }, { status });
  }

  async setAccount(attributes: Item): Promise<void> {
    await this.set('accounts', { account: this.holder.account }, attributes);
  }

  async account(): Promise<Item> {
    return (await this.stored.get('accounts', { account: this.holder.account })) ?? {};
  }

  /** Lanes of the account as they are stored. */
  async lanes(): Promise<readonly Item[]> {
    const value = accountShard(this.holder.account, 0);
    const partition = { attribute: 'account_shard', value };
    return (await this.stored.query({ table: 'lanes', partition, limit: 1_000 })).items;
  }

  /** Compute units that are stored on lanes. */
  async chargedCu(): Promise<bigint> {
    return (await this.lanes()).reduce((sum, { total }) => sum + BigInt(total ?? 0), 0n);
  }

  async key(): Promise<Item> {
    return (await this.stored.get('keys', { key_id: this.holder.keyId })) ?? {};
  }

  /** Lets the instance see plan and balance, and then forgets the counts. */
  async warm(): Promise<this> {
    await this.meter.admit(this.holder, { cu: 1 });
    this.clock.timeMs += 1_000;
    this.store.forgetCounts();
    return this;
  }
}
