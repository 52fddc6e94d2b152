import type { Put } from '../access/store/store.ts';

/** Partitions of the table of the work list that hold what no head has yet; no slots of it. */
export const UNSEALED_SLOTS: readonly string[] = Array.from(
  '0123456789abcdef',
  (digit) => `unsealed-${digit}`,
);

/** Puts the hash of a record on the list of those that no signed head has yet. `nowMs`: when it was settled. */
export function unsealedPut(hash: string, nowMs: number): Put {
  return {
    table: 'unsettled',
    item: { slot: `unsealed-${hash[0]}`, entry: hash, mark: String(nowMs) },
    when: [],
  };
}
