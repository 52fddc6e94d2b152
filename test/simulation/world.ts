import type { Bookkeeping } from '../../lambdas/access/account-work.ts';
import type { Key, Store } from '../../lambdas/access/store/store.ts';
import type { sealHead } from '../../lambdas/seal/seal-head.ts';
import { openEvidence, type SettlementBooks } from '../../lambdas/settlement/evidence.ts';
import type { ObjectStore } from '../../lambdas/shared/aws/object-store.ts';
import type { RandomBytes } from '../../lambdas/shared/runtime/random-bytes.ts';
import type { MeteringSettings, PlanSettings } from '../../lambdas/shared/runtime/settings.ts';
import { systemTelemetry } from '../../lambdas/shared/runtime/telemetry.ts';
import { INSTANCE_GROUP_COMMIT_CU } from '../../lib/config/config.ts';
import type { Hosting } from '../../lib/config/function-config.ts';
import { MemoryObjects } from '../support/memory/objects.ts';
import { memorySigner } from '../support/memory/signer.ts';
import { ReceiptDesk } from './actors/receipt-desk.ts';
import { NODE_FAULTS, type NodeFault, type NodeSite } from './actors/simulated-node.ts';
import { ClockSpread, type Machine, type ProcessRole, SimulatedProcess } from './actors/simulated-process.ts';
import { QUEUE_FAULTS, type QueueFault } from './actors/simulated-queue.ts';
import type { Mutant } from './mutants/mutant.ts';
import { DRAWN_AHEAD_PLANS, drawnAhead, LOWERED_PLANS, PLANS } from './plans.ts';
import { Random } from './random.ts';
import { REMOTE_FAULTS, type RemoteFault } from './stores/exchange.ts';
import { MemoryStore } from './stores/memory-store.ts';
import { RemoteObjects } from './stores/remote-objects.ts';
import { RemoteStore, type StoreSite } from './stores/remote-store.ts';
import { storeWeather } from './stores/store-weather.ts';
import { Tally } from './tally.ts';
import { VirtualTime } from './virtual-time.ts';
import { Weather } from './weather.ts';
import { Witness } from './witness.ts';

type SealBooks = Parameters<typeof sealHead>[0];

/** Not at the start of an hour. */
const START_MS = Date.UTC(2026, 10, 20, 9, 17, 31);

/** How far clocks are off in a run: the smaller, the less may a bucket let through. */
const SKEWS_MS = [0, 50, 1_000, 5_000] as const;

/** Compute units that an instance may hold back, by run. */
const GROUPS_CU = [0, 0, 100, 5_000] as const;

/** The same of an environment of many requests: little, and what it is unless a stage says otherwise. */
const SHARED_GROUPS_CU = [500, 5_000, INSTANCE_GROUP_COMMIT_CU] as const;

/** Options of a run of a seed. */
export interface WorldOptions {
  readonly mutant?: Mutant | undefined;
  /** @default 'event' */
  readonly hosting?: Hosting | undefined;
}

/** In every so many runs an account is wide early, so that it has a balance view. */
const VIEWS_EVERY_RUNS = 7;
const FEW_LANES = 2;

/** A process and the store as it sees it. */
export interface OpenedProcess {
  readonly process: SimulatedProcess;
  readonly store: Store;
}

const SIGNER = memorySigner();
/** Chance of receipts is that of the same seed in another row. */
const RECEIPT_ROW = 2 ** 32;

function bookkeeping({ process, store }: OpenedProcess): Bookkeeping {
  return { store, clock: process.clock, pause: process.pause, telemetry: systemTelemetry };
}

/** Everything that one run of the simulation takes place in. */
export class World {
  readonly machine: Machine;
  readonly queueWeather: Weather<QueueFault>;
  readonly node: NodeSite;
  readonly witness: Witness;
  readonly store: MemoryStore;
  readonly hosting: Hosting;
  /** Plans as the function of this run has them. */
  readonly plans: Readonly<Record<string, PlanSettings>>;
  /** How this run's stage stores charges. */
  readonly metering: MeteringSettings;
  /** Lanes that every instance reads by itself, where this run's accounts get balance views. */
  readonly narrowLanes: number | undefined;
  /** Starts a run of the function that keeps balance views, where there is one. */
  startBalances: (() => Promise<void>) | undefined;
  /** Clocks of the processes that admit requests. */
  readonly gatewayClocks = new ClockSpread();
  readonly mutant: Mutant | undefined;
  /** The objects that settlement has kept, and the signed heads. */
  readonly objects = { evidence: new MemoryObjects(), heads: new MemoryObjects() };
  /** Signs heads and certificates. */
  readonly signer = SIGNER;
  readonly receipts: ReceiptDesk;
  #names = 0;
  readonly #storeSite: StoreSite;
  readonly #objectWeather: Weather<RemoteFault>;
  #clear = false;
  readonly #otherClocks = new ClockSpread();

