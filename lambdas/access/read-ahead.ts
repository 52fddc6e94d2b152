import type { ClientConfig } from '../aws/place.ts';
import { errorField, log } from '../log.ts';
import { connectDynamo } from './dynamo-client.ts';
import { toItem } from './dynamo-failure.ts';
import type { ReadAhead } from './pending-accounts.ts';
import type { Item } from './store.ts';

const CONNECT_TIMEOUT_MS = 300;
/** Time for one whole exchange, connection and answer included, in milliseconds. */
const REQUEST_TIMEOUT_MS = 3_000;

export interface ReadAheadOptions {
  /** Physical name of the accounts table. */
  readonly tableName: string;
  readonly clientConfig?: ClientConfig;
}

/**
 * Reads up to 100 accounts by one request, eventually consistent, which takes half the read units. What the
 * request does not bring is left out, a failed request brings nothing: whoever needs an account then reads it.
 * Opens no connection before its first use.
 */
export function createReadAhead({ tableName, clientConfig }: ReadAheadOptions): ReadAhead {
  const send = connectDynamo({ config: clientConfig, connectTimeoutMs: CONNECT_TIMEOUT_MS });
  return async (accounts) => {
    if (accounts.length === 0) return new Map();
    const keys = accounts.map((account) => ({ account: { S: account } }));
    const input = { RequestItems: { [tableName]: { Keys: keys } } };
    try {
      const output = await send('BatchGetItem', input, REQUEST_TIMEOUT_MS);
      const items = (output.Responses?.[tableName] ?? []).map(toItem);
      return new Map(items.map((item): [string, Item] => [String(item.account), item]));
    } catch (error) {
      log('warn', 'read_ahead_failed', { count: accounts.length, error: errorField(error) });
      return new Map();
    }
  };
}
