import { GIVEN_KEY_PREFIX } from '../../shared/aws/cache-table.ts';
import { CACHE_TABLE_VARIABLE, requireVariable } from '../../shared/runtime/environment.ts';
import type { GivenHead, GivenHeadStore, Taker } from '../../shared/upstream/sharing/given-head.ts';
import { amountOf, textOf } from './item-values.ts';
import { SharedItems, type SharedItemsOptions } from './shared-items.ts';
import { absentOr, type Condition, type Item } from './store.ts';

/** Milliseconds for which a head is kept after a key got it. */
const KEPT_MS = 3_600_000;
/** Milliseconds for which it is kept who took a transaction: longer than that counts. */
const TAKER_KEPT_MS = 180_000;

/** The heads that keys got, of this function's environment. Does no I/O before its first use. */
export function openGivenHeadStore(): GivenHeadStore {
  return createGivenHeadStore({ tableName: requireVariable(CACHE_TABLE_VARIABLE) });
}

/**
 * The heads that keys got, on DynamoDB: an item of some 150 bytes for each key and chain, and one for each transaction.
 * Never retries.
 */
export function createGivenHeadStore(options: SharedItemsOptions): GivenHeadStore {
  const items = new SharedItems(GIVEN_KEY_PREFIX, options);
  return {
    async read(keyId, chain) {
      const item = await items.get(`${chain} ${keyId}`, true);
      return item && toGiven(item);
    },
    async raise(keyId, chain, given, read) {
      const { sequence, number, shown, by, at } = given;
      const when = mayReplace(given, read);
      const set = {
        sequence: BigInt(sequence),
        head: number,
        ...(shown !== undefined && { shown }),
        ...takerItem({ by, at }),
      };
      const { item = {} } = await items.update(`${chain} ${keyId}`, { when, set }, at + KEPT_MS);
      return toGiven(item);
    },
    async readTakers(chain, names) {
      const prefix = takersOf(chain);
      const read = await items.getAll(
        names.map((name) => `${prefix}${name}`),
        true,
      );
      return new Map([...read].map(([name, item]) => [name.slice(prefix.length), toTaker(item)]));
    },
    keepTakers: (chain, takers) => {
      const prefix = takersOf(chain);
      const kept = [...takers].map(([name, taker]) => [`${prefix}${name}`, takerItem(taker)] as const);
      return items.putAll(new Map(kept), (item) => Number(amountOf(item, 'given_at')) + TAKER_KEPT_MS);
    },
  };
}

/** How the names of items begin of who took transactions; behind it the hash of one, or the key that sent some. */
function takersOf(chain: string): string {
  return `${chain} sent `;
}

function takerItem({ by, at }: Taker): Item {
  return { told_by: by, given_at: BigInt(Math.round(at)) };
}

function toTaker(item: Item): Taker {
  return { by: textOf(item, 'told_by'), at: Number(amountOf(item, 'given_at')) };
}

/** What a stored head has to be for another to take its place. */
function mayReplace({ sequence, number, shown }: GivenHead, read: GivenHead | undefined): Condition {
  const isHead = shown === undefined || number > (read?.number ?? -1n);
  if (read === undefined || (read.sequence === sequence && isHead)) return isHigher(BigInt(sequence), number);
  if (read.sequence !== sequence || shown === undefined) return isSame(read);
  // Another instance may have shown a newer block of the same head meanwhile.
  return [...isSame(read), absentOr('shown', '<', shown)];
}

/** Whether the stored head is a lower one of a sequence, or absent. */
function isHigher(sequence: bigint, number: bigint): Condition {
  const isNew = { is: 'absent', attribute: 'sequence' } as const;
  return [
    [isNew, { is: '=', attribute: 'sequence', value: sequence }],
    [isNew, { is: '<', attribute: 'head', value: number }],
  ];
}

/** Whether the stored head is still the one that was read: an instance that stood still meanwhile takes nothing back. */
function isSame({ sequence, number }: GivenHead): Condition {
  return [
    { is: '=', attribute: 'sequence', value: BigInt(sequence) },
    { is: '=', attribute: 'head', value: number },
  ];
}

function toGiven(item: Item): GivenHead {
  return {
    sequence: Number(amountOf(item, 'sequence')),
    number: amountOf(item, 'head'),
    ...('shown' in item && { shown: amountOf(item, 'shown') }),
    ...toTaker(item),
  };
}