  constructor(seed: number, { mutant, hosting = 'event' }: WorldOptions = {}) {
    const random = new Random(seed);
    const machine = {
      time: new VirtualTime(START_MS),
      random,
      tally: new Tally(),
      maxSkewMs: random.pick(SKEWS_MS),
    };
    this.machine = machine;
    this.mutant = mutant;
    this.hosting = hosting;
    const isShared = hosting !== 'event';
    this.plans = isShared ? DRAWN_AHEAD_PLANS : PLANS;
    this.narrowLanes = seed % VIEWS_EVERY_RUNS === 0 ? FEW_LANES : undefined;
    this.queueWeather = new Weather(machine, 'queue', QUEUE_FAULTS, 'delivered twice', 'harsh');
    this.node = { machine, weather: new Weather<NodeFault>(machine, 'node', NODE_FAULTS, 'slow') };
    this.#objectWeather = new Weather(machine, 'buckets', REMOTE_FAULTS, 'request doubled');
    const lowered = isShared ? LOWERED_PLANS.map(drawnAhead) : LOWERED_PLANS;
    this.witness = new Witness(machine, [...Object.values(this.plans), ...lowered]);
    this.store = new MemoryStore(this.witness.onWrite);
    this.metering = {
      storeBeforeAnswer: !isShared && random.chance(0.3),
      groupCommitCu: random.pick(isShared ? SHARED_GROUPS_CU : GROUPS_CU),
    };
    const weather = storeWeather(machine);
    const onLane = (process: SimulatedProcess, key: Key) => this.witness.noteLane(process, key);
    this.#storeSite = { machine, store: this.store, weather, readings: new Map(), onLane };
    this.receipts = new ReceiptDesk(this, new Random(seed + RECEIPT_ROW));
  }

  /** The books of a settlement in a process. Its salts and names repeat with the run. */
  settlementBooks({ process, store }: OpenedProcess): SettlementBooks {
    const { evidence, heads } = this.#buckets(process);
    const books = openEvidence(bookkeeping({ process, store }), { evidence, heads }, this.#randomBytes);
    const { leaves } = books.evidence;
    return { ...books, evidence: { ...books.evidence, leaves: this.mutant?.leaves?.(leaves) ?? leaves } };
  }

  /** The books of a function that signs heads. */
  sealBooks({ process, store }: OpenedProcess): SealBooks {
    const { evidence, heads } = this.#buckets(process);
    return {
      ...bookkeeping({ process, store }),
      evidence,
      heads: this.mutant?.heads?.(heads) ?? heads,
      signer: this.signer,
      randomBytes: this.#randomBytes,
    };
  }

  /** A process that may die, stand still and have a wrong clock, unless nothing goes wrong. */
  open(role: ProcessRole): OpenedProcess {
    const clocks = role === 'gateway' ? this.gatewayClocks : this.#otherClocks;
    return this.#open(new SimulatedProcess(role, this.machine, clocks, !this.#clear));
  }

  /** A process that lives as long as it is needed, with the right clock. */
  openSound(role: ProcessRole): OpenedProcess {
    return this.#open(new SimulatedProcess(role, this.machine, this.#otherClocks, false));
  }

  get isClear(): boolean {
    return this.#clear;
  }

  /** Nothing goes wrong any more. */
  clearSkies(): void {
    this.#clear = true;
    for (const weather of Object.values(this.#storeSite.weather)) weather.clear();
    this.queueWeather.clear();
    this.node.weather.clear();
    this.#objectWeather.clear();
    this.receipts.clearSkies();
  }

  readonly #randomBytes: RandomBytes = (count) => {
    this.#names += 1;
    return Buffer.from(String(this.#names).padStart(count, '0'));
  };

  #buckets(process: SimulatedProcess): { readonly evidence: ObjectStore; readonly heads: ObjectStore } {
    const of = (objects: ObjectStore) =>
      new RemoteObjects({ machine: this.machine, objects, weather: this.#objectWeather }, process);
    return { evidence: of(this.objects.evidence), heads: of(this.objects.heads) };
  }

  #open(process: SimulatedProcess): OpenedProcess {
    const store = new RemoteStore(this.#storeSite, process);
    return { process, store: this.mutant?.store?.(store, process) ?? store };
  }
}
