import {
  type AttributeValue,
  BatchWriteItemCommand,
  DynamoDBClient,
  ScanCommand,
} from '@aws-sdk/client-dynamodb';
import { toItem } from '../../../lambdas/access/store/dynamo-store.ts';
import type { Item } from '../../../lambdas/access/store/store.ts';
import { attributeValue } from '../../../lambdas/access/store/store.ts';
import { TABLES, type Table } from '../../../lambdas/access/store/tables.ts';
import { createKey } from '../../../lambdas/accounts/keys.ts';
import { inParallel } from '../../../lambdas/shared/runtime/in-parallel.ts';
import { emulatorClientConfig } from '../../emulators/metering-tables.ts';
import { chargeAt, clockAt, openAccount, settleMarked } from '../../settlement/settlement-fixture.ts';
import { MemoryStore } from '../../simulation/stores/memory-store.ts';

/** After everything that happened in the books. */
export const RESTORE_CLOCK = clockAt('2026-11-20T09:15:00Z');
const HOURS = ['2026-11-20T07', '2026-11-20T08'];
const ITEMS_OF_A_BATCH = 25;
const BATCHES_AT_ONCE = 8;

/**
 * The books of some accounts, each with a key, a settled hour, one that waits for settlement and a running one; the
 * first has many small credits as well.
 */
export async function makeBooks(accounts: number, credits: number): Promise<MemoryStore> {
  const store = new MemoryStore();
  for (let number = 0; number < accounts; number += 1) {
    const account = `account-${number}`;
    await openAccount(store, account);
    await createKey(store, RESTORE_CLOCK, { account });
    await chargeAt(store, account, `${HOURS[0]}:10:00Z`, 1_500 + number);
    await settleMarked(store, RESTORE_CLOCK, account, HOURS);
    await chargeAt(store, account, `${HOURS[1]}:10:00Z`, 2_000);
    await chargeAt(store, account, '2026-11-20T09:10:00Z', 30);
  }
  for (let number = 0; number < credits; number += 1) {
    const record = `credit#small-${number}`;
    const key = { account: 'account-0', record };
    const credit = { ...key, reference: `small-${number}`, cu: 1n, created_at: '2026-11-19T00:00:00.000Z' };
    store.restore('ledger', key, credit);
  }
  const [first] = store.items('accounts').filter(({ account }) => account === 'account-0');
  const granted = BigInt(first?.granted ?? 0) + BigInt(credits);
  store.restore('accounts', { account: 'account-0' }, { ...first, granted });
  return store;
}

/** Fills a table of an emulator, by batches: only tests may. */
export async function fillTable(endpoint: string, table: string, items: readonly Item[]): Promise<void> {
  const client = new DynamoDBClient(emulatorClientConfig(endpoint));
  const batches = Array.from({ length: Math.ceil(items.length / ITEMS_OF_A_BATCH) }, (_, batch) =>
    items.slice(batch * ITEMS_OF_A_BATCH, (batch + 1) * ITEMS_OF_A_BATCH),
  );
  const write = async (batch: readonly Item[]): Promise<void> => {
    const puts = batch.map((item) => ({ PutRequest: { Item: toAttributes(item) } }));
    const { UnprocessedItems } = await client.send(
      new BatchWriteItemCommand({ RequestItems: { [table]: puts } }),
    );
    if (Object.keys(UnprocessedItems ?? {}).length > 0) throw new Error('the emulator left out items');
  };
  await inParallel(batches, BATCHES_AT_ONCE, write);
  client.destroy();
}

/** Everything that a table of an emulator has, by its key, in the order of the keys. */
export async function itemsOf(endpoint: string, table: Table, name: string): Promise<Item[]> {
  const client = new DynamoDBClient(emulatorClientConfig(endpoint));
  const items: Item[] = [];
  let after: Record<string, AttributeValue> | undefined;
  do {
    const page = await client.send(new ScanCommand({ TableName: name, ExclusiveStartKey: after }));
    items.push(...(page.Items ?? []).map(toItem));
    after = page.LastEvaluatedKey;
  } while (after !== undefined);
  client.destroy();
  return inOrder(table, items);
}

/** Items in the order of their keys. */
export function inOrder(table: Table, items: readonly Item[]): Item[] {
  const { partitionKey, sortKey } = TABLES[table];
  const nameOf = (item: Item) => `${item[partitionKey]} ${sortKey === undefined ? '' : item[sortKey]}`;
  return [...items].sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1));
}

function toAttributes(item: Item): Record<string, AttributeValue> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, attributeValue(value)]));
}
