import { type AbiEvent, encodeAbiParameters, encodeEventTopics, type Hex } from 'viem';
import { decodeBlock } from '../../../lambdas/chain-data/decode/decode-block.ts';
import type { DecodeOptions } from '../../../lambdas/chain-data/decode/decode-logs.ts';
import type { RawBlock, RawLog, RawTransaction } from '../../../lambdas/chain-data/decode/raw-block.ts';
import type { BlockRows } from '../../../lambdas/chain-data/decode/rows.ts';

/** A distinct address, hash or word: the number at its end. */
export function address(number: number): Hex {
  return `0x${number.toString(16).padStart(40, '0')}`;
}

export function word(number: number | bigint): Hex {
  return `0x${BigInt.asUintN(256, BigInt(number)).toString(16).padStart(64, '0')}`;
}

export const ZERO = address(0);
export const TOKEN = address(0x70);
export const ALICE = address(0xa11ce);
export const BOB = address(0xb0b);
/** Time of the blocks, in seconds since the epoch. */
export const TIMESTAMP = 1_700_000_000;

export const PLAIN: DecodeOptions = { wrappedNative: new Set() };

export type LogContents = Pick<RawLog, 'address' | 'topics' | 'data'>;

/** A log as a contract with that event emits it, by viem's encoding. `values`: all arguments, in their order. */
export function logOf(event: AbiEvent, emitter: Hex, values: readonly unknown[]): LogContents {
  const inputs = event.inputs.map((input, index) => ({ ...input, name: `a${index}` }));
  const args = Object.fromEntries(values.map((value, index) => [`a${index}`, value]));
  const plain = inputs.filter(({ indexed }) => indexed !== true);
  const topics = encodeEventTopics({ abi: [{ ...event, inputs }], eventName: event.name, args });
  const data = encodeAbiParameters(
    plain,
    plain.map(({ name }) => args[name]),
  );
  return { address: emitter, topics: topics as Hex[], data };
}

export function rawTransaction(index: number, change: Partial<RawTransaction> = {}): RawTransaction {
  return {
    hash: word(0xbeef00 + index),
    type: 2,
    from: ALICE,
    to: BOB,
    nonce: 1n,
    value: 0n,
    gas: 21_000n,
    gasPrice: 1n,
    maxFeePerGas: 2n,
    maxPriorityFeePerGas: 0n,
    input: '0x',
    requestId: null,
    extra: {},
    omitted: [],
    receipt: {
      status: 1,
      contractAddress: null,
      gasUsed: 21_000n,
      gasUsedForL1: null,
      cumulativeGasUsed: 21_000n,
      effectiveGasPrice: 1n,
      l1BlockNumber: null,
      l1Fee: null,
      blobGasUsed: null,
      blobGasPrice: null,
      extra: {},
      omitted: [],
      logs: [],
    },
    ...change,
  };
}

export function rawBlock(transactions: readonly RawTransaction[], change: Partial<RawBlock> = {}): RawBlock {
  return {
    number: 7,
    hash: word(7),
    parentHash: word(6),
    timestamp: TIMESTAMP,
    miner: ZERO,
    gasLimit: 30_000_000n,
    gasUsed: 21_000n,
    baseFeePerGas: 1n,
    stateRoot: word(1),
    transactionsRoot: word(2),
    receiptsRoot: word(3),
    logsBloom: null,
    extraData: '0x',
    size: 1_000,
    l1BlockNumber: null,
    sendCount: null,
    sendRoot: null,
    extra: {},
    omitted: [],
    withdrawals: [],
    transactions,
    traces: { kind: 'traced', calls: [] },
    ...change,
  };
}

/** A block with one transaction for each list of logs. */
export function blockOfLogs(...logs: readonly (readonly LogContents[])[]): RawBlock {
  let logIndex = 0;
  return rawBlock(
    logs.map((contents, index) => {
      const transaction = rawTransaction(index);
      const numbered = contents.map((log) => ({ ...log, logIndex: logIndex++ }));
      return { ...transaction, receipt: { ...transaction.receipt, logs: numbered } };
    }),
  );
}

/** What the logs of one transaction become. */
export function decodeLogs(logs: readonly LogContents[], options = PLAIN): BlockRows {
  return decodeBlock(blockOfLogs(logs), options);
}
