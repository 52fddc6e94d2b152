import {
  planSelling,
  printFigures as print,
  type ScaleFigures,
  type ScaleOptions,
  ScaleRun,
  SOUND,
} from './scale-run.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const CALL_CU = 20;
/** Settlement of the hour before is not yet due. */
const START_MS = Date.UTC(2026, 10, 20, 9, 5);
/** Time for which an account has been busy already when a run counts. */
const BEFORE_MS = 15 * SECOND_MS;
const TIME_LIMIT_MS = 1_800_000;
/** Requests of one row: its rate for as many seconds as that takes, ten at most. */
const REQUESTS = Number(process.env.BALANCE_REQUESTS ?? 4_000);
const MAX_SECONDS = 10;
/** Most read units a second of one account that 1,200 instances serve, near its end and far from it. */
const MOST_NEAR = 800;
const MOST_FAR = 100;

jest.setTimeout(TIME_LIMIT_MS);

/** A plan that sells so many requests a second, with a bucket of ten. */
const planOf = (requestsPerSecond: number, shards = 1) => planSelling(requestsPerSecond, 10, shards);

/** An account near its end: its balance is twice what the run asks for. */
interface NearRow {
  readonly instances: number;
  readonly perSecond: number;
  readonly usageBytes: number;
  /** Of its lanes, and its keys. @default 1 */
  readonly shards?: number;
  readonly keys?: number;
}

/** An account whose settlement stands still: plan scale, 500 lanes an hour. */
interface LateRow {
  readonly hours: number;
  readonly usageBytes: number;
  /** Compute units. */
  readonly balanceCu: number;
  /** @default 500 requests/s for one key */
  readonly plan?: { readonly requestsPerSecond: number; readonly keys: number };
}

const NEAR_ROWS: readonly NearRow[] = [
  { instances: 30, perSecond: 280, usageBytes: 640 },
  { instances: 500, perSecond: 280, usageBytes: 640 },
  { instances: 1_200, perSecond: 10_000, usageBytes: 40, shards: 16, keys: 16 },
  { instances: 5_000, perSecond: 700, usageBytes: 550, keys: 2 },
];

const LATE_ROWS: readonly LateRow[] = [
  { hours: 24, usageBytes: 400, balanceCu: 776_000_000 },
  { hours: 72, usageBytes: 640, balanceCu: 928_000_000, plan: { requestsPerSecond: 130, keys: 2 } },
];

function nearRun(
  { instances, perSecond, usageBytes, shards = 1, keys = 1 }: NearRow,
  seconds: number,
): ScaleRun {
  return new ScaleRun({
    plan: planOf(Math.ceil((1.3 * perSecond) / keys), shards),
    keys,
    startMs: START_MS,
    usageBytes,
    balanceCu: 2 * perSecond * seconds * CALL_CU,
    open: { hours: 1, lanes: instances, cu: 1_000_000 },
  });
}

function lateRun({ hours, usageBytes, balanceCu, plan }: LateRow): ScaleRun {
  const { requestsPerSecond, keys } = plan ?? { requestsPerSecond: 500, keys: 1 };
  return new ScaleRun({
    plan: planOf(requestsPerSecond),
    keys,
    startMs: START_MS,
    usageBytes,
    balanceCu,
    open: { hours, lanes: 500, cu: 1_000_000 },
  });
}

/** Requests for some seconds, of an account that has been busy before. The figures of reads are those of these seconds. */
async function busySeconds(
  run: ScaleRun,
  seconds: number,
  traffic: { readonly perSecond: number; readonly instances: number },
): Promise<ScaleFigures> {
  await run.open();
  const fromMs = run.time.nowMs + BEFORE_MS;
  const durationMs = seconds * SECOND_MS;
  await run.wantView();
  run.keepBalances(fromMs + durationMs);
  run.send({ fromMs, durationMs, ...traffic });
  return run.figuresBetween(fromMs, fromMs + durationMs);
}

/** An hour before the run that is not settled. */
const openHour = (lanes: number) => ({ hours: 1, lanes, cu: 1_000_000 });

/** A run of one key that sells 40 requests/s, in an account with 300 lanes of an hour that is open. */
function runOf(options: Partial<ScaleOptions>): ScaleRun {
  return new ScaleRun({
    plan: planOf(40),
    keys: 1,
    startMs: START_MS,
    usageBytes: 400,
    open: openHour(300),
    ...options,
  });
}

test.each(NEAR_ROWS)(
  'near its end, $instances instances at $perSecond/s with $usageBytes bytes a lane: no 503, all charged',
  async (row) => {
    const seconds = Math.min(MAX_SECONDS, REQUESTS / row.perSecond);
    const figures = await busySeconds(nearRun(row, seconds), seconds, row);
    print(`near its end, ${row.instances} instances, ${row.perSecond}/s, ${row.usageBytes} bytes`, figures);
    expect(figures).toMatchObject({ ...SOUND, answered: figures.requests });
  },
);

