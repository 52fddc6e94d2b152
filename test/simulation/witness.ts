import { hourOf } from '../../lambdas/access/hour.ts';
import type { Admission, KeyHolder, Meter, Price } from '../../lambdas/access/metering.ts';
import type { Item, Value } from '../../lambdas/access/store.ts';
import type { Table } from '../../lambdas/access/tables.ts';
import type { RpcAnswer } from '../../lambdas/rpc/handle-request.ts';
import type { PlanSettings } from '../../lambdas/settings.ts';
import { type ClientRequest, requestNumberOf } from './client-request.ts';
import { type AdmittedRequest, boundViolation } from './rate-bound.ts';
import type { Tally } from './tally.ts';
import type { VirtualTime } from './virtual-time.ts';

/** First word of a violation that is an exception: it says nothing about the books. */
export const DEFECT = 'defect';

const HOUR_PREFIX = 'h_';
const PICOSECONDS_PER_MS = 1_000_000_000n;
const PICOSECONDS_PER_SECOND = 1_000_000_000_000n;

/**
 * Sees what the clients asked, what the node answered and what the store was made to hold, and nothing of what the
 * code under test thinks of it. Finds fault with every single write, admission and answer as it happens.
 */
export class Witness {
  readonly requests: ClientRequest[] = [];
  /** Compute units that were charged, by account and hour. */
  readonly chargedCu = new Map<string, bigint>();
  violation: string | undefined;
  /** A refusal that was wrong: told only if no bound was broken, which says more. */
  #suspicion: string | undefined;
  readonly #time: VirtualTime;
  readonly #tally: Tally;
  readonly #plans: ReadonlyMap<number, PlanSettings>;
  readonly #admitted = new Map<string, AdmittedRequest[]>();
  readonly #keys = new Map<string, Item>();
  /** Until when a key was last active; no end: it is. */
  readonly #activeUntil = new Map<string, number>();
  /** Until when an account last had a balance; no end: it has. */
  readonly #solventUntil = new Map<string, number>();

  /** Plans are told apart by their capacities. */
  constructor(parts: { readonly time: VirtualTime; readonly tally: Tally }, plans: readonly PlanSettings[]) {
    this.#time = parts.time;
    this.#tally = parts.tally;
    this.#plans = new Map(plans.map((plan) => [plan.bucketCapacity, plan]));
  }

  /** Notes what is wrong and ends the run. */
  blame(violation: string): void {
    this.violation ??= violation;
    this.#time.stop();
  }

  /** Ends the run because something failed that never may. */
  blameDefect(error: unknown): void {
    this.blame(`${DEFECT}: ${error instanceof Error ? error.stack : String(error)}`);
  }

  /** To be told of every write that changes the store. */
  readonly onWrite = (table: Table, before: Item | undefined, after: Item): void => {
    if (table === 'accounts') this.#seeAccount(before, after);
    if (table === 'keys') this.#seeKey(after);
    if (table === 'ledger' && before !== undefined) this.blame(`record ${after.record} was written again`);
  };

  /** The meter of an instance, watched while it serves one request. */
  watch(meter: Meter, request: ClientRequest): Pick<Meter, 'admit' | 'charge'> {
    const { clock } = request.process;
    return {
      admit: async (holder, price) => {
        const arrivedMs = this.#time.nowMs;
        const clockMs = clock.now();
        const admission = await meter.admit(holder, price);
        this.#seeAdmission(holder, price, admission, arrivedMs, clockMs);
        return admission;
      },
      charge: async (holder, cu, usage) => {
        request.chargeHour = hourOf(clock.now());
        const outcome = await meter.charge(holder, cu, usage);
        request.outcome = outcome.state;
        this.#tally.add(`charge: ${outcome.state}`);
        if (outcome.state === 'charged' && request.charges === 0) {
          this.blame(`request ${request.number} is said to be charged and is not`);
        }
        return outcome;
      },
    };
  }

  /** The client gets its answer; undefined: 404. What it says of the bill is what the request was charged. */
  seeAnswer(request: ClientRequest, answer: RpcAnswer | undefined): void {
    request.ended = true;
    this.#tally.add(`answer: ${answer?.status ?? 404}`);
    const billed = answer?.headers['X-CU-Billed'];
    const { number, outcome, answeredCu = 0 } = request;
    if (outcome === 'lost' || answer === undefined) return;
    if (billed !== String(answeredCu)) {
      this.blame(`request ${number} is told ${billed} CU for an answer of ${answeredCu} CU`);
    }
    if (answeredCu > 0 && outcome === undefined) {
      this.blame(`request ${number} was answered and is not charged`);
    }
  }

  /** Finds fault with the limits of any key, over every window of time. */
  checkBounds(spreadMs: number): void {
    for (const [keyId, admitted] of this.#admitted) {
      const violation = boundViolation(admitted, spreadMs);
      if (violation !== undefined) this.blame(`key ${keyId.slice(0, 8)}: ${violation}`);
    }
    if (this.#suspicion !== undefined) this.blame(this.#suspicion);
  }

  #seeAccount(before: Item | undefined, after: Item): void {
    const account = String(after.account);
    const change = amount(after.charged) - amount(before?.charged);
    if (change < 0n || amount(after.granted) < amount(before?.granted)) {
      this.blame(`account ${account}: charged or granted went back`);
    }
    const grown = this.#checkPending(account, before, after);
    if (change > 0n) this.#seeCharge(after, change, grown);
    const balance = amount(after.granted) - amount(after.charged);
    this.#seeCondition(this.#solventUntil, account, balance > 0n);
  }

