import type { Call, UpstreamResponse } from '../../jsonrpc/calls.ts';
import { requiredBlock } from '../../jsonrpc/required-block.ts';
import { LruMap } from '../../runtime/lru-map.ts';
import type { Telemetry } from '../../runtime/telemetry.ts';
import type { ChainUpstreams } from '../chain-upstreams.ts';
import { asksForHead, newestBlockParams, reportedHead } from '../head/reported-head.ts';
import { type AskStore, forgiveStore } from '../sharing/forgive-store.ts';
import type { GivenHead, GivenHeadStore } from '../sharing/given-head.ts';
import type { GivenBlock, Sender } from './dispatch.ts';

/** Keys of one chain whose head is remembered. */
const MAX_KEYS = 1_000;
/** Time after which a block counts as past while the chain's block time is not known, in milliseconds. */
const UNKNOWN_BLOCK_MS = 1_000;

/** Answers calls by a chain's upstreams, in their order. */
export type AskUpstreams = (
  calls: readonly Call[],
  sender: Pick<Sender, 'known' | 'given'>,
) => Promise<readonly UpstreamResponse[]>;

/** Calls with their responses, in one order. */
interface AnsweredCalls {
  readonly calls: readonly Call[];
  readonly responses: readonly UpstreamResponse[];
  readonly ask: AskUpstreams;
}

/** What a key got. */
interface LateHead extends Pick<GivenHead, 'number'> {
  /** When this instance first heard of it, in milliseconds since the epoch. */
  readonly seenAt: number;
}

interface GivenHeadsOptions {
  readonly chain: string;
  readonly node: Pick<ChainUpstreams, 'view' | 'upstreams' | 'clock'>;
  readonly store: GivenHeadStore;
  readonly telemetry: Telemetry;
}

/**
 * Keeps the head that a key gets from going back, whatever instance answers. What the key got is read beside
 * its calls and taken for what it was: the word of an upstream, by the same rule as its other reports. So a head is given
 * again until that upstream takes it back; then the chain has gone back, and a new sequence begins.
 */
export class GivenHeads {
  readonly #options: GivenHeadsOptions;
  /** What keys got, as far as this instance has learnt. */
  readonly #lately = new LruMap<LateHead>(MAX_KEYS);
  readonly #ask: AskStore;

  constructor(options: GivenHeadsOptions) {
    this.#options = options;
    const { chain, node, telemetry } = options;
    this.#ask = forgiveStore({ chain, clock: node.clock, telemetry, event: 'given_heads_unavailable' });
  }

