/** Work under the same name comes one after the other. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Does the work once all that was given before under this name has ended, however it has. */
  take<T>(name: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(name) ?? Promise.resolve()).then(work, work);
    this.#last.set(name, turn);
    const leave = () => {
      if (this.#last.get(name) === turn) this.#last.delete(name);
    };
    turn.then(leave, leave);
    return turn;
  }
}