  /** Nothing is charged that is not pending or settled. Returns the hours that grew. */
  #checkPending(account: string, before: Item | undefined, after: Item): string[] {
    const grown: string[] = [];
    let pending = 0n;
    for (const name in after) {
      if (!name.startsWith(HOUR_PREFIX)) continue;
      const cu = amount(after[name]);
      pending += cu;
      if (cu > amount(before?.[name])) grown.push(name.slice(HOUR_PREFIX.length));
    }
    if (amount(after.settled) + pending !== amount(after.charged)) {
      this.blame(
        `account ${account}: charged ${after.charged}, settled ${after.settled}, pending ${pending}`,
      );
    }
    if (pending > 0n && after.pending_hour === undefined) {
      this.blame(`account ${account} has usage and is not in the index`);
    }
    return grown;
  }

  #seeCharge(after: Item, cu: bigint, hours: readonly string[]): void {
    const request = this.requests[requestNumberOf(after.used)];
    const hour = hours.join(' ');
    const key = `${after.account} ${hour}`;
    this.chargedCu.set(key, (this.chargedCu.get(key) ?? 0n) + cu);
    this.#tally.add('CU charged', Number(cu));
    if (request !== undefined) request.charges += 1;
    const fault = chargeFault(request, String(after.account), cu, hour);
    if (fault !== undefined) this.blame(fault);
  }

  #seeKey(after: Item): void {
    const keyId = String(after.key_id);
    this.#keys.set(keyId, after);
    this.#seeCondition(this.#activeUntil, keyId, after.status === 'active');
  }

  #seeCondition(until: Map<string, number>, name: string, holds: boolean): void {
    if (holds) until.set(name, Number.POSITIVE_INFINITY);
    else if (until.get(name) === Number.POSITIVE_INFINITY) until.set(name, this.#time.nowMs);
  }

  #seeAdmission(
    { keyId, account }: KeyHolder,
    price: Price,
    admission: Admission,
    arrivedMs: number,
    clockMs: number,
  ): void {
    this.#tally.add(`admission: ${admission.admitted ? 'admitted' : admission.refusal.reason}`);
    if (admission.admitted) {
      if ((this.#activeUntil.get(keyId) ?? 0) < arrivedMs) this.blame('a disabled key was admitted');
      if ((this.#solventUntil.get(account) ?? 0) < arrivedMs) {
        this.blame(`account ${account} was admitted without a balance`);
      }
      const admitted = this.#admitted.get(keyId) ?? [];
      this.#admitted.set(keyId, admitted);
      admitted.push({ arrivedMs, ...price, plan: this.#planOf(admission.limits[0]?.quota) });
      return;
    }
    const { refusal } = admission;
    if (refusal.reason === 'rate_limited' && refusal.retryAfterMs !== undefined) {
      this.#checkRefusal(keyId, price, this.#planOf(refusal.limits[0]?.quota), clockMs);
    }
  }

  /** Whoever is refused would have been refused by the store: its bucket never moves back. */
  #checkRefusal(keyId: string, price: Price, plan: PlanSettings, clockMs: number): void {
    const bucket = this.#keys.get(keyId);
    const now = BigInt(clockMs) * PICOSECONDS_PER_MS;
    const full = (taken: number, capacity: number, perSecond: number, tat: Value | undefined) =>
      amount(tat) > now && amount(tat) + refillTime(taken, perSecond) - refillTime(capacity, perSecond) > now;
    const { bucketCapacity, refillPerSecond, requestsPerSecond = 0 } = plan;
    if (full(price.cu, bucketCapacity, refillPerSecond, bucket?.tat)) return;
    if (requestsPerSecond > 0 && full(price.calls, requestsPerSecond, requestsPerSecond, bucket?.rt)) return;
    this.#suspicion ??= `key ${keyId.slice(0, 8)} was refused, and its bucket has room`;
  }

  #planOf(capacity: number | undefined): PlanSettings {
    const plan = this.#plans.get(capacity ?? 0);
    if (plan === undefined) throw new Error(`no plan has a capacity of ${capacity}`);
    return plan;
  }
}

/** One charge for what was answered, of the hour in which it was charged, to the account that asked. */
function chargeFault(
  request: ClientRequest | undefined,
  account: string,
  cu: bigint,
  hour: string,
): string | undefined {
  if (request === undefined) return `a charge of ${cu} CU is for no request`;
  const { number, answeredCu, chargeHour, charges } = request;
  if (charges > 1) return `request ${number} was charged ${charges} times`;
  if (account !== request.account) return `request ${number} was charged to ${account}`;
  if (cu !== BigInt(answeredCu ?? 0)) {
    return `request ${number} was charged ${cu} CU for an answer of ${answeredCu} CU`;
  }
  return hour === chargeHour ? undefined : `request ${number} of ${chargeHour} was charged to '${hour}'`;
}

function refillTime(taken: number, perSecond: number): bigint {
  return (BigInt(taken) * PICOSECONDS_PER_SECOND) / BigInt(perSecond);
}

function amount(value: Value | undefined): bigint {
  return typeof value === 'bigint' ? value : 0n;
}
