import type { MethodClass } from '../../methods/method-table.ts';
import type { Clock } from '../../runtime/clock.ts';
import { ExpiringMemory } from '../../runtime/expiring-memory.ts';
import type { WaitingRoom, WaitingStore } from './waiting-room.ts';

/** Part of all instances that the chains divide, for the calls of one class; the least part and number that one has. */
const WAITING_SHARE = 1 / 2;
const MIN_CHAIN_SHARE = 1 / 8;
const MIN_SEATS = 2;
/** Part of such a share that one key may have, of all chains together. */
const KEY_SHARE = 1 / 2;
/** Time that a call pays for before it is sent, while its room is in doubt, in milliseconds. */
export const AHEAD_MS = 500;
/** Time for which a room that was full is not asked again, in milliseconds: at least, and at most. */
const MIN_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 2_000;
/** How long a room that was full is in doubt, in milliseconds: longer than a call takes. */
const DOUBT_MS = 60_000;
/** Memory for rooms in doubt, in bytes. */
const MEMORY_BYTES = 1024 * 1024;

/** Whose waiting time a room is of. */
export type RoomOwner = 'key' | 'chain';

/** A room, and whose it is. */
export interface OwnedRoom extends WaitingRoom {
  readonly owner: RoomOwner;
}

export interface WaitingBudgetOptions {
  readonly store: WaitingStore;
  readonly clock: Clock;
  /** Numbers from 0 to 1. */
  readonly random: () => number;
  /** Instances that there may be at a time, and the chains that they serve. */
  readonly concurrency: number;
  readonly chains: number;
}

/** What became of a draw. The store that does not answer has no opinion. */
export type DrawnCalls = Awaited<ReturnType<WaitingStore['draw']>> | undefined;

/**
 * The waiting time of chains and keys as one instance knows it. Only calls that are late draw from it; the instance
 * that found a room full pays before it sends the next call, and for a second or two sends none.
 */
export class WaitingBudget {
  readonly #store: WaitingStore;
  readonly #clock: Clock;
  readonly #random: () => number;
  readonly #seats: number;
  /** Rooms that were full when they were last asked, and until when they are not asked again. */
  readonly #doubts: ExpiringMemory<number>;

  constructor({ store, clock, random, concurrency, chains }: WaitingBudgetOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#random = random;
    const share = Math.max(MIN_CHAIN_SHARE, WAITING_SHARE / chains);
    this.#seats = Math.max(MIN_SEATS, Math.floor(concurrency * share));
    this.#doubts = new ExpiringMemory(MEMORY_BYTES, clock);
  }

  roomOfChain(chain: string, kind: MethodClass | 'listening'): OwnedRoom {
    return { owner: 'chain', of: `chain ${chain}`, kind, seats: this.#seats };
  }

  roomOfKey(keyId: string, kind: MethodClass): OwnedRoom {
    return { owner: 'key', of: `key ${keyId}`, kind, seats: Math.floor(this.#seats * KEY_SHARE) };
  }

  /** Whether a call may be sent. In doubt it pays ahead; a store that does not answer then grants nothing. */
  async admits(room: OwnedRoom): Promise<boolean> {
    const pausedUntil = this.#doubts.get(nameOf(room));
    if (pausedUntil === undefined) return true;
    return this.#clock.now() >= pausedUntil && (await this.draw(room, AHEAD_MS))?.granted === true;
  }

  /** Draws waiting time, in milliseconds. The room is in doubt from a refusal to the next grant. */
  async draw(room: OwnedRoom, ms: number): Promise<DrawnCalls> {
    const drawn = await this.#store.draw(room, ms).catch(() => undefined);
    if (drawn?.granted === false) this.#doubt(room);
    if (drawn?.granted === true) this.#doubts.delete(nameOf(room));
    return drawn;
  }

  /** Gives back what was not used, and tells that the chain was heard. */
  async giveBack(room: OwnedRoom, ms: number): Promise<void> {
    await this.#store.giveBack(room, ms).catch(() => undefined);
  }

  /** Tells all instances that draw that the chain is silent. */
  async tellSilent({ of }: OwnedRoom): Promise<void> {
    await this.#store.tellSilent(of).catch(() => undefined);
  }

  /** A pause after which to try again, not together with other instances, in milliseconds. */
  pauseMs(): number {
    return MIN_PAUSE_MS + this.#random() * (MAX_PAUSE_MS - MIN_PAUSE_MS);
  }

  #doubt(room: OwnedRoom): void {
    const name = nameOf(room);
    const now = this.#clock.now();
    this.#doubts.set(name, now + this.pauseMs(), name.length, now + DOUBT_MS);
  }
}

function nameOf({ of, kind }: OwnedRoom): string {
  return `${of} ${kind}`;
}
