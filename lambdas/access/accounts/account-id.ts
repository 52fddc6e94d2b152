import { InputError } from '../contract/input-error.ts';

const ACCOUNT_PATTERN = /^[a-z0-9][a-z0-9_-]{0,62}$/;

/** Throws {@link InputError} unless the text can be the id of an account. */
export function requireAccountId(account: string): void {
  if (!ACCOUNT_PATTERN.test(account)) {
    throw new InputError('an account id has 1 to 63 of a-z, 0-9, _ and -, and starts with a letter or digit');
  }
}

/** The error for an account that is not there. */
export function unknownAccount(account: string): InputError {
  return new InputError(`unknown account ${account}`);
}

/** The error for an account item that contradicts the ledger. `is`: its state, such as `gone`. */
export function damagedAccount(account: string, is: string): Error {
  return new Error(`the item of account ${account} is ${is}: run operator account rebuild ${account}`);
}
