const FIRST_SEGMENT_BYTES = 16 * 1024;
const MAX_SEGMENT_BYTES = 1024 * 1024;

/** Is told of a body while it arrives. */
export interface BodyWatch {
  /** Of a body of `memory`'s length the first `bytes` are there. Those do not change. */
  filled(memory: Buffer, bytes: number): void;
}

/**
 * Collects a stream of chunks into one buffer, up to a limit. A chunk of the declared length is kept as
 * it is. Others are copied into segments, so that a million chunks of one byte cost a million bytes; joining the segments
 * costs at most twice the length.
 */
export class ByteCollector {
  readonly #limitBytes: number;
  readonly #expectedBytes: number | undefined;
  readonly #segments: Buffer[] = [];
  #nextSegmentBytes: number;
  #freeBytes = 0;
  #length = 0;

  /** `expectedBytes`: the length, if it was declared; the collected bytes then are never copied again. */
  constructor(limitBytes: number, expectedBytes?: number) {
    this.#limitBytes = limitBytes;
    this.#expectedBytes = expectedBytes;
    this.#nextSegmentBytes = Math.min(limitBytes, expectedBytes ?? FIRST_SEGMENT_BYTES);
  }

  /** Adds a chunk. False if the limit would be passed: the chunk is dropped. */
  add(chunk: Buffer): boolean {
    if (this.#length + chunk.length > this.#limitBytes) return false;
    if (this.#length === 0 && chunk.length === this.#expectedBytes) {
      this.#segments.push(chunk);
      this.#length = chunk.length;
      return true;
    }
    let offset = 0;
    while (offset < chunk.length) {
      if (this.#freeBytes === 0) this.#addSegment();
      const segment = this.#segments[this.#segments.length - 1] as Buffer;
      const bytes = Math.min(this.#freeBytes, chunk.length - offset);
      segment.set(chunk.subarray(offset, offset + bytes), segment.length - this.#freeBytes);
      this.#freeBytes -= bytes;
      offset += bytes;
    }
    this.#length += chunk.length;
    return true;
  }

  /** Tells how much is there of a body whose length was declared. */
  tell(watch: BodyWatch): void {
    const [memory] = this.#segments;
    if (memory !== undefined && memory.length === this.#expectedBytes) watch.filled(memory, this.#length);
  }

  /** All bytes so far. */
  join(): Buffer {
    const [first] = this.#segments;
    if (first === undefined) return Buffer.alloc(0);
    return this.#segments.length === 1
      ? first.subarray(0, this.#length)
      : Buffer.concat(this.#segments, this.#length);
  }

  #addSegment(): void {
    const bytes = Math.max(1, this.#nextSegmentBytes);
    this.#segments.push(Buffer.allocUnsafe(bytes));
    this.#freeBytes = bytes;
    this.#nextSegmentBytes = Math.min(Math.max(bytes * 2, FIRST_SEGMENT_BYTES), MAX_SEGMENT_BYTES);
  }
}
