import { judgeComposite, readCompositeAlarms } from '../../../local/dashboard/composite-alarm.ts';
import type { AlarmState } from '../../../local/dashboard/judge-alarm.ts';
import { loadAssembly } from '../assembly.ts';

function read(AlarmRule: string, properties: object = {}) {
  const { template, resolver } = loadAssembly({
    A: { Type: 'AWS::CloudWatch::CompositeAlarm', Properties: { AlarmRule, ...properties } },
  });
  const [alarm] = readCompositeAlarms(template, resolver);
  if (alarm === undefined) throw new Error('no alarm is read');
  return alarm;
}

const STATES = new Map<string, AlarmState>([
  ['on', 'ALARM'],
  ['off', 'OK'],
  ['new', 'INSUFFICIENT_DATA'],
  ['far', 'NOT_AVAILABLE'],
]);

test.each([
  ['ALARM("on")', 'ALARM'],
  ['ALARM("off")', 'OK'],
  ['OK("off")', 'ALARM'],
  ['INSUFFICIENT_DATA("new")', 'ALARM'],
  ['ALARM("far")', 'NOT_AVAILABLE'],
  ['(ALARM("off") OR ALARM("far") OR ALARM("on"))', 'ALARM'],
  ['ALARM("on") AND ALARM("off")', 'OK'],
  ['(((ALARM("on") AND ALARM("off")) OR (ALARM("on") AND OK("off"))))', 'ALARM'],
  ['(ALARM("on") OR ALARM("on")) AND ALARM("off")', 'OK'],
] as const)('%s is %s', (rule, state) => {
  expect(judgeComposite(read(rule), STATES).state).toBe(state);
});

test('says which of its alarms are on', () => {
  const rule = 'ALARM("arn:aws:cloudwatch:x:1:alarm:one") OR ALARM("arn:aws:cloudwatch:x:1:alarm:two")';
  const states = new Map<string, AlarmState>([['arn:aws:cloudwatch:x:1:alarm:two', 'ALARM']]);
  expect(judgeComposite(read(rule), states).reason).toBe('on: two');
});

test('is kept back by another', () => {
  const { suppressor } = read('ALARM("on")', {
    ActionsSuppressor: 'cause',
    ActionsSuppressorWaitPeriod: 120,
    ActionsSuppressorExtensionPeriod: 300,
  });
  expect(suppressor).toEqual({ arn: 'cause', waitSeconds: 120, extensionSeconds: 300 });
});

test.each([
  '',
  'ALARM',
  'ALARM()',
  'ALARM("a"',
  '("a")',
  'ALARM("a") ALARM("b")',
  'ALARM("a") OR',
  'MAYBE("a")',
  'ALARM("a") OR ALARM("b") AND ALARM("c")',
  `${'('.repeat(60)}ALARM("a")${')'.repeat(59)}`,
])('a rule that is none is refused: %s', (rule) => {
  expect(() => read(rule)).toThrow('A (AWS::CloudWatch::CompositeAlarm): AlarmRule');
});
