import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { createAttributes } from '../../../local/template/attributes.ts';
import { createResolver } from '../../../local/template/intrinsics.ts';
import { ThrottledError } from '../../../local/triggers/invoke-or-fail.ts';
import type { Queue } from '../../../local/triggers/queue.ts';
import { firstFiring, nextFiring, parseSchedule } from '../../../local/triggers/schedule-expression.ts';
import { createSchedules } from '../../../local/triggers/schedules.ts';
import { openQueues } from '../../../local/triggers/template-queues.ts';
import { makeTemplate } from '../make-template.ts';

const HOUR_MS = 3_600_000;
const START = Date.parse('2026-11-20T23:17:30Z');

test.each([
  ['rate(1 hour)', '2026-11-21T00:00:00.000Z'],
  ['rate(5 minutes)', '2026-11-20T23:20:00.000Z'],
  ['rate(1 day)', '2026-11-21T00:00:00.000Z'],
  ['cron(10 * * * ? *)', '2026-11-21T00:10:00.000Z'],
  ['cron(0/20 * * * ? *)', '2026-11-20T23:20:00.000Z'],
  ['cron(5,18 * ? * * *)', '2026-11-20T23:18:00.000Z'],
  ['cron(0 6 * * ? *)', '2026-11-21T06:00:00.000Z'],
  ['cron(0 1/6 * * ? *)', '2026-11-21T01:00:00.000Z'],
])('%s fires next at %s', (expression, next) => {
  expect(new Date(nextFiring(parseSchedule(expression), START)).toISOString()).toBe(next);
});

test.each([
  'cron(0 0 1 * ? *)',
  'cron(0 0 ? * MON *)',
  'cron(60 * * * ? *)',
  'rate(0 hours)',
  'at(2026-11-20T00:00:00)',
])('%s is refused by name', (expression) => {
  expect(() => parseSchedule(expression)).toThrow(`schedule ${expression} is not supported`);
});

test('a schedule fires after now, and within a day and its period', () => {
  const schedules = fc.constantFrom(
    'rate(1 minute)',
    'rate(7 minutes)',
    'rate(1 hour)',
    'cron(10 * * * ? *)',
  );
  fc.assert(
    fc.property(schedules, fc.integer({ min: 0, max: 4e12 }), (expression, now) => {
      const next = nextFiring(parseSchedule(expression), now);
      expect(next).toBeGreaterThan(now);
      expect(next - now).toBeLessThanOrEqual(HOUR_MS);
      expect(next % 60_000).toBe(0);
    }),
  );
});

function hourlyRule(target: object = {}, rule: object = {}, others: Record<string, object> = {}) {
  const template = makeTemplate({
    Settle: { Type: 'AWS::Lambda::Function', Properties: {} },
    Hourly: {
      Type: 'AWS::Events::Rule',
      Properties: {
        ScheduleExpression: 'rate(1 hour)',
        Targets: [{ Id: 'Target0', Arn: { 'Fn::GetAtt': ['Settle', 'Arn'] }, ...target }],
        ...rule,
      },
    },
    ...others,
  });
  return {
    template,
    resolve: createResolver(template, { attribute: createAttributes(template, 'http://sqs') }),
  };
}

function run(
  stack: ReturnType<typeof hourlyRule> & { readonly queues?: ReadonlyMap<string, Queue> },
  invoke: (id: string, event: object) => Promise<unknown>,
) {
  const clock = { time: START, now: () => clock.time };
  const failures: string[] = [];
  const onFailure = (logicalId: string, error: unknown) => failures.push(`${logicalId}: ${error}`);
  const schedules = createSchedules({
    queues: new Map(),
    ...stack,
    invoke,
    clock,
    onFailure,
    throttledPauseMs: 1,
  });
  return { clock, schedules, failures };
}

test('what goes on all the time begins with the run, everything else when it is due', () => {
  const first = (expression: string) => firstFiring(parseSchedule(expression), START + 10_000);
  expect(first('rate(1 minute)')).toBe(START - 30_000);
  expect(first('rate(5 minutes)')).toBeLessThanOrEqual(START);
  expect(first('rate(1 hour)')).toBeGreaterThan(START);
  expect(first('cron(0 * * * ? *)')).toBeGreaterThan(START);
  expect(first('cron(0,1,2 * * * ? *)')).toBe(START - 30_000);
});

