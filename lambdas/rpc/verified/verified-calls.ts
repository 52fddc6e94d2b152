import { type Call, ownCall, type UpstreamResponse } from '../../shared/jsonrpc/calls.ts';
import type { ChainSettings } from '../../shared/runtime/settings.ts';
import { minBlockNotReached } from '../../shared/upstream/head/answered-head.ts';
import type { OperatorOf } from '../../shared/upstream/operators/operators.ts';
import { type Ask, TwoOperators } from '../../shared/upstream/operators/two-operators.ts';
import type { ChainClient } from '../../shared/upstream/routing/chain-client.ts';
import { mergeEqualCalls } from '../../shared/upstream/routing/pending-call.ts';
import type { ChainProof } from '../../shared/verify/chain-proof.ts';
import type { AnsweredCalls } from '../cache/response-cache.ts';
import type { VerifyLevel } from '../response/render-response.ts';
import { limitOutcomes } from '../response/rpc-response.ts';
import { type AgreedBlock, AgreedBlocks } from './agreed-blocks.ts';
import { BlockProofs } from './block-proofs.ts';
import { type AskedBlock, readBlockCall, readStateCall } from './read-call.ts';
import { StateProofs, type TellLacking } from './state-proofs.ts';

/** On which terms calls are verified. */
interface VerifyTerms {
  readonly level: VerifyLevel;
  readonly ask: Ask;
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /** The block that answers about the newest one must be of. @default any */
  readonly minBlock?: bigint | undefined;
}

/** A chain, and what verifies its answers. */
interface VerifiedChain {
  readonly settings: Pick<ChainSettings, 'maxResponseBytes'>;
  readonly verified?: Pick<VerifiedCalls, 'answer'>;
}

/** Answers the calls of a request; all that a chain without independent nodes has is not verified. */
export async function answerVerified(
  { verified, settings }: VerifiedChain,
  calls: readonly Call[],
  terms: VerifyTerms,
): Promise<AnsweredCalls> {
  const { distinct, positions } = mergeEqualCalls(calls);
  const responses = await verified?.answer(distinct, terms);
  const answered = calls.map((call, place) => {
    const position = positions[place] as number;
    const response = responses?.[position] ?? NOT_VERIFIED;
    return { call, response, cached: response.kind === 'result' && positions.indexOf(position) < place };
  });
  return { responses: limitOutcomes(answered, settings.maxResponseBytes), share: async () => {} };
}

const NOT_VERIFIED: UpstreamResponse = { kind: 'failed', error: { reason: 'not_verified' } };

/**
 * Answers calls with what the hash of a block commits to, of a block whose hash two independent operators name; what cannot be
 * shown is an error, never the word of a node.
 */
export class VerifiedCalls {
  readonly #node: ChainClient;
  readonly #blocks: AgreedBlocks;
  readonly #ofState: StateProofs;
  readonly #ofBlock: BlockProofs;

  /** `proof`: by what its blocks are verified; undefined, nothing in them is. `tellLacking`: hears of blocks without proofs. */
  constructor(
    node: ChainClient,
    operatorOf: OperatorOf,
    proof: ChainProof | undefined,
    tellLacking?: TellLacking,
  ) {
    const operators = new TwoOperators(node, operatorOf);
    this.#node = node;
    this.#blocks = new AgreedBlocks(node, operators);
    this.#ofState = new StateProofs(node, tellLacking);
    this.#ofBlock = new BlockProofs(operators, proof);
  }

  /** Answers calls in their order. Rejects only if `ask` does. */
  async answer(calls: readonly Call[], terms: VerifyTerms): Promise<readonly UpstreamResponse[]> {
    const { level } = terms;
    if (level === 'state') {
      const questions = calls.map((call) => readStateCall(call));
      return this.#answer(questions, terms, (asked, ask) => this.#ofState.prove(asked, ask));
    }
    const questions = calls.map((call) => readBlockCall(call));
    const unplaced = questions.flatMap((question) =>
      question?.block === undefined ? (question?.transaction ?? []) : [],
    );
    const locating = noting(terms.ask);
    const places = await this.#ofBlock.locate(unplaced, locating.ask);
    const placed = questions.map((question) => {
      if (question === undefined || question.block !== undefined) return question;
      const hash = places[unplaced.indexOf(question.transaction ?? '')];
      return hash === undefined ? undefined : { ...question, block: { hash } };
    });
    const answers = await this.#answer(placed, terms, (asked, ask) => this.#ofBlock.prove(asked, ask));
    return answers.map((answer, place) =>
      placed[place] === undefined ? (locating.failure() ?? answer) : answer,
    );
  }

