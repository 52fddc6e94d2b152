import type { Certificate } from '../../../lambdas/shared/bill/certificate.ts';
import type { LaneLeaf } from '../../../lambdas/shared/bill/lane-leaf.ts';
import type { Inclusion } from '../../../lambdas/shared/bill/merkle-tree.ts';
import type { PriceList } from '../../../lambdas/shared/bill/price-list.ts';
import type { SignedReceipt } from '../../../lambdas/shared/bill/receipt.ts';
import {
  parseStatement,
  type RecordStatement,
  statementHash,
} from '../../../lambdas/shared/bill/record-statement.ts';

/** What a customer holds. Nothing of it is trusted but the keys, and what an earlier check has seen. */
export interface Bill {
  /** The account that it is a bill of. */
  readonly account: string;
  /** Rows of `GET /v1/account/settlements`, in any order. */
  readonly settlements: readonly SettlementRow[];
  /** Lanes of records, by {@link lanesName}. */
  readonly lanes: ReadonlyMap<string, readonly LaneLeaf[]>;
  /** Texts of published heads, the oldest first. */
  readonly heads: readonly string[];
  /** Where a record is below a head, by hash of the statement. */
  readonly places: ReadonlyMap<string, HeadPlace>;
  /** Public keys that heads may be signed with: SubjectPublicKeyInfo, DER, in base64. */
  readonly keys: readonly string[];
  /** `X-CU-Lane` of responses, each with its `X-CU-Billed` behind it if that was kept. */
  readonly headers: readonly string[];
  /** Price lists of the newest head. */
  readonly prices: readonly PriceList[];
  /** Published price lists, by the hash that heads name them by. */
  readonly priceTexts: ReadonlyMap<string, string>;
  /** Receipts, in any order. */
  readonly receipts: readonly StoredReceipt[];
  /** Published certificates that withdraw those before them. */
  readonly withdrawals: readonly Certificate[];
  readonly seen: Seen;
}

/** A settlement as the API answers it, as far as it is compared with its statement. */
export interface SettlementRow {
  readonly hour: string;
  readonly revision: number;
  readonly settled_cu: number;
  readonly total_cu: number;
  readonly billing_units: number;
  readonly remainder_cu: number;
  readonly settled_at: string;
  /** What the hour was charged for, as text. */
  readonly usage: string;
  readonly statement: string;
}

/** A receipt as it is kept. */
export interface StoredReceipt {
  /** Hour that it was asked for. */
  readonly hour: string;
  /** Undefined: what is kept is none. */
  readonly signed: SignedReceipt | undefined;
}

/** A record's path to the root of a head. */
export interface HeadPlace extends Pick<Inclusion, 'index' | 'size'> {
  /** Number of the head. */
  readonly head: number;
  /** In hex, the lowest first. */
  readonly proof: readonly string[];
}

/** A head or a record as it is remembered. */
interface SeenNumber {
  readonly number: number;
  readonly hash: string;
}

/** The newest head, and the newest record below one, that an earlier check has seen. */
export interface Seen {
  readonly head?: SeenNumber | undefined;
  readonly record?: SeenNumber | undefined;
}

/** A record's statement and its hash. */
export interface Stated extends RecordStatement {
  readonly hash: string;
}

/** What the lanes of a record are called: `2026-11-20T09.1`. */
export function lanesName({ hour, revision }: Pick<SettlementRow, 'hour' | 'revision'>): string {
  return `${hour}.${revision}`;
}

/** The statements of a bill that can be read, in the order of their numbers. */
export function statedRecords({ settlements }: Pick<Bill, 'settlements'>): readonly Stated[] {
  const records = settlements.flatMap(({ statement: text }) => {
    const statement = parseStatement(text);
    return statement === undefined ? [] : [{ ...statement, hash: statementHash(text) }];
  });
  return records.sort((one, other) => one.number - other.number);
}

/** Things by what they belong to, in their order. */
export function groupBy<T>(all: readonly T[], nameOf: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const name = nameOf(one);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [one]);
    else group.push(one);
  }
  return groups;
}
