/** One of several that are asked for together. */
interface AskedItem<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** How what is asked for by one name is drawn. */
interface Draws<Item, Result> {
  /** What an item needs no draw for. @default each needs one */
  readonly ahead?: (name: string, item: Item) => Result | undefined;
  /** Draws for some items, all or nothing. */
  readonly draw: (name: string, items: readonly Item[]) => Promise<Result>;
  /** Whether a draw got nothing, so that fewer items may. */
  readonly isRefused: (result: Result) => boolean;
}

/**
 * The draws of a process from what all processes share: while one for a name is under way, all that come are the next one
 * together. So the writes to an item follow one another, however many requests of a process wait. What has no room for all is
 * tried in halves: a draw that is refused is mostly refused without a write.
 */
export class DrawsTogether<Item, Result> {
  readonly #draws: Draws<Item, Result>;
  /** For each name with a draw under way: those that came meanwhile. */
  readonly #waiting = new Map<string, AskedItem<Item, Result>[]>();

  constructor(draws: Draws<Item, Result>) {
    this.#draws = draws;
  }

  /** Draws for an item, with those of its name that wait already. */
  ask(name: string, item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const waiting = this.#waiting.get(name);
      if (waiting !== undefined) waiting.push({ item, resolve, reject });
      else void this.#settleAll(name, [{ item, resolve, reject }]);
    });
  }

  async #settleAll(name: string, waiting: AskedItem<Item, Result>[]): Promise<void> {
    this.#waiting.set(name, waiting);
    while (waiting.length > 0) await this.#settle(name, waiting.splice(0));
    this.#waiting.delete(name);
  }

  async #settle(name: string, all: readonly AskedItem<Item, Result>[]): Promise<void> {
    const asked = all.filter(({ item, resolve }) => {
      const ahead = this.#draws.ahead?.(name, item);
      if (ahead !== undefined) resolve(ahead);
      return ahead === undefined;
    });
    if (asked.length === 0) return;
    try {
      const drawn = await this.#draws.draw(
        name,
        asked.map(({ item }) => item),
      );
      if (asked.length === 1 || !this.#draws.isRefused(drawn))
        for (const { resolve } of asked) resolve(drawn);
      else {
        const half = Math.ceil(asked.length / 2);
        await this.#settle(name, asked.slice(0, half));
        await this.#settle(name, asked.slice(half));
      }
    } catch (error) {
      for (const { reject } of asked) reject(error);
    }
  }
}
