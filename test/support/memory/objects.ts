import type { ObjectStore } from '../../../lambdas/shared/aws/object-store.ts';

/** A bucket in memory. */
export class MemoryObjects implements ObjectStore {
  readonly #objects = new Map<string, Buffer>();

  get size(): number {
    return this.#objects.size;
  }

  async put(key: string, body: string | Uint8Array): Promise<void> {
    this.#objects.set(key, Buffer.from(body));
  }

  async putNew(key: string, body: string | Uint8Array): Promise<boolean> {
    if (this.#objects.has(key)) return false;
    this.#objects.set(key, Buffer.from(body));
    return true;
  }

  async get(key: string, part?: { readonly from: number; readonly bytes: number }) {
    const object = this.#objects.get(key);
    if (part === undefined || object === undefined) return object;
    return part.from < object.length ? object.subarray(part.from, part.from + part.bytes) : undefined;
  }

  /** Makes an object what it was, or takes it away: what an attacker with all rights does. */
  forge(key: string, body: string | Uint8Array | undefined): void {
    if (body === undefined) this.#objects.delete(key);
    else this.#objects.set(key, Buffer.from(body));
  }
}
