import type { AttributeValue, DynamoDBBatchResponse, DynamoDBRecord } from 'aws-lambda';
import { type AccountCharge, readCharge } from '../access/account-charge.ts';
import { retried } from '../access/bookkeeping.ts';
import type { Pause } from '../access/charge.ts';
import { inParallel } from '../access/in-parallel.ts';
import type { Item, Store, Value } from '../access/store.ts';
import { foldUsage } from '../access/usage-fold.ts';
import { errorField, log } from '../log.ts';

/** Accounts that one delivery works at once. */
const ACCOUNTS_AT_ONCE = 16;

/** What the function works with. */
export interface UsageParts {
  readonly store: Store;
  readonly pause: Pause;
}

/** The charges of one account in a delivery, and where in the stream the first of its records stands. */
interface AccountCharges {
  readonly account: string;
  readonly sequenceNumber: string;
  readonly charges: AccountCharge[];
}

/**
 * Counts the charges in a delivery from the stream of the accounts table. Answers the first record that is to be
 * delivered again, with all that follow it: those of an account that the store did not count. What is delivered again
 * and was counted changes nothing.
 */
export async function countUsage(
  { store, pause }: UsageParts,
  records: readonly DynamoDBRecord[],
): Promise<DynamoDBBatchResponse> {
  const accounts = chargesByAccount(records);
  const failed = new Set<AccountCharges>();
  const count = async (work: AccountCharges) => {
    const { account, charges } = work;
    try {
      const missedCu = await retried(pause, () => foldUsage(store, account, charges));
      if (missedCu !== 0n) log('warn', 'usage_missed', { account, cu: Number(missedCu) });
    } catch (error) {
      failed.add(work);
      log('warn', 'usage_not_counted', { account, error: errorField(error) });
    }
  };
  await inParallel(accounts, ACCOUNTS_AT_ONCE, count, () => false);
  const first = accounts.find((work) => failed.has(work));
  return { batchItemFailures: first === undefined ? [] : [{ itemIdentifier: first.sequenceNumber }] };
}

/** Accounts in the order of their first charge. */
function chargesByAccount(records: readonly DynamoDBRecord[]): AccountCharges[] {
  const accounts = new Map<string, AccountCharges>();
  for (const { dynamodb = {} } of records) {
    const charge = readCharge(imageItem(dynamodb.OldImage), imageItem(dynamodb.NewImage));
    if (charge === undefined) continue;
    const account = dynamodb.Keys?.account?.S ?? '';
    const known = accounts.get(account) ?? {
      account,
      sequenceNumber: dynamodb.SequenceNumber ?? '',
      charges: [],
    };
    known.charges.push(charge);
    accounts.set(account, known);
  }
  return [...accounts.values()];
}

/** The texts and integers of an item: an account has no other attributes that matter here. */
function imageItem(image: Readonly<Record<string, AttributeValue>> | undefined): Item | undefined {
  return image && Object.fromEntries(Object.entries(image).flatMap(attribute));
}

function attribute([name, { S, N }]: [string, AttributeValue]): [string, Value][] {
  if (S !== undefined) return [[name, S]];
  return N === undefined ? [] : [[name, BigInt(N)]];
}
