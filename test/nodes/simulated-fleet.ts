import { WAITING_BURST_MS } from '../../lambdas/access/bucket/waiting-store.ts';
import type { Call } from '../../lambdas/shared/jsonrpc/calls.ts';
import { openChainUpstreams } from '../../lambdas/shared/upstream/chain-upstreams.ts';
import { WaitingBudget } from '../../lambdas/shared/upstream/health/waiting-budget.ts';
import type { WaitingStore } from '../../lambdas/shared/upstream/health/waiting-room.ts';
import { ChainBulkhead } from '../../lambdas/shared/upstream/routing/bulkhead.ts';
import { type ChainClient, createChainClient } from '../../lambdas/shared/upstream/routing/chain-client.ts';
import { dispatch } from '../../lambdas/shared/upstream/routing/dispatch.ts';
import { Random } from '../simulation/random.ts';
import type { ReceivedCall } from './replies.ts';
import { SimulatedChain } from './simulated-chain.ts';
import { ANSWER, type Fate, MAX_RESPONSE_BYTES, simulateUpstream } from './simulated-upstream.ts';
import { VirtualClock } from './virtual-clock.ts';

const NODE_MS = 20;
const STORE_MS = 5;
const REQUEST_MS = 30_000;
const CHAIN = 'example_mainnet';
/** Enough for one to have an eighth of the instances. */
const CHAINS = 4;

/** Waiting time in memory, a few milliseconds away. */
class MemoryWaitingStore implements WaitingStore {
  readonly #fullAt = new Map<string, number>();
  readonly #silentAt = new Map<string, number>();
  readonly #clock: VirtualClock;
  requests = 0;
  fails = false;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }

  async draw({ of, kind, seats }: Parameters<WaitingStore['draw']>[0], ms: number) {
    await this.#travel();
    const now = this.#clock.now();
    const fullAt = Math.max(now, this.#fullAt.get(`${of} ${kind}`) ?? 0) + ms / seats;
    const granted = fullAt <= now + WAITING_BURST_MS;
    if (granted) this.#fullAt.set(`${of} ${kind}`, fullAt);
    return { granted, silentAt: this.#silentAt.get(of) ?? 0 };
  }

  async giveBack({ of, kind, seats }: Parameters<WaitingStore['giveBack']>[0], ms: number) {
    await this.#travel();
    this.#fullAt.set(`${of} ${kind}`, (this.#fullAt.get(`${of} ${kind}`) ?? 0) - ms / seats);
    this.#silentAt.delete(of);
  }

  async tellSilent(of: string) {
    await this.#travel();
    this.#silentAt.set(of, this.#clock.now());
  }

  async #travel(): Promise<void> {
    this.requests += 1;
    await this.#clock.wait(STORE_MS);
    if (this.fails) throw new Error('throttled');
  }
}

/** A request, as its client saw it. Times are milliseconds of virtual time. */
export interface ServedRequest {
  readonly sentAt: number;
  readonly ms: number;
  /** `answered`, the reason of an error, or that no instance was free. */
  readonly told: string;
}

/** The instances of one function that serve one chain, each a request at a time, and what they share. */
export class SimulatedFleet {
  readonly clock = new VirtualClock();
  readonly store = new MemoryWaitingStore(this.clock);
  /** What the chain's node does with requests. */
  fate: () => Fate = () => ANSWER;
  /** How long it takes for calls of clients, in milliseconds. */
  workMs = NODE_MS;
  readonly served: ServedRequest[] = [];
  /** Calls of clients that the node was sent. */
  readonly received: ReceivedCall[] = [];
  readonly #idle: ChainClient[];
  readonly #size: number;

  constructor(size: number, seed: number) {
    this.#size = size;
    const random = new Random(seed);
    const chain = new SimulatedChain(this.clock);
    this.#idle = Array.from({ length: size }, () => this.#startInstance(chain, () => random.fraction()));
  }

  /** Sends a call, if an instance is free. */
  async send(call: Call, keyId: string): Promise<string> {
    const sentAt = this.clock.now();
    const node = this.#idle.shift();
    const answer = node === undefined ? 'no instance' : await this.#serve(node, call, keyId);
    this.served.push({ sentAt, ms: this.clock.now() - sentAt, told: answer });
    return answer;
  }

  async #serve(node: ChainClient, call: Call, keyId: string): Promise<string> {
    const deadline = this.clock.now() + REQUEST_MS;
    await node.head.peek(deadline);
    const [answer] = await dispatch([call], node, deadline, { keyId });
    this.#idle.push(node);
    return answer?.kind === 'failed' ? answer.error.reason : 'answered';
  }

  /** Clients that send one call after the other, with a pause between them, until a time. */
  async run(clients: number, call: Call, until: number, keyOf = (client: number) => `key ${client}`) {
    const pauseMs = 100;
    await Promise.all(
      Array.from({ length: clients }, async (_, client) => {
        await this.clock.wait((client * pauseMs) / clients);
        while (this.clock.now() < until) {
          await this.send(call, keyOf(client));
          await this.clock.wait(pauseMs);
        }
      }),
    );
  }

  #startInstance(chain: SimulatedChain, random: () => number): ChainClient {
    const { clock } = this;
    const { wait } = clock;
    const { connection } = simulateUpstream({
      clock,
      wait,
      answer: (call) => chain.answer(call),
      fate: (calls, isOwn) => {
        if (!isOwn) this.received.push(...calls);
        this.#takesMs = isOwn ? NODE_MS : this.workMs;
        return this.fate();
      },
      latencyMs: () => this.#takesMs,
    });
    const upstreams = openChainUpstreams([{ name: 'only', connection }], {
      clock,
      wait,
      random,
      maxResponseBytes: MAX_RESPONSE_BYTES,
    });
    const budget = new WaitingBudget({
      store: this.store,
      clock,
      random,
      concurrency: this.#size,
      chains: CHAINS,
    });
    return createChainClient(upstreams, new ChainBulkhead(upstreams, { chain: CHAIN, budget }));
  }

  #takesMs = NODE_MS;
}
