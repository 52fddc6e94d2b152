import { busySeconds, LATE_ROWS, lateRun, NEAR_ROWS, nearRun, planOf, START_MS } from './balance-rows.ts';
import { type ScaleFigures, type ScaleOptions, ScaleRun } from './scale-run.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const CALL_CU = 20;
const TIME_LIMIT_MS = 1_800_000;
/** Requests of one row: its rate for as many seconds as that takes, ten at most. */
const REQUESTS = Number(process.env.BALANCE_REQUESTS ?? 4_000);
const MAX_SECONDS = 10;
/** Most read units a second of one account that 1,200 instances serve, near its end and far from it. */
const MOST_NEAR = 800;
const MOST_FAR = 100;

jest.setTimeout(TIME_LIMIT_MS);

const SOUND = { unchargedCu: 0, last503Second: undefined, throttled: 0 };

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

function print(name: string, figures: ScaleFigures): void {
  process.stdout.write(`${name}: ${JSON.stringify(figures)}\n`);
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

test('1,200 cold processes at once of an account near its end that was narrow: no 503', async () => {
  const run = new ScaleRun({
    plan: planOf(400, 16),
    keys: 16,
    startMs: START_MS,
    usageBytes: 400,
    balanceCu: 400_000,
  });
  await run.open();
  run.keepBalances(START_MS + 20 * SECOND_MS);
  for (let place = 0; place < 1_200; place += 1) {
    run.time.at(START_MS + 10 * SECOND_MS, () => run.request(place));
    run.time.at(START_MS + 12 * SECOND_MS + place, () => run.request(place));
  }
  await run.run();
  print('1,200 cold processes at once', run.figures);
  expect(run.figures).toMatchObject({ ...SOUND, answered: 2_400 });
});

test.each([
  { instances: 1_200, perSecond: 1_200, shards: 16, keys: 16, seconds: 6 },
  { instances: 5_000, perSecond: 700, shards: 1, keys: 2, seconds: 6 },
  { instances: 5_000, perSecond: 5_000, shards: 16, keys: 16, seconds: 2 },
])(
  'the turn of an hour, $instances processes, $shards shards, $perSecond/s near the end: no 503',
  async ({ instances, perSecond, shards, keys, seconds }) => {
    const turnMs = Date.UTC(2026, 10, 20, 10);
    const run = runOf({
      plan: planOf(Math.ceil((1.3 * perSecond) / keys), shards),
      keys,
      startMs: turnMs - (15 + seconds / 2) * SECOND_MS,
      balanceCu: 2 * seconds * perSecond * CALL_CU,
      open: openHour(instances),
    });
    const figures = await busySeconds(run, seconds, { instances, perSecond });
    print(`the turn of an hour, ${instances} processes, ${shards} shards`, figures);
    expect(figures).toMatchObject({ ...SOUND, answered: figures.requests });
  },
);

test.each([1, 16])(
  '20,000 lanes in one hour on %i shards, near the end: no 503, nothing throttled',
  async (shards) => {
    const run = runOf({
      plan: planOf(260, shards),
      usageBytes: 640,
      balanceCu: 100_000,
      open: openHour(20_000),
    });
    const figures = await busySeconds(run, 10, { perSecond: 200, instances: 500 });
    print(`20,000 lanes in one hour, ${shards} shards`, figures);
    expect(figures).toMatchObject({ ...SOUND, answered: figures.requests });
  },
);

test('clocks that are 5 seconds apart refuse no account with a balance', async () => {
  const run = runOf({
    plan: planOf(400),
    balanceCu: 100_000,
    skewMs: 5 * SECOND_MS,
  });
  const figures = await busySeconds(run, 10, { perSecond: 200, instances: 300 });
  print('clocks 5 seconds apart', figures);
  expect(figures).toMatchObject({ ...SOUND, answered: figures.requests });
});

/** Bursts of five seconds on 200 instances, of an account whose views are not refreshed for an hour. */
async function withoutViews(balanceCu: number, freezes: boolean) {
  const awayMs = START_MS + MINUTE_MS + 20 * SECOND_MS;
  const run = runOf({ balanceCu });
  await run.open();
  run.request(0);
  run.keepBalances(awayMs + HOUR_MS + 3 * MINUTE_MS, { fromMs: awayMs, toMs: awayMs + HOUR_MS, freezes });
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
  print(`no views for an hour, ${freezes ? 'frozen' : 'ended'}: 503 by burst ${unavailable}`, run.figures);
  expect(run.figures).toMatchObject({ unchargedCu: 0, throttled: 0 });
  return unavailable;
}

test.each([[false], [true]])(
  'the function that keeps the views is away for an hour (frozen: %s): an account that is far from its end notices nothing',
  async (freezes) => {
    // An hour of all that its key can spend, and more.
    expect(await withoutViews(2 * 3_600 * 800, freezes)).toEqual([0, 0, 0, 0, 0]);
  },
);

test.each([[false], [true]])(
  'the function that keeps the views is away for an hour (frozen: %s): an account near its end has old views for a minute, then 503, and recovers',
  async (freezes) => {
    const [before, inMinute, after, later, back] = await withoutViews(100_000, freezes);
    expect([before, inMinute, back]).toEqual([0, 0, 0]);
    expect(after).toBe(150);
    expect(later).toBe(150);
  },
);

/** 30 requests/s on 200 instances, while requests to a partition are refused for some time; 503 by ten seconds. */
async function throttled(partition: string, forMs: number, balanceCu: number) {
  const fromMs = START_MS + MINUTE_MS;
  const endMs = fromMs + forMs + 40 * SECOND_MS;
  const run = runOf({ balanceCu });
  await run.open();
  await run.wantView();
  run.keepBalances(endMs);
  run.send({
    fromMs: START_MS + 20 * SECOND_MS,
    durationMs: endMs - START_MS - 20 * SECOND_MS,
    perSecond: 30,
    instances: 200,
  });
  run.time.at(fromMs, () => run.limited.throttlePartition(partition, fromMs + forMs));
  const counts: number[] = [];
  for (let atMs = fromMs; atMs <= endMs; atMs += 10 * SECOND_MS)
    run.time.at(atMs, () => counts.push(run.figures.refused.billing_unavailable ?? 0));
  await run.run();
  await run.end();
  print(`${partition} throttled for ${forMs / SECOND_MS} s, 503 by 10 s: ${counts}`, run.figures);
  expect(run.figures.unchargedCu).toBe(0);
  const unavailable = (from: number, to: number) => (counts[to / 10] ?? 0) - (counts[from / 10] ?? 0);
  return { unavailable, forSeconds: forMs / SECOND_MS };
}

test.each([
  // Old readings admit for as long as the account certainly has a balance, and for a minute near its end.
  { what: 'lanes', partition: 'acme#0', forMs: 20 * SECOND_MS, soundSeconds: 20 },
  { what: 'lanes', partition: 'acme#0', forMs: 5 * MINUTE_MS, soundSeconds: 60 },
  // Neither item nor view can be read: what was read before decides for ten seconds.
  { what: 'item and view', partition: 'acme', forMs: 20 * SECOND_MS, soundSeconds: 10 },
  { what: 'item and view', partition: 'acme', forMs: 5 * MINUTE_MS, soundSeconds: 10 },
])(
  'an account near its end whose $what are throttled for $forMs ms: no 503 for $soundSeconds s, and none after it',
  async ({ partition, forMs, soundSeconds }) => {
    const balanceCu = forMs < MINUTE_MS ? 62_000 : 250_000;
    const { unavailable, forSeconds } = await throttled(partition, forMs, balanceCu);
    expect(unavailable(0, soundSeconds)).toBe(0);
    expect(unavailable(forSeconds + 10, forSeconds + 40)).toBe(0);
  },
);

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

test('a credit shows within three seconds on every instance of a wide account', async () => {
  const run = runOf({
    plan: planOf(100),
    usageBytes: 40,
    balanceCu: 1_000,
  });
  await run.open();
  run.keepBalances(START_MS + MINUTE_MS);
  const creditMs = START_MS + 30 * SECOND_MS;
  run.send({ fromMs: START_MS, durationMs: 60 * SECOND_MS, perSecond: 80, instances: 200 });
  let before = 0;
  const refusals = () => run.figures.refused.insufficient_balance ?? 0;
  run.time.at(creditMs, () => void run.credit(10_000_000));
  run.time.at(creditMs + 3 * SECOND_MS, () => {
    before = refusals();
  });
  await run.run();
  print('credited', run.figures);
  expect(before).toBeGreaterThan(0);
  expect(refusals()).toBe(before);
  expect(run.figures).toMatchObject(SOUND);
});
