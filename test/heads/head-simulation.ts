import type { SharedText, SharedTextStore } from '../../lambdas/shared/upstream/sharing/shared-item.ts';
import { READ_UNITS_PER_SECOND, WRITE_UNITS_PER_SECOND } from '../nodes/memory-shared-texts.ts';
import { type BlockHead, blockOfValue, transactionOf } from '../nodes/simulated-chain.ts';
import {
  type Answered,
  type Around,
  type SharedNode,
  SimulatedProcesses,
} from '../nodes/simulated-processes.ts';
import { Random } from '../simulation/random.ts';
import type { HeadCheck, HeadMutant } from './head-mutants.ts';

const HOUR_MS = 3_600_000;
const MAX_PROCESSES = 200;
const KEYS = ['one', 'other', 'third'];
/** How often in each step it is looked again, a moment apart. */
const LOOKS = 4;
/** The key that looks again for what it was shown. */
const LOOKER = 'looker';
const ADDRESS = `0x${'1'.repeat(40)}`;
/** Blocks by which a lie can pass for a block that has just come, and those since the last question. */
const BELIEVABLE_BLOCKS = 8 + 4 * 6;
/** Blocks by which a node may be behind the others and still be asked for the newest state. */
const LAG_BLOCKS = 8;
/** Time after a change in which processes come to know of it, for each node that is asked in turn, in milliseconds. */
const KNOWN_MS = 8_000;
/** Requests of a key for the head within which a shorter chain is followed. */
const MAX_REQUESTS = 6;
const MAX_SHORTENED = 2;
/** Time in which each of many processes has seen for itself that the chain became shorter, in milliseconds. */
const FOLLOWED_MS = 60_000;
/** Time that every node's newest block is late, at the most, in milliseconds. */
const MAX_LATE_MS = 900;
const MAX_LATENCY_MS = 150;
/** `node_syncing`: what no upstream is in step for. */
const SYNCING_CODE = -32010;

/** What happened in a run. */
export interface HeadRun {
  readonly seed: number;
  readonly processes: number;
  readonly nodes: number;
  readonly answers: number;
  /** Heads that were given while the store was away. */
  readonly notKept: number;
  /** The check that failed, and how; undefined if all hold. */
  readonly violation?: { readonly check: HeadCheck; readonly what: string };
}

class Violation extends Error {
  readonly check: HeadCheck;

  constructor(check: HeadCheck, what: string) {
    super(what);
    this.check = check;
  }
}

/** What one key got. */
class KeyHistory {
  #last = 0;
  #shortenedAt = Number.NEGATIVE_INFINITY;
  #behind = 0;

  shorten(now: number): void {
    this.#shortenedAt = now;
    this.#behind = 0;
    this.forget();
  }

  /** The next head may be any: what was given is not kept. */
  forget(): void {
    this.#last = 0;
  }

