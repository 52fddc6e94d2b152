import { Duration } from 'aws-cdk-lib';
import { type Alarm, type IAlarm, MathExpression, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import type { MetricName } from '../../lambdas/shared/runtime/metrics.ts';
import type { ChainSettings } from '../../lambdas/shared/runtime/settings.ts';
import type { AlarmWatch, Severity } from './alarm-watch.ts';
import { PERIOD } from './graph.ts';

const MINUTE = Duration.minutes(1);
/** How long an alarm of a chain waits for that of the lost database, which is on two minutes sooner. */
const DATABASE_WAIT = Duration.minutes(2);
/** Share of the calls that want a node and get no response before an operator is woken. */
const MAX_UNANSWERED_PERCENT = 20;
/** Calls of nodes for each call of clients for a quarter of an hour, and how many calls of clients there must be in a third of it. */
const MAX_NODE_CALLS = 2;
const MIN_CLIENT_CALLS = 300;
/** Share of the requests whose key may get an older head later. */
const MAX_HEADS_NOT_KEPT_PERCENT = 1;
/** How many calls or requests a share must be of. */
const LEAST_OF_SHARE = 20;
/** Blocks that an index, or what is derived from it, may be behind for five minutes: at the head it is a few. */
const MAX_LAG_BLOCKS = 1_000;
/**
 * Minutes of slots that are looked at. Each slot has its figures as its minute ends or shortly after, so that one minute may have none,
 * and a restart or a node that is away for a moment takes two: a chain is behind if none of them is well.
 */
const SLOT_MINUTES = 5;
/**
 * Age of the newest indexed block before an operator has to look, as a multiple of what the stage file allows the chain's head
 * before its status is degraded, and in seconds at least: a few slow blocks raise no alarm.
 */
const HEAD_AGE_FACTOR = 3;
const MIN_HEAD_AGE_SECONDS = 600;
/** A snapshot is taken every six hours, and may take its time. */
const MAX_SNAPSHOT_AGE_SECONDS = 8 * 3_600;

/** The database is lost if no slot of any chain reaches it in so many of them. */
const LOST_MINUTES = 3;

/** What is counted of any chain, where one is too much: of which severity, what it means, and for how many periods. */
type Counts = Readonly<
  Record<string, readonly [MetricName, Severity, meaning: string, periods?: number, passedIn?: number]>
>;

const NODE_COUNTS: Counts = {
  UpstreamTakenOut: [
    'UpstreamsTakenOut',
    'ticket',
    'A node fails again and again and gets no more calls.',
    3,
  ],
  UpstreamLimited: [
    'UpstreamsLimited',
    'ticket',
    'A provider refuses calls for a rate or a quota of its own.',
    3,
  ],
  // Half an hour: where no call is made for it, two upstreams are rarely seen to differ in two periods that follow each other.
  UpstreamsDisagree: [
    'UpstreamsDisagree',
    'ticket',
    'Two nodes of a chain answer the same call differently.',
    6,
    2,
  ],
  UpstreamHeld: ['UpstreamsHeld', 'ticket', 'An operator keeps a node out of use by hand.'],
};
const INDEX_COUNTS: Counts = {
  // Nothing else would tell that a pool or token has none.
  DerivationsSetAside: [
    'DerivationsSetAside',
    'ticket',
    'Prices, candles or daily figures of a pool or token are not derived any more.',
  ],
  WrongAnswers: [
    'WrongAnswers',
    'ticket',
    'A node sends blocks that their own hashes, or other nodes, contradict.',
  ],
  ProofLost: ['ProofLost', 'ticket', 'Blocks of a chain are of a form that is not known, and are compared.'],
  BlocksUnproven: [
    'UnprovenBlocks',
    'page',
    'Blocks are stored that are of no known form, and that one node alone has.',
  ],
  HashContradicted: [
    'HashContradictions',
    'page',
    'Two nodes have different hashes for a block that is about to be final.',
  ],
  WitnessesSilent: [
    'SilentWitnesses',
    'ticket',
    'No second node has named a hash of a chain for ten minutes.',
  ],
};

function watchCounts(watch: AlarmWatch, counts: Counts): void {
  for (const [section, [name, severity, meaning, periods = 1, passedIn]] of Object.entries(counts)) {
    const metric = watch.metrics.sumOfEach('Chain', name);
    watch.alarm(section, severity, meaning, {
      metric,
      threshold: 0,
      periods,
      ...(passedIn !== undefined && { passedIn }),
    });
  }
}

/** The upstreams of chains. */
export function watchNodes(watch: AlarmWatch, chains: readonly ChainSettings[]): void {
  for (const { chain } of chains) watchUnanswered(watch, chain);
  watch.eachAlarm(
    'NodeCallsHigh',
    'ticket',
    'Nodes of a chain get too many calls for each call of a client.',
    {
      each: chains.map(({ chain, agreement }) => {
        const sum = (name: MetricName) => watch.metrics.metric(name, { statistic: Stats.SUM, chain });
        // Two that must agree are both asked.
        const maxCalls = MAX_NODE_CALLS * (agreement ?? 1);
        return {
          chain,
          holds: `IF(calls >= ${MIN_CLIENT_CALLS}, asked / calls > ${maxCalls}, 0)`,
          metrics: { calls: sum('Calls'), asked: sum('NodeCalls') },
        };
      }),
      periods: 3,
    },
  );
  watchCounts(watch, NODE_COUNTS);
}

/** Calls of a chain that no node answers. */
function watchUnanswered(watch: AlarmWatch, chain: string): void {
  const sum = (name: MetricName) => watch.metrics.metric(name, { statistic: Stats.SUM, chain });
  // There is a metric of calls from the cache, and of refused ones, only while there are some.
  const asked = '(calls - FILL(cached, 0) - FILL(refused, 0))';
  watch.alarm(
    'NodesDown',
    'page',
    `More than ${MAX_UNANSWERED_PERCENT} % of the calls that need a node get no answer.`,
    {
      chain,
      metric: new MathExpression({
        // Without an unanswered call there is no such metric, no value, and no alarm.
        expression: `IF(${asked} > ${LEAST_OF_SHARE}, 100 * unanswered / ${asked}, 0)`,
        usingMetrics: {
          calls: sum('Calls'),
          cached: sum('CacheHits'),
          refused: sum('RefusedCalls'),
          unanswered: sum('UnansweredCalls'),
        },
        period: PERIOD,
      }),
      threshold: MAX_UNANSWERED_PERCENT,
      periods: 2,
    },
  );
}

/**
 * The index of a chain, and what is derived from it. An operator gets one notification for a chain, whatever of it falls behind, and not
 * at all while the database explains it.
 */
export function watchIndex(
  watch: AlarmWatch,
  { chain, maxHeadLagSeconds }: ChainSettings,
  explainedBy: IAlarm | undefined,
): void {
  const metric = (name: MetricName, statistic: string, period = PERIOD) =>
    watch.metrics.metric(name, { statistic, chain, period });
  const newest = (name: MetricName) => metric(name, Stats.MAXIMUM, MINUTE);
  watch.alarm(
    'IndexHalted',
    'page',
    'The index has stopped: the chain was reorganised below its finalized block, or a block failed a check.',
    { chain, metric: metric('IndexerHalted', Stats.SUM), threshold: 0, periods: 1 },
  );
  const isAged = maxHeadLagSeconds !== undefined;
  const old = isAged ? ` + (age > ${maxHeadAge(maxHeadLagSeconds)})` : '';
  watch.alarm(
    'ChainBehind',
    'ticket',
    'The chain falls behind, or what keeps it does not run. 1 or 2: its index; 10: its balances; 100: its prices.',
    {
      chain,
      metric: new MathExpression({
        // One alarm for all: the digits of its figure say which. One that emits nothing leaves it without a figure.
        expression: `(lag > ${MAX_LAG_BLOCKS})${old} + 10 * (balances > ${MAX_SNAPSHOT_AGE_SECONDS}) + 100 * (prices > ${MAX_LAG_BLOCKS})`,
        usingMetrics: {
          lag: newest('IndexerLagBlocks'),
          ...(isAged && { age: newest('IndexedHeadAge') }),
          balances: newest('SnapshotAge'),
          prices: newest('RollupLagBlocks'),
        },
        period: MINUTE,
      }),
      threshold: 0,
      periods: SLOT_MINUTES,
      missing: TreatMissingData.BREACHING,
      beginning: {
        meaning: 'The index has reached the head of the chain once.',
        metric: new MathExpression({
          // A division by zero has no value.
          expression: `1 / (lag <= ${MAX_LAG_BLOCKS})`,
          usingMetrics: { lag: metric('IndexerLagBlocks', Stats.MAXIMUM) },
          period: PERIOD,
        }),
      },
      explainedBy,
      wait: DATABASE_WAIT,
    },
  );
}

/** Heads that keys got, which one store keeps for all chains. */
export function watchGivenHeads(watch: AlarmWatch): void {
  watch.alarm(
    'HeadsNotKept',
    'ticket',
    `For more than ${MAX_HEADS_NOT_KEPT_PERCENT} % of the requests the store did not keep the head that the key got: it may go back.`,
    {
      metric: new MathExpression({
        // Without one there is no such metric, no value, and no alarm.
        expression: `IF(requests > ${LEAST_OF_SHARE}, 100 * lost / requests, 0)`,
        usingMetrics: {
          requests: watch.metrics.metric('Requests', { statistic: Stats.SUM }),
          lost: watch.metrics.metric('HeadsNotKept', { statistic: Stats.SUM }),
        },
        period: PERIOD,
      }),
      threshold: MAX_HEADS_NOT_KEPT_PERCENT,
      periods: 3,
    },
  );
}

/** The chain database as all chains see it: what is on while it is lost explains what else is. */
export function watchLostDatabase(watch: AlarmWatch): Alarm | undefined {
  return watch.alarm('DatabaseLost', 'page', 'No chain can be indexed: the chain database is not there.', {
    metric: new MathExpression({
      // A slot that has reached the database tells how far it has come.
      expression: 'IF(FILL(indexed, 0) > 0, 0, lost)',
      usingMetrics: {
        lost: watch.metrics.metric('SlotsWithoutDatabase', { statistic: Stats.SUM }),
        indexed: watch.metrics.metric('IndexerLagBlocks', { statistic: Stats.SAMPLE_COUNT }),
      },
      period: MINUTE,
    }),
    threshold: 0,
    periods: SLOT_MINUTES,
    passedIn: LOST_MINUTES,
  });
}

/** What a step of prices, candles or daily figures failed for, and what nodes tell of blocks that is wrong, or that nothing proves. */
export function watchIndexCounts(watch: AlarmWatch): void {
  watchCounts(watch, INDEX_COUNTS);
}

/** The chain database as clients of the Data API see it. */
export function watchDatabase(watch: AlarmWatch, explainedBy: IAlarm | undefined): void {
  watch.alarm('DatabaseUnavailable', 'ticket', 'Data API requests find the chain database asleep or gone.', {
    metric: watch.metrics.metric('DatabaseUnavailable', { statistic: Stats.SUM }),
    threshold: 0,
    periods: 3,
    explainedBy,
  });
}

/** Age of a chain's newest indexed block before an operator has to look, in seconds. */
function maxHeadAge(maxHeadLagSeconds: number): number {
  return Math.max(MIN_HEAD_AGE_SECONDS, HEAD_AGE_FACTOR * maxHeadLagSeconds);
}
