import { parseEntry } from '../access/charge/unsettled.ts';
import { UNSETTLED_SLOTS } from '../access/tables.ts';
import type { SlotWork } from './settle-slot.ts';

/** Work on one slot that an earlier run handed on. */
export interface HandedOnSlot extends SlotWork {
  /** Accounts of the slot that earlier runs could not settle. */
  readonly failures: number;
}

/** Reads the body of a queue message. Throws an Error if it is not one of ours. */
export function parseSlotMessage(body: string): HandedOnSlot {
  const { slot, after, failures } = JSON.parse(body) as Partial<Record<keyof HandedOnSlot, unknown>>;
  if (!isCount(slot) || slot >= UNSETTLED_SLOTS || !isCount(failures)) {
    throw new Error('a settlement message names no slot');
  }
  if (after === undefined) return { slot, failures };
  if (typeof after !== 'string') throw new Error('a settlement message names no entry');
  parseEntry(after);
  return { slot, failures, after };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
