import type { AccountItem } from '../access/accounts/account-item.ts';
import { InputError } from '../access/contract/input-error.ts';
import type { Put } from '../access/store/store.ts';
import {
  ACCOUNT_REGISTRY,
  CREDIT_PREFIX,
  DEBIT_PREFIX,
  newRecord,
  PLAN_PREFIX,
} from '../settlement/settlement-ledger.ts';

/** Most compute units that one account can ever be granted, so that every balance is a safe integer. */
export const MAX_GRANTED_CU = 10 ** 15;

const REFERENCE_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._:/#-]{0,127}$/;
const BY_PATTERN = /^[\x21-\x7e](?:[\x20-\x7e]{0,126}[\x21-\x7e])?$/;
const REASON_PATTERN = /^(?=.*\S)[^\p{Cc}]{1,200}$/u;
const PLAN_REVISION_DIGITS = 6;

/** A grant of compute units. The same reference is only ever applied once to an account. */
export interface Credit {
  readonly cu: number;
  readonly reference: string;
  /** Who grants it, as they say themselves. @default no name */
  readonly by?: string | undefined;
}

/** Compute units that are taken back. The same reference is only ever applied once to an account. */
export interface Debit extends Credit {
  /** Why, as the customer reads it. */
  readonly reason: string;
}

/** Puts the entry that names an account, once. */
export function registryEntry(account: string, createdAt: string): Put {
  return newRecord({ account: ACCOUNT_REGISTRY, record: account, created_at: createdAt });
}

/** Puts the record of a credit, once. Throws {@link InputError} for an amount, a reference or a name that is none. */
export function creditRecord(account: string, credit: Credit, createdAt: string): Put {
  return newRecord({
    account,
    record: CREDIT_PREFIX + credit.reference,
    ...amountOfRecord('credit', credit, createdAt),
  });
}

/** Puts the record of a debit, once. Throws {@link InputError} for an amount, a reference, a name or a reason that is none. */
export function debitRecord(account: string, { reason, ...debit }: Debit, createdAt: string): Put {
  if (!REASON_PATTERN.test(reason)) {
    throw new InputError('the reason of a debit has 1 to 200 characters, and no control characters');
  }
  const amount = amountOfRecord('debit', debit, createdAt);
  return newRecord({ account, record: DEBIT_PREFIX + debit.reference, ...amount, reason });
}

function amountOfRecord(
  what: 'credit' | 'debit',
  { cu, reference, by }: Credit,
  createdAt: string,
): Put['item'] {
  if (!Number.isSafeInteger(cu) || cu < 1 || cu > MAX_GRANTED_CU) {
    throw new InputError(`a ${what} is a whole number of CU from 1 to ${MAX_GRANTED_CU}`);
  }
  if (!REFERENCE_PATTERN.test(reference)) {
    throw new InputError(
      'a reference has 1 to 128 of A-Z, a-z, 0-9 and . _ : / # -, and starts with a letter or digit',
    );
  }
  if (by !== undefined && !BY_PATTERN.test(by)) {
    throw new InputError(`who makes a ${what} is named with 1 to 128 printable characters of ASCII`);
  }
  return { reference, cu: BigInt(cu), created_at: createdAt, ...(by !== undefined && { by }) };
}

/** Puts the record of the plan that an account is on from now on, once for each revision. */
export function planRecord(
  { account, plan, planRevision, shards }: Pick<AccountItem, 'account' | 'plan' | 'planRevision' | 'shards'>,
  createdAt: string,
): Put {
  const record = PLAN_PREFIX + String(planRevision).padStart(PLAN_REVISION_DIGITS, '0');
  return newRecord({
    account,
    record,
    revision: planRevision,
    plan,
    shards: BigInt(shards),
    created_at: createdAt,
  });
}
