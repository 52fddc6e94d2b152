import { accountShard, hourLane, type LaneTotal } from '../../lambdas/access/charge/lane.ts';
import { decodeUsage, usageCu } from '../../lambdas/access/charge/usage-text.ts';
import type { Admission, ChargeOutcome, KeyHolder, Price } from '../../lambdas/access/contract/metering.ts';
import type { ProcessMeter } from '../../lambdas/access/meter.ts';
import type { Item, Key, Value } from '../../lambdas/access/store/store.ts';
import type { Table } from '../../lambdas/access/store/tables.ts';
import type { RpcResponse } from '../../lambdas/rpc/response/rpc-response.ts';
import { HEADS_PARTITION } from '../../lambdas/settlement/heads.ts';
import { hourOf } from '../../lambdas/shared/runtime/clock.ts';
import type { PlanSettings } from '../../lambdas/shared/runtime/settings.ts';
import type { ClientRequest } from './actors/client-request.ts';
import { OwnCharges } from './actors/own-charges.ts';
import type { Machine, SimulatedProcess } from './actors/simulated-process.ts';
import { type AdmittedRequest, boundViolation, dayViolation } from './scale/rate-bound.ts';

/** First word of a violation that is an exception: it says nothing about the books. */
export const DEFECT = 'defect';

const DAY_MS = 86_400_000;
const PICOSECONDS_PER_MS = 1_000_000_000n;
const PICOSECONDS_PER_SECOND = 1_000_000_000_000n;
/** Longest time for which an instance may go on by what it has seen of a balance or a plan. */
const VIEW_USABLE_MS = 60_000;
/** Longest time for which what was drawn ahead may be used. */
const AHEAD_VALID_MS = 1_000;

/**
 * Sees what the clients asked, what the node answered and what the store was made to hold, and nothing of what the
 * code under test thinks of it. Finds fault with every single write, admission and answer as it happens.
 */
export class Witness {
  readonly requests: ClientRequest[] = [];
  /** `X-CU-Lane` of the responses that clients have got, by account. */
  readonly toldLanes = new Map<string, string[]>();
  /** Compute units that lanes hold, and that records have settled, by account and hour. */
  readonly laneCu = new Map<string, bigint>();
  readonly settledCu = new Map<string, bigint>();
  violation: string | undefined;
  /** A refusal that was wrong: told only if no bound was broken, which says more. */
  #suspicion: string | undefined;
  readonly #machine: Machine;
  readonly #plans: ReadonlyMap<number, PlanSettings>;
  readonly #admitted = new Map<string, AdmittedRequest[]>();
  readonly #keys = new Map<string, Item>();
  readonly #charges = new Map<SimulatedProcess, Map<string, OwnCharges>>();
  readonly #lanes = new Map<string, OwnCharges>();
  /** Compute units that credits have granted, the hours with charges, and the oldest open hour, by account. */
  readonly #creditedCu = new Map<string, bigint>();
  readonly #hours = new Map<string, Set<string>>();
  readonly #openFrom = new Map<string, string>();
  readonly #planChangedMs = new Map<string, number>();
  /** Until when a key was last active; no end: it is. */
  readonly #activeUntil = new Map<string, number>();
  /** Until when an account last had a balance; no end: it has. */
  readonly #solventUntil = new Map<string, number>();
  readonly #restored = new Set<string>();
  readonly #everRestored = new Set<string>();

  /** Plans are distinguished by their capacities. */
  constructor(machine: Machine, plans: readonly PlanSettings[]) {
    this.#machine = machine;
    this.#plans = new Map(plans.map((plan) => [plan.bucketCapacity, plan]));
  }

