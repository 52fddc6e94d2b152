import { readAccountItem, requireAccountId, unknownAccount } from '../access/accounts/account-item.ts';
import { dropBalanceView } from '../access/accounts/balance-view.ts';
import { InputError } from '../access/contract/input-error.ts';
import type { Item, Store } from '../access/store/store.ts';
import { type AccountStatement, showAccount, stateAccount } from '../settlement/account-statement.ts';
import { DEBIT_PREFIX } from '../settlement/settlement-ledger.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { type Debit, debitRecord } from './account-records.ts';

/** Changes that may come between, each of another operator. */
const ATTEMPTS = 5;

interface DebitedAccount extends AccountStatement {
  readonly reference: string;
  /** Whether an earlier call had applied this debit. */
  readonly already_applied: boolean;
}

/** How far a debit may go. */
interface DebitOptions {
  /** Whether the balance may be below zero afterwards. @default false */
  readonly belowZero?: boolean;
}

/**
 * Takes back compute units that were granted, once per reference: repeating the call has no effect.
 *
 *   item     granted 12, debited 3     on condition that debited is still 3, and granted at least 3 + 5
 *   ledger   debit#r 5                 on condition that it is absent
 *
 * Invariant: what is granted and what is debited only rise, each together with its record, and no more is taken back than
 * was granted. What is charged meanwhile can bring the balance below zero, as it can without a debit.
 *
 * Throws {@link InputError} for an unknown account, a reference that was used for another amount, more than was granted,
 * and more than the balance unless that is allowed. Rejects with an Error if others change the account all the time.
 */
export async function debitAccount(
  store: Store,
  clock: Clock,
  account: string,
  { belowZero = false, ...debit }: Debit & DebitOptions,
): Promise<DebitedAccount> {
  requireAccountId(account);
  const record = debitRecord(account, debit, new Date(clock.now()).toISOString());
  let isApplied = false;
  for (let attempt = 1; attempt <= ATTEMPTS && !isApplied; attempt += 1) {
    const known = await store.get('ledger', { account, record: DEBIT_PREFIX + debit.reference });
    if (known !== undefined) {
      requireSameDebit(known, account, debit);
      return shown(store, account, debit, true);
    }
    const item = await store.get('accounts', { account });
    if (item === undefined) throw unknownAccount(account);
    await requireCovered(store, item, debit.cu, belowZero);
    const debited = readAccountItem(item).debited + BigInt(debit.cu);
    const result = await store.transact([
      { put: record },
      {
        update: {
          table: 'accounts',
          key: { account },
          when: [
            item.debited === undefined
              ? { is: 'absent', attribute: 'debited' }
              : { is: '=', attribute: 'debited', value: item.debited },
            { is: '>=', attribute: 'granted', value: debited },
          ],
          set: { debited },
        },
      },
    ]);
    isApplied = result.applied;
  }
  if (!isApplied) throw new Error(`account ${account} changed at each of ${ATTEMPTS} attempts`);
  return shown(store, account, debit, false);
}

/** No balance view says what the account had before, from the time at which the debit is answered. */
async function shown(
  store: Store,
  account: string,
  { reference }: Debit,
  alreadyApplied: boolean,
): Promise<DebitedAccount> {
  await dropBalanceView(store, account);
  return { ...(await showAccount(store, account)), reference, already_applied: alreadyApplied };
}

function requireSameDebit(known: Item, account: string, { cu, reference }: Debit): void {
  if (known.cu === BigInt(cu)) return;
  throw new InputError(
    `reference ${reference} of account ${account} stands for a debit of ${known.cu} CU already`,
  );
}

async function requireCovered(store: Store, item: Item, cu: number, belowZero: boolean): Promise<void> {
  const { account, granted_cu, debited_cu, balance_cu } = await stateAccount(store, readAccountItem(item));
  if (cu > granted_cu - debited_cu)
    throw new InputError(
      `account ${account} was granted ${granted_cu - debited_cu} CU that are not taken back`,
    );
  if (cu > balance_cu && !belowZero)
    throw new InputError(
      `account ${account} has a balance of ${balance_cu} CU; --below-zero takes back more than that`,
    );
}
