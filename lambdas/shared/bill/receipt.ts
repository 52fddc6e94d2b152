import { isHour } from '../runtime/clock.ts';
import { type SignedCertificate, toSignedCertificate } from './certificate.ts';
import type { LaneLeaf } from './lane-leaf.ts';
import { isSignatureOf, parseObject } from './signed-text.ts';

const LANE = /^(0|[1-9]\d{0,2}) ([A-Za-z0-9_-]{1,64}) (0|[1-9]\d{0,15}) (0|[1-9]\d{0,15})$/;
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
/** Lanes of one receipt. */
export const MAX_RECEIPT_LANES = 1_000;
const MAX_TEXT = 256 * 1_024;

/** What one lane has come to. */
type LaneState = Omit<LaneLeaf, 'usage'>;

/** What the gateway says that lanes of an hour had come to, at least, at a time. */
export interface Receipt {
  readonly account: string;
  readonly hour: string;
  /** ISO 8601: the lanes were read after it. */
  readonly told_at: string;
  readonly lanes: readonly LaneState[];
}

/** A receipt as its customer keeps it: it can be checked with the public key of the heads alone. */
export interface SignedReceipt {
  /** The receipt as text, which is what is signed. */
  readonly receipt: string;
  /** Ed25519, in base64. */
  readonly signature: string;
  /** Of the key that it was signed with. */
  readonly certificate: SignedCertificate;
}

/** A receipt as text: JSON without spaces, with a text `<shard> <lane> <n> <total>` for each lane. */
export function receiptText({ account, hour, told_at, lanes }: Receipt): string {
  const states = lanes.map(({ shard, lane, n, total }) => `${shard} ${lane} ${n} ${total}`);
  return JSON.stringify({ account, hour, told_at, lanes: states });
}

/** Reads the text of a receipt; undefined: invalid. */
export function parseReceiptText(text: string): Receipt | undefined {
  const parsed = (parseObject(text, MAX_TEXT) ?? {}) as Readonly<Record<string, unknown>>;
  const { account, hour, told_at, lanes } = parsed;
  if (typeof account !== 'string' || !isHour(String(hour)) || !TIME.test(String(told_at))) return undefined;
  if (!Array.isArray(lanes) || lanes.length > MAX_RECEIPT_LANES) return undefined;
  const states = lanes.map((lane) => parseState(String(lane)));
  if (!states.every((state) => state !== undefined)) return undefined;
  const receipt = { account, hour: String(hour), told_at: String(told_at), lanes: states };
  return receiptText(receipt) === text ? receipt : undefined;
}

function parseState(text: string): LaneState | undefined {
  const [, shard, lane = '', n, total] = LANE.exec(text) ?? [];
  return shard === undefined ? undefined : { shard: Number(shard), lane, n: Number(n), total: Number(total) };
}

/** Reads a signed receipt; undefined: invalid. What it says may still be wrong. */
export function toSignedReceipt(value: unknown): SignedReceipt | undefined {
  const { receipt, signature, certificate } = Object(value) as Partial<SignedReceipt>;
  const signed = toSignedCertificate(certificate);
  if (typeof receipt !== 'string' || typeof signature !== 'string' || signed === undefined) return undefined;
  return { receipt, signature, certificate: signed };
}

/** Whether a receipt was signed with a public key of Ed25519. */
export function isReceiptOf({ receipt, signature }: SignedReceipt, key: string): boolean {
  return isSignatureOf(receipt, signature, key, 'ed25519');
}
