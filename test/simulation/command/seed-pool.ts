import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Hosting } from '../../../lib/config/function-config.ts';
import type { SimulationResult } from '../simulation.ts';

/** One run that a thread is to do. */
export interface SeedWork {
  readonly seed: number;
  readonly requests: number;
  /** Name of a mutant. */
  readonly mutant?: string;
  /** @default that of the mutant, else 'event' */
  readonly hosting?: Hosting;
}

/** Threads that simulate. */
export class SeedPool {
  readonly #workers: readonly Worker[];

  constructor(size: number) {
    this.#workers = Array.from(
      { length: size },
      () => new Worker(new URL('./seed-worker.ts', import.meta.url)),
    );
  }

  /**
   * Lets every thread work off jobs until there is none: `next` gives the work that follows, `done` takes each result.
   * Rejects if a thread fails.
   */
  async run(
    next: () => SeedWork | undefined,
    done: (work: SeedWork, result: SimulationResult) => void,
  ): Promise<void> {
    const lane = async (worker: Worker) => {
      for (let work = next(); work !== undefined; work = next()) {
        worker.postMessage(work);
        const [result] = (await once(worker, 'message')) as [SimulationResult];
        done(work, result);
      }
    };
    await Promise.all(this.#workers.map(lane));
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.terminate()));
  }
}
