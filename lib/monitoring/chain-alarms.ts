import { Duration } from 'aws-cdk-lib';
import { MathExpression, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { MetricName } from '../../lambdas/shared/runtime/metrics.ts';
import type { ChainSettings } from '../../lambdas/shared/runtime/settings.ts';
import type { AlarmWatch } from './alarm-watch.ts';

const FIVE_MINUTES = Duration.minutes(5);
/** Share of the calls that want a node and get no answer before somebody is woken, and how many calls there must be. */
const MAX_UNANSWERED_PERCENT = 20;
const MIN_CALLS = 20;
/** Blocks that an index may be behind its node for a quarter of an hour. */
const MAX_LAG_BLOCKS = 1_000;
/**
 * Age of the newest indexed block before somebody has to look, as a multiple of what the stage file allows the chain's head
 * before its status is degraded, and in seconds at least: a few slow blocks are no matter.
 */
const HEAD_AGE_FACTOR = 3;
const MIN_HEAD_AGE_SECONDS = 600;
/** A snapshot is taken every six hours, and may take its time. */
const MAX_SNAPSHOT_AGE_SECONDS = 8 * 3_600;

/** A chain, and what its stage file says of the age of its head. */
export type IndexedChain = Pick<ChainSettings, 'chain' | 'maxHeadLagSeconds'>;

/** The upstreams of a chain. */
export function watchNodes(watch: AlarmWatch, chain: string): void {
  const sum = (name: MetricName) => watch.metrics.metric(name, { statistic: Stats.SUM, chain });
  watch.alarm(
    'NodesDown',
    'page',
    `More than ${MAX_UNANSWERED_PERCENT} % of the calls that need a node get no answer.`,
    {
      chain,
      metric: new MathExpression({
        // Without an unanswered call there is no such metric, no value, and no alarm.
        expression: `IF((calls - cached - refused) > ${MIN_CALLS}, 100 * unanswered / (calls - cached - refused), 0)`,
        usingMetrics: {
          calls: sum('Calls'),
          cached: sum('CacheHits'),
          refused: sum('RefusedCalls'),
          unanswered: sum('UnansweredCalls'),
        },
        period: FIVE_MINUTES,
      }),
      threshold: MAX_UNANSWERED_PERCENT,
      periods: 2,
    },
  );
  watch.alarm('UpstreamTakenOut', 'ticket', 'A node fails again and again and gets no more calls.', {
    chain,
    metric: sum('UpstreamsTakenOut'),
    threshold: 0,
    periods: 3,
  });
  watch.alarm('UpstreamLimited', 'ticket', 'A provider refuses calls for a rate or a quota of its own.', {
    chain,
    metric: sum('UpstreamsLimited'),
    threshold: 0,
    periods: 3,
  });
}

/** The index of a chain, and what is derived from it. */
export function watchIndex(watch: AlarmWatch, { chain, maxHeadLagSeconds }: IndexedChain): void {
  const metric = (name: MetricName, statistic = Stats.MAXIMUM) =>
    watch.metrics.metric(name, { statistic, chain });
  watch.alarm(
    'IndexHalted',
    'page',
    'The index has stopped: the chain was reorganised below its finalized block, or a block failed a check.',
    { chain, metric: metric('IndexerHalted', Stats.SUM), threshold: 0, periods: 1 },
  );
  const behind = { chain, periods: 3, missing: TreatMissingData.BREACHING };
  if (maxHeadLagSeconds === undefined)
    watch.alarm('IndexBehind', 'ticket', 'The index falls behind its node, or does not run.', {
      ...behind,
      metric: metric('IndexerLagBlocks'),
      threshold: MAX_LAG_BLOCKS,
    });
  else
    watch.alarm(
      'IndexBehind',
      'ticket',
      'The index falls behind its node, or does not run, or its newest block is old.',
      {
        ...behind,
        // One alarm for both: a stack has room for few more of each chain.
        metric: new MathExpression({
          expression: `(lag > ${MAX_LAG_BLOCKS}) + (age > ${maxHeadAge(maxHeadLagSeconds)})`,
          usingMetrics: { lag: metric('IndexerLagBlocks'), age: metric('IndexedHeadAge') },
          period: FIVE_MINUTES,
        }),
        threshold: 0,
      },
    );
  watch.alarm('BalancesOld', 'ticket', 'The balances have missed a snapshot, or none is taken.', {
    chain,
    metric: metric('SnapshotAge'),
    threshold: MAX_SNAPSHOT_AGE_SECONDS,
    periods: 3,
    missing: TreatMissingData.BREACHING,
  });
  watch.alarm(
    'PricesBehind',
    'ticket',
    'Prices, candles and daily figures fall behind the index, or are not derived.',
    {
      chain,
      metric: metric('RollupLagBlocks'),
      threshold: MAX_LAG_BLOCKS,
      periods: 6,
      missing: TreatMissingData.BREACHING,
    },
  );
}

/** The chain database of all chains. */
export function watchDatabase(watch: AlarmWatch): void {
  watch.alarm('DatabaseUnavailable', 'ticket', 'Data API requests find the chain database asleep or gone.', {
    metric: watch.metrics.metric('DatabaseUnavailable', { statistic: Stats.SUM }),
    threshold: 0,
    periods: 3,
  });
}

/** Age of a chain's newest indexed block before somebody has to look, in seconds. */
function maxHeadAge(maxHeadLagSeconds: number): number {
  return Math.max(MIN_HEAD_AGE_SECONDS, HEAD_AGE_FACTOR * maxHeadLagSeconds);
}
