import type { Clock } from '../../runtime/clock.ts';
import { LruMap } from '../../runtime/expiring-memory.ts';
import { MAX_SKEW_MS } from '../head/head-reports.ts';
import { afterRefusal, afterSuspicion, isInForce, type Lack, mayProbe, type NodeHold } from './holds.ts';

/** What a request asks of a node: the time that a trace takes says nothing of the time that a balance takes. */
export type Load = 'light' | 'heavy';

const MAX_SAMPLES = 64;
const SAMPLE_MAX_AGE_MS = 60_000;
/** Samples without which a p95 means nothing. */
const MIN_P95_SAMPLES = 10;
/** Weight of the newest outcome in the error rate. */
const OUTCOME_WEIGHT = 0.1;
/** Time in which an error rate halves by itself: a node that is not asked can have got well. */
const ERROR_HALF_LIFE_MS = 20_000;
/** An upstream with a success this young is alive, whatever is held against it. */
const ALIVE_MS = 10_000;
/** The word of an operator needs no second. */
const SAID = { refusals: 1, isHeard: true } as const;
/** Most methods of which something is held against one node: clients choose what they ask for. */
const MAX_METHODS = 256;

/**
 * What became of the hold of a node that fails or is of another chain, its breaker: opened, stayed open because it failed once
 * more when it was asked again, opened because other instances reported failures, closed.
 */
export type BreakerChange = 'open' | 'still_open' | 'open_for_all' | 'closed';

/** A node's refusal for a limit of its own. */
export interface LimitNotice {
  readonly limit: 'rate' | 'quota';
  /** How long the node asked to be left alone, in milliseconds; undefined if it named no time. */
  readonly waitMs: number | undefined;
}

/** What can be held against all calls of a node. */
type Scope = 'unwell' | 'limited' | 'by_hand';

/** What processes tell each other is held against a node. */
export interface ToldHold {
  /** That it is out of use, or that it or its plan lacks a method. */
  readonly kind: 'out' | Lack;
  /** The method; empty where it is about all calls. */
  readonly of: string;
  /** When it refused last, in milliseconds since the epoch. */
  readonly at: number;
}

interface UpstreamHealthOptions {
  readonly clock: Clock;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  /** Called with each change of the breaker. */
  readonly onBreaker?: ((change: BreakerChange) => void) | undefined;
  /** Called with each refusal after which the upstream is left alone, and for how long, in milliseconds. */
  readonly onLimit?: ((notice: LimitNotice, pauseMs: number) => void) | undefined;
}

/**
 * What is known of one upstream by the requests that it gets anyway: how fast and how well it answers, and all that is held
 * against it, also by the word of other processes and of the operator.
 */
