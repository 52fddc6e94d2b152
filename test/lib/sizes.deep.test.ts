/** What a size leaves out is in no template, and the month that each synth prints keeps what the size promises. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { monthOfStage } from '../../bin/cost/stage-month.ts';
import { readStageResources } from '../../bin/cost/stage-resources.ts';
import { parseStageConfig } from '../../lib/config/config.ts';
import { stageFile } from '../../lib/config/stage-files.ts';
import { loadTemplate } from '../../local/template/load-template.ts';
import { nextFiring, parseSchedule } from '../../local/triggers/schedule-expression.ts';
import { type Resource, type SynthesisedStage, stagesOf } from './synthesised-stage.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const STARTER = JSON.parse(readFileSync(stageFile('starter'), 'utf8'));
const CONTENTS = {
  trial: STARTER,
  indexedTrial: { ...STARTER, stage: 'indexed-trial', indexing: { enabled: true } },
  startup: { ...STARTER, stage: 'startup', size: 'startup', indexing: { enabled: true } },
};
let stages: Readonly<Record<keyof typeof CONTENTS, SynthesisedStage>>;

beforeAll(() => {
  stages = stagesOf(CONTENTS);
});

function alarmsOf(stage: SynthesisedStage): number {
  return ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm'].reduce(
    (sum, type) => sum + stage.resources(type).length,
    0,
  );
}

function monthOf(name: keyof typeof CONTENTS) {
  const config = parseStageConfig(CONTENTS[name], name);
  return monthOfStage(
    config,
    readStageResources(loadTemplate(stages[name].folder, `gateway-${config.stage}`)),
  );
}

test('a trial has five alarms, keeps no data, and has no firewall, no database and nothing public', () => {
  const { trial } = stages;
  expect(alarmsOf(trial)).toBe(5);
  for (const type of [
    'AWS::WAFv2::WebACL',
    'AWS::RDS::DBCluster',
    'AWS::EC2::VPC',
    'AWS::Backup::BackupPlan',
  ])
    expect(trial.resources(type)).toEqual([]);
  const resources = Object.values(trial.template.toJSON().Resources as Record<string, Resource>);
  const kept = resources.filter(({ DeletionPolicy }) => DeletionPolicy?.startsWith('Retain'));
  // Versions go with their functions; the role with which API Gateway writes logs is the account's.
  expect([...new Set(kept.map(({ Type }) => Type))].sort()).toEqual([
    'AWS::ApiGateway::Account',
    'AWS::IAM::Role',
    'AWS::Lambda::Version',
  ]);
  expect(trial.text).not.toContain('"ReservedConcurrentExecutions"');
  for (const [, { Properties }] of trial.resources('AWS::S3::Bucket'))
    expect(Properties.PublicAccessBlockConfiguration).toEqual({
      BlockPublicAcls: true,
      BlockPublicPolicy: true,
      IgnorePublicAcls: true,
      RestrictPublicBuckets: true,
    });
  expect(trial.text).not.toContain('ObjectLockConfiguration');
});

test('a start-up has some 25 alarms and heads that are locked for forty days', () => {
  expect(alarmsOf(stages.startup)).toBeLessThanOrEqual(33);
  expect(alarmsOf(stages.startup)).toBeGreaterThanOrEqual(20);
  expect(stages.startup.text).toMatch(
    /"Mode": "COMPLIANCE",?\s+"Days": 40|"Days": 40,\s+"Mode": "COMPLIANCE"/,
  );
});

test('a trial costs at most 15 USD a month without a request', () => {
  expect(monthOf('trial').idleUsd).toBeLessThanOrEqual(15);
});

test('a start-up of one chain costs less without a request than it does with a million a day', () => {
  const { idleUsd, usd } = monthOf('startup');
  expect(idleUsd).toBeLessThan(usd);
  expect(idleUsd).toBeLessThanOrEqual(260);
});

test('the guide says what each size costs in a month without a request', () => {
  const guide = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'deploy.md'), 'utf8');
  const [, ...said] =
    /a trial costs about (\d+) USD a month\. With `indexing.enabled` it costs some (\d+):[^:]*A start-up with one indexed\s+chain costs some (\d+)\./.exec(
      guide,
    ) ?? [];
  const counted = (['trial', 'indexedTrial', 'startup'] as const).map((name) => monthOf(name).idleUsd);
  // Rounded to whole five USD.
  expect(said.map((usd, index) => Math.abs(Number(usd) - (counted[index] ?? 0)) <= 2.5)).toEqual([
    true,
    true,
    true,
  ]);
});

test('a trial with an index lets its database sleep: nine in ten minutes of a day no schedule asks it', () => {
  expect(monthOf('indexedTrial').idleUsd).toBeLessThanOrEqual(45);
  const schedules = stages.indexedTrial
    .resources('AWS::Events::Rule')
    .filter(([id]) => /^(Indexing|Snapshots)/.test(id))
    .map(([, { Properties }]) => parseSchedule(String(Properties?.ScheduleExpression)));
  expect(schedules).toHaveLength(2);
  const minutes = new Set<number>();
  for (const schedule of schedules)
    for (let next = nextFiring(schedule, -1); next < DAY_MS; next = nextFiring(schedule, next))
      minutes.add(Math.floor(next / MINUTE_MS));
  const windows = new Set([...minutes].map((minute) => Math.floor(minute / 5)));
  expect([minutes.size, windows.size]).toEqual([72, 24]);
});
