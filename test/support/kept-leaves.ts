import type { Item } from '../../lambdas/access/store/store.ts';
import type { SettlementBooks } from '../../lambdas/settlement/evidence.ts';
import { UNSEALED_SLOTS } from '../../lambdas/settlement/heads.ts';
import type { SettlementRun } from '../../lambdas/settlement/settle-accounts.ts';
import type { MemoryStore } from '../simulation/stores/memory-store.ts';

const EMPTY = { get: async () => undefined };

/** Buckets of a settlement whose leaves and heads no test looks at. */
export const UNKEPT: Pick<SettlementBooks, 'evidence' | 'sealed'> = {
  evidence: { leaves: { freeze: async () => undefined }, randomBytes: (count) => new Uint8Array(count) },
  sealed: { evidence: EMPTY, heads: EMPTY },
};

/** A run of settlement whose ledger lacks nothing that heads name. */
export const NONE_LACKING: Pick<SettlementRun, 'lacking' | 'refused'> = {
  lacking: new Map(),
  refused: () => {},
};

/** The work list of settlement, without what waits for a signed head. */
export function workList(store: MemoryStore): Item[] {
  return store.items('unsettled').filter(({ slot }) => !UNSEALED_SLOTS.includes(String(slot)));
}
