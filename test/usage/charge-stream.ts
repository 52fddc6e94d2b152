import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import { applyCharge } from '../../lambdas/access/charge-update.ts';
import { hourOf } from '../../lambdas/access/hour.ts';
import type { MethodUsage } from '../../lambdas/access/metering.ts';
import type { Item, Store } from '../../lambdas/access/store.ts';
import { encodeUsage, usageCu } from '../../lambdas/access/usage-text.ts';

/** Later than every charge, so that charges of any hour can follow each other. */
const LANE_BEGIN = BigInt(Date.parse('2030-01-01T00:00:00Z')) * 1_000n;

/** One charge that a test makes. */
export interface TestCharge {
  readonly account: string;
  /** Such as `2026-11-20T23:30:00Z`. */
  readonly time: string;
  readonly usage: readonly MethodUsage[];
}

/** Makes changes of accounts, and keeps the record of each as the stream of the table would. */
export class ChargeStream {
  readonly records: DynamoDBRecord[] = [];
  readonly #store: Store;
  #sequence = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  async open(account: string, charged = 0n): Promise<void> {
    const item = { account, plan: 'standard', granted: 10n ** 12n, charged };
    await this.#store.put({ table: 'accounts', item, when: [] });
  }

  /** @param used what the charge says of itself; by default the truth */
  async charge({ account, time, usage }: TestCharge, used = encodeUsage(usage)): Promise<DynamoDBRecord> {
    return this.#record(account, async () => {
      const verdict = await applyCharge(this.#store, {
        account,
        cu: BigInt(usageCu(usage)),
        hour: hourOf(Date.parse(time)),
        lane: 'lane',
        seq: LANE_BEGIN + BigInt(this.#sequence),
        used,
      });
      if (verdict.state !== 'applied') throw new Error(`the charge is ${verdict.state}`);
    });
  }

  /** A change that is no charge. */
  async set(account: string, attributes: Item): Promise<DynamoDBRecord> {
    return this.#record(account, () =>
      this.#store.update({ table: 'accounts', key: { account }, when: [], set: attributes }),
    );
  }

  async #record(account: string, change: () => Promise<unknown>): Promise<DynamoDBRecord> {
    const before = await this.#store.get('accounts', { account });
    await change();
    const after = await this.#store.get('accounts', { account });
    this.#sequence += 1;
    const record: DynamoDBRecord = {
      eventName: 'MODIFY',
      dynamodb: {
        Keys: { account: { S: account } },
        SequenceNumber: String(this.#sequence).padStart(21, '0'),
        ...(before && { OldImage: image(before) }),
        ...(after && { NewImage: image(after) }),
      },
    };
    this.records.push(record);
    return record;
  }
}

function image(item: Item): Record<string, AttributeValue> {
  return Object.fromEntries(
    Object.entries(item).map(([name, value]) => [
      name,
      typeof value === 'bigint' ? { N: value.toString() } : { S: value },
    ]),
  );
}
