import { createHash } from 'node:crypto';
import type {
  Hex,
  RawBlock,
  RawCall,
  RawLog,
  RawTransaction,
} from '../../../lambdas/chain-data/decode/raw-block.ts';
import { TOKEN_EVENTS, V3_EVENTS } from '../../chain-data/decode/contract-events.ts';
import {
  type LogContents,
  logOf,
  rawBlock,
  rawTransaction,
  TIMESTAMP,
} from '../../chain-data/decode/raw-blocks.ts';

/** What the transactions of a block do. */
export interface BlockMix {
  readonly transactions: number;
  /** Calls within the one of a transaction. */
  readonly callsWithin: (index: number) => number;
  /** What a transaction moves or trades; each emits a further log, which may move a token as well. */
  readonly moves: (index: number) => 'erc20' | 'nft' | 'swap';
  readonly movesAgain: (index: number) => boolean;
}

/** Of ten transactions six move a token, two an NFT and two swap. */
const RICH: BlockMix = {
  transactions: 100,
  callsWithin: () => 3,
  moves: (index) => (index % 10 < 6 ? 'erc20' : index % 10 < 8 ? 'nft' : 'swap'),
  movesAgain: () => false,
};
/** Few addresses take most of the traffic, as on a real chain. */
const HOLDERS = 20_000;
const TOKENS = 200;
const POOLS = 20;

/** Evenly spread bytes that are the same in each run. */
function hashOf(...parts: readonly (string | number)[]): Hex {
  return `0x${createHash('sha256').update(parts.join('/')).digest('hex')}`;
}

function addressOf(kind: string, number: number): Hex {
  return `0x${hashOf(kind, number).slice(2, 42)}`;
}

/** A number below a limit; the small ones are the usual ones. */
function skewed(limit: number, ...parts: readonly (string | number)[]): number {
  const fraction = Number.parseInt(hashOf(...parts).slice(2, 10), 16) / 2 ** 32;
  return Math.floor(limit * fraction ** 3);
}

/** A chain of full blocks, with all that a busy block has: as its node tells them, one after the other. */
export function denseBlocks(count: number): RawBlock[] {
  return Array.from({ length: count }, (_, number) => denseBlock(number));
}

/** A block of that chain. The first one makes the pools that later ones trade at. */
export function denseBlock(number: number, mix = RICH): RawBlock {
  let logIndex = 0;
  const transactions = Array.from({ length: mix.transactions }, (_, index): RawTransaction => {
    const contents = number === 0 && index < POOLS ? [poolLog(index)] : logsOf(number, index, mix);
    const logs = contents.map((log): RawLog => {
      logIndex += 1;
      return { ...log, logIndex: logIndex - 1 };
    });
    const plain = rawTransaction(index);
    return {
      ...plain,
      hash: hashOf('transaction', number, index),
      from: holder(number, index, 'from'),
      to: token(number, index),
      value: index % 4 === 0 ? 10n ** 17n + BigInt(index) : 0n,
      input: `0xa9059cbb${hashOf(number, index, 'input').slice(2)}${hashOf(number, index, 'rest').slice(2)}`,
      receipt: { ...plain.receipt, logs },
    };
  });
  return rawBlock(transactions, {
    number,
    hash: hashOf('block', number),
    parentHash: hashOf('block', number - 1),
    timestamp: TIMESTAMP + number,
    miner: addressOf('miner', number % 7),
    stateRoot: hashOf('state', number),
    transactionsRoot: hashOf('transactions', number),
    receiptsRoot: hashOf('receipts', number),
    withdrawals: Array.from({ length: 16 }, (_, index) => ({
      index: BigInt(number * 16 + index),
      validatorIndex: BigInt(skewed(1_000_000, 'validator', number, index)),
      address: addressOf('validator', skewed(HOLDERS, 'withdrawal', number, index)),
      amountGwei: 18_000_000n + BigInt(index),
    })),
    traces: { kind: 'traced', calls: transactions.map((one, index) => callOf(one, { number, index }, mix)) },
  });
}

const holder = (...parts: readonly (string | number)[]) => addressOf('holder', skewed(HOLDERS, ...parts));
const token = (...parts: readonly (string | number)[]) => addressOf('token', skewed(TOKENS, ...parts));

function logsOf(number: number, index: number, { moves, movesAgain }: BlockMix): LogContents[] {
  const [from, to] = [holder(number, index, 'payer'), holder(number, index, 'payee')];
  const amount = BigInt(hashOf(number, index, 'amount').slice(0, 20));
  const further: LogContents = movesAgain(index)
    ? logOf(TOKEN_EVENTS.erc20, token(number, index, 'further'), [to, from, amount])
    : {
        address: token(number, index, 'further'),
        topics: [hashOf('event', skewed(50, number, index, 'event')), `0x${from.slice(2).padStart(64, '0')}`],
        data: hashOf(number, index, 'data'),
      };
  const kind = moves(index);
  if (kind === 'erc20')
    return [logOf(TOKEN_EVENTS.erc20, token(number, index, 'token'), [from, to, amount]), further];
  if (kind === 'nft') {
    const item = BigInt(skewed(100_000, number, index, 'item'));
    return [logOf(TOKEN_EVENTS.erc721, addressOf('nft', index % 5), [from, to, item]), further];
  }
  const pool = addressOf('pool', skewed(POOLS, number, index, 'pool'));
  return [logOf(V3_EVENTS.swap, pool, [from, to, amount, -amount, 2n ** 96n, amount, 100]), further];
}

function poolLog(index: number): LogContents {
  const [token0, token1] = [addressOf('token', index), addressOf('token', index + 1)].sort();
  return logOf(V3_EVENTS.created, addressOf('factory', 0), [
    token0,
    token1,
    500,
    10,
    addressOf('pool', index),
  ]);
}

function callOf(
  transaction: RawTransaction,
  { number, index }: { readonly number: number; readonly index: number },
  { callsWithin }: BlockMix,
): RawCall {
  const call = (place: number): RawCall => ({
    type: 'CALL',
    from: transaction.to ?? transaction.from,
    to: token(number, index, 'call', place),
    value: 0n,
    gas: 50_000n,
    gasUsed: 30_000n,
    input: `0x70a08231${hashOf(number, index, 'call', place).slice(2)}`,
    output: hashOf(number, index, 'output', place),
    error: null,
    revertReason: null,
    calls: [],
  });
  const { from, to, value, gas, input } = transaction;
  const within = Array.from({ length: callsWithin(index) }, (_, place) => call(place));
  return { ...call(0), from, to, value, gas, input, output: '0x', calls: within };
}
