import { OPERATIONS } from '../operations/operations.ts';
import { isIndexed } from '../plan/indexed-bytes.ts';
import type { Resources } from '../plan/resource.ts';
import { hex, iso } from '../plan/sql-text.ts';
import { windowOf } from '../plan/window.ts';
import { chronological, type Order } from './keys.ts';
import { ofBlock, ofTransaction } from './transaction-place.ts';

export const LOG_COLUMNS = `t.block_number, ${iso('t.block_time')} AS timestamp, ${hex('t.tx_hash')} AS transaction_hash,
  t.tx_index AS transaction_index, t.log_index, ${hex('t.address')} AS address,
  (SELECT coalesce(json_agg(${hex('topic')}), '[]') FROM unnest(ARRAY[t.topic0, t.topic1, t.topic2, t.topic3]) AS topic
    WHERE topic IS NOT NULL) AS topics,
  ${hex('t.data')} AS data, t.data_size, octet_length(t.data) < t.data_size AS data_truncated`;

/** A `bytea` has its length beside it, and is not read for it. */
export const LOG_BYTES = '2 * octet_length(t.data)';

/** What the lists of logs share. */
const listed = (order: Order) =>
  ({
    shape: 'list',
    keys: chronological(order, 'log_index'),
    columns: LOG_COLUMNS,
    longBytes: LOG_BYTES,
  }) as const;

type LogOperation = 'listLogs' | 'listBlockLogs' | 'listTransactionLogs';

export const LOG_RESOURCES: Resources<LogOperation> = {
  listLogs: (scope, parameters) => {
    const { bind, schema } = scope;
    const { address, topic0, topic1, topic2, topic3 } = parameters;
    const conditions = Object.entries({ address, topic0, topic1, topic2, topic3 }).flatMap(
      ([column, value]) => (value === undefined ? [] : [{ column: `t.${column}`, bytes: bind.bytes(value) }]),
    );
    // An index has the address or the first topic, whichever comes first here.
    const [indexed, ...others] = conditions;
    return {
      ...listed(parameters.order),
      branches: [
        {
          from: `${schema}.logs`,
          where: [indexed === undefined ? 'false' : isIndexed(schema, indexed.column, indexed.bytes)],
        },
      ],
      filter: others.map(({ column, bytes }) => `${column} = ${bytes}`),
      window: windowOf(scope, parameters, 't.block_number', OPERATIONS.listLogs.maxWindowBlocks),
    };
  },
  listBlockLogs: (scope, { number }) => ({
    ...listed('asc'),
    branches: [{ from: `${scope.schema}.logs`, where: [] }],
    ...ofBlock(scope, number),
  }),
  listTransactionLogs: (scope, { hash }) => {
    const { where, ...place } = ofTransaction(scope, hash);
    return { ...listed('asc'), branches: [{ from: `${scope.schema}.logs`, where }], ...place };
  },
};
