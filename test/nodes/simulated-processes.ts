import { UnbilledErrors } from '../../lambdas/rpc/billing/call-usage.ts';
import { ResponseCache } from '../../lambdas/rpc/cache/response-cache.ts';
import { handleRequest } from '../../lambdas/rpc/handle-request.ts';
import { VerifiedCalls } from '../../lambdas/rpc/verified/verified-calls.ts';
import type { Clock } from '../../lambdas/shared/runtime/clock.ts';
import type { Sleep } from '../../lambdas/shared/runtime/sleep.ts';
import type { Telemetry } from '../../lambdas/shared/runtime/telemetry.ts';
import { type ChainUpstreams, openChainUpstreams } from '../../lambdas/shared/upstream/chain-upstreams.ts';
import type { Copies } from '../../lambdas/shared/upstream/copies/open-copies.ts';
import { NO_BULKHEAD } from '../../lambdas/shared/upstream/routing/bulkhead.ts';
import { type ChainClient, createChainClient } from '../../lambdas/shared/upstream/routing/chain-client.ts';
import { GivenHeads } from '../../lambdas/shared/upstream/routing/given-heads.ts';
import type { GivenHead, GivenHeadStore, Taker } from '../../lambdas/shared/upstream/sharing/given-head.ts';
import { shareChain } from '../../lambdas/shared/upstream/sharing/share-chain.ts';
import type { SharedTextStore } from '../../lambdas/shared/upstream/sharing/shared-item.ts';
import type { UpstreamAbilities } from '../../lambdas/shared/upstream/upstream.ts';
import { proofOf } from '../../lambdas/shared/verify/chain-proof.ts';
import { CHAIN } from '../rpc/cache/cache-world.ts';
import { MemoryCacheStore } from '../rpc/cache/memory-cache-store.ts';
import { Random } from '../simulation/random.ts';
import { admittingMeter } from '../support/admitting-meter.ts';
import { MemorySharedTexts } from './memory-shared-texts.ts';
import type { RawResponse, ReceivedCall } from './replies.ts';
import { SimulatedChain } from './simulated-chain.ts';
import { type Fate, MAX_RESPONSE_BYTES, simulateUpstream } from './simulated-upstream.ts';
import { VirtualClock } from './virtual-clock.ts';

const REQUEST_MS = 20_000;
/** Time that the store of heads has for a response, in milliseconds. */
const STORE_TIMEOUT_MS = 150;

const NO_TELEMETRY: Telemetry = { log: () => {}, emit: () => {} };

/** Heads that keys got in memory, a few milliseconds away. Its refused conditions cost what others do. */
class MemoryGivenHeads implements GivenHeadStore {
  readonly #clock: VirtualClock;
  readonly #given = new Map<string, GivenHead>();
  readonly #takers = new Map<string, Taker>();
  reads = 0;
  writes = 0;
  /** Items of transactions. */
  takerReads = 0;
  takerWrites = 0;
  /** Time until a response, in milliseconds. */
  latencyMs = 5;
  /** Share of the requests that fail, from 0 to 1. */
  failing = 0;
  readonly #random: Random;

