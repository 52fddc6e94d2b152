import type { ChainUpstreams } from '../../lambdas/shared/upstream/chain-upstreams.ts';
import { openChainUpstreams } from '../../lambdas/shared/upstream/chain-upstreams.ts';
import { SharedNodes } from '../../lambdas/shared/upstream/sharing/shared-nodes.ts';
import type { Upstream } from '../../lambdas/shared/upstream/upstream.ts';
import { Random } from '../simulation/random.ts';
import { MemorySharedTexts } from './memory-shared-texts.ts';
import { MAX_RESPONSE_BYTES, simulateUpstream } from './simulated-upstream.ts';
import { VirtualClock } from './virtual-clock.ts';

const CHAIN = 'simulated';
export const LACKED = 'debug_traceTransaction';
/** Client calls that a process sends an upstream in use between two polls. */
const CALLS = 2;

/** One node as processes find it. Figures are looked at with every call, so that they can change. */
export interface FoundNode {
  /** Whether it answers a process. @default always */
  answers?: (process: number) => boolean;
  /** Whether it has the method {@link LACKED}. @default true */
  hasMethod?: boolean;
  /** Client calls that it was sent, and calls of a method that it lacks. */
  calls: number;
  lackedCalls: number;
}

interface Process {
  readonly node: ChainUpstreams;
  readonly nodes: SharedNodes;
}

/** Processes that learn what a chain's nodes are, and share it, in virtual time: without requests, so that there can be thousands. */
export class SimulatedNodes {
  readonly clock = new VirtualClock();
  readonly texts: MemorySharedTexts;
  readonly random: Random;
  readonly found: FoundNode[];
  /** Reasons for which the store did not answer, as logged. */
  unavailable = 0;
  readonly #skewMs: number;
  readonly #processes: Process[] = [];

  /** `skewMs`: how far clocks are apart at the most. */
  constructor(nodes: number, { processes = 0, seed = 1, skewMs = 0 } = {}) {
    this.random = new Random(seed);
    this.#skewMs = skewMs;
    this.texts = new MemorySharedTexts(this.clock, new Random(seed + 1));
    this.found = Array.from({ length: nodes }, () => ({ calls: 0, lackedCalls: 0 }));
    for (let started = 0; started < processes; started++) this.start();
  }

  get item() {
    return this.texts.item(`nodes ${CHAIN}`);
  }

  /** Starts one more process; returns its place. */
  start(): number {
    const { clock } = this;
    const aheadMs = this.random.fraction() * this.#skewMs;
    const ownClock = { now: () => clock.now() + aheadMs };
    const upstreams = this.found.map((_, index) => {
      const { connection } = simulateUpstream({ clock, wait: clock.wait, answer: () => ({ result: '' }) });
      return { name: `upstream-${index + 1}`, connection };
    });
    const node = openChainUpstreams(upstreams, {
      clock: ownClock,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      random: () => this.random.fraction(),
    });
    const telemetry = {
      log: () => {
        this.unavailable += 1;
      },
      emit: () => {},
    };
    const nodes = new SharedNodes({ chain: CHAIN, node, store: this.texts, telemetry });
    return this.#processes.push({ node, nodes }) - 1;
  }

  /** What a process does with a request: it looks at what others say, calls the upstreams that it would use, and tells. */
  async poll(process: number): Promise<void> {
    const { nodes, node } = this.#process(process);
    await nodes.read();
    for (const upstream of node.upstreams) this.#call(process, upstream);
    await nodes.publish();
  }

  /** Processes that each get a request now and then, until a time. */
  async run(
    everyMs: number,
    until: number,
    processes = this.#processes.map((_, place) => place),
  ): Promise<void> {
    const client = async (process: number) => {
      await this.clock.wait(this.random.fraction() * everyMs);
      while (this.clock.now() < until) {
        await this.poll(process);
        await this.clock.wait(everyMs * (0.5 + this.random.fraction()));
      }
    };
    await this.clock.until(Promise.all(processes.map(client)));
  }

  /** Whether a process would send calls to an upstream. */
  uses(process: number, upstream: number): boolean {
    return this.upstream(process, upstream).health.usable;
  }

  upstream(process: number, upstream: number): Upstream {
    const found = this.#process(process).node.upstreams[upstream];
    if (found === undefined) throw new Error(`no upstream ${upstream}`);
    return found;
  }

  #call(process: number, { index, health }: Upstream): void {
    const found = this.found[index] as FoundNode;
    if (!health.usable && !health.mayProbe) return;
    const calls = health.usable ? CALLS : 1;
    if (health.usable) found.calls += CALLS;
    for (let called = 0; called < calls; called++) {
      if (found.answers?.(process) === false) {
        health.failed();
        continue;
      }
      health.succeeded(1, 'light');
      if (health.lacks(LACKED)) continue;
      if (found.hasMethod === false) {
        found.lackedCalls += 1;
        health.refusedMethod(LACKED, 'method');
      } else health.answeredMethod(LACKED);
    }
  }

  #process(place: number): Process {
    const process = this.#processes[place];
    if (process === undefined) throw new Error(`no process ${place}`);
    return process;
  }
}
