import { randomBytes } from 'node:crypto';
import { wantBalanceView } from '../../../lambdas/access/accounts/read-lanes.ts';
import { laneUpdate, markUnsettled, newMark, storeBehindMark } from '../../../lambdas/access/charge/lane.ts';
import { decodeLane, encodeLane } from '../../../lambdas/access/charge/lane-message.ts';
import type { ChargeOutcome, MeterRefusal } from '../../../lambdas/access/contract/metering.ts';
import { createMeter, type ProcessMeter } from '../../../lambdas/access/meter.ts';
import type { Store, Update } from '../../../lambdas/access/store/store.ts';
import type { Table } from '../../../lambdas/access/store/tables.ts';
import { runBalances } from '../../../lambdas/account-balances/handler.ts';
import { createAccount } from '../../../lambdas/accounts/create-account.ts';
import { createKey } from '../../../lambdas/accounts/keys.ts';
import { storeLanes } from '../../../lambdas/charges/handler.ts';
import { runSettlement } from '../../../lambdas/settlement/handler.ts';
import { type Clock, HOUR_MS, hourOf } from '../../../lambdas/shared/runtime/clock.ts';
import type { PlanSettings } from '../../../lambdas/shared/runtime/settings.ts';
import { systemTelemetry } from '../../../lambdas/shared/runtime/telemetry.ts';
import { UNKEPT } from '../../support/kept-leaves.ts';
import { captureLog } from '../log-capture.ts';
import { Random } from '../random.ts';
import { LimitedStore, TRANSACTION_MS } from '../stores/limited-store.ts';
import { MemoryStore } from '../stores/memory-store.ts';
import { passOn } from '../stores/pass-on.ts';
import { VirtualTime } from '../virtual-time.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const ACCOUNT = 'acme';
const CHAIN = 'example_mainnet';
/** Longest time of one exchange with the store; every one takes at least a millisecond. */
const MAX_STORE_MS = 9;
const QUEUE_MS = 15;
/** Time after which the queue delivers a message, and delivers it again if it could not be stored. */
const DELIVERY_MS = 2_000;
const REDELIVERY_MS = 180_000;
const NODE_MS = 120;
const CALL_CU = 20;
/** Default balance of an account: the use of its keys in so many seconds. */
const GRANTED_SECONDS = 30 * 86_400;
const SETTLEMENT_MS = 3_600_000;

export interface ScaleOptions {
  readonly plan: PlanSettings;
  readonly keys: number;
  readonly startMs: number;
  /** Balance of the account at the start, in compute units. @default the use of its keys in 30 days */
  readonly balanceCu?: number;
  /** Hours before the start that are not settled, and the lanes and compute units of each. @default none */
  readonly open?: { readonly hours: number; readonly lanes: number; readonly cu: number };
  /** Bytes of the usage of each lane. @default as many as its charges take */
  readonly usageBytes?: number;
  /** How far clocks are apart at most, in milliseconds. @default 0 */
  readonly skewMs?: number;
}

/** An instance of the gateway: it serves one request at a time, as a Lambda function does. */
interface Instance {
  readonly meter: ProcessMeter;
  busy: number;
}

/** A time in which no run of a function begins, and one under way ends. */
export interface Absence {
  readonly fromMs: number;
  readonly toMs: number;
}

/** Results of a run. */
export interface ScaleFigures {
  readonly requests: number;
  readonly answered: number;
  readonly refused: Readonly<Record<string, number>>;
  readonly charges: Readonly<Record<string, number>>;
  /** Compute units that were answered, and those of them that lanes do not hold. */
  readonly answeredCu: number;
  readonly unchargedCu: number;
  /** Requests that DynamoDB refused for its limits, and write units of one write of a lane. */
  readonly throttled: number;
  readonly unitsPerCharge: number;
  /** Second, from the start, of the last answer 503; undefined: there was none. */
  readonly last503Second: number | undefined;
  /** Compute units that were answered beyond the balance. */
  readonly overdrawnCu: number;
  /** Read units of the account's items, lanes and balance view, a second on average. */
  readonly readUnitsPerSecond: number;
}

/** Figures of a run that lost nothing and refused nobody for want of the store. */
export const SOUND = { unchargedCu: 0, throttled: 0, last503Second: undefined };

/** A plan that sells so many requests a second, whose bucket holds those of so many seconds. */
export function planSelling(requestsPerSecond: number, bucketSeconds: number, shards: number): PlanSettings {
  const refillPerSecond = requestsPerSecond * CALL_CU;
  return { bucketCapacity: bucketSeconds * refillPerSecond, refillPerSecond, drawAhead: false, shards };
}

export function printFigures(name: string, figures: ScaleFigures, more: object = {}): void {
  process.stdout.write(`${name}: ${JSON.stringify({ ...figures, ...more })}\n`);
}

