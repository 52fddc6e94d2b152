import type { LaneSink } from '../access/accounts/lane-hours.ts';
import { methodOf } from '../access/charge/method-codes.ts';
import { amountOf } from '../access/store/item-values.ts';
import type { Item } from '../access/store/store.ts';
import type { SettlementRecord } from '../settlement/settlement-record.ts';
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

  /** A lane names methods by their codes. */
  addLane(hour: string, lane: Item): void {
    const { hour_lane, account_shard, used = '' } = lane;
    const stated = { used: String(used), total: amountOf(lane, 'total') };
    this.#add(`lane ${hour_lane} of ${account_shard}`, hour, stated, methodOf);
  }

  addRecord({ hour, revision, used, total_cu }: SettlementRecord): void {
    this.#add(`record ${hour} revision ${revision}`, hour, { used, total: total_cu });
  }

  #add(
    name: string,
    hour: string,
    stated: { readonly used: string; readonly total: bigint },
    nameOf?: Parameters<typeof wrongUsage>[2],
  ): void {
    this.count += 1n;
    this.cu += stated.total;
    const wrong = wrongUsage(stated, priceListAt(this.#lists, hour), nameOf);
    if (wrong === undefined) return;
    this.wrongCount += 1;
    this.firstWrong ??= `${name}: ${wrong}`;
  }
}

/** The lanes of one shard and hour: each is worked out again as it is read, and only its total is kept. */
export class PricedLanes implements LaneSink {
  readonly lanes: Item[] = [];
  readonly #hour: string;
  readonly #recomputed: Recomputed;

  constructor(hour: string, recomputed: Recomputed) {
    this.#hour = hour;
    this.#recomputed = recomputed;
  }

  add(lane: Item): void {
    this.#recomputed.addLane(this.#hour, lane);
    const { account_shard = '', hour_lane = '' } = lane;
    this.lanes.push({ account_shard, hour_lane, total: amountOf(lane, 'total') });
  }
}
