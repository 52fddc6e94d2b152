import { metricNamespace } from '../../../lambdas/shared/runtime/metrics.ts';
import { judgeAlarm } from '../../../local/dashboard/judge-alarm.ts';
import { MetricStore } from '../../../local/dashboard/metric-store.ts';
import { readAlarms } from '../../../local/dashboard/read-alarms.ts';
import { createAttributes } from '../../../local/template/attributes.ts';
import { createResolver } from '../../../local/template/intrinsics.ts';
import { loadTemplate } from '../../../local/template/load-template.ts';
import { synthesisedOnce } from '../../support/synthesised-once.ts';

const STAGE = 'example-web';
const NOW = 1_800_001_800_000;
const MINUTE_MS = 60_000;
const MINUTES = 5;
const OWN = metricNamespace(STAGE);

let alarms: ReturnType<typeof readAlarms>;

beforeAll(() => {
  const template = loadTemplate(synthesisedOnce(STAGE).folder);
  const attribute = createAttributes(template, 'http://127.0.0.1:1');
  alarms = readAlarms(template, createResolver(template, { attribute }));
});

function alarmOf(section: string) {
  const found = alarms.find(({ description }) => description.endsWith(`#${section.toLowerCase()}`));
  if (found === undefined) throw new Error(`no alarm ${section}`);
  return found;
}

/** State of an alarm after five minutes in each of which there were so many of these. */
function stateAfter(
  section: string,
  { answers = 0, failed = 0, serverErrors = 0, refused = 0, underWay = 0 }: Readonly<Record<string, number>>,
): string {
  const store = new MetricStore({ now: () => NOW });
  const record = (namespace: string, name: string, dimensions: Record<string, string>, value: number) => {
    for (let minute = 0; minute < 4 * MINUTES; minute += 1)
      store.record({ namespace, name, dimensions, value, atMs: NOW - minute * MINUTE_MS - 1 });
  };
  const run = { Function: 'rpc' };
  for (let answer = 0; answer < answers; answer += 1) record(OWN, 'RunTime', run, 5);
  if (failed > 0) record(OWN, 'FailedAnswers', run, failed);
  if (refused > 0) record(OWN, 'RequestsWithoutSecret', {}, refused);
  if (underWay > 0) record(OWN, 'RequestsUnderWay', {}, underWay);
  if (serverErrors > 0)
    record(
      'AWS/Lambda/Web',
      'HTTPResponseStatusClass5XX',
      { FunctionName: 'gateway-example-web-rpc-us-east-1', EndpointName: 'prod' },
      serverErrors,
    );
  const times = { nowMs: NOW, startedAtMs: NOW - 4 * MINUTES * MINUTE_MS };
  return judgeAlarm(alarmOf(section), store, times, 'OK').state;
}

test('answers that Lambda gives itself page, and those of the function do not', () => {
  expect(stateAfter('LambdaAnswers', { answers: 20, serverErrors: 2 })).toBe('ALARM');
  expect(stateAfter('LambdaAnswers', { serverErrors: 2 })).toBe('ALARM');
  expect(stateAfter('LambdaAnswers', { answers: 20, serverErrors: 2, failed: 2 })).toBe('OK');
  expect(stateAfter('LambdaAnswers', { answers: 20 })).not.toBe('ALARM');
});

test('requests without the secret page if they are most of all', () => {
  expect(stateAfter('RequestsWithoutSecret', { answers: 10, refused: 30 })).toBe('ALARM');
  expect(stateAfter('RequestsWithoutSecret', { refused: 30 })).toBe('ALARM');
  expect(stateAfter('RequestsWithoutSecret', { answers: 10, refused: 10 })).toBe('OK');
  expect(stateAfter('RequestsWithoutSecret', { answers: 1, refused: 3 })).toBe('OK');
});

test('environments that are nearly full are told', () => {
  expect(stateAfter('EnvironmentsBusy', { underWay: 60 })).toBe('ALARM');
  expect(stateAfter('EnvironmentsBusy', { underWay: 40 })).toBe('OK');
});
