import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { InputError } from './input-error.ts';
import { PENDING_USAGE_PREFIX } from './observed-account.ts';
import type { Item, Put, RefusedAction, Store } from './store.ts';
import { PENDING_SHARDS } from './tables.ts';

/** Most compute units that one account can ever be granted, so that every balance is a safe integer. */
export const MAX_GRANTED_CU = 10 ** 15;
/** Most accounts that {@link listAccounts} reads at once. */
export const MAX_ACCOUNTS_PAGE = 100;
/** Partition of the ledger that names every account (as `record`): the store has no scan. */
export const ACCOUNT_REGISTRY = '#accounts';

const ACCOUNT_PATTERN = /^[a-z0-9][a-z0-9_-]{0,62}$/;
const REFERENCE_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._:/#-]{0,127}$/;

/** An account as operators see it. All amounts are compute units. */
export interface AccountStatement {
  readonly account: string;
  readonly plan: string;
  readonly granted_cu: number;
  readonly charged_cu: number;
  /** Granted less charged. */
  readonly balance_cu: number;
  /** Charged and not yet settled, by hour (`2026-11-20T23`, UTC). */
  readonly pending_cu: Readonly<Record<string, number>>;
  /** ISO 8601. */
  readonly created_at: string;
}

/** A grant of compute units. The same reference is only ever applied once to an account. */
export interface Credit {
  readonly cu: number;
  readonly reference: string;
}

export interface CreditedAccount extends AccountStatement {
  readonly reference: string;
  /** Whether an earlier call had applied this credit. */
  readonly already_applied: boolean;
}

export interface AccountsPage {
  readonly accounts: readonly AccountStatement[];
  /** Last account of the page, if there may be more. */
  readonly next?: string;
}

/**
 * Creates an account, with an opening credit if one is given, in one transaction.
 * Throws {@link InputError} for a malformed id or credit, and if the account exists.
 */
export async function createAccount(
  store: Store,
  clock: Clock,
  request: { readonly account: string; readonly plan: string; readonly credit?: Credit },
): Promise<AccountStatement> {
  const { account, plan, credit } = request;
  requireAccountId(account);
  const createdAt = new Date(clock.now()).toISOString();
  const item = {
    account,
    plan,
    granted: BigInt(credit?.cu ?? 0),
    charged: 0n,
    pending_shard: pendingShard(account),
    created_at: createdAt,
  };
  const registered = { account: ACCOUNT_REGISTRY, record: account, created_at: createdAt };
  const result = await store.transact([
    { put: { table: 'accounts', item, when: [{ is: 'absent', attribute: 'account' }] } },
    { put: { table: 'ledger', item: registered, when: [{ is: 'absent', attribute: 'record' }] } },
    ...(credit ? [{ put: creditRecord(account, credit, createdAt) }] : []),
  ]);
  if (!result.applied) throw new InputError(`account ${account} exists already`);
  return statement(item);
}

/** The account as it is now. Throws {@link InputError} if there is none. */
export async function showAccount(store: Store, account: string): Promise<AccountStatement> {
  requireAccountId(account);
  const item = await store.get('accounts', { account });
  if (item === undefined) throw unknownAccount(account);
  return statement(item);
}

/** Accounts in the order of their ids, at most {@link MAX_ACCOUNTS_PAGE} at once. */
export async function listAccounts(store: Store, after?: string): Promise<AccountsPage> {
  const page = await store.query({
    table: 'ledger',
    partition: { attribute: 'account', value: ACCOUNT_REGISTRY },
    limit: MAX_ACCOUNTS_PAGE,
    ...(after !== undefined && { after: { account: ACCOUNT_REGISTRY, record: after } }),
  });
  const items = await Promise.all(
    page.items.map(({ record }) => store.get('accounts', { account: String(record) })),
  );
  const accounts = items.flatMap((item) => (item === undefined ? [] : [statement(item)]));
  return { accounts, ...(page.next && { next: String(page.next.record) }) };
}

