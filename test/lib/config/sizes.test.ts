/** A size decides what a stage file does not say, each entry can override it, and `production` changes nothing. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { loadDeployedConfig, parseStageConfig } from '../../../lib/config/config.ts';
import type { StageConfigInput } from '../../../lib/config/stage-config.ts';
import { stageFile } from '../../../lib/config/stage-files.ts';
import { ALARM_SECTIONS } from '../../../lib/monitoring/alarm-extents.ts';

const STARTER = JSON.parse(readFileSync(stageFile('starter'), 'utf8')) as StageConfigInput;
const RUNBOOK = readFileSync('docs/runbook.md', 'utf8');

function parsed(entries: object = {}) {
  return parseStageConfig({ ...STARTER, ...entries }, 'stage.json');
}

test('the starter file deploys as it is, with one secret to make', () => {
  const config = loadDeployedConfig(stageFile('starter'), '444455556666');
  expect(config).toMatchObject({ size: 'trial', removal: 'destroy' });
  expect(JSON.stringify(config).match(/secret:[\w/]+/g)).toEqual(['secret:gateway/starter/node']);
});

test('a trial costs little, blocks floods by rate, keeps nothing and needs no quota', () =>
  expect(parsed()).toMatchObject({
    removal: 'destroy',
    firewall: { enabled: false },
    throttling: { requestsPerSecond: 20 },
    functions: { reserveConcurrency: false },
    releases: { canary: false },
    database: { enabled: false },
    indexing: { enabled: false },
    heads: { lockDays: 0 },
    alarms: { enabled: true, extent: 'least' },
    objectives: { enabled: false },
  }));

test('a trial has a database if it indexes, one that can sleep', () =>
  expect(parsed({ indexing: { enabled: true } })).toMatchObject({
    database: { enabled: true, minAcu: 0 },
    indexing: { enabled: true },
  }));

test('a trial has a budget if somebody is there to be notified', () => {
  expect(parsed().alarms.monthlyBudgetUsd).toBeUndefined();
  expect(parsed({ alarms: { email: 'a@gateway.test' } }).alarms).toMatchObject({ monthlyBudgetUsd: 50 });
});

test('a start-up keeps its firewall and its heads, for forty days', () =>
  expect(parsed({ size: 'startup' })).toMatchObject({
    removal: 'retain',
    firewall: { enabled: true },
    heads: { lockDays: 40 },
    alarms: { extent: 'usual' },
    database: { enabled: true, minAcu: 0.5 },
  }));

test('production is what a file without a size is', () => {
  const { size, ...rest } = STARTER;
  expect(parseStageConfig(rest, 'stage.json')).toEqual(parsed({ size: 'production' }));
});

test('what a stage file says wins over its size, entry by entry', () => {
  const entries = fc.record(
    {
      removal: fc.constantFrom('retain', 'destroy'),
      firewall: fc.record({ enabled: fc.boolean() }, { requiredKeys: [] }),
      throttling: fc.record({
        requestsPerSecond: fc.nat({ max: 99 }).map((n) => n + 1),
        burst: fc.constant(7),
      }),
      heads: fc.record({ lockDays: fc.nat({ max: 400 }) }, { requiredKeys: [] }),
      alarms: fc.record({ extent: fc.constantFrom('least', 'usual', 'all') }, { requiredKeys: [] }),
      objectives: fc.record({ enabled: fc.boolean() }, { requiredKeys: [] }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.constantFrom('trial', 'startup', 'production'), entries, (size, said) => {
      expect(parsed({ size, ...said })).toMatchObject(said);
    }),
  );
});

test.each([
  [{ size: 'tiny' }, 'size: must be "trial", "startup", "production"'],
  [{ heads: { lockDays: -1 } }, 'heads.lockDays: must be an integer from 0 to 3650'],
  [{ alarms: 'none' }, 'alarms: must be an object'],
  [{ alarms: { extent: 'some' } }, 'alarms.extent: must be "least", "usual", "all"'],
])('%j is refused', (entries, problem) => expect(() => parsed(entries)).toThrow(problem));

test('every alarm of an extent has its section of the runbook', () => {
  for (const section of [...(ALARM_SECTIONS.least ?? []), ...(ALARM_SECTIONS.usual ?? [])])
    expect(RUNBOOK.toLowerCase()).toContain(`## ${section.toLowerCase()}\n`);
});
