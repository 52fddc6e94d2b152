import type { WaitingDrawn, WaitingRoom, WaitingStore } from './waiting-room.ts';

/** What became of a draw. The store that does not answer has no opinion. */
export type DrawnTime = WaitingDrawn | undefined;

interface Waiting {
  readonly ms: number;
  readonly resolve: (drawn: DrawnTime) => void;
}

/**
 * The draws of one process from rooms of waiting time. A room has one draw under way at a time; those that come meanwhile
 * are one draw together. So the writes to a room's item follow one another, however many requests of a process wait.
 */
export class RoomDraws {
  readonly #store: Pick<WaitingStore, 'draw'>;
  /** For each room with a draw under way: the draws that came meanwhile. */
  readonly #waiting = new Map<string, Waiting[]>();

  constructor(store: Pick<WaitingStore, 'draw'>) {
    this.#store = store;
  }

  /** Draws waiting time, in milliseconds: all of it, or none. */
  draw(room: WaitingRoom, ms: number): Promise<DrawnTime> {
    return new Promise((resolve) => {
      const name = `${room.of} ${room.kind} ${room.burstMs}`;
      const waiting = this.#waiting.get(name);
      if (waiting !== undefined) waiting.push({ ms, resolve });
      else void this.#drawAll(name, room, { ms, resolve });
    });
  }

  async #drawAll(name: string, room: WaitingRoom, first: Waiting): Promise<void> {
    const waiting = [first];
    this.#waiting.set(name, waiting);
    while (waiting.length > 0) await this.#settle(room, waiting.splice(0));
    this.#waiting.delete(name);
  }

  /** One draw for all. What has no room for all is tried in halves: a draw that was refused is mostly refused without a write. */
  async #settle(room: WaitingRoom, waiting: readonly Waiting[]): Promise<void> {
    const ms = waiting.reduce((sum, one) => sum + one.ms, 0);
    const drawn = await this.#store.draw(room, ms).catch(() => undefined);
    if (drawn?.granted !== false || waiting.length === 1) {
      for (const { resolve } of waiting) resolve(drawn);
      return;
    }
    const half = Math.ceil(waiting.length / 2);
    await this.#settle(room, waiting.slice(0, half));
    await this.#settle(room, waiting.slice(half));
  }
}
