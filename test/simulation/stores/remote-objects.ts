import type { ObjectStore } from '../../../lambdas/shared/aws/object-store.ts';
import type { Machine, SimulatedProcess } from '../actors/simulated-process.ts';
import type { Weather } from '../weather.ts';
import { exchange, type RemoteFault } from './exchange.ts';

/** A bucket's end of the network. */
export interface ObjectSite {
  readonly machine: Machine;
  readonly objects: ObjectStore;
  readonly weather: Weather<RemoteFault>;
}

/** A bucket as one process sees it. */
export class RemoteObjects implements ObjectStore {
  readonly #site: ObjectSite;
  readonly #process: SimulatedProcess;

  constructor(site: ObjectSite, process: SimulatedProcess) {
    this.#site = site;
    this.#process = process;
  }

  put(key: string, body: string | Uint8Array): Promise<void> {
    return this.#exchange(() => this.#site.objects.put(key, body));
  }

  putNew(key: string, body: string | Uint8Array): Promise<boolean> {
    return this.#exchange(() => this.#site.objects.putNew(key, body));
  }

  get(key: string, part?: { readonly from: number; readonly bytes: number }): Promise<Buffer | undefined> {
    return this.#exchange(() => this.#site.objects.get(key, part));
  }

  #exchange<T>(apply: () => Promise<T>): Promise<T> {
    const { machine, weather } = this.#site;
    return exchange({
      machine,
      process: this.#process,
      nextFault: () => weather.next(),
      failure: (message) => new Error(`bucket: ${message}`),
      apply,
    });
  }
}
