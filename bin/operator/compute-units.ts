import { InputError } from '../../lambdas/access/input-error.ts';

/** An amount of compute units as a person writes it: digits only. Its bounds are the account's to check. */
export function parseComputeUnits(text: string): number {
  if (!/^\d{1,16}$/.test(text)) throw new InputError('CU is a whole number, such as 1000000');
  return Number(text);
}

/** `1,000,000`. */
export function formatComputeUnits(cu: number): string {
  return cu.toLocaleString('en-US');
}
