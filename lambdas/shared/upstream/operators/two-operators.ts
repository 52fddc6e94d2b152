import { type Call, ownCall, type UpstreamResponse } from '../../jsonrpc/calls.ts';
import { hexNumber, readJson } from '../../jsonrpc/json-values.ts';
import type { Keccak } from '../../verify/keccak.ts';
import type { NodeJson } from '../../verify/members.ts';
import { verifyHeader } from '../../verify/verify-block.ts';
import type { ChainClient } from '../routing/chain-client.ts';
import type { OperatorOf } from './operators.ts';

/** Sends calls to upstreams within the time of a request, and answers them in their order. */
export type Ask = (calls: readonly Call[]) => Promise<readonly UpstreamResponse[]>;

/** Operators that have to say the same. */
const OPERATORS = 2;
/** Most rounds of questions: two operators in the first, one more in each other. */
const MAX_ROUNDS = 3;

/**
 * What an upstream says: something that comes out by itself, something that does not, something of a form that cannot be
 * computed, or nothing.
 */
export type Said<T> =
  /** `text`: the same where two say the same. */
  { readonly text: string; readonly value: T } | 'wrong' | 'uncovered' | 'nothing';

/** A question that two operators have to answer alike. */
export interface SharedQuestion<T> {
  readonly call: Call;
  /** The block that it is about: upstreams that are known to have it are asked first. */
  readonly number: bigint;
  /** `json`: as an upstream sent it. */
  readonly read: (json: unknown) => Said<T>;
}

/** What two operators say alike: the first one's words, and the names of upstreams that say so. */
interface SharedAnswer<T> {
  readonly value: T;
  readonly by: readonly string[];
}

interface Vote<T> {
  /** The upstreams of its operator. */
  readonly voice: readonly unknown[];
  readonly upstream: string;
  readonly said: Said<T>;
}

/** A block as an upstream names it: hashes in lower case, with 0x. */
export interface SaidBlock {
  readonly number: bigint;
  readonly hash: string;
  readonly stateRoot: string;
}

/** A named upstream by its place among those of the chain. */
interface Placed {
  readonly name: string;
  readonly place: number;
}

/**
 * Upstreams that are one voice each, by their operator, in their order. One whose operator cannot be read is left out: it may be
 * that of any other.
 */
async function voicesOf<T extends { readonly name: string }>(
  upstreams: readonly T[],
  operatorOf: OperatorOf,
): Promise<readonly (readonly T[])[]> {
  const operators = await Promise.all(upstreams.map(({ name }) => operatorOf(name).catch(() => undefined)));
  const voices = Map.groupBy(upstreams, (_, place) => operators[place]);
  voices.delete(undefined);
  return [...voices.values()];
}

/**
 * The upstreams of other operators than that of one, a list for each operator; none where the operator of the one cannot be read.
 * @param upstreams with the one
 */
export async function independentOf<T extends { readonly name: string }>(
  upstream: string,
  upstreams: readonly T[],
  operatorOf: OperatorOf,
): Promise<readonly (readonly T[])[]> {
  const voices = await voicesOf(upstreams, operatorOf);
  const others = voices.filter((voice) => voice.every(({ name }) => name !== upstream));
  return others.length < voices.length ? others : [];
}

/** Asks upstreams of a chain until two independent operators say the same. */
export class TwoOperators {
  readonly #node: ChainClient;
  readonly #operatorOf: OperatorOf;

  constructor(node: ChainClient, operatorOf: OperatorOf) {
    this.#node = node;
    this.#operatorOf = operatorOf;
  }

