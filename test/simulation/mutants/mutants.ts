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

/** The mutant of a name. Throws an Error if there is none. */
export function findMutant(name: string): Mutant {
  const mutant = MUTANTS.find((candidate) => candidate.name === name);
  if (mutant === undefined) {
    throw new Error(`there is no mutant '${name}', but ${MUTANTS.map((each) => each.name).join(', ')}`);
  }
  return mutant;
}

/** The mutant of a name, or all of them by the name `all`. */
export function findMutants(name: string): readonly Mutant[] {
  return name === 'all' ? MUTANTS : [findMutant(name)];
}
