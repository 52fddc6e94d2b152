import { REFUSED_KEY_PREFIX } from '../../shared/aws/cache-table.ts';
import { HOUR_MS, hourEndMs, hourOf, hourStartMs } from '../../shared/runtime/clock.ts';
import { REFUSALS_TABLE_VARIABLE, requireVariable } from '../../shared/runtime/environment.ts';
import {
  type BoundRefusals,
  REFUSAL_REASONS,
  type RefusalReason,
  type RefusalStore,
  type RefusalsDescription,
} from '../contract/refusals.ts';
import { amountOf, amountOrZero, textOf } from './item-values.ts';
import { SharedItems, type SharedItemsOptions } from './shared-items.ts';
import { absentOr, type Changes, type Item } from './store.ts';

/** No response waits for a write. */
const TIMES = { connectMs: 300, requestMs: 1_000 };
/** Hours that are listed. */
const HOURS = 24;

/** The refusals of keys, of this function's environment. Does no I/O before its first use. */
export function openRefusalStore(): RefusalStore {
  return createRefusalStore({ tableName: requireVariable(REFUSALS_TABLE_VARIABLE) });
}

/** The refusals of keys on DynamoDB: an item of some 200 bytes for each key and hour. Never retries. */
export function createRefusalStore(options: SharedItemsOptions): RefusalStore {
  const items = new SharedItems(REFUSED_KEY_PREFIX, options, TIMES);
  return {
    async add(keyId, { counts, last }) {
      const hour = hourOf(last.at);
      const amounts = Object.entries(counts).map(([reason, count]) => [reason, BigInt(count)] as const);
      const at = BigInt(Math.round(last.at));
      const update = (changes: Pick<Changes, 'when' | 'set'>) =>
        items.update(
          `${keyId} ${hour}`,
          { ...changes, add: Object.fromEntries(amounts) },
          hourEndMs(hour) + HOURS * HOUR_MS,
        );
      const { applied } = await update({
        when: [absentOr('last_at', '<=', at)],
        set: { last_reason: last.reason, last_address: last.address, last_at: at },
      });
      // Another instance has written a later one: an instance may write a minute after it refused.
      if (!applied) await update({ when: [] });
    },
    async read(keyId, nowMs) {
      const hours = Array.from({ length: HOURS }, (_, ago) => hourOf(nowMs - ago * HOUR_MS));
      const read = await items.getAll(
        hours.map((hour) => `${keyId} ${hour}`),
        false,
      );
      return sumOf([...read.values()]);
    },
  };
}

/** What an owner sees: of the hour of `nowMs` and the 23 before it. */
export function describeRefusals({ counts, last }: BoundRefusals, nowMs: number): RefusalsDescription {
  const since = new Date(hourStartMs(hourOf(nowMs - (HOURS - 1) * HOUR_MS))).toISOString();
  return { since, counts, ...(last && { last: { ...last, at: new Date(last.at).toISOString() } }) };
}

function sumOf(items: readonly Item[]): BoundRefusals {
  const counts = REFUSAL_REASONS.flatMap((reason) => {
    const count = items.reduce((sum, item) => sum + amountOrZero(item, reason), 0n);
    return count === 0n ? [] : [[reason, Number(count)] as const];
  });
  const [last] = items.map(lastOf).sort((one, other) => other.at - one.at);
  return { counts: Object.fromEntries(counts), ...(last && { last }) };
}

function lastOf(item: Item): NonNullable<BoundRefusals['last']> {
  return {
    reason: textOf(item, 'last_reason') as RefusalReason,
    address: textOf(item, 'last_address'),
    at: Number(amountOf(item, 'last_at')),
  };
}