test.each(LATE_ROWS)(
  'settlement late by $hours hours, with $usageBytes bytes a lane: no 503, all charged',
  async (row) => {
    const figures = await busySeconds(lateRun(row), 10, { perSecond: 100, instances: 100 });
    print(`late by ${row.hours} hours, ${row.usageBytes} bytes`, figures);
    expect(figures).toMatchObject({ ...SOUND, answered: figures.requests });
  },
);

test.each([
  { where: 'near its end', seconds: 10, grantedCu: 30_000, most: MOST_NEAR },
  { where: 'far from it', seconds: 20, grantedCu: 100_000_000, most: MOST_FAR },
])(
  '1,200 instances and 16 shards $where: at most $most read units a second',
  async ({ where, seconds, grantedCu, most }) => {
    const run = runOf({
      plan: planOf(50, 16),
      keys: 16,
      usageBytes: 640,
      balanceCu: grantedCu + 600 * seconds * CALL_CU,
      open: openHour(1_200),
    });
    await run.open();
    const fromMs = START_MS + MINUTE_MS;
    run.keepBalances(fromMs + seconds * SECOND_MS);
    for (let place = 0; place < 1_200; place += 1)
      run.time.at(START_MS + 30 * place, () => run.request(place));
    run.send({ fromMs, durationMs: seconds * SECOND_MS, perSecond: 600, instances: 1_200 });
    const figures = await run.figuresBetween(fromMs, fromMs + seconds * SECOND_MS);
    print(`1,200 instances, 16 shards, ${where}`, figures);
    expect(figures).toMatchObject(SOUND);
    expect(figures.readUnitsPerSecond).toBeLessThanOrEqual(most);
  },
);

test('the turn of an hour on 1,200 processes and 16 shards, at 1,200/s near the end: no 503', async () => {
  const [seconds, perSecond, instances] = [6, 1_200, 1_200];
  const run = runOf({
    plan: planOf(Math.ceil((1.3 * perSecond) / 16), 16),
    keys: 16,
    startMs: Date.UTC(2026, 10, 20, 10) - (15 + seconds / 2) * SECOND_MS,
    balanceCu: 2 * seconds * perSecond * CALL_CU,
    open: openHour(instances),
  });
  const figures = await busySeconds(run, seconds, { instances, perSecond });
  print('the turn of an hour', figures);
  expect(figures).toMatchObject({ ...SOUND, answered: figures.requests });
});

/** Bursts of five seconds on 200 instances, of an account whose views are not refreshed for an hour. */
async function withoutViews(balanceCu: number) {
  const awayMs = START_MS + MINUTE_MS + 20 * SECOND_MS;
  const run = runOf({ balanceCu });
  await run.open();
  run.request(0);
  run.keepBalances(awayMs + HOUR_MS + 3 * MINUTE_MS, { fromMs: awayMs, toMs: awayMs + HOUR_MS });
  const unavailable: number[] = [];
  const bursts = [-30 * SECOND_MS, 40 * SECOND_MS, 5 * MINUTE_MS, 50 * MINUTE_MS, HOUR_MS + 2 * MINUTE_MS];
  for (const afterMs of bursts) {
    const fromMs = awayMs + afterMs;
    let before = 0;
    const seen = () => run.figures.refused.billing_unavailable ?? 0;
    run.time.at(fromMs, () => {
      before = seen();
    });
    run.send({ fromMs, durationMs: 5 * SECOND_MS, perSecond: 30, instances: 200 });
    run.time.at(fromMs + 10 * SECOND_MS, () => unavailable.push(seen() - before));
  }
  await run.run();
  print(`no views for an hour: 503 by burst ${unavailable}`, run.figures);
  expect(run.figures).toMatchObject({ unchargedCu: 0, throttled: 0 });
  return unavailable;
}

test('the function that keeps the views is away for an hour: an account that is far from its end notices nothing', async () => {
  // An hour of all that its key can spend, and more.
  expect(await withoutViews(2 * 3_600 * 800)).toEqual([0, 0, 0, 0, 0]);
});

test('the function that keeps the views is away for an hour: an account near its end has old views for a minute, then 503, and recovers', async () => {
  expect(await withoutViews(100_000)).toEqual([0, 0, 150, 150, 0]);
});

test.each([[0], [5]])(
  'a balance that is used up at full speed is overdrawn by what is promised, with clocks %i seconds apart',
  async (skewSeconds) => {
    const perSecond = 200;
    const plan = { ...planOf(perSecond), bucketCapacity: perSecond * CALL_CU };
    const run = runOf({
      plan,
      usageBytes: 40,
      balanceCu: 6 * perSecond * CALL_CU,
      skewMs: skewSeconds * SECOND_MS,
    });
    const figures = await busySeconds(run, 20, { perSecond: 2 * perSecond, instances: 300 });
    print(`used up, clocks ${skewSeconds} seconds apart`, figures);
    expect(figures.refused.insufficient_balance).toBeGreaterThan(0);
    expect(figures.refused.billing_unavailable ?? 0).toBe(0);
    const inFlightCu = plan.bucketCapacity + plan.refillPerSecond * 0.2;
    expect(figures.overdrawnCu).toBeLessThanOrEqual(plan.refillPerSecond * (3 + skewSeconds) + inFlightCu);
  },
);
