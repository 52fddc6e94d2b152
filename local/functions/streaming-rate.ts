import { Transform, type TransformCallback } from 'node:stream';
import type { Clock } from '../../lambdas/shared/runtime/clock.ts';

/** Bytes that Lambda streams as fast as they come, and the rate of what follows, in bytes a second. */
const BURST_BYTES = 6_000_000;
const STREAMED_BYTES_PER_SECOND = 2_000_000;
const MILLISECONDS_PER_SECOND = 1_000;

/** Lets a streamed response through as fast as Lambda would: its function writes no faster, and may run out of time. */
export class StreamingRate extends Transform {
  readonly #clock: Clock;
  readonly #bytesPerSecond: number;
  #cappedBytes: number;
  /** When the first byte beyond the burst came, in milliseconds since the epoch. */
  #cappedSince: number | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(clock: Clock, bytesPerSecond = STREAMED_BYTES_PER_SECOND, burstBytes = BURST_BYTES) {
    super();
    this.#cappedBytes = -burstBytes;
    this.#clock = clock;
    this.#bytesPerSecond = bytesPerSecond;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    this.#cappedBytes += chunk.length;
    if (this.#cappedBytes <= 0) {
      done(null, chunk);
      return;
    }
    const now = this.#clock.now();
    this.#cappedSince ??= now;
    const dueAt = this.#cappedSince + (this.#cappedBytes * MILLISECONDS_PER_SECOND) / this.#bytesPerSecond;
    this.#timer = setTimeout(done, Math.max(0, dueAt - now), null, chunk);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    clearTimeout(this.#timer);
    done(error);
  }
}
