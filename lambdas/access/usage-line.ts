import type { MethodUsage } from './metering.ts';
import type { Item } from './store.ts';

/** Sort key of an account's progress: how far its charges are counted. It sorts before every line. */
export const USAGE_PROGRESS = '#progress';
const SEPARATOR = '#';
/** Sorts after every character of a sort key. */
const AFTER_ALL = '\uffff';

/** What an account used in one hour, of one chain and method. */
export interface UsageLine extends MethodUsage {
  /** UTC hour, such as `2026-11-20T23`. */
  readonly hour: string;
}

/** Sort key of a line: `2026-11-20T23#example_mainnet#eth_call`. */
export function lineKey(hour: string, { chain, method }: Pick<MethodUsage, 'chain' | 'method'>): string {
  return [hour, chain, method].join(SEPARATOR);
}

/** Sort key range of the lines of some hours, both included. */
export function lineRange(fromHour: string, toHour: string): { readonly from: string; readonly to: string } {
  return { from: fromHour, to: toHour + SEPARATOR + AFTER_ALL };
}

/** Reads a stored line. */
export function toUsageLine(item: Item): UsageLine {
  const [hour = '', chain = '', method = ''] = String(item.line).split(SEPARATOR);
  const { calls, cu, cached, errors } = item;
  return {
    hour,
    chain,
    method,
    calls: Number(calls),
    cu: Number(cu),
    cached: Number(cached),
    errors: Number(errors),
  };
}
