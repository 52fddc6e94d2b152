import type { Mutant } from './mutant.ts';
import { bucketMutants } from './mutants-of-buckets.ts';
import { chargeMutants } from './mutants-of-charges.ts';
import { dayMutants } from './mutants-of-days.ts';
import { environmentMutants } from './mutants-of-environments.ts';
import { ledgerMutants } from './mutants-of-ledger.ts';
import { receiptMutants } from './mutants-of-receipts.ts';
import { sealMutants } from './mutants-of-seals.ts';
import { viewMutants } from './mutants-of-views.ts';

/** Every simplification that the simulation must find. */
export const MUTANTS: readonly Mutant[] = [
  ...bucketMutants,
  ...dayMutants,
  ...chargeMutants,
  ...environmentMutants,
  ...ledgerMutants,
  ...sealMutants,
  ...receiptMutants,
  ...viewMutants,
];

/** The mutant of a name, or all of them by the name `all`. Throws an Error if there is none. */
export function findMutants(name: string): readonly Mutant[] {
  const found = MUTANTS.filter((mutant) => name === 'all' || mutant.name === name);
  if (found.length > 0) return found;
  throw new Error(`there is no mutant '${name}', but ${MUTANTS.map((each) => each.name).join(', ')}`);
}
