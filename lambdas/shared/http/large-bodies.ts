import type { ReadPlace } from './connections.ts';

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

/** A body up to this size takes no room, in bytes. */
export const SMALL_BODY_BYTES = 1024 * 1024;
/** Longest wait for room, in milliseconds: a result that waits for longer has no time left in which to be streamed. */
export const MAX_ROOM_WAIT_MS = 5_000;
/**
 * Bytes by which bodies are read and scanned in a turn of the event loop: the one that has arrived for longest, and each of
 * the others. So one after the other is whole early, and one whose node is slow keeps none back.
 */
const FIRST_PART_BYTES = 64 * 1024;
const PART_BYTES = 4 * 1024;
/** Part of the room that one owner may have: others always find the rest. */
const OWNER_SHARE = 1 / 2;
/** Bodies of the gateway's own questions. */
const OWN = '';

/** What becomes of the room. */
interface RoomWatch {
  /** Called with the bytes in use when a body was refused, as it had waited too long. */
  refused(takenBytes: number): void;
  /** Called when no byte is in use any more, if a body was refused before. */
  emptied(): void;
}

const NOBODY: RoomWatch = { refused: () => {}, emptied: () => {} };

/**
 * Large bodies of a process: their memory lies outside of V8's heap, which has no other bound. Each has room from when its
 * size is known until the last request that holds it has sent its response, or until it is dropped. One that finds none waits. An
 * owner has at most half of the room, or one body that is larger. Whoever has least is served first, then who came first; nothing
 * smaller overtakes.
 */
export class LargeBodies {
  readonly #bytes: number;
  readonly #watch: RoomWatch;
  readonly #byMemory = new WeakMap<ArrayBufferLike, LargeBody>();
  readonly #waiting = new Set<LargeBody>();
  /** In the order in which they began. */
  readonly #arriving = new Set<LargeBody>();
  readonly #takenBy = new Map<string, number>();
  #taken = 0;
  #hasRefused = false;

  /** `bytes`: in use at a time. */
  constructor(bytes: number, watch: RoomWatch = NOBODY) {
    this.#bytes = bytes;
    this.#watch = watch;
  }

  /** Bytes in use. */
  get takenBytes(): number {
    return this.#taken;
  }

  /** Bodies that wait for room. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** What one request holds. @param keyId absent for the gateway's own */
  open(keyId: string = OWN): HeldBodies {
    return new HeldBodies(this, keyId);
  }