  constructor(clock: VirtualClock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  async read(keyId: string, chain: string): Promise<GivenHead | undefined> {
    this.reads += 1;
    await this.#travel();
    return this.#given.get(`${chain} ${keyId}`);
  }

  async raise(keyId: string, chain: string, given: GivenHead, read?: GivenHead): Promise<GivenHead> {
    this.writes += 1;
    await this.#travel();
    const name = `${chain} ${keyId}`;
    const stored = this.#given.get(name);
    const isHead = given.shown === undefined || given.number > (read?.number ?? -1n);
    const isNext = read !== undefined && (read.sequence !== given.sequence || !isHead);
    const isFree = isNext
      ? stored?.sequence === read.sequence &&
        stored.number === read.number &&
        (read.sequence !== given.sequence || (stored.shown ?? -1n) < (given.shown ?? 0n))
      : stored === undefined || (stored.sequence === given.sequence && stored.number < given.number);
    if (isFree) this.#given.set(name, { ...given, shown: given.shown ?? stored?.shown });
    return this.#given.get(name) ?? given;
  }

  /** Drops the heads of all keys. */
  expire(): void {
    this.#given.clear();
  }

  async readTakers(chain: string, names: readonly string[]): Promise<ReadonlyMap<string, Taker>> {
    this.takerReads += names.length;
    await this.#travel();
    return new Map(
      names.flatMap((name) => {
        const taker = this.#takers.get(`${chain} ${name}`);
        return taker === undefined ? [] : [[name, taker] as const];
      }),
    );
  }

  async keepTakers(chain: string, takers: ReadonlyMap<string, Taker>): Promise<void> {
    this.takerWrites += takers.size;
    await this.#travel();
    for (const [name, taker] of takers) this.#takers.set(`${chain} ${name}`, taker);
  }

  async #travel(): Promise<void> {
    const fails = this.#random.chance(this.failing);
    await this.#clock.wait(Math.min(this.latencyMs, STORE_TIMEOUT_MS));
    if (fails || this.latencyMs > STORE_TIMEOUT_MS) throw new Error('throttled');
  }
}

type Disagreement = Parameters<ChainUpstreams['onDisagreement']>[0];

/** What gets the calls of a key answered. */
type Heads = Pick<GivenHeads, 'answer'>;

/** What is put around the parts of a process, to see what happens without one. */
export interface Around {
  readonly given?: (store: GivenHeadStore) => GivenHeadStore;
  readonly texts?: (store: SharedTextStore) => SharedTextStore;
  readonly upstreams?: (upstreams: ChainUpstreams) => ChainUpstreams;
  readonly node?: (node: ChainClient) => ChainClient;
  readonly heads?: (heads: Heads) => Heads;
  /** What further upstreams get, by the chain's own. @default nothing */
  readonly copies?: (node: ChainClient) => Copies;
}

/** One node as all processes see it. Figures are looked at with every request, so that they can change. */
export interface SharedNode {
  /** Blocks behind the chain. @default 0 */
  lag?: number;
  /** Blocks by which it knows later than others which are safe and final. @default 0 */
  tagLag?: number;
  /** How much later than the chain it has its blocks, in milliseconds. @default 0 */
  lateMs?: number;
  /** Time for each request, in milliseconds. @default 100 */
  latencyMs?: number;
  /** `process`: the place of the one that asks. */
  fate?: (calls: readonly ReceivedCall[], process: number) => Fate;
  /** Overrides what the chain says. */
  respond?: (call: ReceivedCall) => RawResponse | undefined;
  /** Whether it is on a chain of its own. @default false */
  forked?: boolean;
  /** What the stage file says of it. @default nothing */
  readonly abilities?: UpstreamAbilities;
  /** Who runs it. @default nobody who runs another */
  readonly operator?: string;
}

/** A store whose answers a process sees only when it does not stand still. */
function thawing(store: SharedTextStore, thaw: () => Promise<void>): SharedTextStore {
  return {
    read: async (...args) => store.read(...args).finally(thaw),
    write: async (...args) => store.write(...args).finally(thaw),
  };
}

/** What a client was answered. */
export interface Answered {
  readonly body: {
    readonly result?: unknown;
    readonly error?: { readonly code: number; readonly data?: { reason?: string; head?: number } };
  };
  readonly headers: Readonly<Record<string, string>>;
  /** Time that the client waited, in milliseconds. */
  readonly ms: number;
}

export interface SimulatedProcessesOptions {
  /** @default 1 */
  readonly processes?: number;
  /** @default 1 */
  readonly seed?: number;
  /** Time between two blocks, in milliseconds. @default 250 */
  readonly blockMs?: number;
  /** How far the clock of each third process is ahead, in milliseconds, and of each second half as much. @default 0 */
  readonly skewMs?: number;
  /** @default nothing */
  readonly around?: Around;
}

