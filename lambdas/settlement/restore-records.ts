import { accountShard, hourLane } from '../access/charge/lane.ts';
import { withStoreRetries } from '../access/store/store-retries.ts';
import { LATEST_HEAD } from '../shared/bill/head.ts';
import { laneLeafText, usageHash } from '../shared/bill/lane-leaf.ts';
import { leafHash, treeRoot } from '../shared/bill/merkle-tree.ts';
import { parseStatement, statementHash } from '../shared/bill/record-statement.ts';
import {
  type HeadBooks,
  isInLedger,
  type LackingRecord,
  readHead,
  readKnownHead,
  sealedBehind,
} from './follow-heads.ts';
import { type FrozenPart, type FrozenPlace, unpackPart } from './frozen-leaves.ts';
import { digestLine, digestOf } from './hour-lanes.ts';
import type { SealedRecord } from './sealed-records.ts';
import { putRecord, type SettlementRecord } from './settlement-record.ts';
import { numberPut } from './stated-step.ts';

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
  for await (const { head, records } of sealedBehind(books.sealed, known, newest))
    for (const record of [...records].sort((one, other) => one.number - other.number)) {
      if (await isInLedger(books, record)) continue;
      yield { ...record, head: head.number, failure: await restoreRecord(books, record, isTrial) };
    }
}

/** Puts one record back; resolves to why not, if it could not be. */
async function restoreRecord(
  books: HeadBooks,
  sealed: SealedRecord,
  isTrial: boolean,
): Promise<string | undefined> {
  if (sealed.frozen === undefined) return 'its leaves were not kept';
  const part = await books.sealed.evidence.get(sealed.frozen.object, sealed.frozen);
  if (part === undefined) return 'its leaves are gone';
  const record = recordOf(part, sealed, sealed.frozen);
  if (typeof record === 'string') return record;
  if (isTrial) return undefined;
  const puts = [{ put: putRecord(record) }, { put: numberPut(sealed.account, sealed) }];
  const { applied } = await withStoreRetries(books, () => books.store.transact(puts));
  return applied ? undefined : 'the ledger has another record in its place';
}

function readPart(part: Buffer): FrozenPart | undefined {
  try {
    return unpackPart(part);
  } catch {
    return undefined;
  }
}

/** The record that was kept, once everything that was sealed of it agrees; else what does not. */
function recordOf(
  part: Buffer,
  { account, number, hash }: SealedRecord,
  frozen: FrozenPlace,
): SettlementRecord | string {
  const kept = readPart(part);
  if (kept === undefined) return 'what is kept of it is damaged';
  const { statement: text, used, leaves } = kept;
  const stated = parseStatement(text);
  if (statementHash(text) !== hash || stated === undefined) return 'what is kept has another hash';
  if (stated.account !== account || stated.number !== number) return 'what is kept is another record';
  if (treeRoot(leaves.map((leaf) => leafHash(laneLeafText(leaf)))).toString('hex') !== stated.root)
    return 'the leaves that are kept have another root';
  if (usageHash(used) !== stated.usage) return 'the usage that is kept has another hash';
  const { hour, revision, lanes, settled_at, previous, root, salt } = stated;
  const lines = leaves.map(({ shard, lane, total }) =>
    digestLine(accountShard(account, shard), hourLane(hour, lane), total),
  );
  return {
    account,
    hour,
    revision,
    settled_cu: BigInt(stated.settled_cu),
    total_cu: BigInt(stated.total_cu),
    billing_units: BigInt(stated.billing_units),
    remainder_cu: BigInt(stated.remainder_cu),
    lanes,
    digest: digestOf(lines),
    used,
    settled_at,
    stated: { number, previous, root, salt, frozen },
  };
}