  /** What two operators say to each question, in their order; undefined where no two say the same. */
  async ask<T>(
    questions: readonly SharedQuestion<T>[],
    ask: Ask,
  ): Promise<readonly (SharedAnswer<T> | undefined)[]> {
    const voices = this.#holdersFirst(await this.#voices(), questions);
    const votes = new Map(questions.map((question) => [question, [] as Vote<T>[]]));
    const others = voices.slice(OPERATORS).map((one) => [one]);
    const rounds = voices.length < OPERATORS ? [] : [voices.slice(0, OPERATORS), ...others];
    let open = questions;
    for (const round of rounds.slice(0, MAX_ROUNDS)) {
      if (open.length === 0) break;
      const asked = await Promise.all(round.map((voice) => this.#askOf(voice, open, ask)));
      for (const [place, question] of open.entries())
        votes.get(question)?.push(...asked.flatMap((said) => said[place] ?? []));
      open = open.filter((question) => alike(votes.get(question) ?? []) === undefined);
    }
    return questions.map((question) => this.#conclude(question, votes.get(question) ?? []));
  }

  /** The highest block that upstreams of two operators are known to have. */
  async secondHead(): Promise<bigint | undefined> {
    const heads = (await this.#voices()).flatMap((voice) => this.#headOf(voice) ?? []);
    return heads.sort((one, other) => (one < other ? 1 : -1))[OPERATORS - 1];
  }

  #voices(): Promise<readonly (readonly Placed[])[]> {
    const placed = this.#node.upstreams.map(({ name }, place) => ({ name, place }));
    return voicesOf(placed, this.#operatorOf);
  }

  /** The highest block that one of some upstreams is known to have. */
  #headOf(voice: readonly Placed[]): bigint | undefined {
    const heads = voice.flatMap(({ place }) => this.#node.view.headOf(place) ?? []);
    return heads.sort((one, other) => (one < other ? 1 : -1))[0];
  }

  #holdersFirst(
    all: readonly (readonly Placed[])[],
    questions: readonly { readonly number: bigint }[],
  ): readonly (readonly Placed[])[] {
    const holders = all.filter((voice) =>
      questions.every(({ number }) => (this.#headOf(voice) ?? -1n) >= number),
    );
    return [...new Set([...holders, ...all])];
  }

  /** Asks the upstreams of one operator. */
  async #askOf<T>(
    voice: readonly Placed[],
    questions: readonly SharedQuestion<T>[],
    ask: Ask,
  ): Promise<readonly (Vote<T> | undefined)[]> {
    const askedOf = new Set(voice.map(({ place }) => place));
    const responses = await ask(questions.map(({ call }) => ({ ...call, askedOf })));
    return questions.map((question, place) => {
      const response = responses[place];
      if (response?.kind !== 'result') return undefined;
      const upstream = voice.find((one) => one.place === response.from)?.name;
      if (upstream === undefined) return undefined;
      return { voice, upstream, said: question.read(readJson(response.result)) };
    });
  }

  /** What two say; reports who contradicts it. */
  #conclude<T>({ call }: SharedQuestion<T>, votes: readonly Vote<T>[]): SharedAnswer<T> | undefined {
    const answer = alike(votes);
    const isCovered = votes.some(({ said }) => typeof said === 'object');
    // On the day of a fork nothing comes out, and nobody is wrong.
    const heard = votes.filter(({ said }) => said !== 'nothing' && (said !== 'uncovered' || isCovered));
    const upstreams = [...new Set(heard.map(({ upstream }) => upstream))];
    const texts = new Set(heard.map(({ said }) => (typeof said === 'object' ? said.text : said)));
    if (texts.size < 2 || upstreams.length < 2) return answer;
    const against = upstreams.filter((upstream) => !answer?.by.includes(upstream));
    const alone = answer !== undefined && against.length === 1 ? against[0] : undefined;
    this.#node.onDisagreement({ method: call.method, upstreams, alone });
    return answer;
  }
}

function alike<T>(votes: readonly Vote<T>[]): SharedAnswer<T> | undefined {
  for (const { said } of votes) {
    if (typeof said === 'string') continue;
    const same = votes.filter((vote) => typeof vote.said === 'object' && vote.said.text === said.text);
    if (new Set(same.map(({ voice }) => voice)).size >= OPERATORS)
      return { value: said.value, by: [...new Set(same.map(({ upstream }) => upstream))] };
  }
  return undefined;
}

/** The question which block is at a number. */
export function blockAt(keccak: Keccak, number: bigint): SharedQuestion<SaidBlock> {
  return {
    call: ownCall('eth_getBlockByNumber', [hexNumber(number), false]),
    number,
    read: (json) => {
      const said = readBlock(keccak, json);
      if (typeof said === 'string') return said;
      return said.number === number ? { text: said.hash, value: said } : 'wrong';
    },
  };
}

/** A header out of which its hash comes, if it does. */
export function readBlock(keccak: Keccak, header: unknown): SaidBlock | Extract<Said<never>, string> {
  if (typeof header !== 'object' || header === null) return 'nothing';
  const { kind } = verifyHeader(keccak, header as NodeJson);
  if (kind !== 'computed') return kind;
  const { hash, number, stateRoot } = header as NodeJson;
  const inOneCase = (value: unknown) => String(value).toLowerCase();
  return { number: BigInt(String(number)), hash: inOneCase(hash), stateRoot: inOneCase(stateRoot) };
}
