import { createHash } from 'node:crypto';
import type { Table } from '../../lambdas/access/store/tables.ts';
import { runAudit } from '../../lambdas/audit/audit.ts';
import { runSeal } from '../../lambdas/seal/seal-head.ts';
import { runSettlement } from '../../lambdas/settlement/handler.ts';
import { SETTLEMENT_GRACE_MS } from '../../lambdas/settlement/settlement-step.ts';
import { systemTelemetry } from '../../lambdas/shared/runtime/telemetry.ts';
import type { Hosting } from '../../lib/config/function-config.ts';
import { openChargeQueue } from './actors/charge-consumer.ts';
import { closeBooks } from './actors/close-books.ts';
import { type Customer, openCustomers } from './actors/customers.ts';
import { Environments } from './actors/environments.ts';
import { Fleet } from './actors/fleet.ts';
import { HourlyWork } from './actors/hourly-work.ts';
import type { Processes } from './actors/instance.ts';
import { Operators } from './actors/operators.ts';
import { Traffic } from './actors/traffic.ts';
import { captureLog, type LogLine } from './log-capture.ts';
import type { Mutant } from './mutants/mutant.ts';
import { startBalanceViews } from './scale/balance-views.ts';
import { World } from './world.ts';

/** Schedules go on for this time after the last request: longer than any message is late. */
const SCHEDULES_GO_ON_MS = 30 * 3_600_000;
/** What a key that several instances draw from may be admitted beyond its limits, as time of refill. */
const SHARED_LAG_MS = 100;
const TABLES: readonly Table[] = ['keys', 'accounts', 'lanes', 'unsettled', 'balances', 'ledger'];
/** Events that may be logged while a store or bucket fails, an account is busy or a backup was restored. */
const FAILING = new Set(['settlement_account_failed', 'balance_not_read', 'leaves_not_frozen']);
const EXPECTED_FAILURE =
  /StoreUnavailableError|changed at each of|older than its ledger|is gone|bucket: |not tried/;

export interface SimulationOptions {
  readonly seed: number;
  readonly requests: number;
  readonly mutant?: Mutant;
  /** @default that of the mutant, else 'event' */
  readonly hosting?: Hosting;
  /** Nothing goes wrong. @default false */
  readonly clear?: boolean;
}

export interface SimulationResult {
  readonly seed: number;
  /** The first fault that was found; undefined: none. */
  readonly violation: string | undefined;
  /** Digest of all that happened and of what is stored in the end. */
  readonly digest: string;
  /** Counts of events. */
  readonly counts: readonly (readonly [string, number])[];
}

/** One run: traffic and everything beside it until all has ended, then the closing of the books. */
export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const { seed, mutant, hosting = mutant?.hosting } = options;
  const world = new World(seed, { mutant, hosting });
  if (options.clear === true) world.clearSkies();
  const release = captureLog((line) => readErrorLine(world, line));
  try {
    await live(world, options.requests);
  } catch (error) {
    world.witness.blameDefect(error);
  } finally {
    release();
  }
  return {
    seed,
    violation: world.witness.violation,
    digest: digestOf(world),
    counts: world.machine.tally.entries(),
  };
}

async function live(world: World, requests: number): Promise<void> {
  const { time, tally } = world.machine;
  const startMs = time.nowMs;
  const customers = await openCustomers(world);
  const fleet = startAll(world, customers, requests);
  await time.run();
  if (world.witness.violation !== undefined) return;
  world.witness.checkBounds(world.gatewayClocks.spreadMs + SHARED_LAG_MS);
  world.clearSkies();
  let closed = false;
  const closing = closeBooks(world, customers, fleet).then(() => {
    closed = true;
  });
  await Promise.race([closing, time.run()]);
  if (!closed && world.witness.violation === undefined) world.witness.blame('the books were not closed');
  tally.add('virtual hours', (time.nowMs - startMs) / 3_600_000);
  tally.add('events', time.eventCount);
}

function startAll(world: World, customers: readonly [Customer, ...Customer[]], requests: number): Processes {
  const { time } = world.machine;
  const queue = openChargeQueue(world);
  const fleet = world.hosting === 'event' ? new Fleet(world, queue) : new Environments(world, queue);
  const traffic = new Traffic(world, fleet, customers, requests);
  const isTrafficOver = () => traffic.lastMs !== undefined && time.nowMs > traffic.lastMs;
  const isOver = () => traffic.lastMs !== undefined && time.nowMs > traffic.lastMs + SCHEDULES_GO_ON_MS;
  const settlement = new HourlyWork(world, 'settlement', ({ process, store, ...run }) =>
    runSettlement({ ...run, books: world.settlementBooks({ process, store }) }, run.event),
  );
  const audit = new HourlyWork(world, 'audit', ({ process, store, ...run }) =>
    runAudit(
      { ...run, books: { store, clock: process.clock, pause: process.pause, telemetry: systemTelemetry } },
      run.event,
    ),
  );
  const seal = new HourlyWork(world, 'seal', async ({ process, store }) => {
    await runSeal(world.sealBooks({ process, store }));
  });
  const { random } = world.machine;
  const phaseMs = random.chance(0.5)
    ? SETTLEMENT_GRACE_MS + random.integer(0, 10_000)
    : random.integer(0, 3_599_999);
  settlement.start(phaseMs, isOver);
  audit.start(random.integer(0, 3_599_999), isOver);
  seal.start(random.integer(0, 3_599_999), isOver);
  world.receipts.start(isOver);
  const operators = new Operators(world, fleet, customers, isTrafficOver);
  operators.start();
  if (world.narrowLanes !== undefined) startBalanceViews(world, isOver);
  traffic.start(phaseMs, (customer, duringMs) => operators.meddle(customer, duringMs));
  return fleet;
}

/** Errors in the log are failures that faults explain, or faults of the code. */
function readErrorLine({ witness, machine }: World, line: LogLine): void {
  const { event, account, reason, error = '' } = line;
  machine.tally.add(`log: ${event}`);
  if (event === 'audit_violated') return;
  if (event === 'audit_violation') {
    // Until it is made anew, a restored account is damaged; the books are audited without an exception in the end.
    if (!witness.wasRestored(account)) witness.blame(`audit: ${account}: ${reason}: ${error}`);
  } else if (!FAILING.has(event) || !EXPECTED_FAILURE.test(error)) {
    witness.blameDefect(JSON.stringify(line));
  }
}

function digestOf({ machine, store }: World): string {
  const hash = createHash('sha256').update(String(machine.time.trace));
  for (const table of TABLES) {
    const items = store.items(table).map((item) => JSON.stringify(item, replaceBigInt));
    for (const item of items.sort()) hash.update(item);
  }
  return hash.digest('hex');
}

function replaceBigInt(_name: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value;
}
