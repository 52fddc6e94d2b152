import { readFileSync } from 'node:fs';
import {
  type MetricDimensions,
  type MetricValues,
  metricNamespace,
  renderMetrics,
} from '../../lambdas/shared/runtime/metrics.ts';
import { stageFile } from '../../lib/config/stage-files.ts';
import { parseEmbeddedMetrics } from '../../local/dashboard/embedded-metrics.ts';
import { synthesisedTogether } from '../support/synthesised-once.ts';
import { type Emit, PlayedAlarms } from './played-alarms.ts';

const STAGE = 'example-production';
const FUNCTIONS_OF_CHAIN = ['indexer', 'rollups'];
/** Before it is lost, while it is lost, and after: no alarm looks back for longer than the first of them. */
const SOUND_MINUTES = 40;
const LOST_MINUTES = 60;
const AFTER_MINUTES = 40;

const stage = JSON.parse(readFileSync(stageFile(STAGE), 'utf8'));
const withChains = (count: number) => ({
  ...stage,
  chains: Array.from({ length: count }, (_, index) => ({
    ...{ chain: `chain_${index}`, name: `Chain ${index}`, chainId: index + 1, default: index === 0 },
    ...{ maxHeadLagSeconds: 120, upstreams: ['secret:gateway/one'] },
  })),
});
const assemblies = synthesisedTogether({ ten: withChains(10), fifty: withChains(50) });

function emitted(emit: Emit, values: MetricValues, dimensions: MetricDimensions = {}, times = 1): void {
  const rendered = renderMetrics({ values, dimensions }, 0, metricNamespace(STAGE));
  for (const one of parseEmbeddedMetrics(rendered)) emit(one, new Array(times).fill(one.value));
}

/** What the stage tells in a minute, of every kind that goes on when the database goes. */
function minuteOf(played: PlayedAlarms, chains: number) {
  const [all, failed] = ['Count', '5XXError'].map((wanted) =>
    played.metricsOf('failingrequests').find(({ name }) => name === wanted),
  );
  const [snapshots] = played.metricsOf('failedwork', 'snapshots');
  const queues = ['failedindexing', 'failedrollups'].flatMap((one) => played.metricsOf(one));
  const [answers, bad] = ['RunTime', 'FailedAnswers'].map((wanted) =>
    played.metricsOf('budgetburns', 'data-120').find(({ name }) => name === wanted),
  );
  if (answers === undefined || bad === undefined) throw new Error('an objective looks at something else');
  if (all === undefined || failed === undefined || snapshots === undefined || queues.length !== 2)
    throw new Error('an alarm looks at something else');
  let left = 0;
  return (state: 'there' | 'lost', without: readonly number[] = []) =>
    (emit: Emit) => {
      const isLost = state === 'lost';
      emit(all, [1_000]);
      emit(failed, [isLost ? 100 : 0]);
      emitted(emit, { DataRequests: 1, DataErrors: isLost ? 1 : 0, DataLatency: 20 }, {}, 100);
      emit(answers, new Array(100).fill(20));
      if (isLost) emit(bad, new Array(100).fill(1));
      if (isLost) emitted(emit, { DatabaseUnavailable: 1 }, {}, 100);
      emitted(emit, { BalanceViewAge: 10 });
      emitted(emit, { SealedRecords: 0 });
      emit(snapshots, [isLost ? chains : 0]);
      if (isLost) left += 2 * chains;
      for (const queue of queues) emit(queue, [left / 2]);
      for (let chain = 0; chain < chains; chain += 1) {
        const Chain = `chain_${chain}`;
        const [indexer, rollups] = played
          .metricsOf('failedwork', Chain)
          .filter(({ namespace, name }) => namespace === 'AWS/Lambda' && name === 'Errors');
        if (indexer === undefined || rollups === undefined) throw new Error(FUNCTIONS_OF_CHAIN.join());
        const stands = without.includes(chain);
        emit(indexer, [isLost || stands ? 1 : 0]);
        emit(rollups, [isLost ? 1 : 0]);
        if (isLost) emitted(emit, { SlotsWithoutDatabase: 1 }, {}, 2);
        else {
          if (!stands) emitted(emit, { IndexerLagBlocks: 0, IndexedHeadAge: 1 }, { Chain });
          emitted(emit, { RollupLagBlocks: 0 }, { Chain });
          emitted(emit, { SnapshotAge: 60 }, { Chain });
        }
      }
    };
}

function playedOf(name: keyof typeof assemblies, chains: number) {
  const played = new PlayedAlarms(assemblies[name].folder);
  const minute = minuteOf(played, chains);
  played.play(SOUND_MINUTES, minute('there'));
  expect(played.told).toEqual([]);
  return { played, minute };
}

test.each([
  ['ten', 10],
  ['fifty', 50],
] as const)('a stage of %s chains wakes somebody once for a lost database', (name, chains) => {
  const { played, minute } = playedOf(name, chains);
  played.play(LOST_MINUTES, minute('lost'));
  expect(played.told).toEqual([
    { minute: SOUND_MINUTES + 3, severity: 'page', name: 'databaselost', state: 'ALARM' },
  ]);
  // All the rest is on as well, and on the dashboard.
  expect(played.on().filter((one) => one.startsWith('indexbehind'))).toHaveLength(chains);
  expect(played.on().length).toBeGreaterThan(4 * chains);
  played.play(AFTER_MINUTES, minute('there'));
  expect(played.told.slice(1).map(({ severity, name: of, state }) => `${severity} ${of} ${state}`)).toEqual([
    'page databaselost OK',
    // What the failed slots have left stays until somebody empties the queues.
    'ticket failedindexing ALARM',
    'ticket failedrollups ALARM',
  ]);
});

test('a chain that stands still is told once, beside nine that do not', () => {
  const { played, minute } = playedOf('ten', 10);
  played.play(LOST_MINUTES, minute('there', [3]));
  expect(played.told.map(({ severity, name }) => `${severity} ${name}`)).toEqual([
    'ticket chainbehind chain_3',
  ]);
});

test('a chain that stays behind once the database is back is told', () => {
  const { played, minute } = playedOf('ten', 10);
  played.play(LOST_MINUTES, minute('lost'));
  played.play(AFTER_MINUTES, minute('there', [7]));
  const told = played.told.map(({ name }) => name).filter((name) => name.startsWith('chainbehind'));
  expect(told).toEqual(['chainbehind chain_7']);
});
