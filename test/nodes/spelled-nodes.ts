import { createHash } from 'node:crypto';
import type { RawResponse, ReceivedCall } from './replies.ts';
import { hex } from './simulated-chain.ts';

/** An object as a node shows it. */
export type Shown = Readonly<Record<string, unknown>>;
/** The software of a node. */
export type Software = keyof typeof SPELLINGS;

const ADDRESS_BYTES = 20;
const HASH_BYTES = 32;
const BLOOM_BYTES = 256;

function bytesOf(seed: string, bytes: number): string {
  const digest = createHash('sha256').update(seed).digest('hex');
  return `0x${digest.repeat(Math.ceil(bytes / HASH_BYTES)).slice(0, 2 * bytes)}`;
}

const hashOf = (seed: string) => bytesOf(seed, HASH_BYTES);
const addressOf = (seed: string) => bytesOf(seed, ADDRESS_BYTES);
export const blockHashOf = (number: number) => hashOf(`block ${number}`);
/** Hash of the first transaction of a block, which pays; the second creates a contract, the third tries to and fails. */
export const paymentOf = (number: number) => hashOf(`transaction ${number} 0`);

const TRANSACTIONS = 3;

function placeOf(number: number, index: number): Shown {
  return { blockHash: blockHashOf(number), blockNumber: hex(number), transactionIndex: hex(index) };
}

function transaction(number: number, index: number): Shown {
  return {
    ...placeOf(number, index),
    hash: hashOf(`transaction ${number} ${index}`),
    type: index === 0 ? '0x2' : '0x0',
    from: addressOf('payer'),
    to: index === 0 ? addressOf('exchange') : null,
    value: index === 0 ? '0xde0b6b3a7640000' : '0x0',
    input: index === 0 ? '0x' : '0x6080',
    nonce: hex(3 * number + index),
    gas: '0x5208',
    gasPrice: '0x3b9aca00',
    chainId: '0x1',
    v: '0x0',
    r: '0x01',
    s: '0x02',
    ...(index === 0 && { maxFeePerGas: '0x77359400', maxPriorityFeePerGas: '0x1', accessList: [] }),
  };
}

function log(number: number): Shown {
  return {
    ...placeOf(number, 0),
    transactionHash: paymentOf(number),
    logIndex: '0x0',
    address: addressOf('token'),
    topics: [hashOf('Transfer'), hashOf('payer'), hashOf('exchange')],
    data: `0x${'3f3'.padStart(64, '0')}`,
    removed: false,
  };
}

function receipt(number: number, index: number): Shown {
  const { hash, type, from, to } = transaction(number, index);
  return {
    ...placeOf(number, index),
    transactionHash: hash,
    type,
    from,
    to,
    contractAddress: index === 0 ? null : addressOf(`created ${number} ${index}`),
    status: index === 2 ? '0x0' : '0x1',
    gasUsed: '0x5208',
    cumulativeGasUsed: hex(0x5208 * (index + 1)),
    effectiveGasPrice: '0x3b9aca00',
    logsBloom: bytesOf('bloom', BLOOM_BYTES),
    logs: index === 0 ? [log(number)] : [],
  };
}

function block(number: number, transactions: readonly unknown[]): Shown {
  return {
    number: hex(number),
    hash: blockHashOf(number),
    parentHash: blockHashOf(number - 1),
    timestamp: hex(1_700_000_000 + number),
    miner: addressOf('miner'),
    stateRoot: hashOf(`state ${number}`),
    transactionsRoot: hashOf(`transactions ${number}`),
    receiptsRoot: hashOf(`receipts ${number}`),
    sha3Uncles: hashOf('none'),
    logsBloom: bytesOf('bloom', BLOOM_BYTES),
    difficulty: '0x0',
    gasLimit: '0x1c9c380',
    gasUsed: '0xf618',
    extraData: '0x6265',
    mixHash: hashOf(`random ${number}`),
    nonce: '0x0000000000000000',
    baseFeePerGas: '0x7',
    size: '0x2a1',
    uncles: [],
    withdrawals: [{ index: '0x5', validatorIndex: '0x6', address: addressOf('staker'), amount: '0x7' }],
    withdrawalsRoot: hashOf(`withdrawals ${number}`),
    transactions,
  };
}

const indices = Array.from({ length: TRANSACTIONS }, (_, index) => index);

/** What the chain has as the response to a call; undefined where this chain says nothing of it. */
function truth({ method, params = [] }: ReceivedCall): unknown {
  const [first, second] = params as readonly [never, never];
  switch (method) {
    case 'eth_getBlockByNumber':
      return Number.isNaN(Number(first))
        ? undefined
        : block(
            Number(first),
            indices.map((index) =>
              second === true
                ? transaction(Number(first), index)
                : hashOf(`transaction ${Number(first)} ${index}`),
            ),
          );
    case 'eth_getTransactionByBlockNumberAndIndex':
      return transaction(Number(first), Number(second));
    case 'eth_getBlockReceipts':
      return indices.map((index) => receipt(Number(first), index));
    case 'eth_getTransactionByHash':
      return placed(first, transaction);
    case 'eth_getTransactionReceipt':
      return placed(first, receipt);
    case 'eth_getLogs': {
      const { fromBlock, toBlock } = first as { readonly fromBlock: string; readonly toBlock: string };
      const count = Number(toBlock) - Number(fromBlock) + 1;
      return Array.from({ length: count }, (_, index) => log(Number(fromBlock) + index));
    }
    default:
      return undefined;
  }
}

/** Blocks that are looked through for the hash of a transaction. */
const KNOWN_BLOCKS = Array.from({ length: 200 }, (_, index) => 5_000 + index);
const PLACES = new Map(
  KNOWN_BLOCKS.flatMap((number) =>
    indices.map((index) => [hashOf(`transaction ${number} ${index}`), { number, index }] as const),
  ),
);

