import type { BlockRange } from '../chain-data/store/block-range.ts';

/** Most blocks of one message: what a run stores with time to spare. */
const MAX_MESSAGE_BLOCKS = 2_000;

/** A range of a chain to backfill. */
export interface BackfillMessage extends BlockRange {
  readonly chain: string;
  /** How often a run has handed it on. @default 0 */
  readonly handedOn?: number;
  /** SHA-256 of the manifest of the part of files that has these blocks. @default they are read from the node */
  readonly manifest?: string;
}

const SHA256 = /^[0-9a-f]{64}$/;

/** Reads the body of a queue message. Throws an Error if it is not one of ours. */
export function parseBackfillMessage(body: string): BackfillMessage {
  const { chain, from, to, handedOn, manifest } = JSON.parse(body) as Partial<
    Record<keyof BackfillMessage, unknown>
  >;
  if (typeof chain !== 'string' || !isCount(from) || !isCount(to) || from > to)
    throw new Error('a backfill message names no range');
  if (manifest !== undefined && (typeof manifest !== 'string' || !SHA256.test(manifest)))
    throw new Error('a backfill message names a manifest that is none');
  const message = { chain, from, to, ...(manifest !== undefined && { manifest }) };
  if (handedOn === undefined) return message;
  if (!isCount(handedOn)) throw new Error('a backfill message does not tell how often it was handed on');
  return { ...message, handedOn };
}

/** A range in parts of one message each. */
export function messagesOf({ chain, from, to }: BackfillMessage): BackfillMessage[] {
  const messages: BackfillMessage[] = [];
  for (let first = from; first <= to; first += MAX_MESSAGE_BLOCKS)
    messages.push({ chain, from: first, to: Math.min(to, first + MAX_MESSAGE_BLOCKS - 1) });
  return messages;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
