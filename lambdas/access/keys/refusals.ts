import type { Clock } from '../../shared/runtime/clock.ts';
import { LruMap } from '../../shared/runtime/expiring-memory.ts';
import { errorField } from '../../shared/runtime/log.ts';
import type { Telemetry } from '../../shared/runtime/telemetry.ts';
import type { KeyHolder } from '../contract/metering.ts';
import type { BoundRefusals, RefusalReason, RefusalStore } from '../contract/refusals.ts';
import { StoreUnavailableError } from '../store/store.ts';
import { blockAround } from './network.ts';

/** Shortest time between two writes for one key by one process, in milliseconds. It bounds the cost of a flood of refusals. */
const WRITE_INTERVAL_MS = 60_000;
/** Most keys that one process counts for. One more, and it drops the counts of the key that was refused longest ago. */
const COUNTED_KEYS = 1_000;
/** Most keys that are written for at once. */
const WRITES_AT_ONCE = 10;

interface Counted {
  readonly account: string;
  /** Not written yet. */
  counts: Partial<Record<RefusalReason, number>>;
  last: NonNullable<BoundRefusals['last']>;
  /** When the last write began, in milliseconds since the epoch. */
  writtenAt: number;
}

interface RefusalsOptions {
  /** @default refusals are counted in metrics only */
  readonly refusals?: RefusalStore | undefined;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

/**
 * Counts what the bounds of a key refuse, for the owner of the key to read. A process writes the first refusal of a key at
 * once and then at most once a minute. No response waits for a write, and a flood of refusals does not cost one write each.
 */
export class Refusals {
  readonly #options: RefusalsOptions;
  readonly #counted = new LruMap<Counted>(COUNTED_KEYS);
  /** Keys with counts that are not written; some may be dropped by now. */
  readonly #waiting = new Set<string>();
  readonly #writes = new Set<Promise<void>>();

  constructor(options: RefusalsOptions) {
    this.#options = options;
  }

  /** Counts a request or call that the bounds of a key refuse. Begins to write the counts that are due, without waiting. */
  note(
    { keyId, account }: Pick<KeyHolder, 'keyId' | 'account'>,
    reason: RefusalReason,
    address: string | undefined,
  ): void {
    const at = this.#options.clock.now();
    const { counts = {}, writtenAt = Number.NEGATIVE_INFINITY } = this.#counted.get(keyId) ?? {};
    const last = { reason, at, address: (address && blockAround(address)) || 'unknown' };
    this.#counted.set(keyId, {
      counts: { ...counts, [reason]: (counts[reason] ?? 0) + 1 },
      last,
      writtenAt,
      account,
    });
    this.#waiting.add(keyId);
    if (this.#waiting.size > COUNTED_KEYS) this.#dropForgotten();
    this.#write(keyId, at);
  }

  /** Writes the counts that are due. Never rejects. */
  async storeDue(): Promise<void> {
    const now = this.#options.clock.now();
    let begun = 0;
    for (const keyId of this.#waiting) {
      if (begun === WRITES_AT_ONCE) break;
      if (this.#write(keyId, now)) begun += 1;
    }
    await Promise.all(this.#writes);
  }

  /** Writes everything, before the process ends. Never rejects. */
  async handOver(): Promise<void> {
    for (const keyId of this.#waiting) this.#write(keyId, Number.POSITIVE_INFINITY);
    await Promise.all(this.#writes);
  }

  #dropForgotten(): void {
    for (const keyId of this.#waiting)
      if (this.#counted.get(keyId) === undefined) this.#waiting.delete(keyId);
  }

  /** Whether a write began. */
  #write(keyId: string, now: number): boolean {
    const counted = this.#counted.get(keyId);
    if (counted === undefined) this.#waiting.delete(keyId);
    if (counted === undefined || Math.abs(now - counted.writtenAt) < WRITE_INTERVAL_MS) return false;
    const { account, counts, last } = counted;
    this.#waiting.delete(keyId);
    this.#counted.set(keyId, { account, counts: {}, last, writtenAt: now });
    const write = this.#store(keyId, account, { counts, last }).finally(() => this.#writes.delete(write));
    this.#writes.add(write);
    return true;
  }

  async #store(keyId: string, account: string, refused: Required<BoundRefusals>): Promise<void> {
    const { refusals, telemetry, clock } = this.#options;
    const total = Object.values(refused.counts).reduce((sum, count) => sum + count, 0);
    telemetry.emit({ values: { RefusedByBounds: total }, fields: { account } }, clock.now());
    try {
      await refusals?.add(keyId, refused);
    } catch (error) {
      telemetry.log('warn', 'refusals_not_counted', { account, error: errorField(error) });
      // Counts that may have been written are dropped: put back, they could count twice.
      if (error instanceof StoreUnavailableError && !error.maybeApplied) this.#putBack(keyId, refused);
    }
  }

  #putBack(keyId: string, { counts, last }: Required<BoundRefusals>): void {
    const counted = this.#counted.get(keyId);
    if (counted === undefined) return;
    const entries = Object.entries(counts) as [RefusalReason, number][];
    const sums = entries.map(([reason, count]) => [reason, count + (counted.counts[reason] ?? 0)] as const);
    const latest = counted.last.at > last.at ? counted.last : last;
    this.#counted.set(keyId, {
      ...counted,
      counts: { ...counted.counts, ...Object.fromEntries(sums) },
      last: latest,
    });
    this.#waiting.add(keyId);
  }
}
