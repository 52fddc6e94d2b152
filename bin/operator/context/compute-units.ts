import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { MAX_GRANTED_CU } from '../../../lambdas/accounts/account-records.ts';

/** A credit or a debit in compute units as a person writes it, in digits only. Throws {@link InputError} for anything else. */
export function parseComputeUnits(text: string, what: 'credit' | 'debit' = 'credit'): number {
  const cu = /^\d{1,16}$/.test(text) ? Number(text) : 0;
  if (cu >= 1 && cu <= MAX_GRANTED_CU) return cu;
  throw new InputError(`a ${what} must be a whole number of CU from 1 to ${MAX_GRANTED_CU}, in digits`);
}

/** `1,000,000`. */
export function formatComputeUnits(cu: number): string {
  return cu.toLocaleString('en-US');
}