/**
 * Grants compute units, once per reference: repeating the call is harmless. Throws {@link InputError} if there
 * is no such account, if the reference stands for another amount, or if the account would have more than
 * {@link MAX_GRANTED_CU}.
 */
export async function creditAccount(
  store: Store,
  clock: Clock,
  account: string,
  credit: Credit,
): Promise<CreditedAccount> {
  requireAccountId(account);
  const record = creditRecord(account, credit, new Date(clock.now()).toISOString());
  const headroom = BigInt(MAX_GRANTED_CU) - BigInt(credit.cu);
  const result = await store.transact([
    { put: record },
    {
      update: {
        table: 'accounts',
        key: { account },
        when: [{ is: '<=', attribute: 'granted', value: headroom }],
        add: { granted: BigInt(credit.cu) },
      },
    },
  ]);
  if (!result.applied) requireSameCredit(account, credit, result.refused);
  return {
    ...(await showAccount(store, account)),
    reference: credit.reference,
    already_applied: !result.applied,
  };
}

/** Puts an account on another plan; the caller knows which plans there are. Throws {@link InputError} if unknown. */
export async function setPlan(store: Store, account: string, plan: string): Promise<AccountStatement> {
  requireAccountId(account);
  const result = await store.update({
    table: 'accounts',
    key: { account },
    when: [{ is: 'present', attribute: 'account' }],
    set: { plan },
  });
  if (!result.applied) throw unknownAccount(account);
  return statement(result.item);
}

/** Throws {@link InputError} unless the text can be the id of an account. */
export function requireAccountId(account: string): void {
  if (!ACCOUNT_PATTERN.test(account)) {
    throw new InputError('an account id has 1 to 63 of a-z, 0-9, _ and -, and starts with a letter or digit');
  }
}

/** The error for an account that is not there. */
export function unknownAccount(account: string): InputError {
  return new InputError(`there is no account ${account}`);
}

/** The refused credit was applied before, or this throws why it cannot be applied. */
function requireSameCredit(
  account: string,
  { cu, reference }: Credit,
  [record, update]: readonly (RefusedAction | undefined)[],
): void {
  if (record !== undefined) {
    if (record.item?.cu === BigInt(cu)) return;
    throw new InputError(
      `reference ${reference} of account ${account} stands for ${record.item?.cu} CU already`,
    );
  }
  if (update?.item === undefined) throw unknownAccount(account);
  throw new InputError(`account ${account} would be granted more than ${MAX_GRANTED_CU} CU`);
}

function creditRecord(account: string, { cu, reference }: Credit, createdAt: string): Put {
  if (!Number.isSafeInteger(cu) || cu < 1 || cu > MAX_GRANTED_CU) {
    throw new InputError(`a credit is a whole number of CU from 1 to ${MAX_GRANTED_CU}`);
  }
  if (!REFERENCE_PATTERN.test(reference)) {
    throw new InputError(
      'a reference has 1 to 128 of A-Z, a-z, 0-9 and . _ : / # -, and starts with a letter or digit',
    );
  }
  const record = `credit#${reference}`;
  return {
    table: 'ledger',
    item: { account, record, reference, cu: BigInt(cu), created_at: createdAt },
    when: [{ is: 'absent', attribute: 'record' }],
  };
}

function statement(item: Item): AccountStatement {
  const granted = Number(item.granted);
  const charged = Number(item.charged);
  const pending = Object.entries(item)
    .filter(([attribute, cu]) => attribute.startsWith(PENDING_USAGE_PREFIX) && cu !== 0n)
    .map(([attribute, cu]) => [attribute.slice(PENDING_USAGE_PREFIX.length), Number(cu)] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return {
    account: String(item.account),
    plan: String(item.plan),
    granted_cu: granted,
    charged_cu: charged,
    balance_cu: granted - charged,
    pending_cu: Object.fromEntries(pending),
    created_at: String(item.created_at),
  };
}

/** Partition of the pending index that an account is in for life. */
function pendingShard(account: string): bigint {
  return BigInt(createHash('sha256').update(account).digest().readUInt32BE(0) % PENDING_SHARDS);
}
