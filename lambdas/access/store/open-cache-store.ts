import { CACHE_TABLE_VARIABLE, requireVariable } from '../../shared/runtime/environment.ts';
import { type CacheStore, type CacheStoreOptions, createCacheStore } from './cache-store.ts';

/**
 * The shared answers of this function's environment, to be opened once per instance. Does no I/O before its first use.
 * `times`: where they are not those of a look-up that a node can do as well.
 */
export function openCacheStore(
  times: Pick<CacheStoreOptions, 'connectTimeoutMs' | 'readTimeoutMs'> = {},
): CacheStore {
  return createCacheStore({ tableName: requireVariable(CACHE_TABLE_VARIABLE), ...times });
}
