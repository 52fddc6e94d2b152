import type { MethodUsage } from '../access/contract/metering.ts';
import type { Store } from '../access/store/store.ts';
import { usageHours } from '../settlement/usage-read.ts';

/** What an account used in one hour, of one chain and method. */
export interface UsageLine extends MethodUsage {
  /** UTC hour, such as `2026-11-20T23`. */
  readonly hour: string;
}

/**
 * What an account used in some hours, both included; in the order of hour, chain and method. Throws {@link InputError} if
 * there is no such account. Rejects with `StoreUnavailableError`.
 */
export async function* usageLines(
  store: Store,
  account: string,
  fromHour: string,
  toHour: string,
): AsyncGenerator<UsageLine> {
  for await (const { hour, usage } of usageHours(store, account, { fromHour, toHour }))
    for (const line of usage) yield { hour, ...line };
}
