import fc from 'fast-check';
import type { Hex, RawBlock, RawCall, RawLog } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { rawBlock, rawTransaction } from '../../chain-data/decode/raw-blocks.ts';
import { likeOfNode } from './memory-files.ts';

const hexOf = (minLength: number, maxLength = minLength): fc.Arbitrary<Hex> =>
  fc.uint8Array({ minLength, maxLength }).map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`);
const hash = () => hexOf(32);
const address = () => hexOf(20);
const data = () => hexOf(0, 80);
const wide = () => fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null });
const text = () =>
  fc.string({ unit: 'grapheme', maxLength: 20 }).filter((one) => one.isWellFormed() && !one.includes('\0'));
const extra = () =>
  fc.dictionary(
    text().filter((name) => name !== '__proto__'),
    fc.oneof(text(), fc.maxSafeInteger(), fc.boolean(), fc.array(text(), { minLength: 1, maxLength: 3 })),
    { maxKeys: 3, noNullPrototype: true },
  );

const log = () => fc.record({ address: address(), topics: fc.array(hash(), { maxLength: 4 }), data: data() });

/** @param depth of the calls within it */
const callOf = (depth: number): fc.Arbitrary<RawCall> =>
  fc.record({
    type: fc.constantFrom('CALL', 'CREATE2', 'STATICCALL'),
    from: address(),
    to: orNull(address()),
    value: wide(),
    gas: wide(),
    gasUsed: wide(),
    input: data(),
    output: data(),
    error: orNull(text()),
    revertReason: orNull(text()),
    calls: depth === 0 ? fc.constant([]) : fc.array(callOf(depth - 1), { maxLength: 3 }),
  });

const transaction = () =>
  fc.record({
    hash: hash(),
    type: fc.nat({ max: 32_767 }),
    from: address(),
    to: orNull(address()),
    nonce: orNull(wide()),
    value: wide(),
    gas: wide(),
    gasPrice: orNull(wide()),
    maxFeePerGas: orNull(wide()),
    maxPriorityFeePerGas: orNull(wide()),
    input: data(),
    requestId: orNull(hash()),
    extra: extra(),
    omitted: fc.array(text(), { maxLength: 2 }),
    receipt: fc.record({
      status: fc.constantFrom(0, 1, null),
      contractAddress: orNull(address()),
      gasUsed: wide(),
      gasUsedForL1: orNull(wide()),
      cumulativeGasUsed: wide(),
      effectiveGasPrice: orNull(wide()),
      l1BlockNumber: orNull(fc.nat()),
      l1Fee: orNull(wide()),
      blobGasUsed: orNull(wide()),
      blobGasPrice: orNull(wide()),
      extra: extra(),
      omitted: fc.array(text(), { maxLength: 2 }),
      logs: fc.array(log(), { maxLength: 3 }),
    }),
  });

/** A block with whatever a node may tell of one. */
export function anyBlock(): fc.Arbitrary<RawBlock> {
  return fc
    .record({
      number: fc.maxSafeInteger().map(Math.abs),
      members: fc.record({
        ...{ hash: hash(), parentHash: hash(), timestamp: fc.nat(), miner: address() },
        ...{ gasLimit: orNull(wide()), gasUsed: wide(), baseFeePerGas: orNull(wide()) },
        ...{ stateRoot: hash(), transactionsRoot: hash(), receiptsRoot: hash(), extraData: data() },
        ...{ size: orNull(fc.nat()), l1BlockNumber: orNull(fc.nat()), sendCount: orNull(fc.nat()) },
        ...{ sendRoot: orNull(hash()), extra: extra(), omitted: fc.array(text(), { maxLength: 2 }) },
        withdrawals: fc.array(
          fc.record({ index: wide(), validatorIndex: wide(), address: address(), amountGwei: wide() }),
          { maxLength: 3 },
        ),
      }),
      pairs: fc.array(fc.tuple(transaction(), callOf(2)), { maxLength: 3 }),
      gap: orNull(text()),
    })
    .map(({ number, members, pairs, gap }) => {
      let logIndex = 0;
      const numbered = (logs: readonly Omit<RawLog, 'logIndex'>[]): RawLog[] =>
        logs.map((one) => {
          logIndex += 1;
          return { ...one, logIndex: logIndex - 1 };
        });
      const transactions = pairs.map(([one], index) => ({
        ...rawTransaction(index),
        ...one,
        receipt: {
          ...one.receipt,
          status: one.receipt.status as 0 | 1 | null,
          logs: numbered(one.receipt.logs),
        },
      }));
      return likeOfNode(
        rawBlock(transactions, {
          ...members,
          number,
          traces:
            gap === null
              ? { kind: 'traced', calls: pairs.map(([, top]) => top) }
              : { kind: 'gap', reason: 'timeout', message: gap },
        }),
      );
    });
}
