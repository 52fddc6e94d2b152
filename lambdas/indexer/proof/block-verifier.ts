import type { BlockProof, ProofLevel, RawBlock } from '../../chain-data/decode/raw-block.ts';
import type { Sleep } from '../../shared/runtime/sleep.ts';
import type { ChainProof } from '../../shared/verify/chain-proof.ts';
import { type ReportParts, reportWrongAnswer } from '../../shared/verify/report-wrong-answer.ts';
import { transactionForm } from '../../shared/verify/transactions.ts';
import { type BlockVerdict, verifyBlock } from '../../shared/verify/verify-block.ts';
import { openVerifyTools } from '../../shared/verify/verify-tools.ts';
import type { UntracedBlock } from '../blocks/assemble-block.ts';
import { BlockError, type IsRelaxed } from '../blocks/block-error.ts';
import { differenceOf } from '../blocks/compare-blocks.ts';
import { createTurns, type NodesByOperator } from '../fetch/other-nodes.ts';
import { type BlockReader, createBlockReader } from '../fetch/read-blocks.ts';
import type { VerifyBlock } from '../fetch/read-page.ts';
import type { BatchOptions } from '../fetch/send-batch.ts';
import type { SteadyUpstream } from '../fetch/sticky-upstream.ts';

/** Time that another node has for a block which is compared, in milliseconds. */
const COMPARE_MS = 5_000;

interface BlockVerifierParts extends ReportParts, NodesByOperator {
  readonly proof: ChainProof;
  /** What blocks of the chain need not be. */
  readonly isRelaxed: IsRelaxed;
  /** Waits, or less if the signal says so; never rejects. */
  readonly wait: Sleep;
}

/**
 * Verifies what a node sends of a block by the form of its chain, before any of it is stored. What the form does not have is
 * compared whole with an independent node: a block that both have is stored, and so is one that nobody else gives, which a
 * page says.
 * @returns makes what verifies the blocks of an upstream
 */
export function createBlockVerifier(parts: BlockVerifierParts): (upstream: string) => VerifyBlock {
  const { proof, chain, clock, telemetry } = parts;
  const compare = createComparison(parts);

  const refuse = (upstream: string, number: number, kind: string, member: string): never => {
    const reason = `block ${number}: ${member} of ${upstream} is wrong`;
    reportWrongAnswer(parts, { upstream, kind, reason });
    throw new BlockError('wrong_answer', number, `${member} of ${upstream}`);
  };

  return (upstream) =>
    async ({ block, receipts, read }, options) => {
      const { number } = read;
      if (number < proof.from) return undefined;
      const verdict = verifyBlock(await openVerifyTools(), proof, block, receipts);
      if (verdict.kind === 'computed') return provenBy(proof, read, verdict);
      if (verdict.kind === 'wrong') return refuse(upstream, number, verdict.part, verdict.member);
      const result = await compare(read, upstream, options);
      if (result.kind === 'different') return refuse(upstream, number, 'compared', result.member);
      if (result.kind === 'alone' && proof.required === true)
        throw new BlockError(
          'unavailable',
          number,
          `${verdict.member} is not of the form, and no other node has it`,
        );
      const isSame = result.kind === 'same';
      const reason = `block ${number}: the form ${proof.form} has no ${verdict.member}, ${isSame ? `${result.upstream} has the same block` : 'and no independent node gave the block'}`;
      telemetry.log(isSame ? 'warn' : 'error', isSame ? 'proof_lost' : 'block_unproven', {
        chain,
        upstream,
        reason,
      });
      telemetry.emit(
        {
          values: isSame ? { ProofLost: 1 } : { ProofLost: 1, UnprovenBlocks: 1 },
          dimensions: { Chain: chain },
        },
        clock.now(),
      );
      return provenBy(proof, read, verdict, isSame ? 'agreed' : 'told');
    };
}

/**
 * What is proven of a block where nothing is wrong. A list comes out of the root in its header: where that does not come out of its
 * hash, neither does the list.
 * @param otherwise level of what the form does not have
 */
export function provenBy(
  { form }: ChainProof,
  { transactions }: UntracedBlock,
  verdict: BlockVerdict,
  otherwise: ProofLevel = 'told',
): BlockProof {
  const part = verdict.kind === 'uncovered' ? verdict.part : undefined;
  const header = part === 'header' ? otherwise : 'computed';
  const lists = part === undefined ? 'computed' : otherwise;
  const isImported = transactions.some(({ type }) => transactionForm(form, type)?.hasForeignHash === true);
  // Nothing shows who sent what Nitro imported.
  const senders = lists === 'computed' && isImported ? 'told' : lists;
  return { header, transactions: lists, senders, receipts: lists, withdrawals: header };
}

type Comparison =
  | { readonly kind: 'same'; readonly upstream: string }
  | { readonly kind: 'different'; readonly member: string }
  | { readonly kind: 'alone' };

/** Compares a block with what independent nodes have, one after the other, until one has the same. */
function createComparison(parts: BlockVerifierParts) {
  const { isRelaxed, clock, wait } = parts;
  const readers = new Map<string, BlockReader>();
  const turns = createTurns(parts);
  const readerOf = ({ name, connection, pace }: SteadyUpstream): BlockReader => {
    const known = readers.get(name);
    if (known !== undefined) return known;
    const reader = createBlockReader({
      node: { ...connection, pace },
      ...{ clock, wait, isRelaxed, traces: false },
    });
    readers.set(name, reader);
    return reader;
  };

  return async (read: UntracedBlock, upstream: string, options: BatchOptions): Promise<Comparison> => {
    let different: string | undefined;
    for await (const { other } of turns.othersThan(upstream)) {
      const deadline = Math.min(options.deadline, clock.now() + COMPARE_MS);
      const block = await blockOf(readerOf(other), read.number, { ...options, deadline });
      if (block === undefined) {
        turns.silence(other);
        continue;
      }
      const member = differenceOf({ ...read, traces: block.traces }, block);
      if (member === undefined) return { kind: 'same', upstream: other.name };
      different ??= `${member}, as ${other.name} has it,`;
    }
    return different === undefined ? { kind: 'alone' } : { kind: 'different', member: different };
  };
}

/** Undefined where the node does not give the block, or one that fails its checks. */
async function blockOf(
  reader: BlockReader,
  number: number,
  options: BatchOptions,
): Promise<RawBlock | undefined> {
  try {
    for await (const block of reader.read(number, number, options)) return block;
  } catch (error) {
    if (!(error instanceof BlockError)) throw error;
  }
  return undefined;
}