export class UpstreamHealth {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #onBreaker: (change: BreakerChange) => void;
  readonly #onLimit: (notice: LimitNotice, pauseMs: number) => void;
  readonly #latencies: Readonly<Record<Load, RecentSamples>> = {
    light: new RecentSamples(),
    heavy: new RecentSamples(),
  };
  /** Against all calls. What is in no force is on its way to be, or was. */
  readonly #holds = new Map<Scope, NodeHold>();
  #ofMethods = new LruMap<NodeHold>(MAX_METHODS);
  /** When methods were answered of which others said that it lacks them. */
  #denied = new LruMap<number>(MAX_METHODS);
  #errorRate = 0;
  #errorRateAt = 0;
  #lastSuccessAt = Number.NEGATIVE_INFINITY;

  constructor({ clock, random, onBreaker, onLimit }: UpstreamHealthOptions) {
    this.#clock = clock;
    this.#random = random;
    this.#onBreaker = onBreaker ?? (() => {});
    this.#onLimit = onLimit ?? (() => {});
  }

  /** Counts a response. `latencyMs`: until the whole response was there. */
  succeeded(latencyMs: number, load: Load): void {
    const now = this.#clock.now();
    this.#latencies[load].add(latencyMs, now);
    this.#count(0, now);
    this.#lastSuccessAt = now;
    if (this.#holds.size > 0) this.#release();
  }

  /** Counts a request to which no usable response came, for a reason that is not the request. */
  failed(): void {
    this.#count(1, this.#clock.now());
    this.#takeOut('failing');
  }

  /** Counts a request that another upstream was faster to answer. A heavy one may just have been heavy. */
  overtaken(elapsedMs: number, load: Load): void {
    this.#latencies[load].add(elapsedMs, this.#clock.now());
    if (load === 'light') this.failed();
  }

  /** Counts a refusal for a limit of the upstream's own: it is left alone for a while, and is no less well. */
  limited(notice: LimitNotice): void {
    const now = this.#clock.now();
    const before = this.#holds.get('limited');
    const { limit, waitMs } = notice;
    const hold = afterRefusal(before, { reason: limit, now, random: this.#random(), waitMs });
    this.#holds.set('limited', hold);
    if (hold.until !== before?.until) this.#onLimit(notice, hold.until - now);
  }

  /** Takes the upstream out of use at once, until a probe succeeds: it is of another chain. */
  exclude(): void {
    this.#takeOut('wrong_chain');
  }

  /** Notes that it refused a method for lacking it, or for the operator's plan. */
  refusedMethod(method: string, reason: Lack): void {
    const refusal = { reason, now: this.#clock.now() };
    this.#ofMethods.set(method, afterRefusal(this.#ofMethods.get(method), refusal));
  }

  /** Notes that it answered a method. */
  answeredMethod(method: string): void {
    if (this.#ofMethods.size === 0) return;
    if (this.#ofMethods.get(method)?.isHeard === true) this.#denied.set(method, this.#clock.now());
    this.#ofMethods.delete(method);
  }

  /** Forgets which methods it lacks: it is another node from now on. */
  forgetMethods(): void {
    this.#ofMethods = new LruMap(MAX_METHODS);
    this.#denied = new LruMap(MAX_METHODS);
  }

  /** Keeps it out of all use because an operator wants that, until a time in milliseconds since the epoch; undefined: no longer. */
  hold(until: number | undefined): void {
    const now = this.#clock.now();
    if (until === undefined) this.#holds.delete('by_hand');
    else this.#holds.set('by_hand', { reason: 'by_hand', at: now, until, backOffMs: until - now, ...SAID });
  }

  /**
   * Takes the word of other processes. Of one, that an upstream fails, so that one failure more opens the breaker; of
   * several, that it is out of use, which opens it until the first probe, or that it lacks a method. What was answered here lately, or since,
   * is believed first.
   */
  heard({ kind, of, at }: ToldHold, isCertain: boolean): void {
    const now = this.#clock.now();
    if (kind !== 'out') {
      const isDenied = (this.#denied.get(of) ?? Number.NEGATIVE_INFINITY) > at;
      if (!isCertain || isDenied || this.lacks(of)) return;
      this.#ofMethods.set(
        of,
        afterRefusal(afterSuspicion('method', at), { reason: 'method', now: at, isHeard: true }),
      );
      return;
    }
    const isAnswered = this.alive || this.#lastSuccessAt > at + MAX_SKEW_MS;
    if (isAnswered || isInForce(this.#holds.get('unwell'), now)) return;
    const suspected = afterSuspicion('failing', now);
    const taken = { reason: 'failing', now, isHeard: true } as const;
    this.#holds.set(
      'unwell',
      isCertain ? afterRefusal(suspected, { ...taken, random: this.#random() }) : suspected,
    );
    if (isCertain) this.#onBreaker('open_for_all');
  }

  /** What this process has found out itself. */
  get own(): readonly ToldHold[] {
    const now = this.#clock.now();
    const holds = [['', this.#holds.get('unwell')] as const, ...this.#ofMethods.entries()];
    return holds.flatMap(([of, hold]): ToldHold[] => {
      if (!isInForce(hold, now) || hold.isHeard) return [];
      const { reason, at } = hold;
      return [{ kind: reason === 'method' || reason === 'plan' ? reason : 'out', of, at }];
    });
  }

  /** When a response last said the contrary of what others report, in milliseconds since the epoch. */
  deniedAt({ kind, of }: Pick<ToldHold, 'kind' | 'of'>): number {
    if (kind === 'out') return this.outSince === undefined ? this.#lastSuccessAt : Number.NEGATIVE_INFINITY;
    return this.#denied.get(of) ?? Number.NEGATIVE_INFINITY;
  }

  /** Whether nothing is held against it, for calls of a method or for all. */
  isUsable(method?: string): boolean {
    if (this.#holds.size === 0 && this.#ofMethods.size === 0) return true;
    const now = this.#clock.now();
    return (
      ![...this.#holds.values()].some((hold) => isInForce(hold, now)) &&
      !(method !== undefined && this.lacks(method))
    );
  }

  /** Whether it is to be asked while others are, too, by all that is held against all calls. */
  get usable(): boolean {
    return this.isUsable();
  }

  /** Whether it is known to lack a method, or the operator's plan there. */
  lacks(method: string): boolean {
    return isInForce(this.#ofMethods.get(method), this.#clock.now());
  }

  /** Whether an operator keeps it out of use: nothing asks it then, whatever else there is. */
  get isHeld(): boolean {
    return this.#inForce('by_hand') !== undefined;
  }

  /** When it failed last, if that left it out of use, in milliseconds since the epoch; undefined while it is in use. */
  get outSince(): number | undefined {
    return this.#inForce('unwell')?.at;
  }

  /** Until when it is not asked because of a limit of its own, in milliseconds since the epoch; undefined: it may be. */
  get limitedUntil(): number | undefined {
    return this.#inForce('limited')?.until;
  }

  /** Whether it has answered anything lately. */
  get alive(): boolean {
    return this.sinceSuccessMs < ALIVE_MS;
  }

  /** Milliseconds since it last answered. */
  get sinceSuccessMs(): number {
    return this.#clock.now() - this.#lastSuccessAt;
  }

  /** Whether a probe may be sent to find out if its breaker can close. */
  get mayProbe(): boolean {
    const hold = this.#holds.get('unwell');
    if (hold === undefined || this.limitedUntil !== undefined || this.isHeld) return false;
    return mayProbe(hold, this.#clock.now());
  }

  /** Counts a probe that takes until `until` at most, in milliseconds since the epoch. */
  probing(until: number): void {
    const hold = this.#inForce('unwell');
    if (hold !== undefined) this.#holds.set('unwell', { ...hold, probeUntil: until });
  }

  /** Share of requests that failed lately, from 0 to 1. */
  get errorRate(): number {
    const elapsedMs = Math.max(0, this.#clock.now() - this.#errorRateAt);
    return this.#errorRate * 0.5 ** (elapsedMs / ERROR_HALF_LIFE_MS);
  }

  /** Median latency of light requests, in milliseconds; undefined if there was none lately. */
  get p50Ms(): number | undefined {
    return this.#latencies.light.quantile(0.5, this.#clock.now());
  }

  /** Latency that 95 of 100 requests do not pass, in milliseconds; undefined if there were too few lately. */
  p95Ms(load: Load): number | undefined {
    return this.#latencies[load].quantile(0.95, this.#clock.now(), MIN_P95_SAMPLES);
  }

  #count(outcome: 0 | 1, now: number): void {
    this.#errorRate = this.errorRate * (1 - OUTCOME_WEIGHT) + outcome * OUTCOME_WEIGHT;
    this.#errorRateAt = now;
  }

  #inForce(scope: Scope): NodeHold | undefined {
    const hold = this.#holds.get(scope);
    return hold !== undefined && isInForce(hold, this.#clock.now()) ? hold : undefined;
  }

  #takeOut(reason: 'failing' | 'wrong_chain'): void {
    const now = this.#clock.now();
    const before = this.#holds.get('unwell');
    const hold = afterRefusal(before, { reason, now, random: this.#random() });
    this.#holds.set('unwell', hold);
    if (isInForce(before, now)) {
      if (hold.until !== before.until) this.#onBreaker('still_open');
    } else if (isInForce(hold, now)) this.#onBreaker('open');
  }

  /** Ends after a response what it shows to be over. */
  #release(): void {
    const [unwell, limited] = [this.#inForce('unwell'), this.#inForce('limited')];
    this.#holds.delete('unwell');
    // The response can be older than the refusal.
    if (limited === undefined) this.#holds.delete('limited');
    if (unwell !== undefined) this.#onBreaker('closed');
  }
}

interface Sample {
  readonly value: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The newest latencies: so many at most, and none over a certain age. */
class RecentSamples {
  readonly #samples: Sample[] = [];
  /** Their values in rising order. */
  readonly #values: number[] = [];

  add(value: number, now: number): void {
    this.#samples.push({ value, at: now });
    this.#values.splice(this.#placeOf(value), 0, value);
    if (this.#samples.length > MAX_SAMPLES) this.#forgetOldest();
  }

  /**
   * The sample that a share of the others does not pass, such as the median for 0.5. Undefined for fewer than
   * `minCount` samples.
   */
  quantile(share: number, now: number, minCount = 1): number | undefined {
    this.#forgetOld(now);
    if (this.#samples.length < minCount) return undefined;
    return this.#values[Math.max(0, Math.ceil(share * this.#values.length) - 1)];
  }

  #forgetOld(now: number): void {
    while ((this.#samples[0]?.at ?? now) < now - SAMPLE_MAX_AGE_MS) this.#forgetOldest();
  }

  #forgetOldest(): void {
    const oldest = this.#samples.shift();
    if (oldest !== undefined) this.#values.splice(this.#placeOf(oldest.value), 1);
  }

  /** Where the first value is that is not below this one. */
  #placeOf(value: number): number {
    let low = 0;
    let high = this.#values.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#values[middle] as number) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
