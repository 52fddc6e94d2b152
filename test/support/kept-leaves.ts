import type { Item } from '../../lambdas/access/store/store.ts';
import type { SettlementBooks } from '../../lambdas/settlement/evidence.ts';
import { UNSEALED_SLOTS } from '../../lambdas/settlement/heads.ts';
import type { MemoryStore } from '../simulation/stores/memory-store.ts';

/** Evidence of a settlement whose leaves no test looks at. */
export const UNKEPT: SettlementBooks['evidence'] = {
  leaves: { freeze: async () => undefined },
  randomBytes: (count) => new Uint8Array(count),
};

/** The work list of settlement, without what waits for a signed head. */
export function workList(store: MemoryStore): Item[] {
  return store.items('unsettled').filter(({ slot }) => !UNSEALED_SLOTS.includes(String(slot)));
}
