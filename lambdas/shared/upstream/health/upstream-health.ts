import type { Clock } from '../../runtime/clock.ts';
import {
  afterExclusion,
  afterFailure,
  afterLimit,
  afterResponse,
  afterSuspicion,
  type Breaker,
  CLOSED,
  type LimitNotice,
  type LimitPause,
  mayProbe,
  NO_PAUSE,
  whileProbing,
} from './pauses.ts';
import { RecentSamples } from './recent-samples.ts';

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
/** An upstream with a success this young is alive, whatever its breaker says. */
const ALIVE_MS = 10_000;

/**
 * What a breaker did: opened, stayed open because it failed once more when it was asked again, opened because other
 * instances reported failures, closed.
 */
export type BreakerChange = 'open' | 'still_open' | 'open_for_all' | 'closed';

interface UpstreamHealthOptions {
  readonly clock: Clock;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  /** Called with each change of the breaker. */
  readonly onBreaker?: ((change: BreakerChange) => void) | undefined;
  /** Called with each refusal after which the upstream is left alone, and for how long, in milliseconds. */
  readonly onLimit?: ((notice: LimitNotice, pauseMs: number) => void) | undefined;
}

/** The recent quality of one upstream, learned from the requests that it gets anyway. */
export class UpstreamHealth {
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #onBreaker: (change: BreakerChange) => void;
  readonly #onLimit: (notice: LimitNotice, pauseMs: number) => void;
  readonly #latencies: Readonly<Record<Load, RecentSamples>> = {
    light: new RecentSamples(MAX_SAMPLES, SAMPLE_MAX_AGE_MS),
    heavy: new RecentSamples(MAX_SAMPLES, SAMPLE_MAX_AGE_MS),
  };
  #breaker: Breaker = CLOSED;
  #pause: LimitPause = NO_PAUSE;
  #errorRate = 0;
  #errorRateAt = 0;
  #lastSuccessAt = Number.NEGATIVE_INFINITY;
  #lastFailureAt = Number.NEGATIVE_INFINITY;
  /** 0: it is not held. */
  #heldUntil = 0;

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
    if (this.#pause !== NO_PAUSE) this.#pause = afterResponse(this.#pause, now);
    this.#change(CLOSED);
  }

  /** Counts a request to which no usable response came, for a reason that is not the request. */
  failed(): void {
    const now = this.#clock.now();
    this.#count(1, now);
    this.#lastFailureAt = now;
    this.#change(afterFailure(this.#breaker, now, this.#random()));
  }

  /** Counts a request that another upstream was faster to answer. A heavy one may just have been heavy. */
  overtaken(elapsedMs: number, load: Load): void {
    this.#latencies[load].add(elapsedMs, this.#clock.now());
    if (load === 'light') this.failed();
  }

  /** Counts a refusal for a limit of the upstream's own: it is left alone for a while, and is no less well. */
  limited(notice: LimitNotice): void {
    const now = this.#clock.now();
    const before = this.#pause;
    this.#pause = afterLimit(before, notice, now, this.#random());
    if (this.#pause !== before) this.#onLimit(notice, this.#pause.until - now);
  }

  /** Takes the upstream out of use at once, until a probe succeeds. */
  exclude(): void {
    this.#lastFailureAt = this.#clock.now();
    this.#change(afterExclusion(this.#breaker, this.#clock.now(), this.#random()));
  }

  /**
   * Takes the word of other instances: of one, that an upstream fails, so that one failure more opens the breaker; of
   * several, that it is out of use, which opens it until the first probe. What was answered here lately is believed first.
   */
  heard(word: 'suspect' | 'out'): void {
    if (this.alive || this.#breaker.kind === 'open') return;
    if (word === 'suspect') this.#breaker = afterSuspicion(this.#breaker);
    else {
      this.#breaker = afterExclusion(this.#breaker, this.#clock.now(), this.#random());
      this.#onBreaker('open_for_all');
    }
  }

  /** Keeps it out of all use because an operator wants that, until a time in milliseconds since the epoch; undefined: no longer. */
  hold(until: number | undefined): void {
    this.#heldUntil = until ?? 0;
  }

  /** Whether an operator keeps it out of use: nothing asks it then, whatever else there is. */
  get isHeld(): boolean {
    return this.#heldUntil > 0 && this.#clock.now() < this.#heldUntil;
  }

  /** When it failed last, if that left it out of use, in milliseconds since the epoch; undefined while it is in use. */
  get outSince(): number | undefined {
    return this.#breaker.kind === 'open' ? this.#lastFailureAt : undefined;
  }

  /** Whether the upstream is to be asked while others are, too. */
  get usable(): boolean {
    return this.#breaker.kind === 'closed' && this.limitedUntil === undefined && !this.isHeld;
  }

  /** Until when it is not asked because of a limit of its own, in milliseconds since the epoch; undefined: it may be. */
  get limitedUntil(): number | undefined {
    const { until } = this.#pause;
    return this.#clock.now() < until ? until : undefined;
  }

  /** Whether it has answered anything lately. */
  get alive(): boolean {
    return this.sinceSuccessMs < ALIVE_MS;
  }

  /** Milliseconds since it last answered. */
  get sinceSuccessMs(): number {
    return this.#clock.now() - this.#lastSuccessAt;
  }

  get mayProbe(): boolean {
    const isOut = this.#breaker.kind === 'open' && this.limitedUntil === undefined && !this.isHeld;
    return isOut && mayProbe(this.#breaker, this.#clock.now());
  }

  /** Counts a probe that takes until `until` at most, in milliseconds since the epoch. */
  probing(until: number): void {
    this.#breaker = whileProbing(this.#breaker, until);
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

  #change(next: Breaker): void {
    const before = this.#breaker;
    this.#breaker = next;
    if (before.kind !== next.kind) this.#onBreaker(next.kind);
    else if (next.kind === 'open' && next !== before) this.#onBreaker('still_open');
  }
}