  /** Charges of each process, by account and hour. */
  get charges(): readonly OwnCharges[] {
    return [...this.#charges.values()].flatMap((ofProcess) => [...ofProcess.values()]);
  }

  /** Notes what is wrong and ends the run. */
  blame(violation: string): void {
    this.violation ??= violation;
    this.#machine.time.stop();
  }

  /** Ends the run because something failed that never may. */
  blameDefect(error: unknown): void {
    this.blame(`${DEFECT}: ${error instanceof Error ? error.stack : String(error)}`);
  }

  /** To be told of every write that changes the store. */
  readonly onWrite = (table: Table, before: Item | undefined, after: Item | undefined): void => {
    if (table === 'accounts') this.#seeAccount(before, after);
    if (table === 'keys' && after !== undefined) this.#seeKey(before, after);
    if (table === 'lanes') this.#seeLane(before, after);
    if (table === 'ledger') this.#seeRecord(before, after);
  };

  #keepLane(account: string, lane: string): void {
    const told = this.toldLanes.get(account);
    if (told === undefined) this.toldLanes.set(account, [lane]);
    else told.push(lane);
  }

  /** Whether a lane has ever come to a number of charges with a total. */
  wasAt(
    { account, shard, hour, lane }: Pick<LaneTotal, 'account' | 'shard' | 'hour' | 'lane'>,
    { n, total }: { readonly n: number; readonly total: number },
  ): boolean {
    const own = this.#lanes.get(`${accountShard(account, shard)} ${hourLane(hour, lane)}`);
    return own?.chargesAt(BigInt(total)) === n;
  }

  /** To be told when an account item goes back in time, or away: until it is made anew, it may say anything. */
  noteRestore(account: string): void {
    this.#restored.add(account);
    this.#everRestored.add(account);
  }

  noteRebuild(account: string): void {
    this.#restored.delete(account);
  }

  /** Whether an account was ever restored: an audit that read it then may say so later. */
  wasRestored(account: string | undefined): boolean {
    return account !== undefined && this.#everRestored.has(account);
  }

  /** To be told of every lane that a process sends, to the store or to the queue. */
  noteLane(process: SimulatedProcess, { account_shard = '', hour_lane = '' }: Key): void {
    const name = `${account_shard} ${hour_lane}`;
    const [account = ''] = account_shard.split('#');
    const [hour = ''] = hour_lane.split('#');
    const own = this.#chargesOf(process, account, hour);
    const known = this.#lanes.get(name);
    if (known !== undefined && known !== own) this.blame(`two processes write lane ${name}`);
    if (own.lane !== undefined && own.lane !== name)
      this.blame(`a process writes lane ${name} beside ${own.lane}`);
    if (own.toldLane !== undefined && own.toldLane !== hour_lane)
      this.blame(`clients are told of lane ${own.toldLane}, and ${hour_lane} is written`);
    own.lane = name;
    this.#lanes.set(name, own);
  }

  /** The meter of an instance, watched while it serves one request. */
  watch(
    meter: ProcessMeter,
    request: ClientRequest,
  ): Pick<ProcessMeter, 'admit' | 'usedUpBalance' | 'charge' | 'expectsAdmission' | 'noteRefusal'> {
    const { process } = request;
    return {
      noteRefusal: (holder, reason) => meter.noteRefusal(holder, reason),
      usedUpBalance: (holder) => meter.usedUpBalance(holder),
      expectsAdmission: (holder, price) => meter.expectsAdmission(holder, price),
      admit: async (holder, price) => {
        const arrivedMs = this.#machine.time.nowMs;
        const clockMs = process.clock.now();
        const admission = await meter.admit(holder, price);
        request.admitted = admission.admitted;
        this.#seeAdmission(holder, price, admission, arrivedMs, clockMs);
        return admission;
      },
      charge: (holder, cu, usage, hour = hourOf(process.clock.now())) => {
        const own = this.#chargesOf(process, holder.account, hour);
        request.chargedCu += cu;
        const charge = own.begin(cu, process.faults);
        request.charges.push(charge);
        const { lane, store } = meter.charge(holder, cu, usage, hour);
        const fault = own.seePosition(charge, lane);
        if (fault !== undefined) this.blame(`account ${own.account} ${own.hour}: ${fault}`);
        return {
          lane,
          store: async () => {
            const outcome = await store();
            own.end(charge, outcome, process.faults);
            this.#seeOutcome(own, outcome, charge.position);
            return outcome;
          },
        };
      },
    };
  }

