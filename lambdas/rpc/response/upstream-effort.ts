import type { Clock } from '../../shared/runtime/clock.ts';
import type { ChainSettings } from '../../shared/runtime/settings.ts';
import type { Served } from '../../shared/upstream/routing/dispatch.ts';

/** What it took of upstreams to answer one request. */
export class UpstreamEffort {
  readonly #clock: Clock;
  #attempts = 0;
  #waitedMs = 0;
  readonly #names = new Set<string>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes in what some of its calls took. */
  readonly onServed = ({ attempts, upstreams }: Served): void => {
    this.#attempts += attempts;
    for (const name of upstreams) this.#names.add(name);
  };

  /** Begins to wait for upstreams; the result ends it. */
  begin(): () => void {
    const startedAt = this.#clock.now();
    return () => {
      this.#waitedMs += this.#clock.now() - startedAt;
    };
  }

  /** Headers for clients; the names of upstreams only where the operator wants these too. */
  headers(wanted: ChainSettings['upstreamHeaders']): Readonly<Record<string, string>> {
    return {
      'X-Upstream-Attempts': String(this.#attempts),
      'X-Upstream-Duration': String(Math.round(this.#waitedMs)),
      ...(wanted === 'names' && this.#names.size > 0 && { 'X-Upstream': [...this.#names].sort().join(', ') }),
    };
  }
}
