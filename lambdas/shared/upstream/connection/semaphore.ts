/** A bounded number of things that go on at the same time. */
export class Semaphore {
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Takes a slot; false if all are taken. */
  take(): boolean {
    if (this.#free === 0) return false;
    this.#free -= 1;
    return true;
  }

  giveBack(): void {
    this.#free += 1;
  }
}
