import type { Clock } from '../shared/runtime/clock.ts';
import type { Telemetry } from '../shared/runtime/telemetry.ts';

const TELL_EVERY_MS = 60_000;

/** Figures of the server itself, told at most once a minute: what a flood costs in lines has this bound. */
export class FrontFigures {
  readonly #clock: Clock;
  readonly #telemetry: Pick<Telemetry, 'emit'>;
  #underWay = 0;
  #most = 0;
  #refused = 0;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, telemetry: Pick<Telemetry, 'emit'>) {
    this.#clock = clock;
    this.#telemetry = telemetry;
  }

  /** Requests that are under way. */
  get underWay(): number {
    return this.#underWay;
  }

  begin(): void {
    this.#underWay += 1;
    this.#most = Math.max(this.#most, this.#underWay);
    this.#tellDue();
  }

  end(): void {
    this.#underWay -= 1;
  }

  /** A request did not come from the API. */
  refuse(): void {
    this.#refused += 1;
    this.#tellDue();
  }

  #tellDue(): void {
    const now = this.#clock.now();
    if (now - this.#toldAt < TELL_EVERY_MS) return;
    this.#toldAt = now;
    const values = {
      RequestsUnderWay: this.#most,
      ...(this.#refused > 0 && { RequestsWithoutSecret: this.#refused }),
    };
    this.#most = this.#underWay;
    this.#refused = 0;
    this.#telemetry.emit({ values }, now);
  }
}
