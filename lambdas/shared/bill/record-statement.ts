import { isHour } from '../runtime/clock.ts';
import { leafHash } from './merkle-tree.ts';

/** What comes before an account's first numbered record. */
export const NO_RECORD = '0'.repeat(64);
const HASH = /^[0-9a-f]{64}$/;
const SALT = /^[0-9a-f]{32}$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
const MAX_TEXT = 2_048;

/**
 * What a settlement record states to its customer, and is held to by a signed head. Amounts are compute units, hashes are
 * hex.
 */
export interface RecordStatement {
  readonly account: string;
  /** Of the account's records, from 1 on, in the order in which they were settled. */
  readonly number: number;
  /** Hash of the account's record before, {@link NO_RECORD} for the first. */
  readonly previous: string;
  readonly hour: string;
  readonly revision: number;
  readonly settled_cu: number;
  readonly total_cu: number;
  readonly billing_units: number;
  readonly remainder_cu: number;
  /** Number of the lanes that add up to the total, and the root of the tree over their leaves. */
  readonly lanes: number;
  readonly root: string;
  /** SHA-256 of the usage by chain and method, in base64url. */
  readonly usage: string;
  /** ISO 8601. */
  readonly settled_at: string;
  /** 16 random bytes, without which its hash would tell what a record says. */
  readonly salt: string;
}

/** The statement as text, which is what is hashed: its members in this order, as JSON without spaces. */
export function statementText(statement: RecordStatement): string {
  const { account, number, previous, hour, revision, settled_cu, total_cu, billing_units } = statement;
  const { remainder_cu, lanes, root, usage, settled_at, salt } = statement;
  const amounts = { settled_cu, total_cu, billing_units, remainder_cu };
  const named = { account, number, previous, hour, revision, ...amounts };
  return JSON.stringify({ ...named, lanes, root, usage, settled_at, salt });
}

/** Hash of a statement: its leaf in the tree of a head, and what the record after it names. */
export function statementHash(text: string): string {
  return leafHash(text).toString('hex');
}

/** Reads a statement; undefined: the text is none, or is not written as {@link statementText} writes it. */
export function parseStatement(text: string): RecordStatement | undefined {
  if (text.length > MAX_TEXT) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  return isStatement(value) && statementText(value) === text ? value : undefined;
}

function isStatement(value: unknown): value is RecordStatement {
  if (typeof value !== 'object' || value === null) return false;
  const { account, previous, hour, root, usage, settled_at, salt, ...amounts } =
    value as Partial<RecordStatement>;
  const { number, revision, settled_cu, total_cu, billing_units, remainder_cu, lanes } = amounts;
  const counts = [number, revision, settled_cu, total_cu, billing_units, remainder_cu, lanes];
  return (
    typeof account === 'string' &&
    typeof usage === 'string' &&
    isHour(String(hour)) &&
    HASH.test(String(previous)) &&
    HASH.test(String(root)) &&
    TIME.test(String(settled_at)) &&
    SALT.test(String(salt)) &&
    counts.every((count) => Number.isSafeInteger(count) && (count ?? -1) >= 0)
  );
}
