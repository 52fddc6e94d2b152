import type { AnvilCall } from '../../../local/processes/node-calls.ts';
import { compareRows, type RowKind } from './chain-rows.ts';
import type { Comparisons } from './comparisons.ts';
import type { NodeChain, NodeTransaction } from './node-chain.ts';
import {
  ask,
  decimal,
  height,
  instant,
  integer,
  type Row,
  resultsOf,
  rowsOf,
  type Sources,
} from './sources.ts';

/** Counts of an overview go up to here. */
const MAX_COUNTED = 1_000;
/** `balanceOf(address)` */
const BALANCE_OF = '0x70a08231';
const WORD_DIGITS = 64;
const NATIVE_TRANSFERS: RowKind = {
  name: 'native transfers',
  keys: ['block_number', 'transaction_index'],
};
const INTERNAL_TRANSFERS: RowKind = {
  name: 'internal transfers',
  keys: ['block_number', 'transaction_index', 'trace_index'],
};
/** Kinds of calls that give their value to another address. */
const MOVING: ReadonlySet<string> = new Set(['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT']);

/** All addresses that sent or received a transaction, or were created by one. */
export function addressesOf({ transactions }: NodeChain): string[] {
  const named = transactions.flatMap(({ transaction, receipt }) => [
    transaction.from,
    transaction.to ?? receipt.contractAddress,
  ]);
  return [...new Set(named.map(String))].sort();
}

/**
 * What addresses are and did, beside what the node says and what follows from its blocks.
 * @param chain all blocks up to the finalized one
 */
export async function compareAddresses(
  comparisons: Comparisons,
  sources: Sources,
  chain: NodeChain,
  addresses: readonly string[],
): Promise<void> {
  for (const address of addresses) {
    await compareOverview(comparisons, sources, chain, address);
    const transfers = await rowsOf(sources, `/addresses/${address}/native-transfers?order=asc`);
    compareRows(comparisons, NATIVE_TRANSFERS, transfers, nativeTransfersOf(chain, address));
  }
}

async function compareOverview(
  comparisons: Comparisons,
  sources: Sources,
  { transactions, last }: NodeChain,
  address: string,
): Promise<void> {
  const { data } = await ask(sources, `/addresses/${address}`);
  const [balance, code] = await resultsOf(
    sources,
    ['eth_getBalance', 'eth_getCode'].map((method) => ({ method, params: [address, height(last)] })),
  );
  const counted = (matching: (one: NodeTransaction) => boolean) => {
    const count = transactions.filter(matching).length;
    return { count: Math.min(count, MAX_COUNTED), exact: count <= MAX_COUNTED };
  };
  const making = transactions.find(
    ({ receipt }) => receipt.contractAddress === address && receipt.status === '0x1',
  );
  comparisons.compare({ kind: 'overviews', place: address }, data as Row, {
    address,
    transactions_sent: counted(({ transaction }) => transaction.from === address),
    transactions_received: counted(({ transaction }) => transaction.to === address),
    native_balance: decimal(balance),
    has_code: code !== '0x',
    account_kind: code === '0x' ? 'eoa' : 'contract',
    delegated_to: null,
    seen_as_smart_account: false,
    ...(making && { created_by: making.transaction.from, created_by_kind: 'eoa' }),
  });
}

function nativeTransfersOf({ transactions }: NodeChain, address: string): Row[] {
  return transactions
    .filter(({ transaction, receipt }) => receipt.status === '0x1' && BigInt(String(transaction.value)) > 0n)
    .map(({ transaction, receipt, block }) => ({
      block_number: integer(block.number),
      timestamp: instant(block.timestamp),
      transaction_hash: transaction.hash,
      transaction_index: integer(transaction.transactionIndex),
      from: transaction.from,
      to: transaction.to ?? receipt.contractAddress,
      value: decimal(transaction.value),
    }))
    .filter(({ from, to }) => from === address || to === address);
}

interface Frame {
  readonly type: string;
  readonly from: string;
  readonly to?: string;
  readonly value?: string;
  readonly error?: string;
  readonly calls?: readonly Frame[];
}

