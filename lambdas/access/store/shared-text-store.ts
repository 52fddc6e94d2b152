import { SHARED_KEY_PREFIX } from '../../shared/aws/cache-table.ts';
import { CACHE_TABLE_VARIABLE, requireVariable } from '../../shared/runtime/environment.ts';
import type { SharedText, SharedTextStore } from '../../shared/upstream/sharing/shared-item.ts';
import { amountOf, textOf } from './item-values.ts';
import { SharedItems, type SharedItemsOptions } from './shared-items.ts';
import type { Condition, Item } from './store.ts';

/** Milliseconds for which a text is kept after it was shared: longer than anything in one counts. */
const KEPT_MS = 2 * 86_400_000;

/** What instances share of chains, of this function's environment. Does no I/O before its first use. */
export function openSharedTextStore(): SharedTextStore {
  return createSharedTextStore({ tableName: requireVariable(CACHE_TABLE_VARIABLE) });
}

/** What instances share of chains on DynamoDB: an item for each name, of less than 2 KiB. Never retries. */
export function createSharedTextStore(options: SharedItemsOptions): SharedTextStore {
  const items = new SharedItems(SHARED_KEY_PREFIX, options);
  return {
    async read(name, { isNow = false } = {}) {
      const item = await items.get(name, isNow);
      return item && toText(item);
    },
    async write(name, { sequence, toldAt, text }, read) {
      const set = { sequence: BigInt(sequence), told_at: BigInt(toldAt), told: text };
      const { applied } = await items.update(name, { when: isStill(read), set }, toldAt + KEPT_MS);
      return applied;
    },
  };
}

function isStill(read: SharedText | undefined): Condition {
  return read === undefined
    ? [{ is: 'absent', attribute: 'sequence' }]
    : [{ is: '=', attribute: 'sequence', value: BigInt(read.sequence) }];
}

function toText(item: Item): SharedText {
  return {
    sequence: Number(amountOf(item, 'sequence')),
    toldAt: Number(amountOf(item, 'told_at')),
    text: textOf(item, 'told'),
  };
}
