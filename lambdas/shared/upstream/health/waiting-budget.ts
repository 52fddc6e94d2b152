import type { MethodClass } from '../../methods/method-table.ts';
import type { Clock } from '../../runtime/clock.ts';
import { ExpiringMemory } from '../../runtime/expiring-memory.ts';
import { pauseAfterRefusal, SharedBucket } from '../../runtime/shared-bucket.ts';
import type { WaitingDrawn, WaitingRoom, WaitingStore, WaitingWord } from './waiting-room.ts';

/** Part of all instances that the chains divide, for the calls of one class; the least part and number that one has. */
const WAITING_SHARE = 1 / 2;
const MIN_CHAIN_SHARE = 1 / 8;
const MIN_SEATS = 2;
/** Part of such a share that one key may have, of all chains together. */
const KEY_SHARE = 1 / 2;
/** Part of all instances that may wait for a chain while its nodes do not answer the gateway's own question. */
const UNHEARD_SHARE = 1 / 6;
/** Waiting time that this saves up for calls that begin to wait, and for those that do already, in milliseconds. */
const UNHEARD_BURST_MS = { new: 500, kept: 1_000 };
/** Time that a call pays for before it is sent, while its room is in doubt, in milliseconds. */
const AHEAD_MS = 500;
/** Time for which a room that was full is not asked again, in milliseconds: at least; twice as long at most. */
const PAUSE_MS = 1_000;
/** How long a room that was full is in doubt, in milliseconds: longer than a call takes. */
const DOUBT_MS = 60_000;
/** Memory for rooms in doubt, in bytes. */
const MEMORY_BYTES = 1024 * 1024;

/** What a room's waiting time is counted for. */
export type RoomOwner = 'key' | 'chain';

/** A room, and what its time is counted for. */
export interface OwnedRoom extends WaitingRoom {
  readonly owner: RoomOwner;
}

/** What became of a draw. The store that does not answer has no opinion. */
type DrawnTime = WaitingDrawn | undefined;

/** A draw of waiting time, in milliseconds. */
interface AskedTime {
  readonly room: WaitingRoom;
  readonly ms: number;
}

interface WaitingBudgetOptions {
  readonly store: WaitingStore;
  readonly clock: Clock;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  /** Instances that there may be at a time, and the chains that they serve. */
  readonly concurrency: number;
  readonly chains: number;
}

/**
 * The waiting time of chains and keys as one instance knows it. Only calls that are late draw from it; the instance
 * that found a room full pays before it sends the next call, and for a second or two sends none.
 */
export class WaitingBudget {
  readonly #store: WaitingStore;
  /** The draws of this process from a room go together. */
  readonly #draws: SharedBucket<AskedTime, DrawnTime>;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #seats: number;
  readonly #seatsUnheard: number;
  /** Rooms that were full when they were last asked, and until when they are not asked again. */
  readonly #doubts: ExpiringMemory<number>;
  /** When the last of them is forgotten, in milliseconds since the epoch. */
  #inDoubtUntil = Number.NEGATIVE_INFINITY;

  constructor({ store, clock, random, concurrency, chains }: WaitingBudgetOptions) {
    this.#store = store;
    this.#draws = new SharedBucket({
      draw: (_, asked) => {
        const ms = asked.reduce((sum, one) => sum + one.ms, 0);
        return store.draw((asked[0] as AskedTime).room, ms).catch(() => undefined);
      },
      isRefused: (drawn) => drawn?.granted === false,
    });
    this.#clock = clock;
    this.#random = random;
    const share = Math.max(MIN_CHAIN_SHARE, WAITING_SHARE / chains);
    this.#seats = Math.max(MIN_SEATS, Math.floor(concurrency * share));
    this.#doubts = new ExpiringMemory(MEMORY_BYTES, clock);
    this.#seatsUnheard = Math.max(MIN_SEATS, Math.floor(concurrency * UNHEARD_SHARE));
  }

  roomOfChain(chain: string, kind: MethodClass): OwnedRoom {
    return { owner: 'chain', of: `chain ${chain}`, kind, seats: this.#seats };
  }

  /** For instances that ask nodes again that are silent, for up to `trialMs` each. Next to nothing is saved up. */
  roomOfTrials(chain: string, trialMs: number): OwnedRoom {
    return { ...this.roomOfChain(chain, 'read'), kind: 'listening', burstMs: trialMs };
  }

  /** For calls of all classes. It saves up next to nothing: all instances may come to wait in the same moment. */
  roomUnheard(chain: string, kept: keyof typeof UNHEARD_BURST_MS = 'new'): OwnedRoom {
    const burstMs = UNHEARD_BURST_MS[kept];
    return { owner: 'chain', of: `chain ${chain}`, kind: 'unheard', seats: this.#seatsUnheard, burstMs };
  }

  roomOfKey(keyId: string, kind: MethodClass): OwnedRoom {
    return { owner: 'key', of: `key ${keyId}`, kind, seats: Math.floor(this.#seats * KEY_SHARE) };
  }

  /** Whether any room is in doubt: else each call may be sent. */
  get isInDoubt(): boolean {
    return this.#clock.now() < this.#inDoubtUntil;
  }

  /** Whether a call may be sent. In doubt it pays ahead; a store that does not answer then grants nothing. */
  async admits(room: OwnedRoom): Promise<boolean> {
    const pausedUntil = this.#doubts.get(nameOf(room));
    if (pausedUntil === undefined) return true;
    return this.#clock.now() >= pausedUntil && (await this.draw(room, AHEAD_MS))?.granted === true;
  }

  /** Draws waiting time, in milliseconds. The room is in doubt from a refusal to the next grant. */
  async draw(room: OwnedRoom, ms: number): Promise<DrawnTime> {
    const drawn = await this.#draws.draw(`${nameOf(room)} ${room.burstMs}`, { room, ms });
    if (drawn?.granted === false) this.#doubt(room);
    if (drawn?.granted === true) this.#doubts.delete(nameOf(room));
    return drawn;
  }

  /** Gives back what was not used, and notes that the chain answered. */
  async giveBack(room: OwnedRoom, ms: number): Promise<void> {
    await this.#store.giveBack(room, ms).catch(() => undefined);
  }

  /** Tells all instances that draw that the chain is silent, or unheard for longer than usual. */
  async tell({ of }: OwnedRoom, word: WaitingWord): Promise<void> {
    await this.#store.tell(of, word).catch(() => undefined);
  }

  /** A pause after which to try again, not together with other instances, in milliseconds. */
  pauseMs(): number {
    return pauseAfterRefusal({ firstMs: PAUSE_MS, maxMs: PAUSE_MS }, this.#random());
  }

  #doubt(room: OwnedRoom): void {
    const name = nameOf(room);
    const now = this.#clock.now();
    this.#inDoubtUntil = now + DOUBT_MS;
    this.#doubts.set(name, now + this.pauseMs(), name.length, this.#inDoubtUntil);
  }
}

function nameOf({ of, kind }: OwnedRoom): string {
  return `${of} ${kind}`;
}