  /** Takes heads that requests of one moment were given. `head`: the newest block that there is. */
  see(numbers: readonly number[], { head, now, knownMs }: Seen): void {
    const sinceMs = now - this.#shortenedAt;
    const gone = numbers.filter((number) => number > head);
    if (gone.length > 0 && sinceMs > knownMs) this.#behind += 1;
    if (this.#behind > MAX_REQUESTS) throw new Violation('head that is gone', `${gone} of ${head}`);
    if (sinceMs < FOLLOWED_MS || gone.length > 0) {
      this.forget();
      return;
    }
    const least = Math.min(...numbers);
    if (least < this.#last) throw new Violation('head went back', `${this.#last} to ${least}`);
    this.#last = Math.max(...numbers);
  }
}

interface Seen {
  readonly head: number;
  readonly now: number;
  /** Time in which every node has been asked where it is, in milliseconds. */
  readonly knownMs: number;
}

/** A stage of processes and nodes to which, by a seed, everything happens that can. */
class HeadWorld {
  readonly random: Random;
  readonly nodes: SharedNode[];
  readonly processes: SimulatedProcesses;
  readonly #alive: number[];
  readonly #keys = new Map(KEYS.map((key) => [key, new KeyHistory()]));
  /** Nodes that are as they should be, throughout; the others are whatever comes. */
  readonly #sound: number;
  #lag = 0;
  #shortened = 0;
  #shortenedAt = Number.NEGATIVE_INFINITY;
  #hasLied = false;
  /** What goes wrong in this run. A node that is silent does not take back what it reported before the chain became shorter. */
  readonly #faults: 'nodes' | 'chain';
  /** Nodes of which one URL stands for several. */
  readonly #several = new Set<SharedNode>();
  /**
   * A process that hears nothing of others believes a liar that it asked first, and waits for a node that is silent: a stage has
   * these, or a store that fails.
   */
  readonly #isStoreWell: boolean;
  #changedAt: number;
  #broken: number | undefined;
  #silent: SharedNode | undefined;
  answers = 0;
  /** Chooses who looks again for what a key was shown; undefined where nobody does. */
  readonly #looks: Random | undefined;
  /** Chooses who is asked for a tag of finality, and the highest answers so far; undefined where nobody is. */
  readonly #tags: Random | undefined;
  readonly #highest = new Map<string, number>();

  constructor(
    seed: number,
    around: Around,
    { looks, tags }: { readonly looks: boolean; readonly tags: boolean },
  ) {
    this.#looks = looks ? new Random(seed) : undefined;
    this.#tags = tags ? new Random(seed) : undefined;
    this.random = new Random(seed);
    const { random } = this;
    const count = random.pick([1, 2, 2, 3, 3, 4, 8, 16]);
    this.#faults = random.pick(['nodes', 'chain']);
    this.#isStoreWell = this.#faults === 'nodes' && random.chance(0.5);
    this.#sound = Math.floor(count / 2) + 1;
    this.nodes = Array.from({ length: count }, () => ({
      lateMs: random.integer(0, MAX_LATE_MS),
      latencyMs: random.integer(5, MAX_LATENCY_MS),
      lag: 0,
    }));
    const processes = random.magnitude(1, MAX_PROCESSES);
    const [blockMs, skewMs] = [random.pick([250, 1_000, 12_000]), random.pick([0, 2_500])];
    this.processes = new SimulatedProcesses(this.nodes, {
      processes,
      seed,
      blockMs,
      skewMs,
      around: { ...around, texts: (store) => (around.texts ?? same)(this.#watched(store)) },
    });
    this.#alive = Array.from({ length: processes }, (_, place) => place);
    this.#changedAt = this.#now;
  }

  get #now(): number {
    return this.processes.clock.now();
  }

  get #head(): number {
    return this.processes.chain.head - this.#lag;
  }

  /** Time in which every node has been asked where it is. */
  get #knownMs(): number {
    return KNOWN_MS * Math.ceil(this.nodes.length / 3);
  }

  async step(): Promise<void> {
    const { random } = this;
    const what = random.fraction();
    if (what < 0.6) await this.#ask(random.pick(KEYS as [string, ...string[]]));
    else if (what < 0.65) await this.#askAtOnce(random.pick(KEYS as [string, ...string[]]));
    else if (what < 0.83) await this.processes.clock.pass(random.magnitude(1, 3_000));
    else if (what < 0.84) await this.#passHour();
    else if (what < 0.87) await this.#freeze();
    else if (what < 0.89) this.#replaceProcess();
    else if (what < 0.91) this.#shorten();
    else if (what < 0.95) this.#changeNode();
    else if (what < 0.96) this.#breakNetwork();
    else this.#changeWeather();
    for (let look = 0; look < LOOKS && this.#looks !== undefined; look++) await this.#lookAgain(this.#looks);
    for (let look = 0; look < LOOKS && this.#tags !== undefined; look++) await this.#askTag(this.#tags);
  }

  /** What is final for one process is so for the next that is asked. Without their store, processes have numbers of their own. */
  async #askTag(random: Random): Promise<void> {
    const awake = this.#awake;
    if (!this.#isStoreWell || awake.length === 0) return;
    const process = awake[random.integer(0, awake.length - 1)] as number;
    const tag = random.pick(['safe', 'finalized']);
    const { body } = await this.processes.asked(process, 'eth_getBlockByNumber', [tag, false], LOOKER);
    const number = Number((body.result as { readonly number?: string } | null | undefined)?.number);
    const before = this.#highest.get(tag) ?? 0;
    if (number < before) throw new Violation('tag went back', `${tag} from ${before} to ${number}`);
    if (number > before) this.#highest.set(tag, number);
    await this.processes.clock.pass(random.integer(0, MAX_LATE_MS));
  }

  get #awake(): readonly number[] {
    return this.#alive.filter((place) => !this.processes.isFrozen(place) && place !== this.#broken);
  }

  /** What a key was shown by one process is there when it asks another for it by its hash. */
  async #lookAgain(random: Random): Promise<void> {
    const { processes } = this;
    const { failing, latencyMs } = processes.given;
    const isStoreThere = failing === 0 && latencyMs <= MAX_LATENCY_MS && this.#now - this.#changedAt > 2_000;
    if (this.#faults !== 'chain' || !isStoreThere || this.#now - this.#shortenedAt < FOLLOWED_MS) return;
    const awake = this.#awake;
    if (awake.length === 0) return;
    const asked = async (method: string, params: readonly unknown[]) => {
      const process = awake[random.integer(0, awake.length - 1)] as number;
      return (await processes.asked(process, method, params, LOOKER)).body.result;
    };
    const newest = (await asked('eth_getBlockByNumber', ['latest', false])) as BlockHead | undefined;
    if (newest === undefined) return;
    const receipt = [transactionOf(Number(newest.number) + random.integer(0, 1))];
    for (const [method, params] of [
      ['eth_getBlockByHash', [newest.hash, false]],
      ['eth_getTransactionReceipt', receipt],
      ['eth_getTransactionReceipt', receipt],
    ] as const) {
      const isThere = (await asked(method, params)) !== null;
      const isPromised = method === 'eth_getBlockByHash' || this.#isShown;
      if (isPromised && !isThere) throw new Violation('nothing where there was', `${method} ${params[0]}`);
      this.#isShown = method === 'eth_getTransactionReceipt' && isThere;
    }
    this.#isShown = false;
    await processes.clock.pass(random.integer(0, MAX_LATE_MS));
  }

  #isShown = false;

  finish(): void {
    for (const item of this.processes.views.items) {
      const isBelow =
        item.read.most < READ_UNITS_PER_SECOND / 2 && item.written.most < WRITE_UNITS_PER_SECOND / 2;
      if (!isBelow) throw new Violation('units of an item', `${item.read.most} and ${item.written.most}`);
    }
  }

  /** Then what is known is so old that any head can be true. */
  async #passHour(): Promise<void> {
    await this.processes.clock.pass(HOUR_MS);
    this.#changedAt = this.#now;
  }

  #process(): number | undefined {
    const awake = this.#awake;
    return awake[this.random.integer(0, awake.length - 1)];
  }

