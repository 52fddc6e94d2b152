/** Idle lanes kept for later charges: as many as charges usually are in flight at once. */
const MAX_IDLE_LANES = 64;
const LANE_BYTES = 8;
/** Leaves room within a millisecond, so that sequence numbers keep carrying the time. */
const SEQUENCE_PER_MILLISECOND = 1_000n;

/** Source of random bytes, passed in so that a simulation can repeat itself. */
export type RandomBytes = (count: number) => Uint8Array;

/** The fence of one charge at a time: charges in flight together on one lane would hide each other. */
export class Lane {
  /** 11 characters of base64url, used by no other lane of any process. */
  readonly id: string;
  #last = 0n;

  constructor(id: string) {
    this.id = id;
  }

  /** Higher than all before, and never of an earlier time than `now` (milliseconds): settlement sees idle lanes by it. */
  nextSequence(now: number): bigint {
    const ofTime = BigInt(now) * SEQUENCE_PER_MILLISECOND;
    this.#last = ofTime > this.#last ? ofTime : this.#last + 1n;
    return this.#last;
  }
}

/** Lanes of one process. The last one released is used first, so that few are in use. */
export class LanePool {
  readonly #idle: Lane[] = [];
  readonly #randomBytes: RandomBytes;

  constructor(randomBytes: RandomBytes) {
    this.#randomBytes = randomBytes;
  }

  /** A lane for one charge. One that is not released is retired: no later charge can hide what became of its last. */
  acquire(): Lane {
    return this.#idle.pop() ?? new Lane(Buffer.from(this.#randomBytes(LANE_BYTES)).toString('base64url'));
  }

  /** Gives back a lane whose charge is certain. */
  release(lane: Lane): void {
    if (this.#idle.length < MAX_IDLE_LANES) this.#idle.push(lane);
  }
}
