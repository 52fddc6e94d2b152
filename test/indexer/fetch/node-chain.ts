import { TOPICS } from '../../../lambdas/chain-data/decode/topics.ts';
import { address, word } from '../../chain-data/decode/raw-blocks.ts';
import type { Answerer, ReceivedCall, Said } from './fake-node.ts';

const EMPTY_BLOOM = `0x${'00'.repeat(256)}`;
/** A bloom with bits that only its own number sets. */
const bloomOf = (bits: number) => `0x${bits.toString(16).padStart(512, '0')}`;
const hex = (value: number) => `0x${value.toString(16)}`;

export type NodeJson = Record<string, unknown>;

/** JSON of one block of the made-up chain, as a node sends it. Tests break it as they like. */
export interface NodeBlockJson {
  readonly block: NodeJson;
  readonly transactions: NodeJson[];
  readonly receipts: NodeJson[];
  readonly traces: NodeJson[];
}

export function blockHash(number: number): string {
  return word(0xb10c_0000 + number);
}

/** A block with so many transactions, each a call that logs one transfer. */
export function makeBlock(number: number, transactionCount: number): NodeBlockJson {
  const place = (index: number) => ({
    blockHash: blockHash(number),
    blockNumber: hex(number),
    transactionIndex: hex(index),
  });
  const hashOf = (index: number) => word(number * 1_000_000 + index + 1);
  const indexes = Array.from({ length: transactionCount }, (_, index) => index);
  const transactions = indexes.map((index) => ({
    ...place(index),
    hash: hashOf(index),
    type: '0x2',
    from: address(0xa11ce),
    to: '0x00000000000000000000000000000000000000Aa',
    nonce: hex(index),
    value: '0xffffffffffffffffffffffff',
    gas: '0x186a0',
    gasPrice: '0x1',
    input: '0x12345678',
    v: '0x1',
    accessList: [],
    ticketId: word(3),
  }));
  const receipts = indexes.map((index) => ({
    ...place(index),
    transactionHash: hashOf(index),
    status: '0x1',
    gasUsed: '0xc350',
    cumulativeGasUsed: hex(0xc350 * (index + 1)),
    effectiveGasPrice: '0x1',
    contractAddress: null,
    logsBloom: bloomOf(1 << (index % 8)),
    logs: [
      {
        ...place(index),
        transactionHash: hashOf(index),
        logIndex: hex(index),
        address: address(0x70),
        topics: [TOPICS.transfer, word(1), word(2)],
        data: word(number),
        removed: false,
      },
    ],
  }));
  const bits = indexes.reduce((all, index) => all | (1 << (index % 8)), 0);
  const block = {
    number: hex(number),
    hash: blockHash(number),
    parentHash: blockHash(number - 1),
    timestamp: hex(1_700_000_000 + number),
    miner: address(0),
    gasLimit: '0x4000000000000',
    gasUsed: hex(0xc350 * transactionCount),
    baseFeePerGas: '0x5f5e100',
    stateRoot: word(1),
    transactionsRoot: word(2),
    receiptsRoot: word(3),
    extraData: word(4),
    size: '0x400',
    l1BlockNumber: '0x1406f40',
    sendCount: '0x5',
    sendRoot: word(4),
    mixHash: word(5),
    uncles: [],
    logsBloom: bits === 0 ? EMPTY_BLOOM : bloomOf(bits),
    transactions,
  };
  const traces = indexes.map((index) => ({
    txHash: hashOf(index),
    result: {
      type: 'CALL',
      from: address(0xa11ce),
      to: address(0xaa),
      value: '0x1',
      gas: '0x186a0',
      gasUsed: '0xc350',
      input: '0x12345678',
      output: '0x',
      calls: [
        {
          type: 'STATICCALL',
          from: address(0xaa),
          to: address(0xbb),
          gas: '0x1',
          gasUsed: '0x1',
          input: '0x',
        },
      ],
    },
  }));
  return { block, transactions, receipts, traces };
}

/** The blocks of a made-up chain by their number; tests may replace some. */
export function makeChain(length: number, transactionCount = 2): NodeBlockJson[] {
  return Array.from({ length }, (_, number) => makeBlock(number, transactionCount));
}

/** Answers what an indexer asks, from a chain. */
export function answersOf(chain: readonly NodeBlockJson[]): Answerer {
  const at = ({ params: [tag] }: ReceivedCall) => chain.at(tag === 'latest' ? -1 : Number(tag));
  return (call): Said => {
    switch (call.method) {
      case 'eth_blockNumber':
        return { result: hex(chain.length - 1) };
      case 'eth_getBlockByNumber':
        return { result: at(call)?.block ?? null };
      case 'eth_getBlockReceipts':
        return { result: at(call)?.receipts ?? null };
      case 'eth_getTransactionReceipt':
        return { result: findReceipt(chain, call.params[0]) ?? null };
      case 'debug_traceBlockByNumber':
        return { result: at(call)?.traces ?? null };
      default:
        return { error: { code: -32601, message: `the method ${call.method} does not exist` } };
    }
  };
}

function findReceipt(chain: readonly NodeBlockJson[], hash: unknown): NodeJson | undefined {
  return chain.flatMap(({ receipts }) => receipts).find(({ transactionHash }) => transactionHash === hash);
}
