import type { Item, Store } from './store.ts';
import { lineRange, toUsageLine, type UsageLine } from './usage-line.ts';

const LINES_PER_PAGE = 500;

/**
 * What an account used in some hours, both included; in the order of hour, chain and method. The caller bounds the
 * hours. Rejects with `StoreUnavailableError`.
 */
export async function listUsage(
  store: Store,
  account: string,
  fromHour: string,
  toHour: string,
): Promise<UsageLine[]> {
  const lines: UsageLine[] = [];
  let after: Item | undefined;
  do {
    const page = await store.query({
      table: 'usage',
      partition: { attribute: 'account', value: account },
      sort: { attribute: 'line', ...lineRange(fromHour, toHour) },
      limit: LINES_PER_PAGE,
      ...(after && { after }),
    });
    lines.push(...page.items.map(toUsageLine));
    after = page.next;
  } while (after !== undefined);
  return lines;
}