  /** Answers questions about agreed blocks. `prove`: raw JSON for each, in their order. */
  async #answer<Q extends { readonly block?: AskedBlock | undefined }>(
    questions: readonly (Q | undefined)[],
    terms: VerifyTerms,
    prove: (
      asked: readonly { readonly question: Q; readonly block: AgreedBlock }[],
      ask: Ask,
    ) => Promise<readonly (string | undefined)[]>,
  ): Promise<readonly UpstreamResponse[]> {
    const refs = questions.flatMap((question) => question?.block ?? []);
    const [finding, proving] = [noting(terms.ask), noting(terms.ask)];
    const blockOf = await this.#find(refs, { ...terms, ask: finding.ask });
    const asked = questions.flatMap((question) => {
      const block = question?.block === undefined ? undefined : blockOf(question.block);
      return question === undefined || block === undefined || isBelow(question.block, block, terms)
        ? []
        : [{ question, block }];
    });
    const results = await prove(asked, proving.ask);
    return questions.map((question): UpstreamResponse => {
      const block = question?.block === undefined ? undefined : blockOf(question.block);
      if (block !== undefined && isBelow(question?.block, block, terms))
        return { kind: 'failed', error: minBlockNotReached(this.#node.view.head) };
      const json = results[asked.findIndex((one) => one.question === question)];
      if (block === undefined) return finding.failure() ?? NOT_VERIFIED;
      if (json === undefined) return proving.failure() ?? NOT_VERIFIED;
      return { kind: 'result', result: Buffer.from(json), asOf: block.number, verifiedAt: block.hash };
    });
  }

  /** Finds the agreed blocks of calls, each once. */
  async #find(
    refs: readonly AskedBlock[],
    { ask, deadline, minBlock }: VerifyTerms,
  ): Promise<(ref: AskedBlock) => AgreedBlock | undefined> {
    const isNewest = refs.includes('newest');
    if (isNewest && minBlock !== undefined) await this.#node.head.reach(minBlock, deadline);
    const numbers = refs.flatMap((ref) => (typeof ref === 'object' && 'number' in ref ? [ref.number] : []));
    const hashes = refs.flatMap((ref) => (typeof ref === 'object' && 'hash' in ref ? [ref.hash] : []));
    // Where no head is known, the chain says why.
    if (isNewest && this.#node.head.known === undefined) await ask([ownCall('eth_blockNumber', [])]);
    const [newest, byNumber, byHash] = await Promise.all([
      isNewest ? this.#blocks.newest(ask, deadline) : undefined,
      this.#blocks.at(numbers, ask),
      this.#blocks.named(hashes, ask),
    ]);
    return (ref) => {
      if (ref === 'newest') return newest;
      return 'number' in ref ? byNumber.get(ref.number) : byHash.get(ref.hash);
    };
  }
}

/** Asks, and keeps why nobody answered. */
function noting(ask: Ask) {
  let isAnswered = false;
  let failure: UpstreamResponse | undefined;
  const noting: Ask = async (calls) => {
    const responses = await ask(calls);
    for (const response of responses) {
      // What cannot be read, or is of something else, is an answer that shows nothing.
      if (response.kind !== 'failed' || response.error.reason === 'malformed_upstream_response')
        isAnswered = true;
      else if (failure === undefined || isOverload(response)) failure = response;
    }
    return responses;
  };
  return {
    ask: noting,
    /** Undefined where somebody answered, unless there was no room to ask another. */
    failure: () => (isAnswered && !isOverload(failure) ? undefined : failure),
  };
}

function isOverload(response: UpstreamResponse | undefined): boolean {
  return response?.kind === 'failed' && response.error.reason === 'gateway_overloaded';
}

function isBelow(asked: AskedBlock | undefined, { number }: AgreedBlock, { minBlock }: VerifyTerms): boolean {
  return asked === 'newest' && minBlock !== undefined && number < minBlock;
}