/** The real access code of many instances over a store with DynamoDB's limits and no burst credit, in virtual time. */
export class ScaleRun {
  readonly time: VirtualTime;
  readonly limited: LimitedStore;
  readonly #store = new MemoryStore();
  /** Starts a run of the function that keeps balances, as who first wants a view does. */
  #startBalances: (() => void) | undefined;
  readonly #options: ScaleOptions;
  readonly #random = new Random(1);
  readonly #instances: Instance[] = [];
  readonly #keys: string[] = [];
  readonly #refused = new Map<MeterRefusal['reason'] | 'unauthenticated', number>();
  readonly #charges = new Map<ChargeOutcome, number>();
  #requests = 0;
  #answered = 0;
  #last503Ms: number | undefined;
  #balanceCu = 0;
  #readsFromMs: number;
  #readsBefore = 0;

  constructor(options: ScaleOptions) {
    this.#options = options;
    this.time = new VirtualTime(options.startMs);
    this.#readsFromMs = options.startMs;
    this.limited = new LimitedStore({ store: this.#store, nowMs: () => this.time.nowMs });
  }

  /** Makes the account and its keys. */
  async open(): Promise<void> {
    const { plan, keys } = this.#options;
    const { open = { hours: 0, lanes: 0, cu: 0 }, startMs } = this.#options;
    this.#balanceCu = this.#options.balanceCu ?? GRANTED_SECONDS * plan.refillPerSecond * keys;
    const credit = { cu: this.#balanceCu + open.hours * open.cu, reference: 'opening' };
    const opened = { now: () => startMs - open.hours * HOUR_MS };
    await createAccount(this.#store, opened, { account: ACCOUNT, plan: 'plan', shards: plan.shards, credit });
    for (let hour = 1; hour <= open.hours; hour += 1)
      await this.#fill(hourOf(startMs - hour * HOUR_MS), open);
    for (let key = 0; key < keys; key += 1) {
      const apiKey = `rgw_${Buffer.from(this.#random.bytes(32)).toString('hex')}`;
      await createKey(this.#store, this.time, { account: ACCOUNT, apiKey });
      this.#keys.push(apiKey);
    }
  }

  /** Lanes of processes that ended. */
  async #fill(hour: string, { lanes, cu }: { readonly lanes: number; readonly cu: number }): Promise<void> {
    const { plan, usageBytes = 0 } = this.#options;
    for (let lane = 0; lane < lanes; lane += 1) {
      const total = BigInt(Math.floor(cu / lanes) + (lane < cu % lanes ? 1 : 0));
      const used = `${CHAIN} eth_call:1:${total}`.padEnd(usageBytes);
      const id = Buffer.from(this.#random.bytes(8)).toString('base64url');
      const key = { account: ACCOUNT, shard: lane % plan.shards, hour, lane: id };
      if (total > 0n) await this.#store.update(laneUpdate({ ...key, charges: 1, total, used }));
      if (lane < plan.shards) await markUnsettled(this.#store, key, newMark(this.time.nowMs, randomBytes));
    }
  }

  /** Asks for the balance view, as an instance does that finds too many lanes. */
  wantView(): Promise<boolean> {
    return wantBalanceView(this.#store, ACCOUNT);
  }

  /** Runs of the function that keeps balances, one a minute and one for the first who wants a view. While it is `away`, none begins, and one under way stops. */
  keepBalances(untilMs: number, away?: Absence): void {
    const { time } = this;
    const { plan } = this.#options;
    const isAway = () => away !== undefined && time.nowMs >= away.fromMs && time.nowMs < away.toMs;
    const clock = this.#clock();
    const run = () => {
      if (time.nowMs >= untilMs || isAway()) return;
      const live = this.#lifeUntil(away, time.nowMs);
      void runBalances({
        store: this.#remote(live),
        clock,
        pause: (durationMs) => this.time.pause(durationMs).then(live),
        telemetry: systemTelemetry,
        settings: { plans: { plan }, defaultPlan: 'plan' },
      });
    };
    const start = () => {
      if (time.nowMs >= untilMs) return;
      time.after(MINUTE_MS, start);
      run();
    };
    this.#startBalances = run;
    start();
  }

  /** What lets a process go on: never once it has ended. */
  #lifeUntil(away: Absence | undefined, startedMs: number): () => Promise<void> {
    return async () => {
      if (away !== undefined && startedMs < away.fromMs && this.time.nowMs >= away.fromMs)
        await new Promise(() => {});
    };
  }

  /** A clock that is up to the run's skew ahead or behind. */
  #clock(): Clock {
    const { skewMs = 0 } = this.#options;
    const offsetMs = skewMs === 0 ? 0 : this.#random.integer(0, skewMs);
    return { now: () => this.time.nowMs + offsetMs };
  }

  /** Runs to the end; the figures of reads are those of a part of the run. */
  async figuresBetween(fromMs: number, toMs: number): Promise<ScaleFigures> {
    let reads: Pick<ScaleFigures, 'readUnitsPerSecond'> | undefined;
    this.time.at(fromMs, () => {
      this.#readsFromMs = fromMs;
      this.#readsBefore = this.#accountReads();
    });
    this.time.at(toMs, () => {
      reads = { readUnitsPerSecond: this.figures.readUnitsPerSecond };
    });
    await this.run();
    return { ...this.figures, ...reads };
  }

  #accountReads(): number {
    const tables: readonly Table[] = ['accounts', 'lanes', 'balances'];
    return tables.reduce((sum, table) => sum + this.limited.figures(table).readUnits, 0);
  }

  /** So many requests a second for a time, each on any of some instances; without a number, on the next idle one. */
  send(traffic: { fromMs: number; durationMs: number; perSecond: number; instances?: number }): void {
    const { fromMs, durationMs, perSecond, instances } = traffic;
    const count = Math.round((durationMs * perSecond) / SECOND_MS);
    const next = (sent: number) => {
      if (sent === count) return;
      this.time.at(fromMs + (sent * SECOND_MS) / perSecond, () => {
        this.request(instances === undefined ? this.#idle() : this.#random.integer(0, instances - 1));
        next(sent + 1);
      });
    };
    next(0);
  }

  /** One request on an instance. */
  request(place: number): void {
    const instance = this.#instances[place] ?? this.#start(place);
    this.#requests += 1;
    instance.busy += 1;
    this.#serve(instance, this.#keys[this.#random.integer(0, this.#keys.length - 1)] ?? '').finally(() => {
      instance.busy -= 1;
    });
  }

  /** The charge of an instance that was admitted, without its admission: a new instance reads all lanes for that. */
  charge(): void {
    const lane = {
      account: ACCOUNT,
      shard: this.#random.integer(0, this.#options.plan.shards - 1),
      hour: hourOf(this.time.nowMs),
      lane: Buffer.from(this.#random.bytes(8)).toString('base64url'),
      charges: 1,
      total: BigInt(CALL_CU),
      used: `${CHAIN} eth_call:1:${CALL_CU}`,
    };
    this.#requests += 1;
    this.#answered += 1;
    const storing = {
      store: this.#remote(),
      clock: this.time,
      randomBytes: (count: number) => this.#random.bytes(count),
      telemetry: systemTelemetry,
    };
    storeBehindMark(storing, lane).then(
      () => this.#charges.set('stored', (this.#charges.get('stored') ?? 0) + 1),
      () => this.#refuse('billing_unavailable'),
    );
  }

  /** Lets everything happen that is planned; the log stays quiet. */
  async run(): Promise<void> {
    const release = captureLog(() => {});
    try {
      await this.time.run();
    } finally {
      release();
    }
  }

  /** Every instance is told to end, and all that is in the queue arrives. */
  async end(): Promise<void> {
    for (const { meter } of this.#instances.filter(Boolean)) void meter.handOver();
    await this.run();
  }

  /** Settles all that is closed; resolves to what is settled, and how long it took in milliseconds. */
  async settle(): Promise<{ readonly settledCu: number; readonly durationMs: number }> {
    const { time } = this;
    const startMs = time.nowMs;
    const queue = { send: async () => {} };
    const books = {
      store: this.#remote(),
      clock: time,
      pause: this.time.pause,
      telemetry: systemTelemetry,
      ...UNKEPT,
    };
    const remainingMs = () => startMs + SETTLEMENT_MS - time.nowMs;
    let failure: unknown;
    let durationMs = 0;
    runSettlement({ books, queue, remainingMs }, {}).then(
      () => {
        durationMs = time.nowMs - startMs;
      },
      (error) => {
        failure = error;
      },
    );
    await this.run();
    if (failure !== undefined) throw failure;
    return { settledCu: Number(this.#store.peek('accounts', { account: ACCOUNT })?.settled), durationMs };
  }

  get figures(): ScaleFigures {
    const tables: readonly Table[] = ['keys', 'accounts', 'lanes', 'unsettled', 'balances', 'ledger'];
    const throttled = tables.reduce((sum, table) => {
      const { throttledReads, throttledWrites, conflicts } = this.limited.figures(table);
      return sum + throttledReads + throttledWrites + conflicts;
    }, 0);
    const { startMs, open = { hours: 0, cu: 0 } } = this.#options;
    const lanes = this.#store.items('lanes');
    const chargedCu = lanes.reduce((sum, { total }) => sum + Number(total), -open.hours * open.cu);
    const { writeUnits, writes } = this.limited.figures('lanes');
    return {
      requests: this.#requests,
      answered: this.#answered,
      refused: Object.fromEntries(this.#refused),
      charges: Object.fromEntries(this.#charges),
      answeredCu: this.#answered * CALL_CU,
      unchargedCu: this.#answered * CALL_CU - chargedCu,
      throttled,
      unitsPerCharge: writes === 0 ? 0 : writeUnits / writes,
      last503Second: this.#last503Ms === undefined ? undefined : (this.#last503Ms - startMs) / SECOND_MS,
      overdrawnCu: Math.max(0, this.#answered * CALL_CU - this.#balanceCu),
      readUnitsPerSecond: Math.round(
        ((this.#accountReads() - this.#readsBefore) * SECOND_MS) /
          Math.max(1, this.time.nowMs - this.#readsFromMs),
      ),
    };
  }

  /** As the functions do: the node is asked while admission is under way, the charge follows the response. */
  async #serve({ meter }: Instance, apiKey: string): Promise<void> {
    const price = { cu: CALL_CU };
    const holder = await meter.authenticate(apiKey).catch(() => undefined);
    if (holder === undefined) return this.#refuse('unauthenticated');
    const early = meter.expectsAdmission(holder, price) ? this.#askNode() : undefined;
    const admission = await meter.admit(holder, price);
    if (!admission.admitted) return this.#refuse(admission.refusal.reason);
    await (early ?? this.#askNode());
    this.#answered += 1;
    const usage = [{ chain: CHAIN, method: 'eth_call', calls: 1, cu: CALL_CU, cached: 0, errors: 0 }];
    const [outcome] = await Promise.all([meter.charge(holder, CALL_CU, usage).store(), meter.storeDue()]);
    this.#charges.set(outcome, (this.#charges.get(outcome) ?? 0) + 1);
  }

  #refuse(reason: MeterRefusal['reason'] | 'unauthenticated'): void {
    this.#refused.set(reason, (this.#refused.get(reason) ?? 0) + 1);
    if (reason === 'billing_unavailable' || reason === 'unauthenticated') this.#last503Ms = this.time.nowMs;
  }

  #askNode(): Promise<void> {
    return this.time.pause(NODE_MS);
  }

  /** The instance that was idle for the shortest time is not distinguished from others: the first idle one, or a new one. */
  #idle(): number {
    const place = this.#instances.findIndex((instance) => instance.busy === 0);
    return place < 0 ? this.#instances.length : place;
  }

  #start(place: number): Instance {
    const { plan } = this.#options;
    const meter = createMeter({
      store: this.#remote(),
      queue: { send: (lane) => this.#enqueue(encodeLane(lane)) },
      settings: {
        plans: { plan },
        defaultPlan: 'plan',
        metering: { storeBeforeAnswer: false, groupCommitCu: 0 },
      },
      clock: this.#clock(),
      randomBytes: (count) => this.#random.bytes(count),
      pause: this.time.pause,
      telemetry: systemTelemetry,
      startBalances: async () => this.#startBalances?.(),
    });
    const instance = { meter, busy: 0 };
    this.#instances[place] = instance;
    return instance;
  }

  async #enqueue(body: string): Promise<void> {
    await this.time.pause(QUEUE_MS);
    if (decodeLane(body) === undefined) throw new Error(`no lane: ${body}`);
    this.time.after(DELIVERY_MS, () => this.#deliver(body));
  }

  async #deliver(body: string): Promise<void> {
    const storing = {
      store: this.#remote(),
      clock: this.time,
      randomBytes: (count: number) => this.#random.bytes(count),
      telemetry: systemTelemetry,
    };
    const { batchItemFailures } = await storeLanes(storing, [{ messageId: body, body }]);
    if (batchItemFailures.length > 0) this.time.after(REDELIVERY_MS, () => this.#deliver(body));
  }

  /** A lane of as many bytes of usage as the run says. */
  #padded(update: Update): Update {
    const { usageBytes } = this.#options;
    if (update.table !== 'lanes' || usageBytes === undefined) return update;
    return { ...update, set: { ...update.set, used: String(update.set?.used).padEnd(usageBytes) } };
  }

  /** The store with limits, some milliseconds away. */
  #remote(live?: () => Promise<void>): Store {
    const { limited } = this;
    const exchange = async <T>(carryOut: () => Promise<T>): Promise<T> => {
      await live?.();
      await this.time.pause(this.#random.integer(1, MAX_STORE_MS));
      const result = await carryOut();
      await live?.();
      return result;
    };
    return {
      ...passOn(limited, exchange),
      update: (update) => exchange(() => limited.update(this.#padded(update))),
      transact: async (actions) => {
        const result = await exchange(() => limited.transact(actions));
        // Its response says that it is over.
        await this.time.pause(TRANSACTION_MS);
        return result;
      },
    };
  }
}
