import { type Item, isStoreUnavailable, type Store } from '../../../lambdas/access/store/store.ts';
import { creditAccount } from '../../../lambdas/accounts/credit-account.ts';
import { setKeyStatus } from '../../../lambdas/accounts/keys.ts';
import { rebuildAccount } from '../../../lambdas/accounts/rebuild-account.ts';
import { setPlan } from '../../../lambdas/accounts/set-plan.ts';
import { settleAccount } from '../../../lambdas/settlement/settle-account.ts';
import { hourOf } from '../../../lambdas/shared/runtime/clock.ts';
import { PLAN_NAMES } from '../plans.ts';
import type { World } from '../world.ts';
import type { Customer } from './customers.ts';
import type { Processes } from './instance.ts';
import type { SimulatedProcess } from './simulated-process.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
/** Time between two acts. */
const MIN_IDLE_MS = 30 * SECOND_MS;
const MAX_IDLE_MS = 60 * MINUTE_MS;
/** Time after which an operator repeats a command that did not succeed. */
const MIN_REPEAT_MS = SECOND_MS;
const MAX_REPEAT_MS = 10 * MINUTE_MS;
/** By then every outage is over, and every damaged account made anew. */
const MAX_ATTEMPTS = 500;
/** Chance of an act during a rush. */
const MEDDLE_RATE = 0.5;
const MIN_DISABLED_MS = SECOND_MS;
const MAX_DISABLED_MS = 20 * MINUTE_MS;
/** An account that changes all the time cannot be settled by one attempt. */
const TOO_BUSY = /changed at each of|older than its ledger|is gone|unknown account/;
const MIN_DAMAGED_MS = SECOND_MS;
const MAX_DAMAGED_MS = 3 * 60 * MINUTE_MS;
const MIN_CREDIT_CU = 100;
const MAX_CREDIT_CU = 500_000;

type Act = 'credit' | 'plan' | 'disable' | 'deploy' | 'kill' | 'settle' | 'restore' | 'back up';

/** Actions of operators, each as often as it is named. Without a deployment processes live long. */
const HABITS: readonly [readonly [Act, ...Act[]], ...(readonly [Act, ...Act[]])[]] = [
  [
    'credit',
    'credit',
    'plan',
    'disable',
    'disable',
    'deploy',
    'kill',
    'kill',
    'settle',
    'back up',
    'restore',
  ],
  ['credit', 'credit', 'plan', 'disable', 'kill', 'settle', 'settle', 'settle'],
  ['credit', 'settle', 'settle', 'back up', 'restore'],
  ['credit', 'plan', 'disable'],
];

/** People who credit accounts, change plans, disable keys, deploy, and end processes, as long as there is traffic. */
export class Operators {
  readonly #world: World;
  readonly #fleet: Processes;
  readonly #customers: readonly [Customer, ...Customer[]];
  readonly #isOver: () => boolean;
  readonly #habits: readonly [Act, ...Act[]];
  readonly #backups = new Map<string, Item>();
  #credits = 0;

  constructor(
    world: World,
    fleet: Processes,
    customers: readonly [Customer, ...Customer[]],
    isOver: () => boolean,
  ) {
    this.#world = world;
    this.#fleet = fleet;
    this.#customers = customers;
    this.#isOver = isOver;
    this.#habits = world.machine.random.pick(HABITS);
  }

  start(): void {
    const { time, random } = this.#world.machine;
    time.after(random.magnitude(MIN_IDLE_MS, MAX_IDLE_MS), () => {
      if (this.#isOver()) return;
      this.#act(random.pick(this.#customers));
      this.start();
    });
  }

  /** Perhaps acts on a customer during a rush. */
  meddle(customer: Customer, duringMs: number): void {
    const { time, random } = this.#world.machine;
    if (random.chance(MEDDLE_RATE)) time.after(random.integer(0, duringMs), () => this.#act(customer));
  }

  #act(customer: Customer): void {
    const { random, tally } = this.#world.machine;
    const acts = {
      credit: () => this.#credit(customer),
      plan: () => this.#changePlan(customer),
      disable: () => this.#disableKey(customer),
      deploy: () => this.#fleet.deploy(),
      kill: () => this.#fleet.kill(),
      settle: () => this.#settle(customer),
      'back up': () => this.#backUp(customer),
      restore: () => this.#restore(customer),
    };
    const act = random.pick(this.#habits);
    tally.add(`operator: ${act}`);
    acts[act]();
  }

  #credit(customer: Customer): void {
    this.#credits += 1;
    const cu = this.#world.machine.random.magnitude(MIN_CREDIT_CU, MAX_CREDIT_CU);
    const credit = { cu, reference: `credit-${this.#credits}` };
    customer.grantedCu += cu;
    this.#persist((store, { clock }) => creditAccount(store, clock, customer.account, credit));
  }

  #changePlan({ account }: Customer): void {
    const plan = this.#world.machine.random.pick(PLAN_NAMES);
    this.#persist((store, { clock }) => setPlan(store, clock, account, { plan }));
  }

  #disableKey({ keys }: Customer): void {
    const { time, random } = this.#world.machine;
    const { keyId } = random.pick(keys);
    this.#persist((store, { clock }) => setKeyStatus(store, clock, keyId, 'disabled'));
    time.after(random.magnitude(MIN_DISABLED_MS, MAX_DISABLED_MS), () =>
      this.#persist((store, { clock }) => setKeyStatus(store, clock, keyId, 'active')),
    );
  }

  /** Settles the running hour before its time. */
  #settle({ account }: Customer): void {
    this.#persist(async (store, process) => {
      const { clock } = process;
      const books = this.#world.settlementBooks({ process, store });
      const scope = { force: true, hour: hourOf(clock.now()) };
      const { failure } = await settleAccount(books, account, [], { scope });
      if (failure !== undefined) throw failure;
    });
  }

  #backUp({ account }: Customer): void {
    const item = this.#world.store.peek('accounts', { account });
    if (item !== undefined) this.#backups.set(account, item);
  }

  /** The account item goes back to an earlier state, or is lost; an operator notices it later, and has it rebuilt. */
  #restore({ account }: Customer): void {
    const { machine, store, witness, isClear } = this.#world;
    const { time, random } = machine;
    if (isClear) return;
    witness.noteRestore(account);
    store.restore('accounts', { account }, random.chance(0.3) ? undefined : this.#backups.get(account));
    time.after(random.magnitude(MIN_DAMAGED_MS, MAX_DAMAGED_MS), () =>
      this.#persist(async (remote, { clock, pause }) => {
        await rebuildAccount({ store: remote, clock, pause }, account);
        witness.noteRebuild(account);
      }),
    );
  }

  /** Does something again and again until it is known to be done. */
  #persist(work: (store: Store, process: SimulatedProcess) => Promise<unknown>): void {
    const { machine, witness } = this.#world;
    let done = false;
    let attempts = 0;
    let failure = '';
    const attempt = () => {
      if (done) return;
      attempts += 1;
      if (attempts > MAX_ATTEMPTS) {
        witness.blame(`an operator had no success in ${MAX_ATTEMPTS} attempts: ${failure}`);
        return;
      }
      const { process, store } = this.#world.open('operator');
      work(store, process).then(
        () => {
          done = true;
        },
        (error: Error) => {
          failure = error.message;
          if (!isStoreUnavailable(error) && !TOO_BUSY.test(error.message)) witness.blameDefect(error);
        },
      );
      machine.time.after(machine.random.magnitude(MIN_REPEAT_MS, MAX_REPEAT_MS), attempt);
    };
    attempt();
  }
}
