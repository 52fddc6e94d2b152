import { isDeepStrictEqual } from 'node:util';
import type { BlockProof, Hex, RawReceipt, RawTransaction } from '../../chain-data/decode/raw-block.ts';
import type { ChainProof } from '../../shared/verify/chain-proof.ts';
import { isOfNitro } from '../../shared/verify/derived.ts';
import type { NodeJson } from '../../shared/verify/members.ts';
import type { SentBlock } from '../../shared/verify/prove-transaction.ts';
import { transactionForm } from '../../shared/verify/transactions.ts';
import { verifyBlock } from '../../shared/verify/verify-block.ts';
import { openVerifyTools } from '../../shared/verify/verify-tools.ts';
import type { UntracedBlock } from '../blocks/assemble-block.ts';
import { BlockError } from '../blocks/block-error.ts';
import { parseWithdrawals } from '../blocks/parse-block.ts';
import { signatureMembers } from '../blocks/signature.ts';
import { provenBy } from '../proof/block-verifier.ts';

/** A block of a file, with the blooms that the logs of its receipts make up. */
interface FiledBlock {
  readonly block: UntracedBlock;
  readonly blooms: readonly Hex[];
}

/** @returns what of the block is proven; undefined where nothing is. @throws {BlockError} for a block that is not to be stored */
export type VerifyFiled = (filed: FiledBlock) => Promise<BlockProof | undefined>;

/**
 * Makes what verifies blocks of files as those of a node. Files have all members that hashes and roots come out of, but for those
 * that are too large, and but for types and members that the form does not have: of such a block nothing is proven, and neither
 * is of one with a value where the form has none.
 */
export function filedBlockVerifier(proof: ChainProof): VerifyFiled {
  return async ({ block, blooms }) => {
    if (block.number < proof.from) return undefined;
    const sent = asSent(block, blooms, proof.chainId);
    const verdict = verifyBlock(await openVerifyTools(), proof, sent.block, sent.receipts);
    const told = parseWithdrawals(block.extra.withdrawals);
    if (verdict.kind === 'computed' && isDeepStrictEqual(told, block.withdrawals))
      return hasStray(proof, block) ? undefined : provenBy(proof, block, verdict);
    if (verdict.kind === 'uncovered' || isCut(block)) return undefined;
    const member = verdict.kind === 'wrong' ? verdict.member : 'extra.withdrawals';
    throw new BlockError('wrong_answer', block.number, `${member} does not match its hash`);
  };
}

/** Whether a member was too large to be kept. */
function isCut({ omitted, transactions }: UntracedBlock): boolean {
  return (
    omitted.length > 0 || transactions.some((one) => one.omitted.length > 0 || one.receipt.omitted.length > 0)
  );
}

/** Prices of Nitro's own types from here on are the most that they may be. */
const FIRST_NITRO_TYPE = 0x64;

/** Whether there is a value where the encoding of a type, or the header, has none: no hash commits to it. */
function hasStray({ form }: ChainProof, block: UntracedBlock): boolean {
  const { l1BlockNumber, sendCount, sendRoot, transactions } = block;
  const isBare = l1BlockNumber === null && sendCount === null && sendRoot === null;
  if (!isBare && !(form === 'orbit' && isOfNitro({ ...block.extra, extraData: block.extraData })))
    return true;
  return transactions.some(({ type, gasPrice, maxFeePerGas, maxPriorityFeePerGas, requestId }) => {
    const members = transactionForm(form, type)?.members ?? [];
    const isPrice = type >= FIRST_NITRO_TYPE && maxFeePerGas === gasPrice;
    const told = { maxFeePerGas: isPrice ? null : maxFeePerGas, maxPriorityFeePerGas, requestId };
    return Object.entries(told).some(
      ([name, value]) => value !== null && !members.some(([member]) => member === name),
    );
  });
}

/** A block and its receipts as a node sends them, as far as hashes and roots come out of them. */
function asSent(block: UntracedBlock, blooms: readonly Hex[], chainId: number): SentBlock {
  const { number, timestamp, gasLimit, gasUsed, baseFeePerGas, l1BlockNumber, sendCount } = block;
  const { hash, parentHash, miner, stateRoot, transactionsRoot, receiptsRoot, logsBloom } = block;
  const { extraData, sendRoot, transactions, withdrawals } = block;
  return {
    // A member that no header has would be taken for one of a fork.
    block: {
      ...block.extra,
      ...{
        hash,
        parentHash,
        miner,
        stateRoot,
        transactionsRoot,
        receiptsRoot,
        logsBloom,
        extraData,
        sendRoot,
      },
      ...quantities({ number, timestamp, gasLimit, gasUsed, baseFeePerGas, l1BlockNumber, sendCount }),
      withdrawals: withdrawals.map(({ address, index, validatorIndex, amountGwei }) => ({
        address,
        ...quantities({ index, validatorIndex, amount: amountGwei }),
      })),
      transactions: transactions.map((one) => transactionAsSent(one, chainId)),
    },
    receipts: transactions.map(({ receipt }, index) => receiptAsSent(receipt, blooms[index])),
  };
}

function transactionAsSent(transaction: RawTransaction, chainId: number): NodeJson {
  const { type, nonce, value, gas, gasPrice, maxFeePerGas, maxPriorityFeePerGas, ...texts } = transaction;
  const { signature } = transaction;
  return {
    ...transaction.extra,
    ...texts,
    ...quantities({ type, chainId, nonce, value, gas, gasPrice, maxFeePerGas, maxPriorityFeePerGas }),
    ...(signature !== undefined && signatureMembers(signature, type)),
  };
}

function receiptAsSent(receipt: RawReceipt, logsBloom: Hex | undefined): NodeJson {
  const { status, gasUsed, cumulativeGasUsed, effectiveGasPrice, ...texts } = receipt;
  return {
    ...receipt.extra,
    ...texts,
    ...quantities({ status, gasUsed, cumulativeGasUsed, effectiveGasPrice }),
    logsBloom,
  };
}

function quantities(numbers: Readonly<Record<string, number | bigint | null>>): NodeJson {
  return Object.fromEntries(
    Object.entries(numbers).map(([name, value]) => [name, value === null ? null : `0x${value.toString(16)}`]),
  );
}
