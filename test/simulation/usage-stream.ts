import type { AttributeValue, DynamoDBRecord } from 'aws-lambda';
import type { Item } from '../../lambdas/access/store.ts';
import { countUsage } from '../../lambdas/usage/handler.ts';
import type { World } from './world.ts';

const SHARDS = 2;
const BATCH_SIZE = 100;
const MIN_DELIVERY_MS = 200;
const MAX_DELIVERY_MS = 20_000;
/** Time after which a batch that was not ended is delivered again. */
const CONSUMER_TIMEOUT_MS = 60_000;
/** Chance that a batch which was ended is delivered again. */
const REPEAT_RATE = 0.03;
/** No attribute with this prefix matters to whoever reads the stream. */
const LANE_PREFIX = 'w_';

interface Shard {
  readonly records: DynamoDBRecord[];
  planned: boolean;
}

/** The stream of the accounts table with its consumer: in order within a shard, at least once. */
export class UsageStream {
  readonly #world: World;
  readonly #shards: readonly Shard[] = Array.from({ length: SHARDS }, () => ({
    records: [],
    planned: false,
  }));
  readonly #images = new WeakMap<Item, Record<string, AttributeValue>>();
  #lastNumber = 0;

  constructor(world: World) {
    this.#world = world;
  }

  /** Takes one write of an account item. */
  push(before: Item | undefined, after: Item): void {
    const account = String(after.account);
    const shard = this.#shards[account.charCodeAt(account.length - 1) % SHARDS] as Shard;
    this.#lastNumber += 1;
    const dynamodb = {
      Keys: { account: { S: account } },
      SequenceNumber: String(this.#lastNumber),
      ...(before && { OldImage: this.#image(before) }),
      NewImage: this.#image(after),
    };
    shard.records.push({ dynamodb });
    this.#planDelivery(shard);
  }

  #planDelivery(shard: Shard): void {
    if (shard.planned || shard.records.length === 0) return;
    shard.planned = true;
    const { time, random } = this.#world.machine;
    time.after(random.magnitude(MIN_DELIVERY_MS, MAX_DELIVERY_MS), () => this.#deliver(shard));
  }

  #deliver(shard: Shard): void {
    const { machine } = this.#world;
    const batch = shard.records.slice(0, BATCH_SIZE);
    const { process, store } = this.#world.open('usage');
    let settled = false;
    const settle = (counted: number) => {
      if (settled) return;
      settled = true;
      if (!machine.random.chance(REPEAT_RATE)) shard.records.splice(0, counted);
      shard.planned = false;
      this.#planDelivery(shard);
    };
    machine.time.after(CONSUMER_TIMEOUT_MS, () => settle(0));
    countUsage({ store, pause: process.pause }, batch).then(
      ({ batchItemFailures: [first] }) =>
        settle(first === undefined ? batch.length : placeOf(first.itemIdentifier, batch)),
      (error: Error) => this.#world.witness.blameDefect(error),
    );
  }

  #image(item: Item): Record<string, AttributeValue> {
    const known = this.#images.get(item);
    if (known !== undefined) return known;
    const image: Record<string, AttributeValue> = {};
    for (const name in item) {
      if (name.startsWith(LANE_PREFIX)) continue;
      const value = item[name];
      image[name] = typeof value === 'string' ? { S: value } : { N: String(value) };
    }
    this.#images.set(item, image);
    return image;
  }
}

function placeOf(sequenceNumber: string, batch: readonly DynamoDBRecord[]): number {
  return batch.findIndex(({ dynamodb }) => dynamodb?.SequenceNumber === sequenceNumber);
}
