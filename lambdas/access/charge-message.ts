import type { Charge } from './charge-update.ts';
import { decodeUsage } from './usage-text.ts';

const ACCOUNT = /^.{1,255}$/;
const UNITS = /^[1-9]\d{0,15}$/;
const HOUR = /^\d{4}-\d{2}-\d{2}T\d{2}$/;
const LANE = /^[\w-]{11}$/;
const SEQUENCE = /^[1-9]\d{0,19}$/;

/** The body of a charge's queue message: JSON, integers as text. */
export function encodeCharge(charge: Charge): string {
  const { account, cu, hour, lane, seq, used } = charge;
  return JSON.stringify({ account, cu: cu.toString(), hour, lane, seq: seq.toString(), used });
}

/** The charge of a message body; undefined if it is not one. */
export function decodeCharge(body: string): Charge | undefined {
  const { account, cu, hour, lane, seq, used } = members(body);
  if (!matches(ACCOUNT, account) || !matches(HOUR, hour) || !matches(LANE, lane)) return undefined;
  if (!matches(UNITS, cu) || !matches(SEQUENCE, seq)) return undefined;
  return { account, cu: BigInt(cu), hour, lane, seq: BigInt(seq), used: usageText(used) };
}

/** A charge whose usage cannot be read is charged all the same. */
function usageText(used: unknown): string {
  return typeof used === 'string' && decodeUsage(used) !== undefined ? used : '';
}

function members(body: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}

function matches(pattern: RegExp, value: unknown): value is string {
  return typeof value === 'string' && pattern.test(value);
}
