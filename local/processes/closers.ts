/** Steps that undo the start of a run, in the opposite order. */
export class Closers {
  readonly #closers: (() => void | Promise<void>)[] = [];

  add(close: () => void | Promise<void>): void {
    this.#closers.push(close);
  }

  /**
   * Undoes everything, once. One failure does not keep the others from their turn.
   * @throws AggregateError of what failed
   */
  async closeAll(): Promise<void> {
    const failures: unknown[] = [];
    for (let close = this.#closers.pop(); close !== undefined; close = this.#closers.pop()) {
      try {
        await close();
      } catch (error) {
        failures.push(error);
      }
    }
    if (failures.length > 0)
      throw new AggregateError(failures, `could not stop: ${failures.map(String).join(', ')}`);
  }
}
