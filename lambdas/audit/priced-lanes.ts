import { createHash } from 'node:crypto';
import type { LaneSink } from '../access/accounts/lane-hours.ts';
import { amountOf } from '../access/store/item-values.ts';
import type { Item } from '../access/store/store.ts';
import type { SettlementRecord } from '../settlement/settlement-ledger.ts';
import { type PriceList, priceListAt } from '../shared/bill/price-list.ts';
import { wrongUsage } from '../shared/bill/recomputed-usage.ts';

/** Bills of one account that were worked out again from their usage. */
export class Recomputed {
  readonly #lists: readonly PriceList[];
  /** Lanes and records that were worked out again. */
  count = 0n;
  /** Compute units that they bill. */
  cu = 0n;
  /** Those that bill something else, of which the first is named. */
  wrongCount = 0;
  firstWrong: string | undefined;

  constructor(lists: readonly PriceList[]) {
    this.#lists = lists;
  }

  addLane(hour: string, lane: Item): void {
    const { hour_lane, account_shard, used = '' } = lane;
    const stated = { used: String(used), total: amountOf(lane, 'total') };
    this.#add(`lane ${hour_lane} of ${account_shard}`, hour, stated);
  }

  addRecord({ hour, revision, used, total_cu }: SettlementRecord): void {
    this.#add(`record ${hour} revision ${revision}`, hour, { used, total: total_cu });
  }

  #add(name: string, hour: string, stated: { readonly used: string; readonly total: bigint }): void {
    this.count += 1n;
    this.cu += stated.total;
    const wrong = wrongUsage(stated, priceListAt(this.#lists, hour));
    if (wrong === undefined) return;
    this.wrongCount += 1;
    this.firstWrong ??= `${name}: ${wrong}`;
  }
}

/** The lanes of one shard and hour: each is worked out again as it is read, and only what it has come to is kept. */
export class PricedLanes implements LaneSink {
  readonly shard: number;
  /** Compute units. */
  cu = 0n;
  readonly lines: string[] = [];
  readonly #hour: string;
  readonly #recomputed: Recomputed;

  constructor(shard: number, hour: string, recomputed: Recomputed) {
    this.shard = shard;
    this.#hour = hour;
    this.#recomputed = recomputed;
  }

  add(lane: Item): void {
    this.#recomputed.addLane(this.#hour, lane);
    const total = amountOf(lane, 'total');
    this.cu += total;
    this.lines.push(`${lane.account_shard} ${lane.hour_lane} ${total}\n`);
  }
}

/** SHA-256 over what each lane of an hour has come to, in the order of these texts, as its record has it; hex. */
export function digestOf(shards: readonly PricedLanes[]): string {
  const lines = shards.flatMap((shard) => shard.lines).sort();
  return createHash('sha256').update(lines.join('')).digest('hex');
}
