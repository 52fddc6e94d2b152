import { CACHE_TABLE_VARIABLE, requireVariable } from '../environment.ts';
import { type CacheStore, createCacheStore } from './cache-store.ts';

/** The shared answers of this function's environment, to be opened once per instance. Does no I/O before its first use. */
export function openCacheStore(): CacheStore {
  return createCacheStore({ tableName: requireVariable(CACHE_TABLE_VARIABLE) });
}
