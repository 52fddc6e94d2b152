import type { Comparisons } from './comparisons.ts';
import type { NodeBlock, NodeChain, NodeLog, NodeTransaction } from './node-chain.ts';
import { decimal, instant, integer, type Row, rowsOf, type Sources } from './sources.ts';

/** `Transfer(address,address,uint256)` with three topics and one word of data: an ERC-20 transfer. */
const TRANSFER = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const TRANSFER_TOPICS = 3;
const WORD_CHARACTERS = 66;
const ADDRESS_CHARACTERS = 40;
/** Of so many blocks the logs of one are asked for by its height. */
const BLOCKS_PER_SAMPLE = 20;

const PLACE_OF_LOG = ['block_number', 'log_index'];

const BLOCKS: RowKind = { name: 'blocks', keys: ['number'] };
const TRANSACTIONS: RowKind = { name: 'transactions', keys: ['block_number', 'transaction_index'] };
const LOGS: RowKind = {
  name: 'logs',
  keys: PLACE_OF_LOG,
  cause: ({ data_truncated }) =>
    data_truncated === true ? 'long data of a log is cut, and says so' : undefined,
};
const TRANSFERS: RowKind = { name: 'erc20_transfers', keys: PLACE_OF_LOG };

/** Blocks, transactions, logs and ERC-20 transfers of some blocks, each row and each of its values. */
export async function compareChainRows(
  comparisons: Comparisons,
  sources: Sources,
  chain: NodeChain,
): Promise<void> {
  const window = windowOf(chain);
  await compareBlocks(comparisons, sources, chain);
  const transactions = await rowsOf(sources, `/transactions?${window}`);
  compareRows(comparisons, TRANSACTIONS, transactions, chain.transactions.map(transactionRow));
  await compareLogs(comparisons, sources, chain);
  const transfers = await rowsOf(sources, `/transfers?standard=erc20&${window}`);
  // Deposits and withdrawals of the wrapped token are transfers as well, without an event that says so.
  const told = transfers.filter(({ kind }) => kind !== 'wrap' && kind !== 'unwrap');
  compareRows(comparisons, TRANSFERS, told, chain.transactions.flatMap(transferRows));
}

/** Every log by the contract that made it, and all logs of a few blocks. */
async function compareLogs(comparisons: Comparisons, sources: Sources, chain: NodeChain): Promise<void> {
  const byContract = Map.groupBy(chain.transactions.flatMap(logRows), ({ address }) => address);
  for (const [address, said] of byContract)
    compareRows(
      comparisons,
      LOGS,
      await rowsOf(sources, `/logs?address=${address}&${windowOf(chain)}`),
      said,
    );
  for (const block of chain.blocks.filter((_, place) => place % BLOCKS_PER_SAMPLE === 0)) {
    const ofBlock = chain.transactions.filter((one) => one.block === block);
    const listed = await rowsOf(sources, `/blocks/${Number(block.number)}/logs`);
    compareRows(comparisons, LOGS, listed, ofBlock.flatMap(logRows));
  }
}

/** Some blocks, each of their values, without what happened in them. */
export async function compareBlocks(
  comparisons: Comparisons,
  sources: Sources,
  chain: NodeChain,
): Promise<void> {
  const told = await rowsOf(sources, `/blocks?${windowOf(chain)}`);
  compareRows(comparisons, BLOCKS, told, chain.blocks.map(blockRow));
}

function windowOf({ first, last }: NodeChain): string {
  return `order=asc&from_block=${first}&to_block=${last}`;
}

/** What rows are of, and which rule explains a difference. */
export interface RowKind {
  readonly name: string;
  /** Fields that together name a row. */
  readonly keys: readonly string[];
  /** The rule that explains why a row differs; undefined: absent. */
  readonly cause?: (told: Row) => string | undefined;
}

/** Compares rows by their keys, the order of these, and which of both sides has rows that the other has not. */
export function compareRows(
  comparisons: Comparisons,
  { name, keys, cause = () => undefined }: RowKind,
  told: readonly Row[],
  said: readonly Row[],
): void {
  const keyOf = (row: Row) => keys.map((key) => String(row[key])).join(' ');
  const expected = new Set(said.map(keyOf));
  const found = new Map(told.map((row) => [keyOf(row), row]));
  const further = told.filter((row) => !expected.has(keyOf(row)));
  for (const row of further)
    comparisons.compare({ kind: name, place: keyOf(row) }, row, { row: 'none' }, cause(row));
  const order = told.filter((row) => !further.includes(row)).map(keyOf);
  comparisons.compare({ kind: name, place: 'rows' }, { order }, { order: said.map(keyOf) });
  for (const row of said) {
    const one = found.get(keyOf(row)) ?? {};
    comparisons.compare({ kind: name, place: keyOf(row) }, one, row, cause(one));
  }
}

function blockRow(block: NodeBlock): Row {
  return {
    number: integer(block.number),
    hash: block.hash,
    parent_hash: block.parentHash,
    timestamp: instant(block.timestamp),
    miner: block.miner,
    gas_limit: integer(block.gasLimit),
    gas_used: integer(block.gasUsed),
    base_fee_per_gas: decimal(block.baseFeePerGas),
    state_root: block.stateRoot,
    transactions_root: block.transactionsRoot,
    receipts_root: block.receiptsRoot,
    tx_count: block.transactions.length,
    size: integer(block.size),
  };
}

function transactionRow({ transaction, receipt, block }: NodeTransaction): Row {
  return {
    hash: transaction.hash,
    block_number: integer(block.number),
    block_hash: block.hash,
    transaction_index: integer(transaction.transactionIndex),
    timestamp: instant(block.timestamp),
    type: integer(transaction.type),
    from: transaction.from,
    to: transaction.to,
    contract_address: receipt.contractAddress,
    nonce: integer(transaction.nonce),
    value: decimal(transaction.value),
    gas: integer(transaction.gas),
    gas_price: decimal(transaction.gasPrice),
    effective_gas_price: decimal(receipt.effectiveGasPrice),
    gas_used: integer(receipt.gasUsed),
    cumulative_gas_used: integer(receipt.cumulativeGasUsed),
    status: integer(receipt.status),
    fee: (BigInt(String(receipt.effectiveGasPrice)) * BigInt(String(receipt.gasUsed))).toString(),
    input_size: (String(transaction.input).length - 2) / 2,
    log_count: receipt.logs.length,
  };
}

function logRows({ transaction, receipt, block }: NodeTransaction): Row[] {
  return receipt.logs.map(({ address, topics, data, logIndex }) => ({
    block_number: integer(block.number),
    timestamp: instant(block.timestamp),
    transaction_hash: transaction.hash,
    transaction_index: integer(transaction.transactionIndex),
    log_index: integer(logIndex),
    address,
    topics,
    data,
  }));
}

function transferRows({ transaction, receipt, block }: NodeTransaction): Row[] {
  return receipt.logs.filter(isTransfer).map(({ address, topics, data, logIndex }) => ({
    block_number: integer(block.number),
    transaction_hash: transaction.hash,
    log_index: integer(logIndex),
    token: address,
    from: `0x${String(topics[1]).slice(-ADDRESS_CHARACTERS)}`,
    to: `0x${String(topics[2]).slice(-ADDRESS_CHARACTERS)}`,
    amount: decimal(data),
    initiator: transaction.from,
  }));
}

function isTransfer({ topics, data }: NodeLog): boolean {
  return topics[0] === TRANSFER && topics.length === TRANSFER_TOPICS && data.length === WORD_CHARACTERS;
}
