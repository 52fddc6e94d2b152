import { WAITING_BURST_MS } from '../../lambdas/access/bucket/waiting-store.ts';
import type { Call, UpstreamResponse } from '../../lambdas/shared/jsonrpc/calls.ts';
import { dispatch } from '../../lambdas/shared/upstream/asking/dispatch.ts';
import { openChainUpstreams } from '../../lambdas/shared/upstream/chain-upstreams.ts';
import { WaitingBudget } from '../../lambdas/shared/upstream/health/waiting-budget.ts';
import type {
  WaitingRoom,
  WaitingStore,
  WaitingWord,
} from '../../lambdas/shared/upstream/health/waiting-room.ts';
import { ChainBulkhead } from '../../lambdas/shared/upstream/routing/bulkhead.ts';
import { type ChainClient, createChainClient } from '../../lambdas/shared/upstream/routing/chain-client.ts';
import { tellOfBreaker } from '../../lambdas/shared/upstream/routing/serve-chain.ts';
import { shareChain } from '../../lambdas/shared/upstream/sharing/share-chain.ts';
import { Random } from '../simulation/random.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';
import { MemorySharedTexts } from './memory-shared-texts.ts';
import type { ReceivedCall } from './replies.ts';
import { SimulatedChain } from './simulated-chain.ts';
import { ANSWER, type Fate, MAX_RESPONSE_BYTES, simulateUpstream } from './simulated-upstream.ts';
import { VirtualClock } from './virtual-clock.ts';

const NODE_MS = 20;
const STORE_MS = 5;
const REQUEST_MS = 30_000;
/** Enough for one to have an eighth of the instances. */
const CHAINS = ['example_mainnet', 'second', 'third', 'fourth'] as const;

/** Waiting time in memory, a few milliseconds away. */
class MemoryWaitingStore implements WaitingStore {
  readonly #fullAt = new Map<string, number>();
  readonly #toldAt = new Map<string, number>();
  readonly #clock: VirtualClock;
  requests = 0;
  fails = false;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  async draw({ of, kind, seats, burstMs = WAITING_BURST_MS }: WaitingRoom, ms: number) {
    await this.#travel();
    const now = this.#clock.now();
    const fullAt = Math.max(now, this.#fullAt.get(`${of} ${kind}`) ?? 0) + ms / seats;
    const granted = fullAt <= now + burstMs;
    if (granted) this.#fullAt.set(`${of} ${kind}`, fullAt);
    const toldAt = (word: WaitingWord) => this.#toldAt.get(`${of} ${word}`) ?? 0;
    return { granted, silentAt: toldAt('silent'), unheardAt: toldAt('unheard') };
  }

  async giveBack({ of, kind, seats }: WaitingRoom, ms: number) {
    await this.#travel();
    this.#fullAt.set(`${of} ${kind}`, (this.#fullAt.get(`${of} ${kind}`) ?? 0) - ms / seats);
    this.#toldAt.delete(`${of} silent`);
    this.#toldAt.delete(`${of} unheard`);
  }

  async tell(of: string, word: WaitingWord) {
    await this.#travel();
    this.#toldAt.set(`${of} ${word}`, this.#clock.now());
  }

  async #travel(): Promise<void> {
    this.requests += 1;
    await this.#clock.wait(STORE_MS);
    if (this.fails) throw new Error('throttled');
  }
}

/** A request, as its client saw it. Times are milliseconds of virtual time. */
export interface ServedRequest {
  readonly chain: string;
  readonly call: Call;
  readonly sentAt: number;
  readonly ms: number;
  /** Absent: no instance was free. */
  readonly answer: UpstreamResponse | undefined;
  /** `answered`, the reason of an error, or that no instance was free. */
  readonly told: string;
}

/** How clients call. */
interface ClientsOptions {
  readonly chain?: string;
  /** Between the calls of a client, in milliseconds. @default 100 */
  readonly pauseMs?: number;
  /** Part of a pause after which a client begins. @default evenly spread */
  readonly phaseOf?: (client: number) => number;
}

/** An instance: what serves each chain, made with the first request for it. */
type Instance = (chain: string) => ChainClient;

/** The instances of one function that serve some chains, each a request at a time, and what they share. */
export class SimulatedFleet {
  readonly clock = new VirtualClock();
  readonly store = new MemoryWaitingStore(this.clock);
  /** What is told of the chains' nodes. */
  readonly telemetry = new RecordedTelemetry();
  /** What the node of a chain does with requests. */
  fate: (chain: string) => Fate = () => ANSWER;
  /** How long it takes for calls of clients, in milliseconds. */
  workMs = NODE_MS;
  readonly served: ServedRequest[] = [];
  /** Calls of clients that the node was sent. */
  readonly received: ReceivedCall[] = [];
  readonly #heads: MemorySharedTexts;
  readonly #idle: Instance[];
  readonly #size: number;
  readonly #random: Random;
  readonly #chains: readonly string[];

