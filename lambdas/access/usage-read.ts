import { queryItems } from './query-items.ts';
import type { Store } from './store.ts';
import { lineRange, toUsageLine, type UsageLine } from './usage-line.ts';

const LINES_PER_PAGE = 500;

/**
 * What an account used in some hours, both included; in the order of hour, chain and method, page by page. Rejects
 * with `StoreUnavailableError`.
 */
export async function* usageLines(
  store: Store,
  account: string,
  fromHour: string,
  toHour: string,
): AsyncGenerator<UsageLine> {
  const lines = queryItems(store, {
    table: 'usage',
    partition: { attribute: 'account', value: account },
    sort: { attribute: 'line', ...lineRange(fromHour, toHour) },
    limit: LINES_PER_PAGE,
  });
  for await (const line of lines) yield toUsageLine(line);
}
