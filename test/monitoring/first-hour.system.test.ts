import type { MetricValues } from '../../lambdas/shared/runtime/metrics.ts';
import { variedStage } from '../lib/varied-stages.ts';
import { testAtLength } from '../support/at-length-tests.ts';
import { synthesisedOnce } from '../support/synthesised-once.ts';
import { emitted } from './many-chains.ts';
import { type Emit, PlayedAlarms } from './played-alarms.ts';

const HOUR = 60;
const CHAINS = ['example_mainnet', 'example_testnet'];
const RETENTION_MS = 12 * HOUR * 60_000;
/** Every metric of AWS is known, as in an account, and none has a quota. */
const ACCOUNT = { quotaOf: () => undefined };

const newStage = () =>
  new PlayedAlarms(synthesisedOnce('example-production').folder, undefined, RETENTION_MS, ACCOUNT);

/** Minute of each hour in which `seal` runs: its rule was made ten minutes after those of minutes began. */
const SEALS_AT = 13;

/** A minute of a stage that nobody uses yet: schedules of minutes run from the third on, those of hours from the first hour on. */
function quiet(emit: Emit, minute: number, chains: readonly string[] = CHAINS): void {
  if (minute < 3) return;
  emitted(emit, { BalanceViewAge: 0 });
  const index: MetricValues = { IndexerLagBlocks: 0, IndexedHeadAge: 1, RollupLagBlocks: 0, SnapshotAge: 60 };
  for (const Chain of chains) emitted(emit, index, { Chain });
  if (minute % HOUR === 1) emitted(emit, { AuditedAccounts: 0 });
  if (minute % HOUR === SEALS_AT && minute > HOUR) emitted(emit, { SealedRecords: 0 });
}

const told = (played: PlayedAlarms, from = 0) =>
  played.told
    .filter(({ minute }) => minute > from)
    .map(({ minute, severity, name, state }) => `${minute}: ${severity} ${name} ${state}`);

test('a stage without any figure sends nothing for an hour, and then one page', () => {
  const played = newStage();
  played.play(HOUR, () => {});
  expect(told(played)).toEqual([]);
  // They are on all the same: nothing has come of what they wait for.
  expect(played.on()).toEqual(
    expect.arrayContaining(['accountbalancesold', ...CHAINS.map((chain) => `chainbehind ${chain}`)]),
  );
  played.play(5 * HOUR, () => {});
  expect(told(played)).toEqual(['76: page notbegun ALARM']);
});

test('a new stage that nobody uses sends nothing but that no request and no backup came for hours', () => {
  const played = newStage();
  played.play(5 * HOUR, quiet);
  expect(told(played).map((one) => one.replace(/^\d+: /, ''))).toEqual([
    'ticket notraffic ALARM',
    'ticket backupmissing ALARM',
  ]);
  expect(played.told[0]?.minute).toBeGreaterThan(2 * HOUR);
  expect(played.told[1]?.minute).toBeGreaterThan(3 * HOUR);
});

test('silence that begins after the first hour is told as soon as ever', () => {
  const played = newStage();
  const requests = played.metricsOf('notraffic').filter(({ name }) => name === 'Count');
  const backups = played.metricsOf('backupmissing').filter(({ namespace }) => namespace === 'AWS/Backup');
  const used = (emit: Emit, minute: number, chains = CHAINS) => {
    quiet(emit, minute, chains);
    for (const metric of [...requests, ...backups]) emit(metric, [1]);
  };
  const soundMinutes = 100;
  played.play(soundMinutes, used);
  expect(told(played)).toEqual([]);
  played.play(30, (emit, minute) => used(emit, minute, CHAINS.slice(1)));
  expect(told(played)).toEqual(['107: ticket chainbehind example_mainnet ALARM']);
  played.play(20, (emit, minute) => {
    if (minute % HOUR === 1) emitted(emit, { AuditedAccounts: 0 });
  });
  expect(told(played, 130)).toEqual([
    '133: page accountbalancesold ALARM',
    '137: ticket chainbehind example_testnet ALARM',
  ]);
});

test('audits, heads, requests and backups that stop are tickets after as many hours as ever', () => {
  const played = newStage();
  const stopped = 90;
  played.play(stopped, (emit, minute) => {
    quiet(emit, minute);
    for (const section of ['notraffic', 'backupmissing'])
      for (const metric of played.metricsOf(section))
        if (metric.namespace.startsWith('AWS/')) emit(metric, [1]);
  });
  expect(told(played)).toEqual([]);
  played.play(5 * HOUR, (emit, minute) => {
    if (minute % HOUR !== 1 && minute % HOUR !== SEALS_AT) quiet(emit, minute);
    else emitted(emit, { BalanceViewAge: 0 });
  });
  expect(told(played)).toEqual([
    `${61 + 3 * HOUR}: ticket noaudit ALARM`,
    `${HOUR + SEALS_AT + 3 * HOUR}: ticket nohead ALARM`,
    `${stopped + 3 * HOUR}: ticket notraffic ALARM`,
    `${stopped + 4 * HOUR}: ticket backupmissing ALARM`,
  ]);
});

testAtLength('a probe that has no key yet pages from the first audit on', () => {
  const played = new PlayedAlarms(variedStage('most').folder, /^(probefailing|notbegun)/, RETENTION_MS);
  const of = (section: string, name: string) => played.metricsOf(section, name);
  played.play(2 * HOUR, (emit, minute) => {
    for (const metric of [...of('ProbeFailing', 'rpc'), ...of('ProbeFailing', 'data')]) emit(metric, [1]);
    if (minute % HOUR === 1 && minute > 1) for (const metric of played.beginnings()) emit(metric, [0]);
  });
  expect(told(played)).toEqual(['61: page probefailing rpc ALARM', '63: page probefailing data ALARM']);
});
