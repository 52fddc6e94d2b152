import type { BlockRange } from '../chain-data/store/block-range.ts';
import { isCount, SHA256 } from './files/manifest.ts';

/** Most blocks of one message: what a run stores with time to spare. */
const MAX_MESSAGE_BLOCKS = 2_000;

/**
 * Steps of the bulk path: make the first missing blocks of the range a partition; write blocks of one as files; bring the
 * partition on that begins with the range, and then plan the rest of it; drop what is not attached.
 */
const BULK_STEPS = ['plan', 'write', 'finish', 'drop'] as const;
type BulkStep = (typeof BULK_STEPS)[number];

/** A range of a chain to backfill. */
export interface BackfillMessage extends BlockRange {
  readonly chain: string;
  /** @default the range is stored page by page */
  readonly bulk?: BulkStep;
  /** How often a run has handed it on. @default 0 */
  readonly handedOn?: number;
  /** SHA-256 of the manifest of the part of files that has these blocks. @default they are read from the node */
  readonly manifest?: string;
}

/** Reads the body of a queue message. Throws an Error if it is not one of ours. */
export function parseBackfillMessage(body: string): BackfillMessage {
  const message: Partial<Record<keyof BackfillMessage, unknown>> = JSON.parse(body);
  const { chain, from, to, bulk, handedOn = 0, manifest } = message;
  if (typeof chain !== 'string' || !isCount(from) || !isCount(to) || from > to)
    throw new Error('a backfill message names no range');
  if (manifest !== undefined && (typeof manifest !== 'string' || !SHA256.test(manifest)))
    throw new Error('a backfill message names a manifest that is none');
  if (bulk !== undefined && !isStep(bulk)) throw new Error('a backfill message names no step');
  if (!isCount(handedOn)) throw new Error('a backfill message does not tell how often it was handed on');
  return message as unknown as BackfillMessage;
}

/**
 * The same message, handed on once more: no queue stops one that goes round in a circle.
 * @param most times that it may be
 */
export function handedOn(message: BackfillMessage, most: number) {
  const times = (message.handedOn ?? 0) + 1;
  if (times > most)
    throw new Error(`a range from block ${message.from} was handed on ${most} times and has no end`);
  return { ...message, handedOn: times };
}

/** A range in parts of one message each, of at most so many blocks. */
export function messagesOf(
  { from, to, ...message }: BackfillMessage,
  blocks = MAX_MESSAGE_BLOCKS,
): BackfillMessage[] {
  const messages: BackfillMessage[] = [];
  for (let first = from; first <= to; first += blocks)
    messages.push({ ...message, from: first, to: Math.min(to, first + blocks - 1) });
  return messages;
}

function isStep(value: unknown): value is BulkStep {
  return BULK_STEPS.some((step) => step === value);
}