function placed(hash: string, show: (number: number, index: number) => Shown): Shown | undefined {
  const place = PLACES.get(hash);
  return place === undefined ? undefined : show(place.number, place.index);
}

/** Changes an object, or each of a list, and what is within. */
function each(value: unknown, change: (object: Shown) => Shown): unknown {
  if (Array.isArray(value)) return value.map((element) => each(element, change));
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.entries(value).map(([name, member]) => [name, each(member, change)] as const);
  return change(Object.fromEntries(inner));
}

const without = (object: Shown, ...names: readonly string[]): Shown =>
  Object.fromEntries(Object.entries(object).filter(([name]) => !names.includes(name)));
const isLog = (object: Shown) => 'topics' in object;
const isBlock = (object: Shown) => 'parentHash' in object;
const isReceipt = (object: Shown) => 'logs' in object;
const isTransaction = (object: Shown) => 'input' in object;

/**
 * How software spells what is one chain, by public reports: nethermind 5921, 6140 and 12007, erigon 1742, 8686 and 13012,
 * go-ethereum 3339, besu 3389, parity-ethereum 7062, godwoken-web3 360.
 */
const SPELLINGS = {
  geth: (object: Shown) => (isLog(object) ? { ...object, blockTimestamp: '0x6553f100' } : object),
  erigon: (object: Shown) => {
    if (isTransaction(object)) return without(object, 'accessList', 'yParity', 'chainId');
    return isBlock(object) ? { ...object, totalDifficulty: '0xc70d815d562d3cfa955' } : object;
  },
  nethermind: (object: Shown) => {
    if (isLog(object)) return { ...object, transactionLogIndex: '0x0' };
    if (isTransaction(object)) return { ...object, data: object.input, yParity: '0x0' };
    return isBlock(object) ? { ...object, author: object.miner, totalDifficulty: '0x0' } : object;
  },
  reth: (object: Shown) => {
    const reversed = Object.fromEntries(Object.entries(object).reverse());
    return isTransaction(object) ? { ...reversed, yParity: '0x0', accessList: [] } : reversed;
  },
  anvil: (object: Shown) => {
    const stamped = { ...object, blockTimestamp: '0x6553f100' };
    if (isReceipt(object)) return { ...stamped, blobGasPrice: '0x1' };
    if (isBlock(object)) return { ...object, nonce: '0x0', requestsHash: hashOf('requests') };
    return isTransaction(object) ? { ...stamped, authorizationList: [] } : stamped;
  },
  parity: (object: Shown) => {
    if (isBlock(object))
      return without({ ...object, sealFields: [] }, 'nonce', 'mixHash', 'withdrawals', 'size');
    if (isTransaction(object)) {
      const r = `0x${'01'.padStart(64, '0')}`;
      return without({ ...object, r, creates: null, publicKey: '0x', raw: '0x', condition: null }, 'type');
    }
    return isReceipt(object) ? without(object, 'effectiveGasPrice') : { ...object, type: 'mined' };
  },
  /** No member that is null, and no address of a contract that was not created. */
  besu: (object: Shown) => {
    const failed = object.status === '0x0' ? without(object, 'contractAddress') : object;
    return Object.fromEntries(Object.entries(failed).filter(([, member]) => member !== null));
  },
  /** Capitals in addresses, `0x` for none, zeros before numbers. */
  others: (object: Shown) =>
    Object.fromEntries(
      Object.entries(object).map(([name, member]) => {
        if ((name === 'to' || name === 'contractAddress') && member === null) return [name, '0x'];
        if (name === 'from' || name === 'to' || name === 'address' || name === 'miner')
          return [name, `0x${String(member).slice(2).toUpperCase()}`];
        return name === 'value' || name === 'logIndex' || name === 'nonce'
          ? [name, `0x0${String(member).slice(2)}`]
          : [name, member];
      }),
    ),
} as const satisfies Readonly<Record<string, (object: Shown) => Shown>>;

export const SOFTWARE = Object.keys(SPELLINGS) as readonly Software[];

/** A lie of a node: what it makes of an object of the chain. */
export type ShownLie = (object: Shown) => Shown;

const THIEF = addressOf('thief');

/** Lies about objects, each on the members that its name says. */
export const LIES = {
  /** Other value and receiver of a transaction. */
  txvalue: (object) =>
    isTransaction(object) ? { ...object, value: '0xde0b6b3a7640001', to: THIEF } : object,
  /** Other figures of a block, and a transaction left out. */
  blockmember: (object) =>
    isBlock(object)
      ? {
          ...object,
          gasUsed: '0x1',
          baseFeePerGas: '0x1',
          miner: THIEF,
          stateRoot: hashOf('lie'),
          transactions: [],
        }
      : object,
  /** Other transactions of logs. */
  logtx: (object) => (isLog(object) ? { ...object, transactionHash: hashOf('lie') } : object),
  /** Other parties and price of a receipt. */
  rcptfrom: (object) =>
    isReceipt(object)
      ? { ...object, from: THIEF, to: THIEF, contractAddress: THIEF, effectiveGasPrice: '0x1' }
      : object,
} as const satisfies Readonly<Record<string, ShownLie>>;

/** The response of a node of some software to a call about a block far below the head; undefined for any other call. */
export function spelledAnswer(
  asked: ReceivedCall,
  software: Software,
  lie: ShownLie = (object) => object,
): RawResponse | undefined {
  const honest = truth(asked);
  return honest === undefined
    ? undefined
    : { result: JSON.stringify(each(each(honest, lie), SPELLINGS[software])) };
}
