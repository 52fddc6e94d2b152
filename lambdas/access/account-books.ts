import { type ObservedAccount, observeAccount } from './observed-account.ts';
import { RecordChain, type RecordSums } from './record-chain.ts';
import { ledgerRecords } from './settlement-ledger.ts';
import { SETTLEMENT_PREFIX } from './settlement-record.ts';
import type { Store } from './store.ts';

const CREDIT_PREFIX = 'credit#';
/** Readings of one account, each begun because a record came in during the one before. */
const READINGS = 5;

/** All that is stored about one account's money, of one moment. */
export interface AccountBooks {
  readonly account: string;
  /** Undefined: the account is registered and not there. */
  readonly observed: ObservedAccount | undefined;
  /** Sum of the credit records, in compute units. */
  readonly creditedCu: bigint;
  readonly records: RecordSums;
}

/**
 * Reads an account's item, its records, and the item again. Records come in only together with a change of
 * `granted` or `settled`, and both only rise: if neither has moved, the records are those of the second reading.
 * Rejects with `StoreUnavailableError`, or with an Error if they moved at every reading.
 */
export async function readBooks(store: Store, account: string): Promise<AccountBooks> {
  let before = await readAccount(store, account);
  for (let reading = 1; reading <= READINGS; reading += 1) {
    const creditedCu = await sumCredits(store, account);
    const records = await sumRecords(store, account);
    const observed = await readAccount(store, account);
    if (observed?.granted === before?.granted && observed?.settled === before?.settled) {
      return { account, observed, creditedCu, records };
    }
    before = observed;
  }
  throw new Error(`account ${account} changed during each of ${READINGS} readings`);
}

async function readAccount(store: Store, account: string): Promise<ObservedAccount | undefined> {
  const item = await store.get('accounts', { account });
  return item && observeAccount(item);
}

async function sumCredits(store: Store, account: string): Promise<bigint> {
  let sum = 0n;
  for await (const { cu } of ledgerRecords(store, account, CREDIT_PREFIX)) {
    if (typeof cu !== 'bigint') throw new TypeError(`a credit of account ${account} has no amount`);
    sum += cu;
  }
  return sum;
}

async function sumRecords(store: Store, account: string): Promise<RecordSums> {
  const chain = new RecordChain();
  for await (const item of ledgerRecords(store, account, SETTLEMENT_PREFIX)) chain.add(item);
  return chain.sums();
}
