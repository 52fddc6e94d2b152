import type { OnReadOpts, Socket } from 'node:net';

const FIRST_SEGMENT_BYTES = 16 * 1024;
const MAX_SEGMENT_BYTES = 1024 * 1024;
/** Bytes of a body that are read in place at a time: other requests wait for what is done with them. */
const MAX_PLACE_BYTES = 256 * 1024;

/** Called with a body while it arrives. */
export interface BodyWatch {
  /** Of a body of `memory`'s length the first `bytes` are there. Those do not change. */
  filled(memory: Buffer, bytes: number): void;
}

/**
 * Collects a stream of chunks into one buffer, up to a limit. A chunk of the declared length is kept as
 * it is, and one that was read into its place stays there. Others are copied into segments, so that a million chunks of one
 * byte cost a million bytes; joining the segments costs at most twice the length.
 */
export class ByteCollector implements ReadPlace {
  readonly #limitBytes: number;
  readonly #expectedBytes: number | undefined;
  readonly #placeBytes: () => number | undefined;
  readonly #segments: Buffer[] = [];
  #nextSegmentBytes: number;
  #freeBytes = 0;
  #length = 0;

  /**
   * @param expectedBytes the length, if it was declared; the collected bytes then are never copied again
   * @param placeBytes how many are read in place at a time, at most 256 KiB; undefined: as many
   */
  constructor(
    limitBytes: number,
    expectedBytes?: number,
    placeBytes: () => number | undefined = () => undefined,
  ) {
    this.#limitBytes = limitBytes;
    this.#expectedBytes = expectedBytes;
    this.#placeBytes = placeBytes;
    this.#nextSegmentBytes = Math.min(limitBytes, expectedBytes ?? FIRST_SEGMENT_BYTES);
  }

  /** Bytes so far. */
  get length(): number {
    return this.#length;
  }

  /** Adds a chunk. False if the limit would be passed: the chunk is dropped. */
  add(chunk: Buffer): boolean {
    if (this.#length + chunk.length > this.#limitBytes) return false;
    if (this.#length === 0 && chunk.length === this.#expectedBytes) {
      this.#segments.push(chunk);
      this.#length = chunk.length;
      return true;
    }
    if (this.#isInPlace(chunk)) {
      this.#length += chunk.length;
      this.#freeBytes -= chunk.length;
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

  /** Whether a watch gets what comes. */
  get isTold(): boolean {
    return this.#whole !== undefined;
  }

  /** Tells how much is there of a body whose length was declared. */
  tell(watch: BodyWatch): void {
    const memory = this.#whole;
    if (memory !== undefined) watch.filled(memory, this.#length);
  }

  /** Of a body whose length was declared. */
  placeAfter(waitingBytes: number): Buffer | undefined {
    const memory = this.#whole;
    const start = this.#length + waitingBytes;
    if (memory === undefined || start >= memory.length) return undefined;
    return memory.subarray(start, start + Math.min(MAX_PLACE_BYTES, this.#placeBytes() ?? MAX_PLACE_BYTES));
  }

  /** All bytes so far. */
  join(): Buffer {
    const [first] = this.#segments;
    if (first === undefined) return Buffer.alloc(0);
    return this.#segments.length === 1
      ? first.subarray(0, this.#length)
      : Buffer.concat(this.#segments, this.#length);
  }

  /** Memory of the whole body, if its length was declared. */
  get #whole(): Buffer | undefined {
    const [memory] = this.#segments;
    return memory?.length === this.#expectedBytes ? memory : undefined;
  }

  #isInPlace({ buffer, byteOffset }: Buffer): boolean {
    const memory = this.#whole;
    return buffer === memory?.buffer && byteOffset === memory.byteOffset + this.#length;
  }

  #addSegment(): void {
    const bytes = Math.max(1, this.#nextSegmentBytes);
    this.#segments.push(Buffer.allocUnsafe(bytes));
    this.#freeBytes = bytes;
    this.#nextSegmentBytes = Math.min(Math.max(bytes * 2, FIRST_SEGMENT_BYTES), MAX_SEGMENT_BYTES);
  }
}

/** Bytes that a socket reads at a time, as many as Node reads by itself. */
const READ_BYTES = 64 * 1024;
/** What every socket reads into whose bytes have no place yet: they are copied before anything else is read. */
const SHARED_MEMORY = Buffer.allocUnsafeSlow(READ_BYTES);

/** What knows where bytes belong before they are read. */
interface ReadPlace {
  /** Memory for the bytes that follow `waitingBytes` which are read and not yet added; undefined if it is absent. */
  placeAfter(waitingBytes: number): Buffer | undefined;
}

/**
 * Reads of a socket. Node allocates memory for each, which is copied into that of the body and is garbage from then on: of a
 * large body as much again as the body itself. Here a body whose length is known is read into its own memory.
 */
export class SocketReads {
  /** Set while a body comes that has memory. */
  place: ReadPlace | undefined;
  /** Reads that wait until there is room for what they belong to, and whether they do. */
  readonly #heldBack: Buffer[] = [];
  #isHeldBack = false;
  readonly #socket: () => Socket | undefined;
  readonly onread: OnReadOpts = {
    buffer: () => this.place?.placeAfter(this.#socket()?.readableLength ?? 0) ?? SHARED_MEMORY,
    callback: (bytes, memory) => this.#push(bytes, memory as Buffer),
  };

  /** @param socket the one that was made with `onread`, once it is */
  constructor(socket: () => Socket | undefined) {
    this.#socket = socket;
  }

  /** Reads no further: what the other side sends stays with it, but for one read. */
  holdBack(): void {
    this.#isHeldBack = true;
  }

  /** Reads on. */
  goOn(): void {
    this.#isHeldBack = false;
    for (const read of this.#heldBack.splice(0)) this.#socket()?.push(read);
  }

  /** Whether the socket continues reading. */
  #push(bytes: number, memory: Buffer): boolean {
    const inMemory = memory.subarray(0, bytes);
    const read = memory === SHARED_MEMORY ? Buffer.from(inMemory) : inMemory;
    if (!this.#isHeldBack) return this.#socket()?.push(read) ?? false;
    this.#heldBack.push(read);
    return false;
  }
}
