import type { CacheStore, StoredResponse } from '../../../lambdas/shared/aws/cache-store.ts';

/** The shared table in memory. Like DynamoDB it continues giving expired answers. */
export class MemoryCacheStore implements CacheStore {
  readonly responses = new Map<string, StoredResponse>();
  /** Keys of each read and each write so far, in order. */
  readonly reads: (readonly string[])[] = [];
  readonly writes: (readonly string[])[] = [];
  /** Error with which every request fails. */
  failure: Error | undefined;

  async read(keys: readonly string[]): Promise<readonly StoredResponse[]> {
    this.reads.push(keys);
    if (this.failure !== undefined) throw this.failure;
    return keys.flatMap((key) => this.responses.get(key) ?? []);
  }

  async write(responses: readonly StoredResponse[]): Promise<void> {
    this.writes.push(responses.map(({ key }) => key));
    if (this.failure !== undefined) throw this.failure;
    for (const response of responses) this.responses.set(response.key, response);
  }
}
