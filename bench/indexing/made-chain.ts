/** A chain that is made up: blocks of transfers, and a node in memory that has them. */
import type { Hex, RawBlock } from '../../lambdas/chain-data/decode/raw-block.ts';
import type { ChainReader } from '../../lambdas/indexer/follow/chain-reader.ts';

export const TRANSFERS_PER_BLOCK = 20;
const PAGE_BLOCKS = 250;
const TRANSFER_TOPIC: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const START_TIME = 1_700_000_000;
const HOLDERS = 5_000;
const TOKENS = 50;

const word = (value: number | bigint, prefix = ''): Hex =>
  `0x${prefix}${value.toString(16).padStart(64 - prefix.length, '0')}`;
const address = (value: number): Hex => `0x${value.toString(16).padStart(40, '0')}`;
const padded = (value: number) => word(value);

/** A block with transfers between a few thousand holders. */
function makeBlock(number: number): RawBlock {
  const logs = Array.from({ length: TRANSFERS_PER_BLOCK }, (_, logIndex) => ({
    logIndex,
    address: address(0x70_0000 + ((number * 7 + logIndex) % TOKENS)),
    topics: [
      TRANSFER_TOPIC,
      padded(1 + ((number * 13 + logIndex) % HOLDERS)),
      padded(1 + ((number * 17 + logIndex * 3) % HOLDERS)),
    ],
    data: word(BigInt(number) * 1_000n + BigInt(logIndex)),
  }));
  return {
    number,
    hash: word(number, 'bb'),
    parentHash: number === 0 ? word(0) : word(number - 1, 'bb'),
    timestamp: START_TIME + number,
    miner: address(0),
    gasLimit: 30_000_000n,
    gasUsed: 1_000_000n,
    baseFeePerGas: 7n,
    stateRoot: word(number, 'aa'),
    transactionsRoot: word(number, 'ab'),
    receiptsRoot: word(number, 'ac'),
    logsBloom: null,
    extraData: '0x',
    size: 900,
    l1BlockNumber: null,
    sendCount: null,
    sendRoot: null,
    extra: {},
    omitted: [],
    withdrawals: [],
    transactions: [
      {
        hash: word(number, 'cc'),
        type: 2,
        from: address(1 + (number % HOLDERS)),
        to: address(0x70_0000),
        nonce: BigInt(number),
        value: 0n,
        gas: 1_000_000n,
        gasPrice: 7n,
        maxFeePerGas: 7n,
        maxPriorityFeePerGas: 0n,
        input: '0xa9059cbb',
        requestId: null,
        extra: {},
        omitted: [],
        receipt: {
          status: 1,
          contractAddress: null,
          gasUsed: 1_000_000n,
          gasUsedForL1: null,
          cumulativeGasUsed: 1_000_000n,
          effectiveGasPrice: 7n,
          l1BlockNumber: null,
          l1Fee: null,
          blobGasUsed: null,
          blobGasPrice: null,
          extra: {},
          omitted: [],
          logs,
        },
      },
    ],
    traces: { kind: 'gap', reason: 'unsupported', message: '' },
  };
}

/** A node in memory whose head is moved by hand. */
export function makeReader(head: { number: number }): ChainReader {
  const idOf = ({ number, hash, parentHash, timestamp }: RawBlock) => ({
    number,
    hash,
    parentHash,
    timestamp,
  });
  return {
    head: async () => idOf(makeBlock(head.number)),
    header: async (number) => (number > head.number ? undefined : idOf(makeBlock(number))),
    async *pages(from, to) {
      for (let first = from; first <= to; first += PAGE_BLOCKS) {
        const count = Math.min(PAGE_BLOCKS, to - first + 1);
        yield Array.from({ length: count }, (_, index) => makeBlock(first + index));
      }
    },
  };
}
