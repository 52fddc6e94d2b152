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
import type { Emit, PlayedAlarms } from './played-alarms.ts';

/** Of which the stages here are made. */
export const STAGE = 'example-production';

const stage = JSON.parse(readFileSync(stageFile(STAGE), 'utf8'));
const withChains = (count: number) => ({
  ...stage,
  chains: Array.from({ length: count }, (_, index) => ({
    chain: `chain_${index}`,
    name: `Chain ${index}`,
    chainId: index + 1,
    default: index === 0,
    maxHeadLagSeconds: 120,
    upstreams: ['secret:gateway/one'],
  })),
});

/** Stages of many chains, from `chain_0` on. */
export const stagesOfManyChains = () => synthesisedTogether({ ten: withChains(10), fifty: withChains(50) });

/** Records what a line of metrics has, so many times. */
export function emitted(
  emit: Emit,
  values: MetricValues,
  dimensions: MetricDimensions = {},
  times = 1,
): void {
  const rendered = renderMetrics({ values, dimensions }, 0, metricNamespace(STAGE));
  for (const one of parseEmbeddedMetrics(rendered)) emit(one, new Array(times).fill(one.value));
}

/** What a stage of so many chains tells in a minute, of every kind that goes off when the database goes. */
export function minuteOf(played: PlayedAlarms, chains: number) {
  const [all, failed] = ['Count', '5XXError'].map((wanted) =>
    played.metricsOf('failingrequests').find(({ name }) => name === wanted),
  );
  const snapshots = played
    .metricsOf('failedwork', 'database')
    .find(({ dimensions }) => dimensions.FunctionName?.includes('Snapshots'));
  const queues = ['failedindexing', 'failedrollups'].flatMap((one) => played.metricsOf(one));
  const [responses, bad] = ['RunTime', 'FailedAnswers'].map((wanted) =>
    played
      .metricsOf('budgetburns', '120')
      .find(({ name, dimensions }) => name === wanted && dimensions.Function === 'data'),
  );
  if (responses === undefined || bad === undefined) throw new Error('an objective looks at something else');
  if (all === undefined || failed === undefined || snapshots === undefined || queues.length !== 2)
    throw new Error('an alarm looks at something else');
  let left = 0;
  return (state: 'there' | 'lost', without: readonly number[] = []) =>
    (emit: Emit) => {
      const isLost = state === 'lost';
      emit(all, [1_000]);
      emit(failed, [isLost ? 100 : 0]);
      emitted(emit, { DataRequests: 1, DataErrors: isLost ? 1 : 0, DataLatency: 20 }, {}, 100);
      emit(responses, new Array(100).fill(20));
      if (isLost) emit(bad, new Array(100).fill(1));
      if (isLost) emitted(emit, { DatabaseUnavailable: 1 }, {}, 100);
      emitted(emit, { BalanceViewAge: 10, SealedRecords: 0, AuditedAccounts: 1 });
      emit(snapshots, [isLost ? chains : 0]);
      if (isLost) left += 2 * chains;
      for (const queue of queues) emit(queue, [left / 2]);
      for (let chain = 0; chain < chains; chain += 1) {
        const Chain = `chain_${chain}`;
        const stands = without.includes(chain);
        if (isLost) emitted(emit, { SlotsWithoutDatabase: 1 }, {}, 2);
        else {
          if (!stands) emitted(emit, { IndexerLagBlocks: 0, IndexedHeadAge: 1 }, { Chain });
          emitted(emit, { RollupLagBlocks: 0 }, { Chain });
          emitted(emit, { SnapshotAge: 60 }, { Chain });
        }
      }
    };
}
