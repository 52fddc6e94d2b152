import { isIndexed } from '../plan/indexed-bytes.ts';
import type { SomeResources } from '../plan/resource.ts';
import { hex, iso } from '../plan/sql-text.ts';
import { chronological, scanOf } from './keys.ts';
import { ofBlock, ofTransaction } from './transaction-place.ts';

export const LOG_COLUMNS = `t.block_number, ${iso('t.block_time')} AS timestamp, ${hex('t.tx_hash')} AS transaction_hash,
  t.tx_index AS transaction_index, t.log_index, ${hex('t.address')} AS address,
  (SELECT coalesce(json_agg(${hex('topic')}), '[]') FROM unnest(ARRAY[t.topic0, t.topic1, t.topic2, t.topic3]) AS topic
    WHERE topic IS NOT NULL) AS topics,
  ${hex('t.data')} AS data, t.data_size, octet_length(t.data) < t.data_size AS data_truncated`;

/** A `bytea` has its length beside it, and is not read for it. */
export const LOG_BYTES = '2 * octet_length(t.data)';

/** What the lists of logs share. */
const LISTED = { keys: chronological('log_index'), columns: LOG_COLUMNS, longBytes: LOG_BYTES };

export const LOG_RESOURCES = {
  listLogs: (scope, { address, topic0, topic1, topic2, topic3 }) => {
    const { bind, schema } = scope;
    const conditions = Object.entries({ address, topic0, topic1, topic2, topic3 }).flatMap(
      ([column, value]) => (value === undefined ? [] : [{ column: `t.${column}`, bytes: bind.bytes(value) }]),
    );
    // An index has the address or the first topic, whichever comes first here.
    const [indexed, ...others] = conditions;
    return {
      ...LISTED,
      branches: scanOf(
        scope,
        'logs',
        indexed === undefined ? 'false' : isIndexed(schema, indexed.column, indexed.bytes),
      ),
      filter: others.map(({ column, bytes }) => `${column} = ${bytes}`),
    };
  },
  listBlockLogs: (scope, { number }) => ({
    ...LISTED,
    branches: scanOf(scope, 'logs'),
    ...ofBlock(scope, number),
  }),
  listTransactionLogs: (scope, { hash }) => {
    const { where, ...place } = ofTransaction(scope, hash);
    return { ...LISTED, branches: scanOf(scope, 'logs', ...where), ...place };
  },
} satisfies SomeResources;