  async #ask(key: string): Promise<void> {
    const process = this.#process();
    if (process === undefined) return;
    const way = this.random.pick(['number', 'block', 'state', 'state'] as const);
    if (way === 'state') await this.#askState(process, key);
    else await this.#askHead(process, key, way);
    this.#checkNodes(process);
  }

  async #askHead(process: number, key: string, way: 'number' | 'block'): Promise<void> {
    const before = this.processes.notKept;
    const [method, params] =
      way === 'number'
        ? (['eth_blockNumber', []] as const)
        : (['eth_getBlockByNumber', ['latest', false]] as const);
    const sentAt = this.#now;
    const result = this.#resultOf(await this.processes.asked(process, method, params, key), sentAt);
    const number = way === 'number' ? result : (result as { readonly number: string } | undefined)?.number;
    if (number !== undefined) this.#see(key, [Number(number)], this.processes.notKept > before);
  }

  #see(key: string, numbers: readonly number[], isNotKept: boolean): void {
    const history = this.#keys.get(key) as KeyHistory;
    const isCalm = this.#now - this.#changedAt > this.#knownMs;
    const most = this.#head + (this.#hasLied ? BELIEVABLE_BLOCKS : 0);
    if (isCalm && this.#lag === 0 && Math.max(...numbers) > most)
      throw new Violation('head of a liar', `${numbers} of ${this.#head}`);
    // A node that goes back, or is several, takes back what it reported.
    if (isNotKept || (this.#faults === 'nodes' && (!isCalm || this.#several.size > 0))) history.forget();
    else history.see(numbers, { head: most, now: this.#now, knownMs: this.#knownMs });
  }

  async #askState(process: number, key: string): Promise<void> {
    const sentAt = this.#now;
    const answered = await this.processes.asked(process, 'eth_getBalance', [ADDRESS, 'latest'], key);
    const result = this.#resultOf(answered, sentAt);
    // A process that hears nothing of others does not know that a node fell behind before it has asked it.
    const isKnown = this.#isStoreWell && sentAt - this.#changedAt > this.#knownMs;
    if (result === undefined || !isKnown) return;
    const block = blockOfValue(result as string);
    const least = this.processes.chain.headAt(sentAt - MAX_LATE_MS) - this.#lag - LAG_BLOCKS;
    if (block < least) throw new Violation('old state', `of ${block}, ${least} at least`);
  }

  async #askAtOnce(key: string): Promise<void> {
    const count = this.random.integer(2, 20);
    const places = [...new Set(Array.from({ length: count }, () => this.#process()))];
    const before = this.processes.notKept;
    const asked = places.flatMap((place) =>
      place === undefined ? [] : [this.processes.ask(place, 'eth_blockNumber', [], key)],
    );
    const sentAt = this.#now;
    const answered = await this.processes.clock.until(Promise.all(asked));
    const numbers = answered.flatMap((one) => this.#resultOf(one, sentAt) ?? []).map(Number);
    if (numbers.length > 0) this.#see(key, numbers, this.processes.notKept > before);
  }

  /** The result of a response; undefined for an error that may be. */
  #resultOf({ body }: Answered, sentAt: number): unknown {
    this.answers += 1;
    if (body.error === undefined) return body.result;
    // What is known of a node that lied an hour ago, or of a chain that became shorter just now, is wrong until it is asked again.
    const isLiedTo = this.#hasLied && sentAt - this.#changedAt <= this.#knownMs;
    const isFollowing = sentAt - this.#shortenedAt < FOLLOWED_MS && body.error.code === SYNCING_CODE;
    if (!isLiedTo && !isFollowing) throw new Violation('no answer', JSON.stringify(body.error));
    return undefined;
  }

  /** A node that is as it should be is out of use for no process, whatever one with a broken network says. */
  #checkNodes(process: number): void {
    if (this.#broken === undefined) return;
    const { upstreams } = this.processes.nodeOf(process);
    const out = upstreams.slice(0, this.#sound).find(({ health }) => !health.usable);
    if (out !== undefined) throw new Violation('out by one word', out.name);
  }

  /** A process answers, and stands still from then on with what it has begun. */
  async #freeze(): Promise<void> {
    const process = this.#process();
    if (process === undefined) return;
    const asking = this.processes.ask(process, 'eth_getBalance', [ADDRESS, 'latest'], 'one');
    this.processes.clock
      .wait(this.random.integer(0, 2 * MAX_LATENCY_MS))
      .then(() => this.processes.freeze(process, this.random.magnitude(1_000, HOUR_MS)));
    asking.catch(() => undefined);
    await this.processes.clock.pass(2 * MAX_LATENCY_MS);
  }

  #replaceProcess(): void {
    this.#alive.splice(this.random.integer(0, this.#alive.length - 1), 1);
    this.#alive.push(this.processes.start());
  }

  #shorten(): void {
    if (this.#shortened === MAX_SHORTENED || this.#faults !== 'chain') return;
    this.#shortened += 1;
    this.#shortenedAt = this.#now;
    this.#lag += this.random.integer(1, 300);
    for (const node of this.nodes) node.lag = this.#lag;
    for (const key of this.#keys.values()) key.shorten(this.#now);
    this.#changedAt = this.#now;
  }

  /** A node that may be anything becomes silent, goes behind, lies, forks, is several nodes, or gets well. */
  #changeNode(): void {
    if (this.nodes.length === this.#sound || this.#faults !== 'nodes') return;
    const node = this.nodes[this.random.integer(this.#sound, this.nodes.length - 1)] as SharedNode;
    const isLiar = (node.lag ?? 0) < 0;
    if (this.#silent === node) this.#silent = undefined;
    const character = this.random.pick([
      this.#isStoreWell ? 'silent' : 'behind',
      this.#isStoreWell ? 'liar' : 'behind',
      'behind',
      'forked',
      'several',
      'well',
    ] as const);
    Object.assign(node, { lag: this.#lag, forked: false, fate: undefined });
    this.#several.delete(node);
    // Nothing takes back what a liar told that is silent then.
    if (character === 'silent' && !isLiar) this.#silence(node);
    if (character === 'behind') node.lag = this.#lag + this.random.integer(1, 300);
    if (character === 'liar') node.lag = -this.random.magnitude(100, 1_000_000);
    if (character === 'liar') this.#hasLied = true;
    if (character === 'forked') node.forked = true;
    if (character === 'several') {
      this.#several.add(node);
      node.fate = () => {
        node.lag = this.#lag + (this.random.chance(0.5) ? this.random.integer(1, LAG_BLOCKS) : 0);
        return { kind: 'answer' };
      };
    }
    this.#changedAt = this.#now;
  }

  /** One at a time: where two are, a call that both get waits for them until its time is over. */
  #silence(node: SharedNode): void {
    if (this.#silent !== undefined) Object.assign(this.#silent, { fate: undefined });
    this.#silent = node;
    node.fate = () => ({ kind: 'stall' });
  }

  /** One process reaches no node; it continues being asked, and tells what it thinks of them. */
  #breakNetwork(): void {
    const [process] = this.#alive;
    if (this.#broken !== undefined || process === undefined || this.#alive.length < 2) return;
    this.#broken = process;
    for (const node of this.nodes.slice(0, this.#sound)) {
      node.fate = (_calls, place) =>
        place === process ? { kind: 'failure', error: 'unreachable', sent: false } : { kind: 'answer' };
    }
    const { clock } = this.processes;
    const goOn = async () => {
      for (let asked = 0; asked < 40; asked++) {
        await this.processes
          .ask(process, 'eth_getBalance', [ADDRESS, 'latest'], 'third')
          .catch(() => undefined);
        await clock.wait(1_000);
      }
    };
    goOn().catch(() => undefined);
  }

  #changeWeather(): void {
    if (this.#isStoreWell) return;
    const { random } = this;
    const failing = random.pick([0, 0, 0, 0.3, 1]);
    const latencyMs = random.pick([5, 5, 5, 100, 400]);
    Object.assign(this.processes.views, { failing, latencyMs });
    Object.assign(this.processes.given, { failing, latencyMs });
    this.#changedAt = this.#now;
  }

  /** The store of texts, and what must hold of all that is stored. */
  #watched(store: SharedTextStore): SharedTextStore {
    return {
      read: (name, options) => store.read(name, options),
      write: async (name, text: SharedText, read) => {
        const before = await store.read(name, { isNow: true }).catch(() => undefined);
        const isTold = await store.write(name, text, read);
        if (isTold && before !== undefined && text.sequence < before.sequence)
          this.#violation ??= new Violation('view went back', `${before.sequence} to ${text.sequence}`);
        return isTold;
      },
    };
  }

  #violation: Violation | undefined;

  check(): void {
    if (this.#violation !== undefined) throw this.#violation;
  }
}

function same<T>(one: T): T {
  return one;
}

/** Runs a seed for so many steps, with a mutant or without one. */
export async function simulateHeads(
  seed: number,
  {
    steps = 200,
    mutant,
    looks = mutant?.looks ?? false,
    tags = mutant?.tags ?? false,
  }: {
    readonly steps?: number;
    readonly mutant?: HeadMutant | undefined;
    /** Whether a key looks again for what it was shown. @default that of the mutant */
    readonly looks?: boolean;
    /** Whether tags of finality are asked for. @default that of the mutant */
    readonly tags?: boolean;
  } = {},
): Promise<HeadRun> {
  const world = new HeadWorld(seed, mutant?.around ?? {}, { looks, tags });
  const run = () => ({
    seed,
    processes: world.processes.count,
    nodes: world.nodes.length,
    answers: world.answers,
    notKept: world.processes.notKept,
  });
  try {
    for (let step = 0; step < steps; step++) {
      await world.step();
      world.check();
    }
    world.finish();
    return run();
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    return { ...run(), violation: { check: error.check, what: error.message } };
  }
}