  /** The client gets its response; undefined: 404. What it says of the bill is what the node has answered. */
  seeAnswer(request: ClientRequest, answer: RpcResponse | undefined): void {
    request.ended = true;
    this.#machine.tally.add(`answer: ${answer?.status ?? 404}`);
    if (answer === undefined) return;
    const billed = answer.headers['X-CU-Billed'];
    const lane = answer.headers['X-CU-Lane'];
    if (lane !== undefined) this.#keepLane(request.account, `${lane} ${billed}`);
    const { number, answeredCu } = request;
    if (billed !== String(answeredCu)) {
      this.blame(`request ${number} is told ${billed} CU for an answer of ${answeredCu} CU`);
    }
  }

  /** All that belongs to a request is done: it is charged what its response is worth, and no charge continues behind it. */
  seeConclusion({ number, answeredCu, chargedCu, charges }: ClientRequest): void {
    if (charges.some(({ outcome }) => outcome === undefined))
      this.blame(`request ${number} has ended, and its charge is under way`);
    if (chargedCu === answeredCu) return;
    this.blame(`request ${number} is charged ${chargedCu} CU for an answer of ${answeredCu} CU`);
  }

  /** Finds fault with the limits of any key, over every window of time. */
  checkBounds(spreadMs: number): void {
    for (const [keyId, admitted] of this.#admitted) {
      const isAhead = admitted.some(({ plan }) => plan.drawAhead === true);
      const violation = boundViolation(admitted, spreadMs + (isAhead ? AHEAD_VALID_MS : 0));
      if (violation !== undefined) this.blame(`key ${keyId.slice(0, 8)}: ${violation}`);
      const cuPerDay = cuPerDayOf(this.#keys.get(keyId));
      const margins = { skewMs: this.#machine.maxSkewMs, aheadMs: isAhead ? AHEAD_VALID_MS : 0 };
      const overDay = cuPerDay === undefined ? undefined : dayViolation(admitted, cuPerDay, margins);
      if (overDay !== undefined) this.blame(`key ${keyId.slice(0, 8)} ${overDay}`);
    }
    if (this.#suspicion !== undefined) this.blame(this.#suspicion);
  }

  #chargesOf(process: SimulatedProcess, account: string, hour: string): OwnCharges {
    const ofProcess = this.#charges.get(process) ?? new Map<string, OwnCharges>();
    this.#charges.set(process, ofProcess);
    const name = `${account} ${hour}`;
    const own = ofProcess.get(name) ?? new OwnCharges(process, account, hour);
    ofProcess.set(name, own);
    return own;
  }

  #seeOutcome(own: OwnCharges, outcome: ChargeOutcome, position: bigint): void {
    this.#machine.tally.add(`charge: ${outcome}`);
    if (outcome === 'stored' && own.stored < position) {
      this.blame(`account ${own.account} ${own.hour}: a charge is said to be stored and is not`);
    }
  }

  #seeAccount(before: Item | undefined, after: Item | undefined): void {
    const account = String((after ?? before)?.account);
    if (before?.plan !== after?.plan) this.#planChangedMs.set(account, this.#machine.time.nowMs);
    if (after !== undefined) this.#openFrom.set(account, String(after.open_from));
    if (this.#restored.has(account)) return;
    if (after === undefined) this.blame(`account ${account} was deleted`);
    else if (
      amount(after.settled) < amount(before?.settled) ||
      amount(after.granted) < amount(before?.granted)
    ) {
      this.blame(`account ${account}: settled or granted went back`);
    }
  }

  #seeLane(before: Item | undefined, after: Item | undefined): void {
    const name = `${after?.account_shard} ${after?.hour_lane}`;
    const own = this.#lanes.get(name);
    if (after === undefined || own === undefined) {
      this.blame(`lane ${name} is of no process, or was deleted`);
      return;
    }
    const total = amount(after.total);
    const fault = own.see(total, amount(after.n));
    if (fault !== undefined) this.blame(`account ${own.account} ${own.hour}: ${fault}`);
    const usage = decodeUsage(String(after.used));
    if (usage === undefined || BigInt(usageCu(usage)) !== total)
      this.blame(`the usage of lane ${name} is not its total`);
    const risen = total - amount(before?.total);
    add(this.laneCu, `${own.account} ${own.hour}`, risen);
    this.#hours.set(own.account, (this.#hours.get(own.account) ?? new Set()).add(own.hour));
    this.#seeBalance(own.account);
    this.#machine.tally.add('CU charged', Number(risen));
  }