/**
 * What calls within transactions gave, beside the node's own traces.
 * @param blocks that the node can trace
 */
export async function compareInternalTransfers(
  comparisons: Comparisons,
  sources: Sources,
  blocks: readonly number[],
): Promise<void> {
  const traced = (await resultsOf(
    sources,
    blocks.map((block) => ({
      method: 'debug_traceBlockByNumber',
      params: [height(block), { tracer: 'callTracer' }],
    })),
  )) as { readonly result: Frame }[][];
  const moves = traced.flatMap((transactions, place) =>
    transactions.flatMap(({ result }, index) =>
      movesWithin(result).map((move) => ({
        block_number: blocks[place],
        transaction_index: index,
        ...move,
      })),
    ),
  );
  const addresses = [...new Set(moves.flatMap(({ from, to }) => [from, to]))].sort();
  const window = `order=asc&from_block=${blocks[0]}&to_block=${blocks.at(-1)}`;
  for (const address of addresses) {
    const told = await rowsOf(sources, `/addresses/${address}/internal-transfers?${window}`);
    const said = moves.filter(({ from, to }) => from === address || to === address);
    compareRows(comparisons, INTERNAL_TRANSFERS, told, said);
  }
}

interface Move {
  /** Place in the transaction, depth first. */
  readonly trace_index: number;
  readonly type: string;
  readonly from: string;
  readonly to: string;
  readonly value: string;
}

/** Moves of the native token within a transaction; what failed, and all that it called, moved nothing. */
function movesWithin(top: Frame): Move[] {
  const moves: Move[] = [];
  let index = 0;
  const walk = (frame: Frame, failed: boolean) => {
    const place = index;
    index += 1;
    const isUndone = failed || frame.error !== undefined;
    const value = BigInt(frame.value ?? '0x0');
    if (place > 0 && !isUndone && value > 0n && MOVING.has(frame.type))
      moves.push({
        trace_index: place,
        type: frame.type,
        from: frame.from,
        to: String(frame.to),
        value: value.toString(),
      });
    for (const call of frame.calls ?? []) walk(call, isUndone);
  };
  walk(top, false);
  return moves;
}

/** Balances of the snapshot, and their values, beside `balanceOf` at its block. */
export async function compareBalances(
  comparisons: Comparisons,
  sources: Sources,
  addresses: readonly string[],
): Promise<void> {
  for (const address of addresses) {
    const rows = await rowsOf(sources, `/addresses/${address}/balances/usd`);
    const plain = await rowsOf(sources, `/addresses/${address}/balances`);
    const calls = rows.map(({ token, block_number }) => ({
      method: 'eth_call',
      params: [
        { to: token, data: BALANCE_OF + address.slice(2).padStart(WORD_DIGITS, '0') },
        height(Number(block_number)),
      ],
    }));
    for (const [index, row] of rows.entries()) {
      const place = `${address} ${row.token}`;
      comparisons.compare({ kind: 'balances', place: place }, plain[index] ?? {}, {
        token: row.token,
        balance: row.balance,
      });
      const said = await balanceOf(sources, calls.slice(index, index + 1));
      if (said !== undefined)
        comparisons.compare({ kind: 'balances', place: place }, row, { balance: said.balance }, said.cause);
    }
  }
}

/**
 * What a token says of a balance. Undefined where the node has no state of the block any more: a busy machine may take the
 * first snapshot while it indexes.
 */
async function balanceOf(
  sources: Sources,
  call: readonly AnvilCall[],
): Promise<{ readonly balance: string | null; readonly cause?: string } | undefined> {
  try {
    const [said] = await resultsOf(sources, call);
    return { balance: decimal(said) };
  } catch (error) {
    if (/BlockOutOfRange/.test(String(error))) return undefined;
    if (!/revert/i.test(String(error))) throw error;
    return {
      balance: null,
      cause: 'balanceOf of the token reverts: its balances are those of its transfers',
    };
  }
}
