import type { UpstreamResponse } from '../../shared/jsonrpc/calls.ts';
import { ExpiringMemory, LruMap } from '../../shared/runtime/expiring-memory.ts';
import { FINALITY_BLOCKS } from '../../shared/runtime/finality.ts';
import type { OperatorOf } from '../../shared/upstream/operators.ts';
import type { ChainClient } from '../../shared/upstream/routing/chain-client.ts';
import { type Keccak, openKeccak } from '../../shared/verify/keccak.ts';
import type { NodeJson } from '../../shared/verify/members.ts';
import { verifyHeader } from '../../shared/verify/verify-block.ts';
import { type Ask, askShown, ownCall, readJson } from './ask-shown.ts';

/** A block whose hash two operators name, with its header out of which that hash comes. */
export interface AgreedBlock {
  readonly number: bigint;
  /** In lower case, with 0x. */
  readonly hash: string;
  readonly header: NodeJson;
  /** Names of the upstreams that named it, of two operators at least. */
  readonly by: readonly string[];
}

/** Memory for the blocks of a chain, in bytes. */
const MEMORY_BYTES = 1024 * 1024;
/** What a header takes, in bytes: most is its bloom. Reckoned, and rounded up. */
const HEADER_BYTES = 4 * 1024;
/** For how long a block that can still be replaced counts as the one at its number, in milliseconds, and a final one. */
const NEW_MS = 5_000;
const FINAL_MS = 60 * 60 * 1000;
/** For how long a number on which nobody agreed is not asked for again, in milliseconds. */
const NOBODY_MS = 1_000;
/** Numbers that are remembered for that. */
const MAX_NOBODY = 1_000;
/** Hashes whose numbers are remembered. */
const MAX_NUMBERS = 1_000;
/** Operators that have to name a hash. */
const OPERATORS = 2;
/** Most rounds of questions for a block: two operators in the first, one more in each other. */
const MAX_ROUNDS = 3;

/**
 * What an upstream says is at a number: a block whose hash comes out, one whose does not, one with a member that no form has, or
 * nothing.
 */
interface Vote {
  readonly operator: string;
  readonly upstream: string;
  readonly said: Omit<AgreedBlock, 'by'> | 'wrong' | 'uncovered' | 'nothing';
}

/** The votes for blocks, and the operators of the chain's upstreams, in their order. */
interface Voting {
  readonly operators: readonly (string | undefined)[];
  readonly votes: ReadonlyMap<bigint, Vote[]>;
}

/**
 * The blocks of a chain whose hashes two independent operators name. Nothing is believed of one: a header that is consistent
 * in itself can be made up. What is agreed is remembered, within a bound.
 */
export class AgreedBlocks {
  readonly #node: ChainClient;
  readonly #operatorOf: OperatorOf;
  readonly #blocks: ExpiringMemory<AgreedBlock>;
  readonly #nobodyUntil = new LruMap<number>(MAX_NOBODY);
  /** Numbers of blocks by their hashes. */
  readonly #numbers = new LruMap<bigint>(MAX_NUMBERS);
  readonly #asking = new Map<bigint, Promise<unknown>>();
  /** The newest so far. */
  #newest: bigint | undefined;

  constructor(node: ChainClient, operatorOf: OperatorOf) {
    this.#node = node;
    this.#operatorOf = operatorOf;
    this.#blocks = new ExpiringMemory(MEMORY_BYTES, node.clock);
  }

