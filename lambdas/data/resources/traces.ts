import { isIndexed } from '../plan/indexed-bytes.ts';
import type { SomeResources } from '../plan/resource.ts';
import { digits, hex, iso, whole } from '../plan/sql-text.ts';
import { chronological, scanOf, sidesOf } from './keys.ts';
import { ofBlock, ofTransaction } from './transaction-place.ts';

/** Bytes of input and of output that are returned: a row of the RDS Data API holds 64 KB, in hex. */
const MAX_DATA_BYTES = 2_048;

const cut = (
  column: string,
) => `'0x' || encode(substr(t.${column}, 1, ${MAX_DATA_BYTES}), 'hex') AS ${column},
  t.${column}_size, t.${column}_size > ${MAX_DATA_BYTES} AS ${column}_truncated`;

/** SQL of where a call stands among the calls of its transaction, as JSON. */
export const TRACE_ADDRESS = "('[' || t.trace_address || ']')::json";

/** SQL of how many calls it is within. */
const TRACE_DEPTH = `CASE WHEN t.trace_address = '' THEN 0
    ELSE length(t.trace_address) - length(replace(t.trace_address, ',', '')) + 1 END`;

const COLUMNS = `t.block_number, ${iso('t.block_time')} AS timestamp, ${hex('t.tx_hash')} AS transaction_hash,
  t.tx_index AS transaction_index, t.trace_index, ${TRACE_ADDRESS} AS trace_address,
  ${TRACE_DEPTH} AS depth, t.type, ${hex('t.from_address')} AS "from", ${hex('t.to_address')} AS "to",
  ${digits('t.value')} AS value, ${whole('t.gas')} AS gas, ${whole('t.gas_used')} AS gas_used, ${hex('t.method_id')} AS method_id,
  ${cut('input')}, ${cut('output')}, t.error, t.revert_reason, t.subcalls, t.reverted_by_parent`;

const LONG_BYTES = ['input', 'output']
  .map((column) => `2 * least(octet_length(t.${column}), ${MAX_DATA_BYTES})`)
  .join(' + ');

/** What the lists of calls share. */
const LISTED = {
  keys: chronological('tx_index', 'trace_index'),
  columns: COLUMNS,
  longBytes: LONG_BYTES,
};

export const TRACE_RESOURCES = {
  listBlockTraces: (scope, { number }) => ({
    ...LISTED,
    branches: scanOf(scope, 'traces'),
    // A block that is not stored is one without traces, which its coverage tells.
    window: ofBlock(scope, number).window,
  }),
  listTransactionTraces: (scope, { hash }) => {
    const { where, ...place } = ofTransaction(scope, hash);
    return { ...LISTED, branches: scanOf(scope, 'traces', ...where), ...place };
  },
  listAddressTraces: (scope, parameters) => {
    const address = scope.bind.bytes(parameters.address);
    const of = (side: string) => ({
      from: `${scope.schema}.traces`,
      where: [isIndexed(scope.schema, side, address)],
      place: `${scope.schema}.call_place`,
    });
    return { ...LISTED, ...sidesOf(parameters.direction, of) };
  },
} satisfies SomeResources;
