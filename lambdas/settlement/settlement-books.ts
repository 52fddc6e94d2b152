import type { Bookkeeping } from '../access/bookkeeping.ts';
import type { RandomBytes } from '../shared/runtime/random-bytes.ts';
import type { SealedObjects } from './follow-heads.ts';
import type { LeafFreezer } from './leaf-freezer.ts';

/** What settlement works with. */
export interface SettlementBooks extends Bookkeeping {
  readonly evidence: {
    readonly leaves: LeafFreezer;
    /** Of the salts of records. */
    readonly randomBytes: RandomBytes;
  };
  /** What the ledger is held to. Absent: nothing is sealed. */
  readonly sealed?: SealedObjects;
}
