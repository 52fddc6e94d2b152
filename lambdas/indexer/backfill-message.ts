import type { BlockRange } from './store/block-range.ts';

/** Most blocks of one message: what a run stores with time to spare. */
export const MAX_MESSAGE_BLOCKS = 2_000;

/** A range of a chain to backfill. */
export interface BackfillMessage extends BlockRange {
  readonly chain: string;
}

/** Reads the body of a queue message. Throws an Error if it is not one of ours. */
export function parseBackfillMessage(body: string): BackfillMessage {
  const { chain, from, to } = JSON.parse(body) as Partial<Record<keyof BackfillMessage, unknown>>;
  if (typeof chain !== 'string' || !isBlock(from) || !isBlock(to) || from > to)
    throw new Error('a backfill message names no range');
  return { chain, from, to };
}

/** A range in parts of one message each. */
export function messagesOf({ chain, from, to }: BackfillMessage): BackfillMessage[] {
  const messages: BackfillMessage[] = [];
  for (let first = from; first <= to; first += MAX_MESSAGE_BLOCKS)
    messages.push({ chain, from: first, to: Math.min(to, first + MAX_MESSAGE_BLOCKS - 1) });
  return messages;
}

function isBlock(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
