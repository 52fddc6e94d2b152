/** One of several that are asked for together. */
export interface AskedItem<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** Settles each of some items that were asked for by one name; it never rejects. */
type Settle<Item, Result> = (name: string, asked: readonly AskedItem<Item, Result>[]) => Promise<void>;

/**
 * What a process asks of a store for one name at a time: while one request is under way, all that come are the next one
 * together. So the writes to an item follow one another, however many requests of a process wait; each waits for two at most.
 */
export class Together<Item, Result> {
  readonly #settle: Settle<Item, Result>;
  /** For each name with a request under way: those that came meanwhile. */
  readonly #waiting = new Map<string, AskedItem<Item, Result>[]>();

  constructor(settle: Settle<Item, Result>) {
    this.#settle = settle;
  }

  /** Asks for an item, with those of its name that wait already. */
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
}
