/** Part of the room that one owner may have: others always find the rest. */
const OWNER_SHARE = 1 / 2;

/** What asks a {@link ByteRoom} for bytes. */
export interface ByteTaker {
  /** What the bytes count for. */
  readonly owner: string;
  /** At most the whole room. */
  readonly bytes: number;
  /** Called once the bytes are taken: before `take` returns, or when others have returned theirs. */
  begin(): void;
}

/**
 * A bounded number of bytes that a process may have in use. What finds no room waits until it leaves or others give back. An
 * owner has at most half of the room, or one taking that is larger. Whoever has least is served first, then who came first; nothing
 * smaller overtakes.
 */
export class ByteRoom {
  /** How many bytes there are. */
  readonly bytes: number;
  readonly #waiting = new Set<ByteTaker>();
  readonly #takenBy = new Map<string, number>();
  #taken = 0;

  constructor(bytes: number) {
    this.bytes = bytes;
  }

  /** Bytes in use. */
  get taken(): number {
    return this.#taken;
  }

  /** Takers that wait. */
  get waiting(): number {
    return this.#waiting.size;
  }

  /** Takes bytes, at once or as soon as there is room. */
  take(taker: ByteTaker): void {
    this.#waiting.add(taker);
    this.#serve();
  }

  /** Ends the wait for room. */
  leave(taker: ByteTaker): void {
    // Without one that needs much, others may find room.
    if (this.#waiting.delete(taker)) this.#serve();
  }

  /** Gives back bytes that an owner has taken. */
  giveBack(owner: string, bytes: number): void {
    this.#count(owner, -bytes);
    this.#serve();
  }

  #serve(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#waiting.delete(next);
      this.#count(next.owner, next.bytes);
      next.begin();
    }
  }

  /** The one whose turn it is; undefined without one, or without room for it. */
  #next(): ByteTaker | undefined {
    let next: ByteTaker | undefined;
    for (const taker of this.#waiting) {
      if (!this.#isWithinShare(taker)) continue;
      if (next === undefined || this.#takenOf(taker) < this.#takenOf(next)) next = taker;
    }
    return next !== undefined && this.#taken + next.bytes <= this.bytes ? next : undefined;
  }

  #isWithinShare(taker: ByteTaker): boolean {
    const taken = this.#takenOf(taker);
    return taken === 0 || taken + taker.bytes <= this.bytes * OWNER_SHARE;
  }

  #takenOf({ owner }: ByteTaker): number {
    return this.#takenBy.get(owner) ?? 0;
  }

  #count(owner: string, bytes: number): void {
    const taken = (this.#takenBy.get(owner) ?? 0) + bytes;
    if (taken === 0) this.#takenBy.delete(owner);
    else this.#takenBy.set(owner, taken);
    this.#taken += bytes;
  }
}
