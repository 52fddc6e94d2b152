import { isDeepStrictEqual } from 'node:util';
import type { BlockProof, Hex } from '../../chain-data/decode/raw-block.ts';
import type { ChainProof } from '../../shared/verify/chain-proof.ts';
import type { NodeJson } from '../../shared/verify/members.ts';
import type { SentBlock } from '../../shared/verify/prove-transaction.ts';
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
 * that are too large, and but for types and members that the form does not have: of such a block nothing is proven.
 */
export function filedBlockVerifier(proof: ChainProof): VerifyFiled {
  return async ({ block, blooms }) => {
    if (block.number < proof.from) return undefined;
    const sent = asSent(block, blooms, proof.chainId);
    const verdict = verifyBlock(await openVerifyTools(), proof, sent.block, sent.receipts);
    const told = parseWithdrawals(block.extra.withdrawals);
    if (verdict.kind === 'computed' && isDeepStrictEqual(told, block.withdrawals))
      return provenBy(proof, block, verdict);
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

/** A block and its receipts as a node sends them, as far as hashes and roots come out of them. */
function asSent(block: UntracedBlock, blooms: readonly Hex[], chainId: number): SentBlock {
  const { transactions, withdrawals, extra } = block;
  return {
    block: {
      ...extra,
      ...quantities({
        number: block.number,
        timestamp: block.timestamp,
        gasLimit: block.gasLimit,
        gasUsed: block.gasUsed,
        baseFeePerGas: block.baseFeePerGas,
        l1BlockNumber: block.l1BlockNumber,
        sendCount: block.sendCount,
      }),
      hash: block.hash,
      parentHash: block.parentHash,
      miner: block.miner,
      stateRoot: block.stateRoot,
      transactionsRoot: block.transactionsRoot,
      receiptsRoot: block.receiptsRoot,
      logsBloom: block.logsBloom,
      extraData: block.extraData,
      sendRoot: block.sendRoot,
      withdrawals: withdrawals.map(({ address, index, validatorIndex, amountGwei }) => ({
        address,
        ...quantities({ index, validatorIndex, amount: amountGwei }),
      })),
      transactions: transactions.map((one) => ({
        ...one.extra,
        ...quantities({
          type: one.type,
          chainId,
          nonce: one.nonce,
          value: one.value,
          gas: one.gas,
          gasPrice: one.gasPrice,
          maxFeePerGas: one.maxFeePerGas,
          maxPriorityFeePerGas: one.maxPriorityFeePerGas,
        }),
        hash: one.hash,
        from: one.from,
        to: one.to,
        input: one.input,
        requestId: one.requestId,
        ...(one.signature !== undefined && signatureMembers(one.signature, one.type)),
      })),
    },
    receipts: transactions.map(({ receipt }, index) => ({
      ...receipt.extra,
      ...quantities({
        status: receipt.status,
        gasUsed: receipt.gasUsed,
        cumulativeGasUsed: receipt.cumulativeGasUsed,
        effectiveGasPrice: receipt.effectiveGasPrice,
      }),
      contractAddress: receipt.contractAddress,
      logsBloom: blooms[index],
      logs: receipt.logs,
    })),
  };
}

function quantities(numbers: Readonly<Record<string, number | bigint | null>>): NodeJson {
  return Object.fromEntries(
    Object.entries(numbers).map(([name, value]) => [name, value === null ? null : `0x${value.toString(16)}`]),
  );
}
