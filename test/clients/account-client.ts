import type { fetchBill } from '../../clients/gateway-bill/src/bill-folder.ts';
import type { DataClient } from '../../clients/typescript/src/client.ts';
import { ACCOUNT_PARAMETERS } from '../../lambdas/status/account-parameters.ts';
import { ACCOUNT_LISTS, listAccountRecords } from '../../lambdas/status/list-account-records.ts';

type AccountSources = Parameters<typeof listAccountRecords>[0];

/** Rows of a page of receipts are lanes of one receipt. */
const RECEIPT_LANES = 1_000;

/** The API as a client of an account reads its lists, in pages of so many rows. */
export function accountClient(
  sources: AccountSources,
  account: string,
  rowsPerPage: number,
): Parameters<typeof fetchBill>[0] {
  async function* rows(operation: string, { hour = '', ...query }: Record<string, unknown>) {
    const list = ACCOUNT_LISTS.find(({ operationId }) => operationId === operation);
    if (list === undefined) throw new Error(`there is no list ${operation}`);
    const inQuery = ACCOUNT_PARAMETERS[list.operationId].some(
      ({ name, in: where }) => name === 'hour' && where === 'query',
    );
    let cursor: unknown;
    do {
      const given = {
        ...query,
        ...(inQuery && { hour }),
        limit: inQuery ? RECEIPT_LANES : rowsPerPage,
        ...(cursor !== undefined && { cursor }),
      };
      const response = await listAccountRecords(sources, list, {
        account,
        path: hour === '' || inQuery ? {} : { hour: String(hour) },
        query: Object.fromEntries(Object.entries(given).map(([name, value]) => [name, [String(value)]])),
      });
      if (!response.ok) throw new Error(response.message);
      yield* response.body.data;
      cursor = response.body.next_cursor;
    } while (cursor !== undefined);
  }
  return { rows: rows as DataClient['rows'] };
}
