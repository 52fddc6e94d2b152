import type { Bookkeeping } from '../access/account-work.ts';
import { readPriceLists } from '../access/store/price-lists.ts';
import { queryItems, withStoreRetries } from '../access/store/query-items.ts';
import {
  followHeads,
  type KnownHead,
  type PublishedHead,
  packSealed,
  readHead,
  readKnownHead,
  sealedKey,
  UNSEALED_SLOTS,
  unsealedRecord,
} from '../settlement/heads.ts';
import type { SealedRecord } from '../settlement/settlement-ledger.ts';
import type { HeadSigner } from '../shared/aws/head-signer.ts';
import type { ObjectStore } from '../shared/aws/object-store.ts';
import {
  type Head,
  headKey,
  headLeavesKey,
  headText,
  isSignedBy,
  LATEST_HEAD,
  NO_HEAD,
  priceListsKey,
} from '../shared/bill/head.ts';
import { HASH_BYTES, treeRoot } from '../shared/bill/merkle-tree.ts';
import { publishedLists } from '../shared/bill/price-list.ts';
import { hourOf } from '../shared/runtime/clock.ts';
import { inParallel } from '../shared/runtime/in-parallel.ts';
import type { RandomBytes } from '../shared/runtime/random-bytes.ts';

/** Records of one head; more wait for the next. */
const MAX_RECORDS = 2 ** 17;
const ENTRIES_PER_PAGE = 1_000;
const DELETES_AT_ONCE = 32;
/** Times that another seal may come between. */
const ATTEMPTS = 5;
/** Heads that are looked for behind the one that is said to be the newest. */
const MAX_UNTOLD = 1_000;

/** What sealing works with. */
interface SealBooks extends Bookkeeping {
  /** The bucket that the API shows to anybody. */
  readonly heads: ObjectStore;
  readonly signer: HeadSigner;
  readonly randomBytes: RandomBytes;
  /** The bucket that nobody else sees, with what heads name. */
  readonly evidence: ObjectStore;
}

/** What a run of sealing came to. */
interface Sealed {
  /** Undefined: there was nothing to seal, and the hour has its head. */
  readonly head: Head | undefined;
  /** Records that it has. */
  readonly records: number;
}

/** An entry of the list of what no head has. */
interface Entry {
  readonly slot: string;
  readonly hash: string;
  readonly record: SealedRecord;
}

/**
 * Puts the records that no head has below a new, signed one, and takes them off the list.
 *
 *   unsealed  a b c ------------------------------------------------ (taken off) -----> d
 *   bucket            leaves of head 7 -- head 7, if there is none ------------> head 8
 *
 * Invariant: a record is on the list until a published head has it. Heads have consecutive numbers and each names the hash of the one
 * before; of two seals at once, the second finds its number taken and begins again.
 *
 * - Price lists are put by the operator alone: the head names those that the ledger has, so that none can be changed later.
 * - The bucket is lost: the next head follows the last one that the ledger knows, and says so.
 * - Stopped before the head is put: nothing has changed but an object that no head names.
 * - Stopped after it: the next run finds the entries below the last head, and takes them off before it makes the next.
 *
 * Rejects with an Error if the bucket, the key or the store fails: the next run finds the same work.
 */
export async function sealHead(books: SealBooks): Promise<Sealed> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
    const known = await readKnownHead(books);
    const last = await lastHead(books.heads, known);
    const waiting = await readUnsealed(books);
    const sealed = last === undefined ? new Set<string>() : await leavesOf(books.heads, last.head);
    await takeOff(
      books,
      waiting.filter(({ hash }) => sealed.has(hash)),
    );
    const fresh = waiting.filter(({ hash }) => !sealed.has(hash)).slice(0, MAX_RECORDS);
    const nowMs = books.clock.now();
    if (fresh.length === 0 && last?.head.sealed_at.slice(0, 13) === hourOf(nowMs))
      return { head: undefined, records: 0 };
    const head = await publish(books, last ?? known, fresh, nowMs);
    if (head === undefined) continue;
    await takeOff(books, fresh);
    return { head, records: fresh.length };
  }
  throw new Error(`another seal came between ${ATTEMPTS} times`);
}

