import { requireAccountId, unknownAccount } from '../access/accounts/account-item.ts';
import { dropBalanceView } from '../access/accounts/balance-view.ts';
import { InputError } from '../access/contract/input-error.ts';
import type { RefusedAction, Store } from '../access/store/store.ts';
import { type AccountStatement, showAccount } from '../settlement/account-statement.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { type Credit, creditRecord, MAX_GRANTED_CU } from './account-records.ts';

interface CreditedAccount extends AccountStatement {
  readonly reference: string;
  /** Whether an earlier call had applied this credit. */
  readonly already_applied: boolean;
}

/**
 * Grants compute units, once per reference: repeating the call has no effect. When it resolves, no balance view shows the
 * balance before the credit any more. Throws {@link InputError} for an unknown account, if the reference was used for another
 * amount, or if the account would have more than {@link MAX_GRANTED_CU}.
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
  await dropBalanceView(store, account);
  return {
    ...(await showAccount(store, account)),
    reference: credit.reference,
    already_applied: !result.applied,
  };
}

/** Returns if the refused credit was applied before; else throws why it cannot be applied. */
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
