import { gunzipSync, gzipSync } from 'node:zlib';
import type { Bookkeeping } from '../access/account-work.ts';
import { amountOf, textOf } from '../access/store/item-values.ts';
import { withStoreRetries } from '../access/store/query-items.ts';
import { absentOr, type Item, type Put } from '../access/store/store.ts';
import type { ObjectStore } from '../shared/aws/object-store.ts';
import {
  type Head,
  headHash,
  headKey,
  LATEST_HEAD,
  parseHead,
  parseSignedHead,
} from '../shared/bill/head.ts';
import { laneLeafText, usageHash } from '../shared/bill/lane-leaf.ts';
import { leafHash, treeRoot } from '../shared/bill/merkle-tree.ts';
import { parseStatement, statementHash } from '../shared/bill/record-statement.ts';
import { inParallel } from '../shared/runtime/in-parallel.ts';
import { errorField } from '../shared/runtime/log.ts';
import { type FrozenPart, laneDigest, readFrozen, unpackPart } from './hour-leaves.ts';
import {
  frozenOf,
  numberKey,
  numberPut,
  putRecord,
  type SealedRecord,
  type SettlementRecord,
  statedRecord,
} from './settlement-ledger.ts';

/** Partitions of the table of the work list that hold what no head has yet, by the first digit of its hash; no slots of it. */
export const UNSEALED_SLOTS: readonly string[] = Array.from('0123456789abcdef', unsealedSlot);

/** First part of the keys of objects that tell which records are below a head. */
export const SEALED_PREFIX = 'sealed/';
/** Most bytes that such an object is unpacked to: 131,072 records of 500 bytes. */
const MAX_BYTES = 64 * 1024 * 1024;
/** Partition of the ledger, and the item of it, that name the last head whose records the ledger is known to have. */
export const HEADS_PARTITION = '#heads';
const KNOWN_HEAD = { account: HEADS_PARTITION, record: 'known' };
/** Heads that are looked at behind that one: what they name is kept for 40 days. */
const MAX_FOLLOWED = 1_000;
const READS_AT_ONCE = 64;

/** Key of the object that tells which records are below the head with a root. It is private: the head tells hashes alone. */
export function sealedKey(root: string): string {
  return SEALED_PREFIX + root;
}

/** What is kept of the records below a head. */
export function packSealed(records: readonly SealedRecord[]): Buffer {
  return gzipSync(JSON.stringify(records));
}

/** Reads what {@link packSealed} has packed. Throws an Error if it is damaged. */
export function unpackSealed(bytes: Uint8Array): readonly SealedRecord[] {
  return JSON.parse(gunzipSync(bytes, { maxOutputLength: MAX_BYTES }).toString('utf8'));
}

/** Puts a record on the list of those that no signed head has yet. `nowMs`: when it was settled. */
export function unsealedPut({ hash, number, ...named }: SealedRecord, nowMs: number): Put {
  const entry = { slot: unsealedSlot(hash), entry: hash, mark: String(nowMs) };
  return { table: 'unsettled', item: { ...named, ...entry, number: BigInt(number) }, when: [] };
}

function unsealedSlot(hash: string): string {
  return `unsealed-${hash.slice(0, 1)}`;
}

/** Reads an item of that list. Throws a TypeError if an attribute is missing. */
export function unsealedRecord(item: Item): SealedRecord {
  return {
    hash: textOf(item, 'entry'),
    account: textOf(item, 'account'),
    number: Number(amountOf(item, 'number')),
    ...frozenOf(item),
  };
}

/** The buckets with what was sealed. */
export interface SealedObjects {
  /** The one with the heads, which anybody may see. */
  readonly heads: Pick<ObjectStore, 'get'>;
  /** The one that tells what they name. */
  readonly evidence: Pick<ObjectStore, 'get'>;
}

/** What is looked at: the ledger, and what was sealed. */
export interface HeadBooks extends Bookkeeping {
  readonly sealed: SealedObjects;
}

/** A head and its hash. */
export interface PublishedHead {
  readonly head: Head;
  readonly hash: string;
}

/** A head as the ledger knows it. */
export type KnownHead = Pick<SealedRecord, 'number' | 'hash'>;

/** A record that a head names and the ledger may lack. */
export interface LackingRecord extends SealedRecord {
  /** Number of the head. */
  readonly head: number;
}

