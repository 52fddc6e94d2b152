import { createHash, createHmac, createSecretKey, type KeyObject } from 'node:crypto';

/** Keys by the bytes that they are made of, as long as the SDK keeps these: it has one signing key a day. */
const keys = new WeakMap<ArrayBufferView, KeyObject>();

/**
 * SHA-256, or its HMAC with a secret, as the signers of the SDK ask for it. The SDK's own hands bytes to Node as the
 * secret: finding out that they are no key takes Node four times as long as the whole HMAC with a key.
 */
export class Sha256 {
  readonly #secret: string | KeyObject | undefined;
  #hash: ReturnType<typeof createHash | typeof createHmac>;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#secret = typeof secret === 'object' ? keyOf(secret) : secret;
    this.#hash = this.#begin();
  }

  update(data: Uint8Array): void {
    this.#hash.update(data);
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {
    this.#hash = this.#begin();
  }

  #begin() {
    return this.#secret === undefined ? createHash('sha256') : createHmac('sha256', this.#secret);
  }
}

function keyOf(secret: ArrayBuffer | ArrayBufferView): KeyObject {
  if (secret instanceof ArrayBuffer) return createSecretKey(new Uint8Array(secret));
  const { buffer, byteOffset, byteLength } = secret;
  const known = keys.get(secret) ?? createSecretKey(new Uint8Array(buffer, byteOffset, byteLength));
  keys.set(secret, known);
  return known;
}
