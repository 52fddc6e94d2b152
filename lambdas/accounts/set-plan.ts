import {
  type AccountItem,
  damagedAccount,
  readAccountItem,
  requireAccountId,
  unknownAccount,
} from '../access/accounts/account-item.ts';
import type { Store } from '../access/store/store.ts';
import { type AccountStatement, showAccount } from '../settlement/account-statement.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { planRecord } from './account-records.ts';

/** Changes that may come between, each of another operator. */
const ATTEMPTS = 5;

/** The plan that an account is put on; the caller knows which plans there are. */
interface PlanChange {
  readonly plan: string;
  /** Partitions of the account's lanes, as the plan has them: an account that has more keeps them. @default 1 */
  readonly shards?: number;
}

/**
 * Puts an account on another plan, with a record of it. Throws {@link InputError} if there is no such account. Rejects
 * with an Error if its item is older than its ledger.
 */
export async function setPlan(
  store: Store,
  clock: Clock,
  account: string,
  change: PlanChange,
): Promise<AccountStatement> {
  requireAccountId(account);
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const item = await store.get('accounts', { account });
    if (item === undefined) throw unknownAccount(account);
    if (await applyChange(store, clock, readAccountItem(item), change)) return showAccount(store, account);
  }
  throw new Error(`account ${account} changed at each of ${ATTEMPTS} attempts`);
}

/** Resolves to whether the account is on the plan; if not, another change came between. */
async function applyChange(
  store: Store,
  clock: Clock,
  before: AccountItem,
  { plan, shards = 1 }: PlanChange,
): Promise<boolean> {
  if (before.plan === plan && before.shards >= shards) return true;
  const after = {
    account: before.account,
    plan,
    planRevision: before.planRevision + 1n,
    // Never fewer: the lanes of a shard that the account no longer had would not be found.
    shards: Math.max(before.shards, shards),
  };
  const result = await store.transact([
    {
      update: {
        table: 'accounts',
        key: { account: before.account },
        when: [{ is: '=', attribute: 'plan_revision', value: before.planRevision }],
        set: { plan, plan_revision: after.planRevision, shards: BigInt(after.shards) },
      },
    },
    { put: planRecord(after, new Date(clock.now()).toISOString()) },
  ]);
  if (result.applied) return true;
  const [account, record] = result.refused;
  if (account === undefined && record !== undefined) {
    throw damagedAccount(before.account, 'older than its ledger');
  }
  return false;
}
