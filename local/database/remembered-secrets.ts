import type { Clock } from '../../lambdas/shared/runtime/clock.ts';
import type { LocalSecrets } from '../secrets/secrets.ts';

/** The secrets as the RDS Data API knows them: what it has read, it uses for a while, whatever is stored meanwhile. */
export class RememberedSecrets {
  readonly #secrets: LocalSecrets;
  readonly #memoryMs: number;
  readonly #clock: Clock;
  readonly #read = new Map<string, { readonly value: string; readonly at: number }>();

  constructor(secrets: LocalSecrets, memoryMs: number, clock: Clock) {
    this.#secrets = secrets;
    this.#memoryMs = memoryMs;
    this.#clock = clock;
  }

  get(arn: string): string | undefined {
    const now = this.#clock.now();
    const known = this.#read.get(arn);
    if (known !== undefined && now - known.at < this.#memoryMs) return known.value;
    const value = this.#secrets.get(arn);
    if (value !== undefined) this.#read.set(arn, { value, at: now });
    return value;
  }
}