  /** The newest block on which two operators agree; undefined if that is nobody's. */
  async newest(ask: Ask, deadline: number): Promise<AgreedBlock | undefined> {
    const head = await this.#node.head.peek(deadline);
    if (head === undefined) return undefined;
    const candidates = [head, await this.#secondHead(), this.#newest].flatMap((number) => number ?? []);
    for (const number of new Set(candidates)) {
      const block = (await this.at([number], ask)).get(number);
      if (block === undefined) continue;
      if (this.#newest === undefined || number > this.#newest || head < this.#newest) this.#newest = number;
      return block;
    }
    return undefined;
  }

  /** The blocks at some numbers on which two operators agree. Each is asked for once at a time. */
  async at(numbers: readonly bigint[], ask: Ask): Promise<ReadonlyMap<bigint, AgreedBlock>> {
    const now = this.#node.clock.now();
    const unknown = [...new Set(numbers)].filter(
      (number) =>
        this.#blocks.get(String(number)) === undefined &&
        (this.#nobodyUntil.get(String(number)) ?? Number.NEGATIVE_INFINITY) <= now,
    );
    const own = unknown.filter((number) => !this.#asking.has(number));
    if (own.length > 0) {
      const asked = this.#learn(own, ask).finally(() => {
        for (const number of own) this.#asking.delete(number);
      });
      for (const number of own) this.#asking.set(number, asked);
    }
    await Promise.all(new Set(unknown.map((number) => this.#asking.get(number))));
    return new Map(
      numbers.flatMap((number) => {
        const block = this.#blocks.get(String(number));
        return block === undefined ? [] : [[number, block] as const];
      }),
    );
  }

  /**
   * Blocks by their hashes, those on whose hash two operators agree: a hash fixes its header, and so its number. A block that
   * is no longer of the chain has none of them.
   */
  async named(hashes: readonly string[], ask: Ask): Promise<ReadonlyMap<string, AgreedBlock>> {
    const distinct = [...new Set(hashes)];
    const unknown = distinct.filter((hash) => this.#numbers.get(hash) === undefined);
    if (unknown.length > 0) {
      const keccak = await openKeccak();
      const questions = unknown.map((hash) => ({
        call: ownCall('eth_getBlockByHash', [hash, false]),
        read: (json: unknown) => {
          const said = readBlock(keccak, json);
          return typeof said === 'object' && said.hash === hash ? said.number : undefined;
        },
        // Not told: it may be a block that no node has by now.
        onWrong: () => {},
      }));
      for (const [place, number] of (await askShown(questions, ask)).entries())
        if (number !== undefined) this.#numbers.set(unknown[place] as string, number);
    }
    const numbers = new Map(distinct.map((hash) => [hash, this.#numbers.get(hash)]));
    const blocks = await this.at(
      [...numbers.values()].flatMap((number) => number ?? []),
      ask,
    );
    return new Map(
      [...numbers].flatMap(([hash, number]) => {
        const block = number === undefined ? undefined : blocks.get(number);
        return block?.hash === hash ? [[hash, block] as const] : [];
      }),
    );
  }

  /** The highest block that upstreams of two operators are known to have. */
  async #secondHead(): Promise<bigint | undefined> {
    const { view } = this.#node;
    const heads = new Map<string, bigint>();
    for (const [index, operator] of (await this.#operators()).entries()) {
      const head = view.headOf(index);
      if (operator === undefined || head === undefined) continue;
      if (head > (heads.get(operator) ?? -1n)) heads.set(operator, head);
    }
    return [...heads.values()].sort((one, other) => (one < other ? 1 : -1))[OPERATORS - 1];
  }

  /** Who runs each upstream; undefined where its URL cannot be read: it is nobody's second voice. */
  #operators(): Promise<Voting['operators']> {
    return Promise.all(this.#node.upstreams.map(({ name }) => this.#operatorOf(name).catch(() => undefined)));
  }

  async #learn(numbers: readonly bigint[], ask: Ask): Promise<void> {
    const operators = await this.#operators();
    const known = this.#holdersFirst(operators, numbers);
    const voting: Voting = { operators, votes: new Map(numbers.map((number) => [number, []])) };
    const others = known.slice(OPERATORS).map((one) => [one]);
    const rounds = known.length < OPERATORS ? [] : [known.slice(0, OPERATORS), ...others];
    let open = numbers;
    for (const round of rounds.slice(0, MAX_ROUNDS)) {
      if (open.length === 0) break;
      await Promise.all(round.map((operator) => this.#askOf(operator, open, voting, ask)));
      open = open.filter((number) => decide(voting.votes.get(number) ?? []) === undefined);
    }
    for (const number of numbers) this.#conclude(number, voting.votes.get(number) ?? []);
  }

  /** The operators of a chain, first those that are known to have the blocks. */
  #holdersFirst(operators: Voting['operators'], numbers: readonly bigint[]): readonly string[] {
    const { view } = this.#node;
    const holders = operators.filter((_, index) =>
      numbers.every((number) => (view.headOf(index) ?? -1n) >= number),
    );
    return [...new Set([...holders, ...operators])].filter((operator) => operator !== undefined);
  }

  /** Asks an operator for blocks, and takes its votes. */
  async #askOf(
    operator: string,
    numbers: readonly bigint[],
    { operators, votes }: Voting,
    ask: Ask,
  ): Promise<void> {
    const askedOf = new Set(operators.flatMap((one, index) => (one === operator ? [index] : [])));
    const calls = numbers.map((number) => ({
      ...ownCall(BLOCK_METHOD, [`0x${number.toString(16)}`, false]),
      askedOf,
    }));
    const [keccak, responses] = await Promise.all([openKeccak(), ask(calls)]);
    for (const [place, number] of numbers.entries()) {
      const response = responses[place];
      if (response?.kind !== 'result' || response.from === undefined) continue;
      const upstream = this.#node.upstreams[response.from]?.name;
      const voter = operators[response.from];
      if (upstream === undefined || voter === undefined) continue;
      votes.get(number)?.push({ operator: voter, upstream, said: readVote(keccak, number, response) });
    }
  }

  /** Remembers what was agreed, and tells of who contradicts it. */
  #conclude(number: bigint, votes: readonly Vote[]): void {
    const { clock, view, onDisagreement } = this.#node;
    const block = decide(votes);
    const now = clock.now();
    if (block === undefined) this.#nobodyUntil.set(String(number), now + NOBODY_MS);
    else {
      const isFinal = view.head !== undefined && number <= view.head - BigInt(FINALITY_BLOCKS);
      this.#blocks.set(String(number), block, HEADER_BYTES, now + (isFinal ? FINAL_MS : NEW_MS));
    }
    const isCovered = votes.some(({ said }) => typeof said === 'object');
    // On the day of a fork no header comes out, and nobody is wrong.
    const heard = votes.filter(({ said }) => said !== 'nothing' && (said !== 'uncovered' || isCovered));
    const upstreams = [...new Set(heard.map(({ upstream }) => upstream))];
    const hashes = new Set(heard.map(({ said }) => (typeof said === 'object' ? said.hash : said)));
    if (hashes.size < 2 || upstreams.length < 2) return;
    const against = upstreams.filter((upstream) => !block?.by.includes(upstream));
    const alone = block !== undefined && against.length === 1 ? against[0] : undefined;
    onDisagreement({ method: BLOCK_METHOD, upstreams, alone });
  }
}

const BLOCK_METHOD = 'eth_getBlockByNumber';

function readVote(
  keccak: Keccak,
  number: bigint,
  { result }: Extract<UpstreamResponse, { kind: 'result' }>,
): Vote['said'] {
  const said = readBlock(keccak, readJson(result));
  return typeof said === 'object' && said.number !== number ? 'wrong' : said;
}

function readBlock(keccak: Keccak, header: unknown): Vote['said'] {
  if (typeof header !== 'object' || header === null) return 'nothing';
  const { kind } = verifyHeader(keccak, header as NodeJson);
  if (kind !== 'computed') return kind;
  const { hash, number } = header as NodeJson;
  return {
    number: BigInt(String(number)),
    hash: String(hash).toLowerCase(),
    header: header as NodeJson,
  };
}

/** The block that two operators name. */
function decide(votes: readonly Vote[]): AgreedBlock | undefined {
  for (const { said } of votes) {
    if (typeof said === 'string') continue;
    const alike = votes.filter((vote) => typeof vote.said === 'object' && vote.said.hash === said.hash);
    if (new Set(alike.map(({ operator }) => operator)).size >= OPERATORS)
      return { ...said, by: [...new Set(alike.map(({ upstream }) => upstream))] };
  }
  return undefined;
}
