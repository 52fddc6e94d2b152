import type { MetricId } from '../../local/dashboard/metric-series.ts';
import { synthesisedOnce } from '../support/synthesised-once.ts';
import { type Emit, PlayedAlarms } from './played-alarms.ts';

const HOUR = 60;
const DAY = 24 * HOUR;
/** Windows are a day at most. */
const RETENTION_MS = 25 * HOUR * 60_000;
const EVERY = 5;
/** Alarms of error budgets, and those that say at once what is wrong. */
const SECTIONS = /^(latency)?budgetburns|^(internalerrors|failedruns|billingunavailable)$/;

/** How many answers of a minute are bad. */
interface Minute {
  /** @default 100 */
  readonly responses?: number;
  readonly failed?: number;
  /** Of those that failed, as many are errors of the gateway's own. */
  readonly internal?: number;
  /** Of those that failed, as many are refused as the books do not answer. */
  readonly unbilled?: number;
  readonly crashed?: number;
  readonly slow?: number;
}

/** A metric without a function is of one interface alone. */
function isOf({ dimensions: { Function: of, FunctionName } }: MetricId, name: string): boolean {
  return of === undefined ? (FunctionName?.toLowerCase().includes(`functions${name}`) ?? true) : of === name;
}

/** The alarms of an interface after a good day. */
function play(name: 'rpc' | 'data') {
  const played = new PlayedAlarms(synthesisedOnce('example-production').folder, SECTIONS, RETENTION_MS);
  const metric = (wanted: string): MetricId => {
    const all = [
      ...played.metricsOf('budgetburns', '120'),
      ...played.metricsOf('latencybudgetburns', '120'),
      ...played.metricsOf('internalerrors'),
      ...played.metricsOf('billingunavailable'),
    ];
    const found = all.find((one) => one.name === wanted && isOf(one, name));
    if (found === undefined) throw new Error(`no alarm looks at ${wanted}`);
    return found;
  };
  const latency = metric(name === 'rpc' ? 'AddedLatency' : 'DataLatency');
  const of = { responses: metric('RunTime'), failed: metric('FailedAnswers'), crashed: metric('Errors') };
  const internals = metric('InternalErrors');
  const unbilledAnswers = metric('RefusedForUnavailability');
  const requests = metric('Count');
  const ones = (count: number) => new Array<number>(count).fill(1);
  const recording = (minuteOf: (minute: number) => Minute) => (emit: Emit, minute: number) => {
    const {
      responses = 100,
      failed = 0,
      internal = 0,
      unbilled = 0,
      crashed = 0,
      slow = 0,
    } = minuteOf(minute);
    emit(of.responses, ones(responses));
    emit(requests, ones(responses));
    emit(of.failed, ones(failed));
    emit(internals, ones(internal));
    emit(unbilledAnswers, ones(unbilled));
    emit(of.crashed, ones(crashed));
    emit(latency, [...ones(responses - slow), ...new Array<number>(slow).fill(2_500)]);
  };
  played.play(
    DAY,
    recording(() => ({})),
    DAY,
  );
  return {
    told: () => played.told.map((one) => `${one.severity} ${one.name} ${one.state}`),
    /** Minutes since that day. */
    minutes: () => played.told.map(({ minute }) => minute - DAY),
    pass: (minutes: number, minuteOf: (minute: number) => Minute) =>
      played.play(minutes, recording(minuteOf), EVERY),
  };
}

/** One in so many minutes has a bad answer. */
const rarely = (every: number) => (minute: number) => ({ failed: minute % every === 0 ? 1 : 0 });

test('a day within the objective sends no notification, and neither do one or two failures in the night', () => {
  const rpc = play('rpc');
  // 0.05 % of the answers, which is half of what may be.
  rpc.pass(DAY, rarely(20));
  rpc.pass(6 * HOUR, () => ({ responses: 1 }));
  rpc.pass(5, () => ({ responses: 1, failed: 1 }));
  rpc.pass(HOUR, () => ({ responses: 1 }));
  expect(rpc.told()).toEqual([]);
});

test('an hour in which 2 % fail sends a page before it is over, and the alarm ends soon after', () => {
  const rpc = play('rpc');
  rpc.pass(HOUR, () => ({ failed: 2 }));
  rpc.pass(3 * HOUR, () => ({}));
  expect(rpc.told()).toEqual(['page budgetburnsfast rpc ALARM', 'page budgetburnsfast rpc OK']);
  const [on = 0, off = 0] = rpc.minutes();
  // 1.44 % of an hour are 43 minutes of it; half an hour after its end the shorter window is clear.
  expect(on).toBeGreaterThanOrEqual(15);
  expect(on).toBeLessThanOrEqual(50);
  expect(off - HOUR).toBeLessThanOrEqual(35);
});

test('runs that crash use up the budget too, though they emit no figure', () => {
  const rpc = play('rpc');
  // Below the share at which failed runs send a page by themselves.
  rpc.pass(6 * HOUR, (minute) => ({ crashed: minute % 5 < 4 ? 1 : 0 }));
  expect(rpc.told()).toEqual(['page budgetburnsfast rpc ALARM']);
});

test('what another page says is not said twice, also when it is over', () => {
  const rpc = play('rpc');
  rpc.pass(30, () => ({ failed: 100, unbilled: 100 }));
  rpc.pass(3 * HOUR, () => ({}));
  expect(rpc.told()).toEqual(['page billingunavailable ALARM', 'page billingunavailable OK']);
});

test('what an alarm of several functions says is said for the budget too: another of them can keep it on', () => {
  const rpc = play('rpc');
  rpc.pass(30, () => ({ failed: 100, internal: 100 }));
  expect(rpc.told()).toContain('page internalerrors ALARM');
  expect(rpc.told()).toContain('page budgetburnsfast rpc ALARM');
});

test('a day in which 0.4 % fail is a ticket, and no page', () => {
  const rpc = play('rpc');
  rpc.pass(DAY, (minute) => ({ failed: minute % 5 < 2 ? 1 : 0 }));
  expect(rpc.told()).toEqual(['ticket budgetburns ALARM']);
  expect(rpc.minutes()[0]).toBeGreaterThan(17 * HOUR);
});

test('hours in which one answer in ten is slow are a ticket', () => {
  const rpc = play('rpc');
  rpc.pass(6 * HOUR, () => ({ slow: 10 }));
  expect(rpc.told()).toEqual(['ticket latencybudgetburns ALARM']);
  const [on = 0] = rpc.minutes();
  expect(on).toBeGreaterThan(3 * HOUR);
});

test('the Data API has an objective of its own', () => {
  const data = play('data');
  data.pass(HOUR, () => ({ failed: 2 }));
  expect(data.told()).toEqual([]);
  data.pass(HOUR, () => ({ failed: 10 }));
  expect(data.told()).toEqual(['page budgetburnsfast data ALARM']);
});

test('its slow answers are a ticket of their own share', () => {
  const data = play('data');
  data.pass(6 * HOUR, () => ({ slow: 15 }));
  expect(data.told()).toEqual([]);
  data.pass(6 * HOUR, () => ({ slow: 30 }));
  expect(data.told()).toEqual(['ticket latencybudgetburns ALARM']);
});
