import { ownCall } from '../../shared/jsonrpc/calls.ts';
import { wordsOf } from '../../shared/jsonrpc/error-message.ts';
import { METHOD_CODES, readRefusal } from '../../shared/jsonrpc/refusal-kind.ts';
import type { Ask } from '../../shared/upstream/operators/two-operators.ts';
import { hasMethod } from '../../shared/upstream/routing/able-upstreams.ts';
import type { ChainClient } from '../../shared/upstream/routing/chain-client.ts';
import { type Keccak, openKeccak } from '../../shared/verify/keccak.ts';
import {
  hasNoCode,
  isCodeOf,
  type ProvenAccount,
  proveAccount,
  proveSlot,
} from '../../shared/verify/trie-proof.ts';
import type { AgreedBlock } from './agreed-blocks.ts';
import { askShown, type Question } from './ask-shown.ts';
import type { StateQuestion } from './read-call.ts';

/** A question about the state of a block. */
interface AskedState {
  readonly question: StateQuestion;
  readonly block: AgreedBlock;
}

/** What the state has: an account, and what is in the slot of the question. */
interface ProvenState {
  readonly account: ProvenAccount;
  readonly slot: string;
}

const PROOF_METHOD = 'eth_getProof';
const CODE_METHOD = 'eth_getCode';
/** For how long it is remembered that no upstream has proofs of old blocks, in milliseconds: nodes fill up, plans change. */
const LACKING_MS = 60_000;
/** Requests that have to be refused for that: one refusal can be an accident. */
const REFUSALS_TO_BELIEVE = 2;
const SLOT_DIGITS = 64;
const LEADING_ZEROS = /^0+(?=.)/;
const SUCCESS_STATUS = 200;

/** How deep below the head no upstream had a proof. */
interface LackingProofs {
  /** The least such depths, in blocks, as many as it takes to believe them; 0 where none has the method. */
  readonly depths: readonly number[];
  /** Milliseconds since the epoch. */
  readonly until: number;
}

const NOTHING_LACKING: LackingProofs = { depths: [], until: 0 };

/**
 * Tells others how many of the newest blocks the upstreams have proofs of; 0: none has the method. Resolves to whether they can
 * know it now. Never rejects.
 */
export type TellLacking = (blocks: number) => Promise<boolean>;

/** Shows what the state of a block has, by proofs of nodes against its state root. */
export class StateProofs {
  readonly #node: ChainClient;
  readonly #tellLacking: TellLacking;
  #lacking = NOTHING_LACKING;
  #toldUntil = Number.NEGATIVE_INFINITY;

  constructor(node: ChainClient, tellLacking: TellLacking = async () => true) {
    this.#node = node;
    this.#tellLacking = tellLacking;
  }

  /** Raw JSON of what questions are answered, in their order; undefined for what no upstream shows. */
  async prove(asked: readonly AskedState[], ask: Ask): Promise<readonly (string | undefined)[]> {
    if (asked.length === 0) return [];
    const keccak = await openKeccak();
    const having = asked.filter(({ block }) => !this.#isLacking(block));
    if (having.length < asked.length) this.#tellOthers();
    const states = await askShown(
      having.map((one) => this.#proofQuestion(keccak, one)),
      this.#learning(having, ask),
    );
    const coded = having.flatMap((one, place) => {
      const account = one.question.of === 'code' ? states[place]?.account : undefined;
      return account === undefined || hasNoCode(account) ? [] : [{ ...one, account }];
    });
    const codes = await askShown(
      coded.map((one) => this.#codeQuestion(keccak, one)),
      ask,
    );
    const codeOf = new Map(coded.map(({ question }, place) => [question, codes[place]]));
    return asked.map((one) => {
      const state = states[having.indexOf(one)];
      const { question } = one;
      if (state === undefined) return undefined;
      if (question.of !== 'code') return resultOf(question.of, state);
      const code = hasNoCode(state.account) ? '' : codeOf.get(question);
      return code === undefined ? undefined : `"0x${code}"`;
    });
  }

  #proofQuestion(keccak: Keccak, { question, block }: AskedState): Question<ProvenState> {
    const { of, address, slot } = question;
    const slots = of === 'slot' ? [`0x${slot}`] : [];
    const root = block.stateRoot.slice(2);
    return {
      call: ownCall(PROOF_METHOD, [`0x${address}`, slots, { blockHash: block.hash }]),
      read: (proof) => {
        const account = proveAccount(keccak, root, address, proof);
        const inSlot = account === undefined || of !== 'slot' ? '' : proveSlot(keccak, account, slot, proof);
        return account === undefined || inSlot === undefined ? undefined : { account, slot: inSlot };
      },
      onWrong: (from) => this.#tell(PROOF_METHOD, block, from),
    };
  }

  #codeQuestion(
    keccak: Keccak,
    { question, block, account }: AskedState & { readonly account: ProvenAccount },
  ): Question<string> {
    return {
      call: ownCall(CODE_METHOD, [`0x${question.address}`, { blockHash: block.hash }]),
      read: (code) => {
        const digits = typeof code === 'string' ? code.slice(2).toLowerCase() : undefined;
        return digits !== undefined && isCodeOf(keccak, account, digits) ? digits : undefined;
      },
      onWrong: (from) => this.#tell(CODE_METHOD, block, from),
    };
  }

  /** An upstream contradicts a hash that others name. */
  #tell(method: string, { by }: AgreedBlock, from: number): void {
    const alone = this.#node.upstreams[from]?.name ?? '';
    this.#node.onDisagreement({ method, upstreams: [...new Set([...by, alone])], alone });
  }