  #seeRecord(before: Item | undefined, after: Item | undefined): void {
    if (after?.account === HEADS_PARTITION) {
      if (amount(after.number) < amount(before?.number)) this.blame('the ledger knows an earlier head again');
      return;
    }
    if (before !== undefined) this.blame(`record ${before.record} was written again`);
    const account = String(after?.account);
    if (String(after?.record).startsWith('credit#')) add(this.#creditedCu, account, amount(after?.cu));
    const name = `${account} ${after?.hour}`;
    if (after?.hour !== undefined) add(this.settledCu, name, amount(after.settled_cu));
    this.#seeBalance(account);
    if ((this.settledCu.get(name) ?? 0n) > (this.laneCu.get(name) ?? 0n)) {
      this.blame(`${name}: more is settled than its lanes hold`);
    }
  }

  /** What comes late for an hour that is closed is in the balance once it is settled. */
  #seeBalance(account: string): void {
    let balance = this.#creditedCu.get(account) ?? 0n;
    const openFrom = this.#openFrom.get(account) ?? '';
    for (const hour of this.#hours.get(account) ?? []) {
      balance -= (hour < openFrom ? this.settledCu : this.laneCu).get(`${account} ${hour}`) ?? 0n;
    }
    this.#seeCondition(this.#solventUntil, account, balance > 0n);
  }

  #seeKey(before: Item | undefined, after: Item): void {
    const keyId = String(after.key_id);
    this.#keys.set(keyId, after);
    const fault = dayFault(before, after, [...this.#plans.values()]) ?? this.#earlyDay(after);
    if (fault !== undefined) this.blame(`key ${keyId.slice(0, 8)}: ${fault}`);
    this.#seeCondition(this.#activeUntil, keyId, after.status === 'active');
  }

  /** No clock is further ahead than that of the fastest process. */
  #earlyDay(after: Item): string | undefined {
    const { time, maxSkewMs } = this.#machine;
    const beginsMs = Number(amount(after.day)) * DAY_MS;
    return beginsMs > time.nowMs + maxSkewMs ? 'a day has begun before any clock had it' : undefined;
  }

  #seeCondition(until: Map<string, number>, name: string, holds: boolean): void {
    if (holds) until.set(name, Number.POSITIVE_INFINITY);
    else if ((until.get(name) ?? Number.POSITIVE_INFINITY) === Number.POSITIVE_INFINITY) {
      until.set(name, this.#machine.time.nowMs);
    }
  }

  #seeAdmission(
    { keyId, account }: KeyHolder,
    { cu }: Price,
    admission: Admission,
    arrivedMs: number,
    clockMs: number,
  ): void {
    this.#machine.tally.add(`admission: ${admission.admitted ? 'admitted' : admission.refusal.reason}`);
    const skewMs = 2 * this.#machine.maxSkewMs;
    if (admission.admitted) {
      this.#seeBalance(account);
      const plan = this.#planOf(admission.limits[0]?.quota);
      const aheadMs = plan.drawAhead === true ? AHEAD_VALID_MS + skewMs : 0;
      if ((this.#activeUntil.get(keyId) ?? 0) + aheadMs < arrivedMs)
        this.blame('a disabled key was admitted');
      const isSettled = arrivedMs > (this.#planChangedMs.get(account) ?? 0) + VIEW_USABLE_MS;
      if (isSettled && (this.#solventUntil.get(account) ?? 0) + VIEW_USABLE_MS + skewMs < arrivedMs) {
        this.blame(`account ${account} was admitted without a balance`);
      }
      const admitted = this.#admitted.get(keyId) ?? [];
      this.#admitted.set(keyId, admitted);
      admitted.push({ arrivedMs, admittedMs: this.#machine.time.nowMs, cu, plan });
      return;
    }
    const { refusal } = admission;
    if (refusal.reason === 'rate_limited') {
      this.#checkRefusal(keyId, cu, this.#planOf(refusal.limits[0]?.quota), clockMs);
    }
    if (refusal.reason === 'key_daily_limit') this.#checkDay(keyId, cu, clockMs);
  }

  /** Nor by its day, unless the clock of its process is behind that which began the day. */
  #checkDay(keyId: string, cu: number, clockMs: number): void {
    const key = this.#keys.get(keyId);
    const limit = cuPerDayOf(key);
    const today = BigInt(Math.floor(clockMs / DAY_MS));
    const used = amount(key?.day) < today ? 0n : amount(key?.day_cu);
    this.#machine.tally.add('days that were used up');
    if (amount(key?.day) > today || used + BigInt(cu) > BigInt(limit ?? 0)) return;
    this.#suspicion ??= `key ${keyId.slice(0, 8)} was refused for its day, and that has room`;
  }

  /** A key that is refused would have been refused by the store, too: its bucket never moves back. */
  #checkRefusal(keyId: string, cu: number, plan: PlanSettings, clockMs: number): void {
    const bucket = this.#keys.get(keyId);
    const now = BigInt(clockMs) * PICOSECONDS_PER_MS;
    const full = (taken: number, capacity: number, perSecond: number, tat: Value | undefined) =>
      amount(tat) > now && amount(tat) + refillTime(taken, perSecond) - refillTime(capacity, perSecond) > now;
    const { bucketCapacity, refillPerSecond, requestsPerSecond = 0 } = plan;
    if (full(cu, bucketCapacity, refillPerSecond, bucket?.tat)) return;
    if (requestsPerSecond > 0 && full(1, requestsPerSecond, requestsPerSecond, bucket?.rt)) return;
    this.#suspicion ??= `key ${keyId.slice(0, 8)} was refused, and its bucket has room`;
  }

  #planOf(capacity: number | undefined): PlanSettings {
    const plan = this.#plans.get(capacity ?? 0);
    if (plan === undefined) throw new Error(`no plan has a capacity of ${capacity}`);
    return plan;
  }
}

function cuPerDayOf(key: Item | undefined): number | undefined {
  const { cu_per_day: limit } = JSON.parse(String(key?.bounds ?? '{}')) as { readonly cu_per_day?: number };
  return limit;
}

/**
 * What is wrong with a write to a key that has a limit of its day: each draw counts as much of the day as it takes from the
 * bucket. That is told by the time that the draw adds: to the bucket's, or, where that was full, to whole milliseconds.
 */
function dayFault(before: Item | undefined, after: Item, plans: readonly PlanSettings[]): string | undefined {
  if (before === undefined || cuPerDayOf(after) === undefined) return undefined;
  const [day, dayBefore, tat, tatBefore] = [after.day, before.day, after.tat, before.tat].map(amount);
  if (day === undefined || dayBefore === undefined || tat === undefined || tatBefore === undefined)
    return undefined;
  if (day < dayBefore) return 'its day went back';
  const counted = amount(after.day_cu) - (day === dayBefore ? amount(before.day_cu) : 0n);
  if (tat === tatBefore)
    return counted === 0n ? undefined : `${counted} CU of a day are counted without a draw`;
  const isDrawn = plans.some(({ refillPerSecond }) => {
    const taken = refillTime(Number(counted), refillPerSecond);
    return tat - tatBefore === taken || (tat - taken) % PICOSECONDS_PER_MS === 0n;
  });
  return counted > 0n && isDrawn
    ? undefined
    : `a draw counts ${counted} CU of its day, and takes another amount`;
}

function add(sums: Map<string, bigint>, name: string, cu: bigint): void {
  sums.set(name, (sums.get(name) ?? 0n) + cu);
}

function refillTime(taken: number, perSecond: number): bigint {
  return (BigInt(taken) * PICOSECONDS_PER_SECOND) / BigInt(perSecond);
}

function amount(value: Value | undefined): bigint {
  return typeof value === 'bigint' ? value : 0n;
}
