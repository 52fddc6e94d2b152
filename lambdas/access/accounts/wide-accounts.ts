import { queryItems } from '../store/query-items.ts';
import type { Store } from '../store/store.ts';

/** Lanes that every instance reads by itself; accounts with more have a balance view. */
export const NARROW_LANES = 100;
/** Least number of lanes that is read of each shard: they are spread by chance. */
const MIN_LANES_PER_SHARD = 8;
/** Partition of the table of the work list that has the accounts whose balance views are wanted; no slot of it. */
export const WANTED_SLOT = 'wide';
const ENTRIES_PER_PAGE = 1_000;

/** Lanes of each shard that are read to tell whether an account is wide: twice their share. */
export function lanesPerShard(shards: number, narrowLanes: number): number {
  return shards === 1
    ? narrowLanes + 1
    : Math.max(MIN_LANES_PER_SHARD, Math.ceil((2 * narrowLanes) / shards));
}

/** Asks for the balance view of an account. @returns whether nobody asked before. Rejects with `StoreUnavailableError`. */
export async function wantBalanceView(store: Store, account: string): Promise<boolean> {
  const { applied } = await store.put({
    table: 'unsettled',
    item: { slot: WANTED_SLOT, entry: account },
    when: [{ is: 'absent', attribute: 'entry' }],
  });
  return applied;
}

/** The accounts whose balance views are wanted. Rejects with `StoreUnavailableError`. */
export async function wantedBalanceViews(store: Store): Promise<string[]> {
  const accounts: string[] = [];
  const query = {
    table: 'unsettled',
    partition: { attribute: 'slot', value: WANTED_SLOT },
    limit: ENTRIES_PER_PAGE,
  } as const;
  for await (const { entry } of queryItems({ store }, query)) accounts.push(String(entry));
  return accounts;
}

/** Takes an account off that needs no balance view any more. Rejects with `StoreUnavailableError`. */
export async function endWant(store: Store, account: string): Promise<void> {
  await store.delete({ table: 'unsettled', key: { slot: WANTED_SLOT, entry: account }, when: [] });
}