  constructor(size: number, seed: number, chains: readonly string[] = CHAINS) {
    this.#size = size;
    this.#chains = chains;
    const random = new Random(seed);
    this.#random = new Random(seed + 1);
    const chain = new SimulatedChain(this.clock);
    this.#heads = new MemorySharedTexts(this.clock, random);
    this.#idle = Array.from({ length: size }, () => this.#startInstance(chain, () => random.fraction()));
  }

  /** Sends a call, if an instance is free. @param chain one of the fleet's. @default the first */
  async send(call: Call, keyId: string, chain = this.#chains[0] ?? ''): Promise<string> {
    const sentAt = this.clock.now();
    const instance = this.#idle.pop();
    const answer = instance === undefined ? undefined : await this.#serve(instance, { call, keyId, chain });
    const told = answer === undefined ? 'no instance' : toldOf(answer);
    this.served.push({ chain, call, sentAt, ms: this.clock.now() - sentAt, answer, told });
    return told;
  }

  /** Sends a call to the instance that is next, whatever else it serves at the moment. */
  async sendToBusy(call: Call, keyId: string): Promise<string> {
    const chain = this.#chains[0] ?? '';
    const node = this.#idle.at(-1)?.(chain);
    if (node === undefined) return 'no instance';
    const [answer] = await dispatch([call], node, this.clock.now() + REQUEST_MS, { keyId });
    return answer === undefined ? 'no answer' : toldOf(answer);
  }

  async #serve(
    instance: Instance,
    { call, keyId, chain }: { readonly call: Call; readonly keyId: string; readonly chain: string },
  ): Promise<UpstreamResponse | undefined> {
    const node = instance(chain);
    const deadline = this.clock.now() + REQUEST_MS;
    await node.head.glance(deadline);
    const [answer] = await dispatch([call], node, deadline, { keyId });
    await node.head.settled();
    this.#idle.push(instance);
    return answer;
  }

  /** Clients that send one call after the other, with a pause between them, until a time. */
  async run(
    clients: number,
    call: Call,
    until: number,
    keyOf = (client: number) => `key ${client}`,
    { chain, pauseMs = 100, phaseOf = (client: number) => client / clients }: ClientsOptions = {},
  ) {
    await Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        await this.clock.wait(phaseOf(client) * pauseMs);
        while (this.clock.now() < until) {
          await this.send(call, keyOf(client), chain);
          // Clients of their own do not keep in step.
          await this.clock.wait(pauseMs * (0.8 + 0.4 * this.#random.fraction()));
        }
      }),
    );
  }

  #startInstance(simulated: SimulatedChain, random: () => number): Instance {
    const { clock } = this;
    const budget = new WaitingBudget({
      store: this.store,
      clock,
      random,
      concurrency: this.#size,
      chains: this.#chains.length,
    });
    const nodes = new Map<string, ChainClient>();
    return (chain) => {
      const node = nodes.get(chain) ?? this.#connect(chain, simulated, { budget, random });
      nodes.set(chain, node);
      return node;
    };
  }

  #connect(
    chain: string,
    simulated: SimulatedChain,
    { budget, random }: { readonly budget: WaitingBudget; readonly random: () => number },
  ): ChainClient {
    const { clock } = this;
    const { wait } = clock;
    const { connection } = simulateUpstream({
      clock,
      wait,
      answer: (call) => simulated.answer(call),
      fate: (calls, isOwn) => {
        if (!isOwn) this.received.push(...calls);
        this.#takesMs = isOwn ? NODE_MS : this.workMs;
        return this.fate(chain);
      },
      latencyMs: () => this.#takesMs,
    });
    const upstreams = openChainUpstreams([{ name: 'only', connection }], {
      clock,
      wait,
      random,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      onBreaker: (upstream, change) => tellOfBreaker(chain, upstream, change, this),
    });
    const sharing = shareChain({ chain, node: upstreams, store: this.#heads, telemetry: this.telemetry });
    return createChainClient(upstreams, new ChainBulkhead(upstreams, { chain, budget }), sharing);
  }

  #takesMs = NODE_MS;
}

function toldOf(answer: UpstreamResponse): string {
  return answer.kind === 'failed' ? answer.error.reason : 'answered';
}