/** Puts the next head, unless there is one of its number: then undefined. */
async function publish(
  books: SealBooks,
  last: PublishedHead | KnownHead | undefined,
  fresh: readonly Entry[],
  nowMs: number,
): Promise<Head | undefined> {
  const { heads, evidence, signer, randomBytes } = books;
  const lists = publishedLists(await readPriceLists(books));
  const leaves = padded(
    fresh.map(({ hash }) => hash),
    randomBytes,
  );
  const root = treeRoot(leaves.map((leaf) => Buffer.from(leaf, 'hex'))).toString('hex');
  const isLost = last !== undefined && !('head' in last);
  const lastNumber = (isLost ? last.number : last?.head.number) ?? 0;
  const number = lastNumber + 1;
  const head = {
    number,
    previous: last?.hash ?? NO_HEAD,
    root,
    count: leaves.length,
    sealed_at: new Date(nowMs).toISOString(),
    ...(isLost && { lost: lastNumber }),
    prices: lists.hash,
  };
  const records = fresh.map(({ record }) => record);
  if (records.length > 0) await evidence.put(sealedKey(root), packSealed(records));
  await heads.put(headLeavesKey(root), `${leaves.join('\n')}\n`);
  const isPublished = last !== undefined && 'head' in last && last.head.prices === lists.hash;
  if (!isPublished) await heads.put(priceListsKey(lists.hash), lists.text);
  const text = headText(head);
  const [signature, key] = await Promise.all([signer.sign(text), signer.publicKey()]);
  const signed = { head: text, signature, key };
  if (!isSignedBy(signed, key)) throw new Error('the signature is not one of the key');
  const published = `${JSON.stringify(signed)}\n`;
  if (!(await heads.putNew(headKey(number), published))) return undefined;
  await heads.put(LATEST_HEAD, published);
  return head;
}

/** Sorted leaves whose number is a power of two: random ones among them. */
function padded(hashes: readonly string[], randomBytes: RandomBytes): string[] {
  const count = 2 ** Math.ceil(Math.log2(Math.max(1, hashes.length)));
  const random = Array.from({ length: count - hashes.length }, () =>
    Buffer.from(randomBytes(HASH_BYTES)).toString('hex'),
  );
  return [...hashes, ...random].sort();
}

/**
 * The newest head: the one that is said to be, or one behind it that a stopped run has put. Undefined: absent, or the
 * bucket has been lost, where the ledger knows of one.
 */
async function lastHead(
  heads: ObjectStore,
  known: KnownHead | undefined,
): Promise<PublishedHead | undefined> {
  let last =
    (await readHead(heads, LATEST_HEAD)) ?? (known && (await readHead(heads, headKey(known.number))));
  for (let untold = 0; untold < MAX_UNTOLD; untold += 1) {
    const next = await readHead(heads, headKey((last?.head.number ?? known?.number ?? 0) + 1));
    if (next === undefined) return last;
    last = next;
  }
  throw new Error(`more than ${MAX_UNTOLD} heads are behind the one that is said to be the newest`);
}

async function leavesOf(heads: ObjectStore, { root }: Head): Promise<ReadonlySet<string>> {
  const object = await heads.get(headLeavesKey(root));
  if (object === undefined) throw new Error('the leaves of the last head are gone');
  return new Set(object.toString('latin1').trimEnd().split('\n'));
}

async function readUnsealed(books: Bookkeeping): Promise<Entry[]> {
  const entries: Entry[] = [];
  for (const slot of UNSEALED_SLOTS) {
    const partition = { attribute: 'slot', value: slot };
    const query = { table: 'unsettled', partition, limit: ENTRIES_PER_PAGE } as const;
    for await (const item of queryItems(books, query)) {
      entries.push({ slot, hash: String(item.entry), record: unsealedRecord(item) });
      if (entries.length >= 2 * MAX_RECORDS) return entries;
    }
  }
  return entries;
}

async function takeOff(books: Bookkeeping, entries: readonly Entry[]): Promise<void> {
  const remove = async ({ slot, hash }: Entry) => {
    const key = { slot, entry: hash };
    await withStoreRetries(books, () => books.store.delete({ table: 'unsettled', key, when: [] }));
  };
  await inParallel(entries, DELETES_AT_ONCE, remove);
}

/** One hourly run: seals what was settled, and says so. Rejects as {@link sealHead} does, so that the event is retried. */
export async function runSeal(books: SealBooks): Promise<Sealed> {
  const startedMs = books.clock.now();
  const sealed = await sealHead(books);
  const endedMs = books.clock.now();
  books.telemetry.log('info', 'seal_run', { count: sealed.records, durationMs: endedMs - startedMs });
  books.telemetry.emit({ values: { SealedRecords: sealed.records } }, endedMs);
  // Looked for here, in this function's own time: settlement finds nothing left to look for.
  await followHeads({ ...books, sealed: books });
  return sealed;
}