  /** Gets the calls of a key answered. A store that is away costs the promise, and no response. */
  answer(keyId: string, calls: readonly Call[], ask: AskUpstreams): Promise<readonly UpstreamResponse[]> {
    if (calls.some(asksForHead)) return this.#answerHead(keyId, calls, ask);
    // A block that the key got is asked of an upstream that has it.
    const askOthers = () => ask(calls, { given: this.#givenTo(keyId) });
    return calls.some((call) => this.#mayBeGiven(call)) ? this.#read(keyId).then(askOthers) : askOthers();
  }

  async #answerHead(
    keyId: string,
    calls: readonly Call[],
    ask: AskUpstreams,
  ): Promise<readonly UpstreamResponse[]> {
    const reading = this.#read(keyId);
    const responses = await ask(calls, { known: reading, given: this.#givenTo(keyId) });
    const before = await reading;
    const told = highest(calls, responses);
    if (told === undefined) return responses;
    if (before === 'unread') return this.#notKept(responses);
    const stands = await this.#raise(keyId, told, before);
    if (stands === undefined) return this.#notKept(responses);
    if (stands.number === told) return responses;
    return this.#answerAgain(keyId, stands, { calls, responses, ask });
  }

  /** Whether a call names a block that not every upstream is known to have, and that the chain can have by now. */
  #mayBeGiven(call: Call): boolean {
    const need = requiredBlock(call);
    if (need.kind !== 'block' && need.kind !== 'logs') return false;
    const number = need.kind === 'block' ? need.number : need.to;
    const { view, upstreams, clock } = this.#options.node;
    if (upstreams.every(({ index }) => (view.headOf(index) ?? -1n) >= number)) return false;
    const bounds = view.bounds(clock.now());
    return bounds === undefined || number <= bounds.most;
  }

  /** What this instance knows that the key got. */
  #givenTo(keyId: string): GivenBlock | undefined {
    const known = this.#lately.get(keyId);
    if (known === undefined) return undefined;
    const { view, upstreams, clock } = this.#options.node;
    const { number, seenAt } = known;
    // The chain has gone back since, or no upstream shows it any more.
    if ((view.head ?? -1n) < number) return undefined;
    const holders = upstreams.filter(({ index }) => (view.headOf(index) ?? -1n) >= number);
    const isPast = clock.now() - seenAt >= (view.blockMs ?? UNKNOWN_BLOCK_MS);
    return { number, isSettled: holders.length > 1 || isPast };
  }

  /** Reads what the key got, for the view to know. Never rejects. */
  async #read(keyId: string): Promise<GivenHead | undefined | 'unread'> {
    const { store, chain, node } = this.#options;
    const startedAt = node.clock.now();
    const read = await this.#ask(() => store.read(keyId, chain));
    if (read !== 'unread' && read !== undefined) this.#learn(keyId, read, startedAt);
    return read;
  }

  /**
   * Stores what the key is going to be given. Resolves to what stands then, which can be a newer head that another
   * instance has given it meanwhile; undefined if the store does not answer, or what is given is older.
   */
  async #raise(keyId: string, told: bigint, before: GivenHead | undefined): Promise<GivenHead | undefined> {
    const { store, chain, node } = this.#options;
    if (before?.number === told) return before;
    const isBack = before !== undefined && (node.view.head ?? told) < before.number;
    if (before !== undefined && told < before.number && !isBack) return undefined;
    const sequence = (before?.sequence ?? 0) + (isBack ? 1 : 0);
    const startedAt = node.clock.now();
    const given = { sequence, number: told, by: this.#nameOf(told), at: startedAt };
    const stands = await this.#ask(() => store.raise(keyId, chain, given, before));
    if (stands === 'unread' || stands === undefined) return undefined;
    this.#learn(keyId, stands, startedAt);
    return stands;
  }

  /** Another instance has given the key another head meanwhile: its number is given, and an older block asked for again. */
  async #answerAgain(
    keyId: string,
    stands: GivenHead,
    { calls, responses, ask }: AnsweredCalls,
  ): Promise<readonly UpstreamResponse[]> {
    const isBlock = (call: Call) => newestBlockParams(call) !== undefined;
    const blocks = calls.filter(isBlock);
    const again = blocks.length === 0 ? [] : await ask(blocks, {});
    const told = highest(blocks, again);
    if (told !== undefined && told !== stands.number) {
      const kept = await this.#raise(keyId, told, stands);
      if (kept?.number !== told) this.#notKept(responses);
    }
    const number = Buffer.from(
      `"0x${(told !== undefined && told > stands.number ? told : stands.number).toString(16)}"`,
    );
    return responses.map((response, index) => {
      const call = calls[index] as Call;
      if (isBlock(call)) return again[blocks.indexOf(call)] ?? response;
      return response.kind === 'result' && asksForHead(call) ? { kind: 'result', result: number } : response;
    });
  }

  /** Takes what a key got into the view. */
  #learn(keyId: string, { number, by, at }: GivenHead, readAt: number): void {
    const { view, upstreams } = this.#options.node;
    if (this.#lately.get(keyId)?.number !== number) this.#lately.set(keyId, { number, seenAt: readAt });
    const upstream = upstreams.find(({ name }) => name === by);
    if (upstream !== undefined) view.learn(upstream.index, number, at, readAt);
    if ((view.head ?? -1n) >= number) view.serve(number);
  }

  #nameOf(told: bigint): string {
    const { view, upstreams } = this.#options.node;
    const standing = upstreams.filter(({ index }) => (view.headOf(index) ?? -1n) >= told);
    return standing[0]?.name ?? '';
  }

  #notKept(responses: readonly UpstreamResponse[]): readonly UpstreamResponse[] {
    const { chain, node, telemetry } = this.#options;
    telemetry.emit({ values: { HeadsNotKept: 1 }, dimensions: { Chain: chain } }, node.clock.now());
    return responses;
  }
}

/** The highest head that answers tell; undefined if none does. */
function highest(calls: readonly Call[], responses: readonly UpstreamResponse[]): bigint | undefined {
  const told = calls.flatMap((call, index) => {
    const response = responses[index];
    return (response === undefined ? undefined : reportedHead(call, response)?.number) ?? [];
  });
  return told.reduce<bigint | undefined>(
    (best, one) => (best === undefined || one > best ? one : best),
    undefined,
  );
}