  /** Asks for room. The result calls `onRoom` when it has it, which can be at once. */
  take(held: HeldBodies, bytes: number, onRoom: () => void): LargeBody {
    const body = new LargeBody(this, held, { bytes: Math.min(bytes, this.#bytes), onRoom });
    this.#waiting.add(body);
    this.#serve();
    return body;
  }

  /** The large body that is in this memory. */
  bodyIn(memory: ArrayBufferLike): LargeBody | undefined {
    return memory.byteLength <= SMALL_BODY_BYTES ? undefined : this.#byMemory.get(memory);
  }

  /** By how much an arriving body is to be read and scanned, in bytes: other requests have their turns between. */
  partBytesOf(body: LargeBody): number {
    const [first] = this.#arriving;
    return first === body ? FIRST_PART_BYTES : PART_BYTES;
  }

  /** Notes that a body has begun to arrive. */
  began(body: LargeBody): void {
    this.#arriving.add(body);
  }

  /** Notes that a body does no longer arrive. `memory`: where it is, if it is whole. */
  ended(body: LargeBody, memory?: ArrayBufferLike): void {
    this.#arriving.delete(body);
    if (memory !== undefined) this.#byMemory.set(memory, body);
  }

  /** Ends the wait of a body. */
  leave(body: LargeBody): void {
    // Without one that needs much, others may find room.
    if (this.#waiting.delete(body)) this.#serve();
  }

  giveBack(owner: string, bytes: number): void {
    this.#count(owner, -bytes);
    this.#serve();
    if (this.#taken > 0 || !this.#hasRefused) return;
    this.#hasRefused = false;
    this.#watch.emptied();
  }

  /** Notes that a body was refused. */
  refuse(): void {
    this.#hasRefused = true;
    this.#watch.refused(this.#taken);
  }

  #serve(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#waiting.delete(next);
      this.#count(next.owner, next.bytes);
      next.begin();
    }
  }

  /** The one whose turn it is; undefined without one, or without room for it. */
  #next(): LargeBody | undefined {
    let next: LargeBody | undefined;
    for (const body of this.#waiting) {
      const taken = this.#takenOf(body);
      if (taken > 0 && taken + body.bytes > this.#bytes * OWNER_SHARE) continue;
      if (next === undefined || taken < this.#takenOf(next)) next = body;
    }
    return next !== undefined && this.#taken + next.bytes <= this.#bytes ? next : undefined;
  }

  #takenOf({ owner }: Pick<LargeBody, 'owner'>): number {
    return this.#takenBy.get(owner) ?? 0;
  }

  #count(owner: string, bytes: number): void {
    const taken = this.#takenOf({ owner }) + bytes;
    if (taken === 0) this.#takenBy.delete(owner);
    else this.#takenBy.set(owner, taken);
    this.#taken += bytes;
  }
}

/** The large bodies that one request holds, until its response is sent or its client is gone. */
export class HeldBodies {
  readonly owner: string;
  readonly #bodies: LargeBodies;
  readonly #held = new Set<LargeBody>();
  #isReleased = false;

  constructor(bodies: LargeBodies, owner: string) {
    this.#bodies = bodies;
    this.owner = owner;
  }

  /** Asks for room for a body of this request. `onRoom` is called when it has it, which can be at once. */
  take(bytes: number, onRoom: () => void): LargeBody {
    return this.#bodies.take(this, bytes, onRoom);
  }

  /** Holds the body that a result lies in, which another request may have asked for. */
  hold(result: Uint8Array): void {
    const body = this.#bodies.bodyIn(result.buffer);
    if (body !== undefined) this.keep(body);
  }

  /** Keeps a body until the release. */
  keep(body: LargeBody): void {
    if (this.#isReleased || this.#held.has(body) || body.isOver) return;
    this.#held.add(body);
    body.holders += 1;
  }

  /** Gives back the room of all bodies that no other request holds, and of those that still arrive once they are there. */
  release(): void {
    this.#isReleased = true;
    for (const body of this.#held) {
      body.holders -= 1;
      body.endUnheld();
    }
    this.#held.clear();
  }
}

/** One large body, from when its size is known. */
export class LargeBody {
  /** Requests that hold it. */
  holders = 0;
  readonly #bodies: LargeBodies;
  readonly #held: HeldBodies;
  readonly #onRoom: () => void;
  #bytes: number;
  #state: 'waiting' | 'arriving' | 'whole' | 'over' = 'waiting';

  constructor(
    bodies: LargeBodies,
    held: HeldBodies,
    { bytes, onRoom }: { readonly bytes: number; readonly onRoom: () => void },
  ) {
    this.#bodies = bodies;
    this.#held = held;
    this.#bytes = bytes;
    this.#onRoom = onRoom;
  }

  get owner(): string {
    return this.#held.owner;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** By how much it is to be read and scanned in a turn of the event loop, in bytes. */
  get partBytes(): number {
    return this.#bodies.partBytesOf(this);
  }

  get isWaiting(): boolean {
    return this.#state === 'waiting';
  }

  get isOver(): boolean {
    return this.#state === 'over';
  }

  /** It has room. */
  begin(): void {
    this.#state = 'arriving';
    this.#bodies.began(this);
    this.#onRoom();
  }

  /** It has waited for too long. */
  refuse(): void {
    this.drop();
    this.#bodies.refuse();
  }

  /** It is not wanted any more, or will never be whole. */
  drop(): void {
    const before = this.#state;
    if (before === 'whole' || before === 'over') return;
    this.#state = 'over';
    if (before === 'waiting') this.#bodies.leave(this);
    else {
      this.#bodies.ended(this);
      this.#bodies.giveBack(this.owner, this.#bytes);
    }
  }

  /** It is whole, and held by its request; what it has not used of its room is free. */
  keep(body: Uint8Array): void {
    if (this.#state !== 'arriving') return;
    this.#state = 'whole';
    this.#bodies.ended(this, body.buffer);
    const unused = Math.max(0, this.#bytes - body.length);
    this.#bytes -= unused;
    this.#held.keep(this);
    if (unused > 0) this.#bodies.giveBack(this.owner, unused);
    this.endUnheld();
  }

  /** Gives its room back if no request holds it. */
  endUnheld(): void {
    if (this.holders > 0 || this.#state !== 'whole') return;
    this.#state = 'over';
    this.#bodies.giveBack(this.owner, this.#bytes);
  }
}
