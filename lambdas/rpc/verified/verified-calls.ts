import type { Call, UpstreamResponse } from '../../shared/jsonrpc/calls.ts';
import type { CataloguedError } from '../../shared/jsonrpc/error-catalogue.ts';
import type { ChainSettings } from '../../shared/runtime/settings.ts';
import { minBlockNotReached } from '../../shared/upstream/head/answered-head.ts';
import type { OperatorOf } from '../../shared/upstream/operators.ts';
import type { ChainClient } from '../../shared/upstream/routing/chain-client.ts';
import type { AnsweredCalls } from '../cache/response-cache.ts';
import { limitOutcomes } from '../response/rpc-response.ts';
import { type AgreedBlock, AgreedBlocks } from './agreed-blocks.ts';
import type { Ask } from './ask-shown.ts';
import { type AskedBlock, readStateCall } from './read-call.ts';
import { StateProofs } from './state-proofs.ts';

/** On which terms calls are verified. */
export interface VerifyTerms {
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
  const responses = await verified?.answer(calls, terms);
  const answered = calls.map((call, place) => ({
    call,
    response: responses?.[place] ?? NOT_VERIFIED,
    cached: false,
  }));
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
  readonly #state: StateProofs;

  constructor(node: ChainClient, operatorOf: OperatorOf) {
    this.#node = node;
    this.#blocks = new AgreedBlocks(node, operatorOf);
    this.#state = new StateProofs(node);
  }

  /** Answers calls in their order. Rejects only if `ask` does. */
  async answer(calls: readonly Call[], terms: VerifyTerms): Promise<readonly UpstreamResponse[]> {
    const questions = calls.map((call) => readStateCall(call));
    const refs = questions.flatMap((question) => question?.block ?? []);
    const blockOf = await this.#find(refs, terms);
    const answerable = questions.flatMap((question) => {
      const block = question === undefined ? undefined : blockOf(question.block);
      return question === undefined || block === undefined || this.#isBelow(question.block, block, terms)
        ? []
        : [{ question, block }];
    });
    const results = await this.#state.prove(answerable, terms.ask);
    return questions.map((question): UpstreamResponse => {
      if (question === undefined) return NOT_VERIFIED;
      const block = blockOf(question.block);
      if (block !== undefined && this.#isBelow(question.block, block, terms))
        return { kind: 'failed', error: this.#belowError() };
      const place = answerable.findIndex((one) => one.question === question);
      const json = results[place];
      if (json === undefined || block === undefined) return NOT_VERIFIED;
      return { kind: 'result', result: Buffer.from(json), asOf: block.number, verifiedAt: block.hash };
    });
  }

  /** Finds the agreed blocks of calls, each once. */
  async #find(
    refs: readonly AskedBlock[],
    { ask, deadline }: VerifyTerms,
  ): Promise<(ref: AskedBlock) => AgreedBlock | undefined> {
    const isNewest = refs.includes('newest');
    const numbers = refs.flatMap((ref) => (typeof ref === 'object' && 'number' in ref ? [ref.number] : []));
    const hashes = refs.flatMap((ref) => (typeof ref === 'object' && 'hash' in ref ? [ref.hash] : []));
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

  #isBelow(ref: AskedBlock, block: AgreedBlock, { minBlock }: VerifyTerms): boolean {
    return ref === 'newest' && minBlock !== undefined && block.number < minBlock;
  }

  #belowError(): CataloguedError {
    return minBlockNotReached(this.#node.view.head);
  }
}