  /** Whether no upstream is known to have a proof at a block: then none is asked. */
  #isLacking({ number }: AgreedBlock): boolean {
    const { upstreams, clock } = this.#node;
    const isLacked = upstreams.every(
      (upstream) => upstream.health.lacks(PROOF_METHOD) || !hasMethod(upstream, PROOF_METHOD),
    );
    const isBelieved = clock.now() < this.#lacking.until;
    return isLacked || (isBelieved && this.#depthOf(number) >= this.#believedDepth());
  }

  /** Depth from which on as many refusals as are believed say that there is none. */
  #believedDepth(): number {
    return this.#lacking.depths[REFUSALS_TO_BELIEVE - 1] ?? Number.POSITIVE_INFINITY;
  }

  #depthOf(number: bigint): number {
    return Number((this.#node.view.head ?? number) - number);
  }

  /** Asks, and remembers how deep below the head no upstream has proofs. */
  #learning(asked: readonly AskedState[], ask: Ask): Ask {
    return async (calls) => {
      const responses = await ask(calls);
      let depth = Number.POSITIVE_INFINITY;
      for (const [place, { method, params }] of calls.entries()) {
        const response = responses[place];
        const block = asked.find((one) => one.block.hash === hashIn(params))?.block;
        if (block === undefined) continue;
        const isShown =
          response?.kind === 'result' &&
          this.#depthOf(block.number) >= (this.#lacking.depths[0] ?? Number.POSITIVE_INFINITY);
        if (isShown) this.#lacking = NOTHING_LACKING;
        if (response?.kind !== 'error') continue;
        const said = { method, status: SUCCESS_STATUS, code: response.code, message: wordsOf(response) };
        const kind = readRefusal(said);
        const isMethod = kind === 'method' || METHOD_CODES.has(response.code);
        if (isMethod || kind === 'pruned')
          depth = Math.min(depth, isMethod ? 0 : this.#depthOf(block.number));
      }
      if (Number.isFinite(depth)) this.#noteRefusal(depth);
      return responses;
    };
  }

  #noteRefusal(depth: number): void {
    const now = this.#node.clock.now();
    const before = now < this.#lacking.until ? this.#lacking.depths : [];
    const depths = [...before, depth].sort((a, b) => a - b).slice(0, REFUSALS_TO_BELIEVE);
    this.#lacking = { depths, until: now + LACKING_MS };
    this.#tellOthers();
  }

  /** Tells what is believed once a minute, by one write at a time; what failed is repeated with the next question. */
  #tellOthers(): void {
    const now = this.#node.clock.now();
    const blocks = this.#believedDepth();
    if (!Number.isFinite(blocks) || now >= this.#lacking.until || now < this.#toldUntil) return;
    this.#toldUntil = now + LACKING_MS;
    void this.#tellLacking(blocks).then((isKnown) => {
      if (!isKnown) this.#toldUntil = Number.NEGATIVE_INFINITY;
    });
  }
}

function hashIn(params: Uint8Array | undefined): string | undefined {
  const text = params === undefined ? '' : Buffer.from(params).toString();
  return /"blockHash":"(0x[0-9a-f]{64})"/.exec(text)?.[1];
}

/** A number as nodes write it, or a whole slot. */
function resultOf(of: Exclude<StateQuestion['of'], 'code'>, { account, slot }: ProvenState): string {
  if (of === 'slot') return `"0x${slot.padStart(SLOT_DIGITS, '0')}"`;
  const digits = of === 'balance' ? account.balance : account.nonce;
  return `"0x${digits === '' ? '0' : digits.replace(LEADING_ZEROS, '')}"`;
}
