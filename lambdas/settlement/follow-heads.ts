import type { Bookkeeping } from '../access/bookkeeping.ts';
import { amountOf, textOf } from '../access/store/item-values.ts';
import { withStoreRetries } from '../access/store/store-retries.ts';
import type { ObjectStore } from '../shared/aws/object-store.ts';
import {
  type Head,
  headHash,
  headKey,
  LATEST_HEAD,
  parseHead,
  parseSignedHead,
} from '../shared/bill/head.ts';
import { inParallel } from '../shared/runtime/in-parallel.ts';
import { errorField } from '../shared/runtime/log.ts';
import { type SealedRecord, sealedKey, unpackSealed } from './sealed-records.ts';
import { numberKey } from './stated-step.ts';

/** Partition of the ledger, and the item of it, that name the last head whose records the ledger is known to have. */
export const HEADS_PARTITION = '#heads';
const KNOWN_HEAD = { account: HEADS_PARTITION, record: 'known' };
/** Heads that are looked at behind that one: what they name is kept for 40 days. */
const MAX_FOLLOWED = 1_000;
const READS_AT_ONCE = 64;

/** The buckets with what was sealed. */
export interface SealedObjects {
  /** The public one, with the heads. */
  readonly heads: Pick<ObjectStore, 'get'>;
  /** The private one, which tells what they name. */
  readonly evidence: Pick<ObjectStore, 'get'>;
}

/** What is looked at: the ledger, and what was sealed. */
export type HeadBooks = Bookkeeping & { readonly sealed: SealedObjects };

/** A head and its hash. */
export interface PublishedHead {
  readonly head: Head;
  readonly hash: string;
}

/** A head as the ledger knows it. */
export interface KnownHead {
  readonly number: number;
  readonly hash: string;
}

/** A record that a head names and the ledger lacks: of its account, the one with the highest number. */
export interface LackingRecord extends SealedRecord {
  /** Number of the head. */
  readonly head: number;
}

/** A published head; undefined: there is none. Rejects with an Error if it cannot be read. */
export async function readHead(
  heads: SealedObjects['heads'],
  key: string,
): Promise<PublishedHead | undefined> {
  const object = await heads.get(key);
  if (object === undefined) return undefined;
  const text = parseSignedHead(object.toString('utf8'))?.head ?? '';
  const head = parseHead(text);
  if (head === undefined) throw new Error(`${key} is no head`);
  return { head, hash: headHash(text) };
}

/** The last head whose records the ledger is known to have; undefined: of none. Rejects with `StoreUnavailableError`. */
export async function readKnownHead(books: Bookkeeping): Promise<KnownHead | undefined> {
  const item = await withStoreRetries(books, () => books.store.get('ledger', KNOWN_HEAD));
  return item && { number: Number(amountOf(item, 'number')), hash: textOf(item, 'hash') };
}

/**
 * The accounts whose last sealed record the ledger lacks, because it was restored to an earlier state, or has another one
 * of that number. Only heads behind the one that the ledger knows are read: as a rule none, or that of the last hour.
 *
 *   heads    1 2 3 4 5 6 7
 *   ledger   known: 7                    nothing is read but the newest head
 *   restored known: 4                    5, 6 and 7 are read, and the last record of each account that they name is looked for
 *
 * Invariant: the ledger knows a head only after it was seen to have all records of this one and of those before it.
 *
 * A head that cannot be read is no sign of a lacking record: it is reported, and read again the next time. Rejects with
 * `StoreUnavailableError`.
 */
export async function followHeads(books: HeadBooks): Promise<ReadonlyMap<string, LackingRecord>> {
  const known = await readKnownHead(books);
  const last = new Map<string, LackingRecord>();
  let newest: PublishedHead | undefined;
  try {
    newest = await readHead(books.sealed.heads, LATEST_HEAD);
    for await (const { head, records } of sealedBehind(books.sealed, known, newest))
      for (const record of records)
        if (record.number > (last.get(record.account)?.number ?? 0))
          last.set(record.account, { ...record, head: head.number });
  } catch (error) {
    books.telemetry.log('warn', 'head_not_read', { error: errorField(error) });
    newest = undefined;
  }
  const lacking = new Map<string, LackingRecord>();
  const look = async (record: LackingRecord) => {
    if (!(await isInLedger(books, record))) lacking.set(record.account, record);
  };
  await inParallel([...last.values()], READS_AT_ONCE, look, () => false);
  const isBehind = newest !== undefined && newest.head.number > (known?.number ?? 0);
  if (newest !== undefined && isBehind && lacking.size === 0) await keepKnownHead(books, newest);
  return lacking;
}

/** What the heads behind a known one name, the oldest head first. A head without such an object is passed over. */
export async function* sealedBehind(
  { heads, evidence }: SealedObjects,
  known: KnownHead | undefined,
  newest: PublishedHead | undefined,
): AsyncGenerator<{ readonly head: Head; readonly records: readonly SealedRecord[] }> {
  const end = newest?.head.number ?? 0;
  const first = Math.max((known?.number ?? 0) + 1, end - MAX_FOLLOWED + 1);
  for (let number = first; number <= end; number += 1) {
    const published = await readHead(heads, headKey(number));
    const object = published && (await evidence.get(sealedKey(published.head.root)));
    if (published !== undefined && object !== undefined)
      yield { head: published.head, records: unpackSealed(object) };
  }
}

/** Whether the ledger has this very record. */
export async function isInLedger(
  books: Bookkeeping,
  { account, number, hash }: SealedRecord,
): Promise<boolean> {
  const key = { account, record: numberKey(number) };
  const item = await withStoreRetries(books, () => books.store.get('ledger', key));
  return item?.hash === hash;
}

/** Lets the ledger know a head; one that knows a later one keeps that. */
async function keepKnownHead(books: Bookkeeping, { head, hash }: PublishedHead): Promise<void> {
  const number = BigInt(head.number);
  const when = [
    [
      { is: 'absent', attribute: 'number' },
      { is: '<', attribute: 'number', value: number },
    ],
  ] as const;
  const item = { ...KNOWN_HEAD, number, hash };
  await withStoreRetries(books, () => books.store.put({ table: 'ledger', item, when }));
}
