import { planSelling, printFigures as print, ScaleRun, SOUND } from './scale-run.ts';

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
/** The next hour begins half an hour later. */
const START_MS = Date.UTC(2026, 10, 20, 9, 30);
const TIME_LIMIT_MS = 1_800_000;

jest.setTimeout(TIME_LIMIT_MS);

/** Of instances in three days, those whose admission is run as well: each reads every lane that is not settled. */
const WHOLE_REQUEST_EVERY = 200;

/** A plan that sells so many requests a second, with a bucket of two. */
const planOf = (requestsPerSecond: number, shards = 1) => planSelling(requestsPerSecond, 2, shards);

test.each([1, 1_000])('a charge is one write unit, on %i instances', async (instances) => {
  const run = new ScaleRun({ plan: planOf(1_000, 2), keys: 4, startMs: START_MS });
  await run.open();
  run.send({ fromMs: START_MS, durationMs: 4 * SECOND_MS, perSecond: 500, instances });
  await run.run();
  print(`${instances} instances`, run.figures);
  expect(run.figures).toMatchObject({ ...SOUND, answered: 2_000, unitsPerCharge: 1 });
});

test('100 requests a second on 100 instances, writes throttled for 5 minutes', async () => {
  const throttledMs = 5 * MINUTE_MS;
  const run = new ScaleRun({ plan: planOf(130), keys: 2, startMs: START_MS });
  await run.open();
  const fromMs = START_MS + MINUTE_MS;
  run.time.at(fromMs, () => run.limited.throttleWrites(fromMs + throttledMs));
  run.send({ fromMs: START_MS, durationMs: 9 * MINUTE_MS, perSecond: 100, instances: 100 });
  await run.run();
  const { figures } = run;
  print('writes throttled for 5 minutes', figures);
  // A refusal at the very end of the time has been under way for as long as an admission is tried.
  expect(figures.last503Second).toBeLessThan((fromMs + throttledMs - START_MS) / SECOND_MS + 1);
  await run.end();
  expect(run.figures.unchargedCu).toBe(0);
});

test('200 requests a second, with 300 at once and three times the plan for 5 seconds', async () => {
  const run = new ScaleRun({ plan: planOf(250), keys: 1, startMs: START_MS });
  await run.open();
  const burstMs = START_MS + 20 * SECOND_MS;
  run.send({ fromMs: START_MS, durationMs: MINUTE_MS, perSecond: 200 });
  run.send({ fromMs: burstMs, durationMs: 10, perSecond: 30_000 });
  run.send({ fromMs: burstMs + 15 * SECOND_MS, durationMs: 5 * SECOND_MS, perSecond: 550 });
  await run.run();
  print('burst', run.figures);
  expect(run.figures).toMatchObject(SOUND);
  expect(Object.keys(run.figures.refused)).toEqual(['rate_limited']);
});

test('500 new instances an hour for three days without settlement', async () => {
  const run = new ScaleRun({ plan: planOf(130), keys: 2, startMs: START_MS });
  await run.open();
  const instances = 72 * 500;
  for (let place = 0; place < instances; place += 1) {
    const atMs = START_MS + (place * HOUR_MS) / 500;
    run.time.at(atMs, () => (place % WHOLE_REQUEST_EVERY === 0 ? run.request(place) : run.charge()));
  }
  await run.run();
  const { figures } = run;
  run.time.at(run.time.nowMs + 2 * HOUR_MS, () => {});
  await run.run();
  const settled = await run.settle();
  print('36,000 instances in three days', figures, settled);
  expect(figures).toMatchObject({ ...SOUND, answered: instances });
  expect(settled.settledCu).toBe(figures.answeredCu);
});

test('800 requests a second of one key that sells 800, on 300 instances: no draw is throttled', async () => {
  const run = new ScaleRun({ plan: planOf(800, 2), keys: 1, startMs: START_MS });
  await run.open();
  run.send({ fromMs: START_MS, durationMs: 6 * SECOND_MS, perSecond: 800, instances: 300 });
  await run.run();
  const { writes } = run.limited.figures('keys');
  print('800/s of one key, 300 instances', run.figures, { writesPerDraw: writes / run.figures.answered });
  // Nothing is throttled, the writes of keys among it.
  expect(run.figures).toMatchObject({ ...SOUND, answered: 4_800 });
});

test('10,000 requests a second of one account on 1,200 instances, while an hour turns', async () => {
  const run = new ScaleRun({
    plan: planOf(1_000, 16),
    keys: 16,
    startMs: START_MS + 30 * MINUTE_MS - 3 * SECOND_MS,
  });
  await run.open();
  const fromMs = run.time.nowMs;
  run.send({ fromMs, durationMs: 6 * SECOND_MS, perSecond: 10_000, instances: 1_200 });
  await run.run();
  print('10,000/s, 1,200 instances', run.figures);
  expect(run.figures).toMatchObject({ ...SOUND, answered: 60_000 });
});
