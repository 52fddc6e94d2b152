import type { Call } from '../../shared/jsonrpc/calls.ts';
import type { OperatorOf } from '../../shared/upstream/operators.ts';
import type { ChainClient } from '../../shared/upstream/routing/chain-client.ts';
import { type Ask, readJson } from './ask-shown.ts';

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
export interface SharedAnswer<T> {
  readonly value: T;
  readonly by: readonly string[];
}

interface Vote<T> {
  readonly operator: string;
  readonly upstream: string;
  readonly said: Said<T>;
}

/** Who runs each upstream, in their order; undefined where its URL cannot be read: it is nobody's second voice. */
type Operators = readonly (string | undefined)[];

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
    const operators = await this.#operators();
    const known = this.#holdersFirst(operators, questions);
    const votes = new Map(questions.map((question) => [question, [] as Vote<T>[]]));
    const others = known.slice(OPERATORS).map((one) => [one]);
    const rounds = known.length < OPERATORS ? [] : [known.slice(0, OPERATORS), ...others];
    let open = questions;
    for (const round of rounds.slice(0, MAX_ROUNDS)) {
      if (open.length === 0) break;
      const asked = await Promise.all(
        round.map((operator) => this.#askOf(operator, open, { operators, ask })),
      );
      for (const [place, question] of open.entries())
        votes.get(question)?.push(...asked.flatMap((said) => said[place] ?? []));
      open = open.filter((question) => alike(votes.get(question) ?? []) === undefined);
    }
    return questions.map((question) => this.#conclude(question, votes.get(question) ?? []));
  }

  /** The highest block that upstreams of two operators are known to have. */
  async secondHead(): Promise<bigint | undefined> {
    const { view } = this.#node;
    const heads = new Map<string, bigint>();
    for (const [index, operator] of (await this.#operators()).entries()) {
      const head = view.headOf(index);
      if (operator === undefined || head === undefined) continue;
      if (head > (heads.get(operator) ?? -1n)) heads.set(operator, head);
    }
    return [...heads.values()].sort((one, other) => (one < other ? 1 : -1))[OPERATORS - 1];
  }

  #operators(): Promise<Operators> {
    return Promise.all(this.#node.upstreams.map(({ name }) => this.#operatorOf(name).catch(() => undefined)));
  }

  #holdersFirst(operators: Operators, questions: readonly { readonly number: bigint }[]): readonly string[] {
    const { view } = this.#node;
    const holders = operators.filter((_, index) =>
      questions.every(({ number }) => (view.headOf(index) ?? -1n) >= number),
    );
    return [...new Set([...holders, ...operators])].filter((operator) => operator !== undefined);
  }

  /** Asks the upstreams of one operator. */
  async #askOf<T>(
    wanted: string,
    questions: readonly SharedQuestion<T>[],
    { operators, ask }: { readonly operators: Operators; readonly ask: Ask },
  ): Promise<readonly (Vote<T> | undefined)[]> {
    const askedOf = new Set(operators.flatMap((one, index) => (one === wanted ? [index] : [])));
    const responses = await ask(questions.map(({ call }) => ({ ...call, askedOf })));
    return questions.map((question, place) => {
      const response = responses[place];
      if (response?.kind !== 'result' || response.from === undefined) return undefined;
      const operator = operators[response.from];
      const upstream = this.#node.upstreams[response.from]?.name;
      if (operator === undefined || upstream === undefined) return undefined;
      return { operator, upstream, said: question.read(readJson(response.result)) };
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
    if (new Set(same.map(({ operator }) => operator)).size >= OPERATORS)
      return { value: said.value, by: [...new Set(same.map(({ upstream }) => upstream))] };
  }
  return undefined;
}
