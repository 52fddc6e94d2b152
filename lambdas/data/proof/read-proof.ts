import type { ReadSecret } from '../../shared/aws/cached-secrets.ts';
import type { Clock } from '../../shared/runtime/clock.ts';
import type { ChainSettings } from '../../shared/runtime/settings.ts';
import type { Telemetry } from '../../shared/runtime/telemetry.ts';
import { operatorsOf } from '../../shared/upstream/operators/operators.ts';
import { TwoOperators } from '../../shared/upstream/operators/two-operators.ts';
import type { ChainClient } from '../../shared/upstream/routing/chain-client.ts';
import { type ChainProof, proofOf } from '../../shared/verify/chain-proof.ts';
import { openKeccak } from '../../shared/verify/keccak.ts';
import {
  type MadeProof,
  proveTransaction,
  type SoughtTransaction,
} from '../../shared/verify/prove-transaction.ts';
import { reportWrongAnswer } from '../../shared/verify/report-wrong-answer.ts';
import type { Failure } from '../response/failure.ts';
import { ANSWER_MS, askForBlock, type BlockAnswer, blockSenders, isHashAgreed } from './ask-nodes.ts';

/** Time for all questions to nodes, in milliseconds: a client waits. */
const PROOF_MS = 10_000;
/** Most transactions of a block that is proven: its roots take a function of 512 MB a second. */
const MAX_TRANSACTIONS = 4_000;

/** Whose proof is wanted. */
interface WantedProof extends SoughtTransaction {
  /** Number of the block. */
  readonly number: number;
  /** Place of a log among those of the block. @default of none */
  readonly logIndex?: number | undefined;
}

/** Fields of a proof beside the place of its transaction; bytes as `0x` and hex digits. */
interface ProofFields {
  /** Whether nodes of two operators name the block's hash. */
  readonly hash: 'agreed' | 'single';
  readonly key: string;
  readonly header: string;
  readonly transaction_path: readonly string[];
  readonly receipt_path: readonly string[];
  /** Place of the wanted log among those of the receipt. */
  readonly log_place: number | null;
}

/** Proves a transaction by what nodes send of its block. Never rejects because of them. */
export type ReadProof = (chain: string, wanted: WantedProof) => Promise<ProofFields | Failure>;

/** A chain whose blocks can be proven. */
interface ProvableChain {
  readonly name: string;
  readonly node: ChainClient;
  readonly proof: ChainProof;
  readonly operators: TwoOperators;
}

/** What a stage file says of a chain that matters here. */
type SettingsOfChain = Pick<ChainSettings, 'chain' | 'chainId' | 'proof' | 'upstreams'>;

interface ProofParts {
  readonly readSecret: ReadSecret;
  readonly clock: Clock;
  readonly telemetry: Telemetry;
}

export const NO_PROOF: Failure = noCoverage('blocks of this chain are of no form that can be proven');
/** Why a block that a node does not send has no proof; a silent node may send it later. */
const REFUSALS: Readonly<Record<Exclude<BlockAnswer['kind'], 'sent'>, Failure | undefined>> = {
  too_large: noCoverage(`the block is too large: more than ${MAX_TRANSACTIONS} transactions, or 16 MiB`),
  lacking: noCoverage('no node sends the block and its receipts by its hash'),
  silent: undefined,
};
const ABSENT = noCoverage('the block that nodes send has another transaction in this place');
const SILENT: Failure = {
  statusCode: 503,
  code: 'unavailable',
  message: 'no node sent the block whole and right, try again',
};

/** Makes proofs of the chains whose form is known. */
export function createProofReader(
  chains: readonly SettingsOfChain[],
  nodes: ReadonlyMap<string, ChainClient>,
  { readSecret, ...parts }: ProofParts,
): ReadProof {
  const provable = new Map<string, ProvableChain>();
  for (const settings of chains) {
    const { chain: name } = settings;
    const [node, proof] = [nodes.get(name), proofOf(settings)];
    if (node !== undefined && proof !== undefined)
      provable.set(name, {
        name,
        node,
        proof,
        operators: new TwoOperators(node, operatorsOf(settings, readSecret)),
      });
  }
  return async (name, wanted) => {
    const chain = provable.get(name);
    if (chain === undefined) return NO_PROOF;
    const { proof, node, operators } = chain;
    if (wanted.number < proof.from) return noCoverage(`blocks are proven from ${proof.from} on`);
    const [isAgreed, proven] = await Promise.all([
      isHashAgreed(node, operators, wanted, parts.clock.now() + PROOF_MS),
      prove(chain, wanted, parts),
    ]);
    return 'code' in proven ? proven : fieldsOf(proven, wanted, isAgreed);
  };
}

/** Asks nodes one after the other, until what one sends comes out. What one says against it is believed if no other does better. */
async function prove(
  { name: chain, node, proof }: ProvableChain,
  wanted: WantedProof,
  { clock, telemetry }: Omit<ProofParts, 'readSecret'>,
): Promise<MadeProof | Failure> {
  let failure: Failure | undefined;
  const end = clock.now() + PROOF_MS;
  for (const upstream of blockSenders(node, wanted.blockHash)) {
    const deadline = Math.min(end, clock.now() + ANSWER_MS);
    const sent = await askForBlock(node, upstream, wanted.blockHash, deadline);
    if (sent.kind !== 'sent') {
      failure ??= REFUSALS[sent.kind];
      continue;
    }
    if (Array.isArray(sent.receipts) && sent.receipts.length > MAX_TRANSACTIONS) {
      failure ??= REFUSALS.too_large;
      continue;
    }
    const verdict = proveTransaction(await openKeccak(), proof, sent, wanted);
    switch (verdict.kind) {
      case 'proven':
        return verdict;
      case 'absent':
        return ABSENT;
      case 'uncovered':
        failure ??= noCoverage(`the form ${proof.form} has no ${verdict.member}: the block cannot be proven`);
        break;
      case 'wrong': {
        const reason = `block ${wanted.number}: ${verdict.member} of ${upstream.name} is wrong`;
        const { name } = upstream;
        reportWrongAnswer({ chain, clock, telemetry }, { upstream: name, kind: 'proof', reason });
      }
    }
  }
  return failure ?? SILENT;
}

function fieldsOf(
  { key, header, transaction, receipt, logsBefore, logs }: MadeProof,
  { hash, logIndex }: WantedProof,
  isAgreed: boolean,
): ProofFields | Failure {
  const place = logIndex === undefined ? undefined : logIndex - logsBefore;
  if (place !== undefined && (place < 0 || place >= logs)) {
    const message = `the transaction ${hash} has no log ${logIndex}`;
    return { statusCode: 404, code: 'not_found', message };
  }
  return {
    hash: isAgreed ? 'agreed' : 'single',
    key: bytes(key),
    header: bytes(header),
    transaction_path: transaction.map(bytes),
    receipt_path: receipt.map(bytes),
    log_place: place ?? null,
  };
}

function bytes(digits: string): string {
  return `0x${digits.toLowerCase()}`;
}

function noCoverage(message: string): Failure {
  return { statusCode: 422, code: 'no_coverage', message };
}