/** Processes of one function that serve one chain from the same nodes, in virtual time. */
export class SimulatedProcesses {
  readonly clock = new VirtualClock();
  readonly chain: SimulatedChain;
  /** Calls that the nodes have got, of clients and of the gateway. */
  nodeCalls = 0;
  readonly store = new MemoryCacheStore();
  readonly given: MemoryGivenHeads;
  readonly views: MemorySharedTexts;
  /** What was told of upstreams that disagree. */
  readonly disagreements: Disagreement[] = [];
  /** Requests whose key may be given an older head later. */
  notKept = 0;
  readonly #nodes: readonly SharedNode[];
  readonly #fork: SimulatedChain;
  readonly #random: Random;
  readonly #skewMs: number;
  /** Newest blocks that nodes have proofs of, as processes say. */
  readonly lacking: number[] = [];
  /** How often it fails first that a process says so. */
  lackingUntold = 0;
  readonly #around: Around;
  readonly #processes: {
    /** Until when it stands still, in milliseconds since the epoch. */
    frozenUntil: number;
    readonly clock: Clock;
    readonly node: ChainClient;
    readonly cache: ResponseCache;
    readonly unbilledErrors: UnbilledErrors;
    readonly givenHeads: Heads;
    readonly copies: Copies | undefined;
    readonly verified: VerifiedCalls;
  }[] = [];

  constructor(nodes: readonly SharedNode[], options: SimulatedProcessesOptions = {}) {
    const { processes = 1, seed = 1, blockMs = 250, skewMs = 0, around = {} } = options;
    this.chain = new SimulatedChain(this.clock, blockMs);
    this.#fork = new SimulatedChain(this.clock, blockMs);
    this.#fork.replaceAbove(0);
    this.#nodes = nodes;
    this.#random = new Random(seed);
    this.given = new MemoryGivenHeads(this.clock, new Random(seed + 1));
    this.views = new MemorySharedTexts(this.clock, new Random(seed + 2));
    this.#skewMs = skewMs;
    this.#around = around;
    for (let started = 0; started < processes; started++) this.start();
  }

  /** Starts one more process; returns its place. */
  start(): number {
    const { clock } = this;
    // Each process has a clock of its own: they go on alike, and some are ahead.
    const aheadMs = (this.#processes.length % 3) * this.#skewMs;
    const ownClock: Clock = { now: () => clock.now() + aheadMs };
    const place = this.#processes.length;
    const thaw = () => this.#thawed(place);
    const wait: Sleep = async (ms, signal) => {
      await clock.wait(ms, signal);
      await thaw();
    };
    const upstreams = this.#nodes.map((node, index) => {
      const { connection } = simulateUpstream({
        clock: ownClock,
        wait,
        answer: (call) => {
          this.nodeCalls += 1;
          const chain = node.forked === true ? this.#fork : this.chain;
          return node.respond?.(call) ?? chain.answer(call, node.lag, node.lateMs, node.tagLag);
        },
        fate: (calls) => node.fate?.(calls, place) ?? { kind: 'answer' },
        latencyMs: () => node.latencyMs ?? 100,
      });
      return { name: `upstream-${index + 1}`, connection, abilities: node.abilities };
    });
    const random = () => this.#random.fraction();
    const around = this.#around;
    const connected = {
      ...{ clock: ownClock, wait, random, maxResponseBytes: MAX_RESPONSE_BYTES },
      onDisagreement: (told: Disagreement) => this.disagreements.push(told),
    };
    const bare = openChainUpstreams(upstreams, connected);
    const opened = around.upstreams?.(bare) ?? bare;
    const sharing = shareChain({
      chain: CHAIN.chain,
      node: opened,
      store: thawing(around.texts?.(this.views) ?? this.views, thaw),
      telemetry: NO_TELEMETRY,
    });
    const created = createChainClient(opened, NO_BULKHEAD, sharing);
    const node = around.node?.(created) ?? created;
    const cache = new ResponseCache({ clock: ownClock, store: this.store });
    const telemetry: Telemetry = {
      log: () => {},
      emit: ({ values }) => {
        this.notKept += values?.HeadsNotKept ?? 0;
      },
    };
    const store = around.given?.(this.given) ?? this.given;
    const heads = new GivenHeads({ chain: CHAIN.chain, node, store, telemetry });
    const givenHeads = around.heads?.(heads) ?? heads;
    return (
      this.#processes.push({
        frozenUntil: 0,
        node,
        cache,
        unbilledErrors: new UnbilledErrors(ownClock),
        givenHeads,
        copies: around.copies?.(node),
        verified: new VerifiedCalls(
          node,
          async (name) => this.#operatorOf(name),
          proofOf(CHAIN),
          async (blocks) => {
            this.lacking.push(blocks);
            return this.lacking.length > this.lackingUntold;
          },
        ),
        clock: ownClock,
      }) - 1
    );
  }

  /** How many have been started. */
  get count(): number {
    return this.#processes.length;
  }

  nodeOf(process: number): ChainClient {
    return this.#process(process).node;
  }

  /** Sends a call to a process, as its client sees it. Time passes only when the test lets it. */
  async ask(
    process: number,
    method: string,
    params: readonly unknown[] = [],
    keyId = 'key',
  ): Promise<Answered> {
    return this.post(process, { jsonrpc: '2.0', id: 1, method, params }, keyId);
  }

  /** Sends a request, of one call or several, to a process. Time passes only when the test lets it. */
  async post(
    process: number,
    request: object,
    keyId = 'key',
    minBlock?: string,
    verify?: string,
  ): Promise<Answered> {
    const { node, cache, unbilledErrors, givenHeads, copies, verified, clock } = this.#process(process);
    const sentAt = clock.now();
    const settings = { ...CHAIN, upstreams: this.#nodes.map((_, index) => `http://127.0.0.1:${index + 1}`) };
    const answer = await handleRequest(
      {
        holder: { keyId, account: 'account' },
        chain: { settings, node, head: node.head, unbilledErrors, givenHeads, copies, verified },
        body: Buffer.from(JSON.stringify(request)),
        deadline: sentAt + REQUEST_MS,
        minBlock,
        verify,
        clock,
      },
      admittingMeter(),
      cache,
    );
    if (answer === undefined) throw new Error('no answer');
    const ms = clock.now() - sentAt;
    const answered = { body: JSON.parse(Buffer.concat(answer.body).toString()), headers: answer.headers, ms };
    const concluded = Promise.all([answer.conclude?.(), answer.copy?.()]);
    if (this.#process(process).frozenUntil <= this.clock.now()) await concluded;
    return answered;
  }

  /** Lets a process stand still for a time, in milliseconds, with all that it has begun. */
  freeze(process: number, ms: number): void {
    this.#process(process).frozenUntil = this.clock.now() + ms;
  }

  isFrozen(process: number): boolean {
    return this.#process(process).frozenUntil > this.clock.now();
  }

  #operatorOf(name: string): string {
    const node = this.#nodes[Number(name.replace('upstream-', '')) - 1];
    return node?.operator ?? name;
  }

  async #thawed(place: number): Promise<void> {
    for (;;) {
      const leftMs = (this.#processes[place]?.frozenUntil ?? 0) - this.clock.now();
      if (leftMs <= 0) return;
      await this.clock.wait(leftMs);
    }
  }

  /** The same, and time passes until it is answered. */
  async asked(
    process: number,
    method: string,
    params?: readonly unknown[],
    keyId?: string,
  ): Promise<Answered> {
    return this.clock.until(this.ask(process, method, params, keyId));
  }

  #process(place: number) {
    const process = this.#processes[place];
    if (process === undefined) throw new Error(`no process ${place}`);
    return process;
  }
}