test('a rule fires once when it is due, with the event of EventBridge', async () => {
  const events: [string, object][] = [];
  const { clock, schedules } = run(hourlyRule(), async (id, event) => events.push([id, event]));
  schedules.tick();
  expect(events).toEqual([]);
  clock.time += HOUR_MS;
  schedules.tick();
  schedules.tick();
  expect(events).toEqual([
    [
      'Settle',
      {
        version: '0',
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        'detail-type': 'Scheduled Event',
        source: 'aws.events',
        account: '000000000000',
        time: '2026-11-21T00:00:00Z',
        region: 'us-east-1',
        resources: ['arn:aws:events:us-east-1:000000000000:rule/stack-Hourly'],
        detail: {},
      },
    ],
  ]);
  clock.time += 5 * HOUR_MS;
  schedules.tick();
  expect(events).toHaveLength(2);
  // A run that lasts until the next time must not take this one for over.
  expect(events[1]?.[1]).toMatchObject({ time: '2026-11-21T05:00:00Z' });
  await schedules.close();
});

test('a target may have an input of its own', async () => {
  const events: object[] = [];
  const { clock, schedules } = run(hourlyRule({ Input: '{"shard":1}' }), async (_, event) =>
    events.push(event),
  );
  clock.time += HOUR_MS;
  schedules.tick();
  await schedules.close();
  expect(events).toEqual([{ shard: 1 }]);
});

test('a delivery that fails is tried twice more and then told', async () => {
  let calls = 0;
  const { clock, schedules, failures } = run(hourlyRule(), async () => {
    calls += 1;
    throw new Error('no');
  });
  clock.time += HOUR_MS;
  schedules.tick();
  await schedules.close();
  expect(calls).toBe(3);
  expect(failures).toEqual(['Settle: Error: no']);
});

test('a delivery that fails is tried as often as the template says, and then kept', async () => {
  let calls = 0;
  const invokeConfig = {
    Type: 'AWS::Lambda::EventInvokeConfig',
    Properties: {
      FunctionName: { Ref: 'Settle' },
      Qualifier: '$LATEST',
      MaximumRetryAttempts: 0,
      MaximumEventAgeInSeconds: 120,
    },
  };
  const { clock, schedules, failures } = run(hourlyRule({}, {}, { Config: invokeConfig }), async () => {
    calls += 1;
    throw new Error('no');
  });
  clock.time += HOUR_MS;
  schedules.tick();
  await schedules.close();
  expect([calls, failures]).toEqual([1, ['Settle: Error: no']]);
});

test('a delivery waits while its function is throttled', async () => {
  const done = Promise.withResolvers<void>();
  let calls = 0;
  const { clock, schedules, failures } = run(hourlyRule(), async () => {
    calls += 1;
    if (calls < 10) throw new ThrottledError('Settle');
    done.resolve();
  });
  clock.time += HOUR_MS;
  schedules.tick();
  await done.promise;
  await schedules.close();
  expect(failures).toEqual([]);
});

test('an event that is too old when its function is still throttled is told and kept', async () => {
  const told = Promise.withResolvers<void>();
  let calls = 0;
  const target = {
    RetryPolicy: { MaximumEventAgeInSeconds: 180 },
    DeadLetterConfig: { Arn: { 'Fn::GetAtt': ['Failed', 'Arn'] } },
  };
  const stack = hourlyRule(target, {}, { Failed: { Type: 'AWS::SQS::Queue', Properties: {} } });
  const folder = mkdtempSync(join(tmpdir(), 'schedules-'));
  const queues = openQueues(stack.template, stack.resolve, folder, { now: () => START });
  const { clock, schedules, failures } = run({ ...stack, queues }, async () => {
    calls += 1;
    clock.time += 50_000;
    if (calls === 4) setImmediate(told.resolve);
    throw new ThrottledError('Settle');
  });
  clock.time += HOUR_MS;
  schedules.tick();
  await told.promise;
  await schedules.close();
  expect(calls).toBe(4);
  expect(failures).toEqual(['Settle: ThrottledError: Settle']);
  expect([...queues.values()].map((queue) => queue.counts().visible)).toEqual([1]);
  rmSync(folder, { recursive: true });
});

test('a disabled rule never fires', async () => {
  const events: object[] = [];
  const { clock, schedules } = run(hourlyRule({}, { State: 'DISABLED' }), async (_, event) =>
    events.push(event),
  );
  clock.time += HOUR_MS;
  schedules.tick();
  await schedules.close();
  expect(events).toEqual([]);
});

test('a target that is no function, or one that is made into something else, is refused', () => {
  expect(() => run(hourlyRule({ Arn: 'arn:aws:sns:x' }), async () => undefined)).toThrow(
    /Hourly: a target is not a function/,
  );
  expect(() => run(hourlyRule({ InputTransformer: {} }), async () => undefined)).toThrow(
    /Targets.InputTransformer/,
  );
});
