import type { RawBlock, RawCall } from '../../../lambdas/chain-data/decode/raw-block.ts';
import type { Manifest } from '../../../lambdas/indexer/files/manifest.ts';
import {
  parquetPieces,
  STORED_TYPES,
  type StoredValue,
} from '../../../lambdas/shared/parquet/parquet-writer.ts';
import { CHAIN_ID, MemoryFiles, restated } from './memory-files.ts';

type Cell = string | number | bigint | boolean | null | { readonly hex: string };
type Table = Readonly<Record<string, Cell>>[];

const hex = (value: string | null): Cell => (value === null ? null : { hex: value });

/** A file with columns of the kinds that their first values have. */
function fileOf(rows: Table, names: readonly string[]): Uint8Array {
  const columns = names.map((name) => {
    const sample = rows.map((row) => row[name]).find((cell) => cell !== null && cell !== undefined);
    const type =
      typeof sample === 'string'
        ? STORED_TYPES.text
        : typeof sample === 'boolean'
          ? STORED_TYPES.boolean
          : typeof sample === 'object'
            ? STORED_TYPES.bytes
            : STORED_TYPES.integer;
    return { name, type };
  });
  const storedCell = (cell: Cell | undefined): StoredValue => {
    if (cell === null || cell === undefined) return null;
    if (typeof cell === 'object') return Buffer.from(cell.hex.slice(2), 'hex');
    return typeof cell === 'number' ? BigInt(cell) : cell;
  };
  const file = parquetPieces(columns);
  if (rows.length > 0) file.group(names.map((name) => rows.map((row) => storedCell(row[name]))));
  file.finish({});
  return file.taken();
}

const BLOCKS = [
  ...[
    'block_hash',
    'parent_hash',
    'author',
    'state_root',
    'transactions_root',
    'receipts_root',
    'block_number',
  ],
  ...[
    'gas_used',
    'gas_limit',
    'extra_data',
    'logs_bloom',
    'timestamp',
    'size',
    'base_fee_per_gas',
    'chain_id',
  ],
];
const TRANSACTIONS = [
  ...['block_number', 'transaction_index', 'transaction_hash', 'nonce', 'from_address', 'to_address'],
  ...['value_string', 'input', 'gas_limit', 'gas_used', 'gas_price', 'transaction_type'],
  ...['max_priority_fee_per_gas', 'max_fee_per_gas', 'success'],
];
const LOGS = [
  ...[
    'block_number',
    'transaction_index',
    'log_index',
    'address',
    'topic0',
    'topic1',
    'topic2',
    'topic3',
    'data',
  ],
];
const TRACES = [
  ...[
    'action_from',
    'action_to',
    'action_value',
    'action_gas',
    'action_input',
    'action_call_type',
    'action_type',
  ],
  ...['result_gas_used', 'result_output', 'trace_address', 'subtraces', 'transaction_index', 'block_number'],
];

/** The files that cryo writes of blocks. Calls that failed are left out, with all that they called. */
export function cryoPart(blocks: readonly RawBlock[], lacking: readonly string[] = []) {
  const kept = (names: readonly string[]) => names.filter((name) => !lacking.includes(name));
  const tables = {
    blocks: fileOf(blocks.map(blockRow), kept(BLOCKS)),
    transactions: fileOf(blocks.flatMap(transactionRows), kept(TRANSACTIONS)),
    logs: fileOf(blocks.flatMap(logRows), kept(LOGS)),
    traces: fileOf(blocks.flatMap(traceRows), kept(TRACES)),
  };
  const counts = {
    blocks: blocks.length,
    transactions: blocks.flatMap(transactionRows).length,
    logs: blocks.flatMap(logRows).length,
    traces: blocks.flatMap(traceRows).length,
  };
  const files = new MemoryFiles();
  const [from, to] = [blocks[0]?.number ?? 0, blocks.at(-1)?.number ?? 0];
  const pad = (block: number) => String(block).padStart(8, '0');
  const listed = (Object.keys(tables) as (keyof typeof tables)[]).map((table) => {
    const name = `made__${table}__${pad(from)}_to_${pad(to)}.parquet`;
    files.bytes.set(name, tables[table]);
    return { table, name, rows: counts[table], bytes: 0, sha256: '' };
  });
  const manifest: Manifest = {
    layout: 'cryo-0.3',
    chain_id: CHAIN_ID,
    from_block: from,
    to_block: to,
    first_parent: blocks[0]?.parentHash ?? '0x',
    last_hash: blocks.at(-1)?.hash ?? '0x',
    files: listed,
  };
  return { files, manifest: restated(manifest, files) };
}

function blockRow(block: RawBlock) {
  return {
    block_hash: hex(block.hash),
    parent_hash: hex(block.parentHash),
    author: hex(block.miner),
    state_root: hex(block.stateRoot),
    transactions_root: hex(block.transactionsRoot),
    receipts_root: hex(block.receiptsRoot),
    block_number: block.number,
    gas_used: block.gasUsed,
    gas_limit: block.gasLimit,
    extra_data: hex(block.extraData),
    logs_bloom: hex(block.logsBloom),
    timestamp: block.timestamp,
    size: block.size,
    base_fee_per_gas: block.baseFeePerGas,
    chain_id: CHAIN_ID,
  };
}

const transactionRows = ({ number, transactions }: RawBlock) =>
  transactions.map((one, index) => ({
    block_number: number,
    transaction_index: index,
    transaction_hash: hex(one.hash),
    nonce: one.nonce,
    from_address: hex(one.from),
    to_address: hex(one.to),
    value_string: String(one.value),
    input: hex(one.input),
    gas_limit: one.gas,
    gas_used: one.receipt.gasUsed,
    gas_price: one.gasPrice,
    transaction_type: one.type,
    max_priority_fee_per_gas: one.maxPriorityFeePerGas,
    max_fee_per_gas: one.maxFeePerGas,
    success: one.receipt.status === null ? null : one.receipt.status === 1,
  }));

const logRows = ({ number, transactions }: RawBlock) =>
  transactions.flatMap(({ receipt }, index) =>
    receipt.logs.map(({ logIndex, address, topics: [topic0, topic1, topic2, topic3], data }) => ({
      block_number: number,
      transaction_index: index,
      log_index: logIndex,
      address: hex(address),
      ...{ topic0: hex(topic0 ?? null), topic1: hex(topic1 ?? null) },
      ...{ topic2: hex(topic2 ?? null), topic3: hex(topic3 ?? null), data: hex(data) },
    })),
  );

const traceRows = ({ number, traces }: RawBlock) =>
  traces.kind === 'gap' ? [] : traces.calls.flatMap((top, index) => callRows(top, number, index, ''));

function callRows(call: RawCall, block: number, index: number, address: string): Table {
  if (call.error !== null) return [];
  const row = {
    action_from: hex(call.from),
    action_to: hex(call.to),
    action_value: String(call.value),
    action_gas: call.gas,
    action_input: hex(call.input),
    action_call_type: call.type === 'CREATE2' ? null : 'call',
    action_type: call.type === 'CREATE2' ? 'create' : 'call',
    result_gas_used: call.gasUsed,
    result_output: hex(call.output),
    trace_address: address,
    subtraces: call.calls.length,
    transaction_index: index,
    block_number: block,
  };
  const within = call.calls.map((child, place) => {
    const at = address === '' ? String(place) : `${address}_${place}`;
    return callRows(child, block, index, at);
  });
  return [...within.flat(), row];
}