/** A published head; undefined: absent. Rejects with an Error if it cannot be read. */
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
    for await (const record of sealedBehind(books.sealed, known, newest))
      if (record.number > (last.get(record.account)?.number ?? 0)) last.set(record.account, record);
  } catch (error) {
    books.telemetry.log('warn', 'head_not_read', { error: errorField(error) });
    newest = undefined;
  }
  const lacking = new Map<string, LackingRecord>();
  const look = async (record: LackingRecord) => {
    if (!(await isInLedger(books, record))) lacking.set(record.account, record);
  };
  await inParallel([...last.values()], READS_AT_ONCE, look);
  const isBehind = newest !== undefined && newest.head.number > (known?.number ?? 0);
  if (newest !== undefined && isBehind && lacking.size === 0) await keepKnownHead(books, newest);
  return lacking;
}

/** The records that heads behind a known one name, the oldest head first, by their numbers. A head without such an object is passed over. */
async function* sealedBehind(
  { heads, evidence }: SealedObjects,
  known: KnownHead | undefined,
  newest: PublishedHead | undefined,
): AsyncGenerator<LackingRecord> {
  const end = newest?.head.number ?? 0;
  const first = Math.max((known?.number ?? 0) + 1, end - MAX_FOLLOWED + 1);
  for (let head = first; head <= end; head += 1) {
    const published = await readHead(heads, headKey(head));
    const object = published && (await evidence.get(sealedKey(published.head.root)));
    const records = object === undefined ? [] : unpackSealed(object);
    for (const record of records.toSorted((one, other) => one.number - other.number))
      yield { ...record, head };
  }
}

/** Whether the ledger has this very record. */
async function isInLedger(books: Bookkeeping, { account, number, hash }: SealedRecord): Promise<boolean> {
  const key = { account, record: numberKey(number) };
  const item = await withStoreRetries(books, () => books.store.get('ledger', key));
  return item?.hash === hash;
}

/** Lets the ledger know a head; one that knows a later one keeps that. */
async function keepKnownHead(books: Bookkeeping, { head, hash }: PublishedHead): Promise<void> {
  const number = BigInt(head.number);
  const when = [absentOr('number', '<', number)];
  const item = { ...KNOWN_HEAD, number, hash };
  await withStoreRetries(books, () => books.store.put({ table: 'ledger', item, when }));
}

/** What became of a record that the ledger lacks. */
export interface RestoredRecord extends LackingRecord {
  /** Undefined: it is put back, or could be. */
  readonly failure: string | undefined;
}

/**
 * Puts the records back that heads name and the ledger lacks, the oldest head first, each as it was: what is kept of it must
 * have the hash that was sealed. May be repeated and stopped at any time: what is there is passed over.
 * - `isTrial`: nothing is written.
 * - `all`: the heads that the ledger knows are looked at too, as far as what they name is kept.
 */
export async function* restoreRecords(
  books: HeadBooks,
  { isTrial, all }: { readonly isTrial: boolean; readonly all: boolean },
): AsyncGenerator<RestoredRecord> {
  const known = all ? undefined : await readKnownHead(books);
  const newest = await readHead(books.sealed.heads, LATEST_HEAD);
  for await (const record of sealedBehind(books.sealed, known, newest))
    if (!(await isInLedger(books, record)))
      yield { ...record, failure: await restoreRecord(books, record, isTrial) };
}

/** Puts one record back; resolves to why not, if it could not be. */
async function restoreRecord(
  books: HeadBooks,
  sealed: SealedRecord,
  isTrial: boolean,
): Promise<string | undefined> {
  const { frozen } = sealed;
  if (frozen === undefined) return 'its leaves were not kept';
  const part = await readFrozen(books.sealed.evidence, frozen);
  if (part === undefined) return 'its leaves are gone';
  const record = recordOf(part, sealed);
  if (typeof record === 'string') return record;
  if (isTrial) return undefined;
  const puts = [{ put: putRecord(record) }, { put: numberPut(sealed) }];
  const { applied } = await withStoreRetries(books, () => books.store.transact(puts));
  return applied ? undefined : 'the ledger has another record in its place';
}

/** The record that was kept, once everything that was sealed of it agrees; else what does not. */
function recordOf(part: Buffer, sealed: SealedRecord): SettlementRecord | string {
  let kept: FrozenPart;
  try {
    kept = unpackPart(part);
  } catch {
    return 'what is kept of it is damaged';
  }
  const { statement, used, leaves } = kept;
  const stated = parseStatement(statement);
  if (statementHash(statement) !== sealed.hash || stated === undefined)
    return 'what is kept has another hash';
  if (stated.account !== sealed.account || stated.number !== sealed.number)
    return 'what is kept is another record';
  if (treeRoot(leaves.map((leaf) => leafHash(laneLeafText(leaf)))).toString('hex') !== stated.root)
    return 'the leaves that are kept have another root';
  if (usageHash(used) !== stated.usage) return 'the usage that is kept has another hash';
  const digest = laneDigest(stated.account, stated.hour, leaves);
  return statedRecord(stated, { digest, used, ...frozenOf(sealed) });
}
