import type {
  RawBlock,
  RawCall,
  RawLog,
  RawTransaction,
} from '../../../lambdas/chain-data/decode/raw-block.ts';
import type { FileTable } from '../../../lambdas/indexer/files/layout.ts';
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

/** Columns of a table, and what each has of a row. */
type Columns<Row> = Readonly<Record<string, (row: Row) => Cell>>;

const BLOCKS: Columns<RawBlock> = {
  block_hash: ({ hash }) => hex(hash),
  parent_hash: ({ parentHash }) => hex(parentHash),
  author: ({ miner }) => hex(miner),
  state_root: ({ stateRoot }) => hex(stateRoot),
  transactions_root: ({ transactionsRoot }) => hex(transactionsRoot),
  receipts_root: ({ receiptsRoot }) => hex(receiptsRoot),
  block_number: ({ number }) => number,
  gas_used: ({ gasUsed }) => gasUsed,
  gas_limit: ({ gasLimit }) => gasLimit,
  extra_data: ({ extraData }) => hex(extraData),
  logs_bloom: ({ logsBloom }) => hex(logsBloom),
  timestamp: ({ timestamp }) => timestamp,
  size: ({ size }) => size,
  base_fee_per_gas: ({ baseFeePerGas }) => baseFeePerGas,
  chain_id: () => CHAIN_ID,
};

/** What is within a block, with the places of the block and of its transaction. */
type Placed<One> = readonly [one: One, block: number, index: number];

const TRANSACTIONS: Columns<Placed<RawTransaction>> = {
  block_number: ([, block]) => block,
  transaction_index: ([, , index]) => index,
  transaction_hash: ([{ hash }]) => hex(hash),
  nonce: ([{ nonce }]) => nonce,
  from_address: ([{ from }]) => hex(from),
  to_address: ([{ to }]) => hex(to),
  value_string: ([{ value }]) => String(value),
  input: ([{ input }]) => hex(input),
  gas_limit: ([{ gas }]) => gas,
  gas_used: ([{ receipt }]) => receipt.gasUsed,
  gas_price: ([{ gasPrice }]) => gasPrice,
  transaction_type: ([{ type }]) => type,
  max_priority_fee_per_gas: ([{ maxPriorityFeePerGas }]) => maxPriorityFeePerGas,
  max_fee_per_gas: ([{ maxFeePerGas }]) => maxFeePerGas,
  success: ([{ receipt }]) => (receipt.status === null ? null : receipt.status === 1),
};

const LOGS: Columns<Placed<RawLog>> = {
  block_number: ([, block]) => block,
  transaction_index: ([, , index]) => index,
  log_index: ([{ logIndex }]) => logIndex,
  address: ([{ address }]) => hex(address),
  topic0: ([{ topics }]) => hex(topics[0] ?? null),
  topic1: ([{ topics }]) => hex(topics[1] ?? null),
  topic2: ([{ topics }]) => hex(topics[2] ?? null),
  topic3: ([{ topics }]) => hex(topics[3] ?? null),
  data: ([{ data }]) => hex(data),
};

/** A call, and its place in its transaction. */
type PlacedCall = Placed<{ readonly call: RawCall; readonly address: string }>;

const TRACES: Columns<PlacedCall> = {
  action_from: ([{ call }]) => hex(call.from),
  action_to: ([{ call }]) => hex(call.to),
  action_value: ([{ call }]) => String(call.value),
  action_gas: ([{ call }]) => call.gas,
  action_input: ([{ call }]) => hex(call.input),
  action_call_type: ([{ call }]) => (call.type === 'CREATE2' ? null : 'call'),
  action_type: ([{ call }]) => (call.type === 'CREATE2' ? 'create' : 'call'),
  result_gas_used: ([{ call }]) => call.gasUsed,
  result_output: ([{ call }]) => hex(call.output),
  trace_address: ([{ address }]) => address,
  subtraces: ([{ call }]) => call.calls.length,
  transaction_index: ([, , index]) => index,
  block_number: ([, block]) => block,
};

/** The files that cryo writes of blocks. Calls that failed are left out, with all that they called. */
export function cryoPart(blocks: readonly RawBlock[], lacking: readonly string[] = []) {
  const placed = <One>(within: (block: RawBlock) => readonly (readonly One[])[]) =>
    blocks.flatMap((block) =>
      within(block).flatMap((all, index) => all.map((one): Placed<One> => [one, block.number, index])),
    );
  const files = new MemoryFiles();
  const [from, to] = [blocks[0]?.number ?? 0, blocks.at(-1)?.number ?? 0];
  const pad = (block: number) => String(block).padStart(8, '0');
  const write = <Row>(table: FileTable, columns: Columns<Row>, all: readonly Row[]) => {
    const name = `made__${table}__${pad(from)}_to_${pad(to)}.parquet`;
    const rows = all.map((row) =>
      Object.fromEntries(Object.entries(columns).map(([column, of]) => [column, of(row)])),
    );
    const kept = Object.keys(columns).filter((column) => !lacking.includes(column));
    files.bytes.set(name, fileOf(rows, kept));
    return { table, name, rows: rows.length, bytes: 0, sha256: '' };
  };
  const manifest: Manifest = {
    layout: 'cryo-0.3',
    chain_id: CHAIN_ID,
    from_block: from,
    to_block: to,
    first_parent: blocks[0]?.parentHash ?? '0x',
    last_hash: blocks.at(-1)?.hash ?? '0x',
    files: [
      write('blocks', BLOCKS, blocks),
      write(
        'transactions',
        TRANSACTIONS,
        placed(({ transactions }) => transactions.map((one) => [one])),
      ),
      write(
        'logs',
        LOGS,
        placed(({ transactions }) => transactions.map(({ receipt }) => receipt.logs)),
      ),
      write('traces', TRACES, placed(callsOf)),
    ],
  };
  return { files, manifest: restated(manifest, files) };
}

function callsOf({ traces }: RawBlock) {
  return traces.kind === 'gap' ? [] : traces.calls.map((top) => callsWithin(top, ''));
}

function callsWithin(call: RawCall, address: string): PlacedCall[0][] {
  if (call.error !== null) return [];
  const within = call.calls.map((child, place) =>
    callsWithin(child, address === '' ? String(place) : `${address}_${place}`),
  );
  return [...within.flat(), { call, address }];
}
