import type { Bookkeeping } from '../access/bookkeeping.ts';
import type { ObjectStore } from '../shared/aws/object-store.ts';
import type { RandomBytes } from '../shared/runtime/random-bytes.ts';
import { createLeafFreezer } from './leaf-freezer.ts';
import type { SettlementBooks } from './settlement-books.ts';

/** Times of a request to the bucket, in milliseconds: an object has some mebibytes at the most. */
export const EVIDENCE_TIMES = { connectTimeoutMs: 1_000, timeoutMs: 5_000 };

/**
 * The books of a settlement that keeps its leaves in a bucket; of a gateway that has none, nowhere. `heads`: the bucket of heads, which
 * the ledger is held to.
 */
export function openEvidence(
  common: Bookkeeping,
  objects: ObjectStore | undefined,
  randomBytes: RandomBytes,
  heads?: ObjectStore,
): SettlementBooks {
  const leaves =
    objects === undefined
      ? { freeze: async () => undefined }
      : createLeafFreezer({ ...common, objects, randomBytes });
  const sealed = objects && heads && { heads, evidence: objects };
  return { ...common, evidence: { leaves, randomBytes }, ...(sealed && { sealed }) };
}
