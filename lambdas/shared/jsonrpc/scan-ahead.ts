import type { BodyWatch } from '../http/byte-collector.ts';
import { jsonText, MAX_RESPONSE_DEPTH, type ScannedPart, scanPart } from './scan-json.ts';

/** Shorter bodies are scanned at their end, which takes less than a millisecond. */
const MIN_BYTES = 512 * 1024;
/** Bytes that are left for the next time: a token may go on in what is to come. */
const RESERVE_BYTES = 64 * 1024;
/** A response to one call up to its result, as nodes write it, and the bytes in which that ends. */
const BEFORE_RESULT = /^\{(?:"jsonrpc":"2\.0",)?(?:"id":\d{1,15},)?"result":/;
const MAX_BEFORE_BYTES = 64;

interface ScanAheadOptions {
  /** @default 512 KiB */
  readonly minBytes?: number;
  /** @default 64 KiB */
  readonly reserveBytes?: number;
}

/**
 * Scans the result of a large response while it arrives: at its end next to nothing is left, and other requests of the process
 * never wait for the scan of a whole one. What it cannot follow is scanned at the end, so it decides nothing.
 */
export class ScanAhead implements BodyWatch {
  readonly #minBytes: number;
  readonly #reserveBytes: number;
  #memory: Buffer | undefined;
  #part: ScannedPart | undefined;
  /** Bytes that are there before it is tried again: it was in vain by half of them. */
  #notBefore = 0;

  constructor({ minBytes = MIN_BYTES, reserveBytes = RESERVE_BYTES }: ScanAheadOptions = {}) {
    this.#minBytes = minBytes;
    this.#reserveBytes = reserveBytes;
  }

  /** How far a body is scanned; undefined for one that was not watched. */
  partOf(body: Buffer): ScannedPart | undefined {
    const { buffer, byteOffset, length } = this.#memory ?? {};
    const isWatched = body.buffer === buffer && body.byteOffset === byteOffset && body.length === length;
    return isWatched ? this.#part : undefined;
  }

  filled(memory: Buffer, bytes: number): void {
    if (memory.length < this.#minBytes) return;
    if (memory !== this.#memory) this.#begin(memory);
    if (bytes < this.#notBefore) return;
    this.#part ??= firstPart(memory, bytes);
    const reserve = bytes === memory.length ? 0 : this.#reserveBytes;
    const text = jsonText(memory.subarray(0, bytes));
    const part = this.#part && scanPart(text, this.#part, reserve);
    if (part === undefined) this.#notBefore = 2 * bytes;
    else this.#part = part;
  }

  /** A request that is sent once more has a body of its own. */
  #begin(memory: Buffer): void {
    this.#memory = memory;
    this.#part = undefined;
    this.#notBefore = 0;
  }
}

/** Where the result begins, if the body is that of one call. */
function firstPart(memory: Buffer, bytes: number): ScannedPart | undefined {
  const before = BEFORE_RESULT.exec(memory.toString('latin1', 0, Math.min(bytes, MAX_BEFORE_BYTES)));
  if (before === null) return undefined;
  const start = before[0].length;
  return { start, levels: MAX_RESPONSE_DEPTH - 1, next: start, open: new Uint8Array() };
}
