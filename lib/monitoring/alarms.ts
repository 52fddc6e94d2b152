import { Duration, Stack } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { MetricName } from '../../lambdas/shared/runtime/metrics.ts';
import type { ChainSettings } from '../../lambdas/shared/runtime/settings.ts';
import type { ChainStacks } from '../chain-data/chain-stacks.ts';
import type { ServiceFunctions } from '../edge/service-functions.ts';
import type { MeteringTables } from '../metering/metering-tables.ts';
import { GatewayMetrics, systemErrors, writeThrottles } from './gateway-metrics.ts';

/** `page`: somebody is woken; `ticket`: somebody looks on the next working day. */
export type Severity = 'page' | 'ticket';

const FIVE_MINUTES = Duration.minutes(5);
const HOUR = Duration.hours(1);
const MINUTE = Duration.minutes(1);
/** Share of requests that fail before somebody is woken, and how many there must be. */
const MAX_FAILED_PERCENT = 2;
const MIN_REQUESTS = 20;
/** Time that a charge may wait in its queue, in seconds. */
const MAX_CHARGE_AGE_SECONDS = 300;
/** Writes to one table that DynamoDB may refuse in five minutes: a burst is no matter, a hot item goes on. */
const MAX_THROTTLED_WRITES = 100;
/** Requests to one table that DynamoDB may fail in five minutes: single ones are tried again and noticed by nobody. */
const MAX_SYSTEM_ERRORS = 100;
/** Time after its end at which an hour must be settled: as a rule it is within 70 minutes. */
const MAX_UNSETTLED_SECONDS = 2 * 3_600;
/** Share of the compute units that may stay uncharged, and how many there must be. */
const MAX_UNCHARGED_PERCENT = 0.1;
const MIN_BILLED_CU = 10_000;
/** Share of the calls that want a node and get no answer before somebody is woken, and how many calls there must be. */
const MAX_UNANSWERED_PERCENT = 20;
const MIN_CALLS = 20;
/** Time that the gateway itself may add to a request, in milliseconds, at the 99th percentile. */
const MAX_ADDED_LATENCY_MS = 500;
/** Runs of a function behind the API that Lambda may refuse in five minutes. */
const MAX_THROTTLED_RUNS = 20;
/** Share of the JSON-RPC function's own instances that may be busy, in percent. */
const MAX_BUSY_PERCENT = 80;
/** Days that the certificate of the domain has left: AWS renews its own 60 days before. */
const MIN_CERTIFICATE_DAYS = 30;
/** Hours without a single request. */
const QUIET_HOURS = 3;
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

/** Queues in which what failed for good is kept, by what their alarm is called. */
export interface DeadLetterQueues {
  readonly LostCharges: Queue;
  readonly FailedSettlements: Queue;
  readonly FailedAudits: Queue;
  readonly FailedIndexing?: Queue;
  readonly FailedRollups?: Queue;
}

export interface AlarmsProps {
  readonly stage: string;
  /** Names of the chains that are served, and those that are indexed: each has alarms of its own. */
  readonly chains: readonly string[];
  readonly indexedChains: readonly IndexedChain[];
  readonly chainStacks: ChainStacks;
  /** @default - nobody is told; the topic can be subscribed to by hand */
  readonly email: string | undefined;
  /** Who is woken. @default - who has `email` */
  readonly pageEmail: string | undefined;
  readonly rest: RestApi;
  readonly functions: ServiceFunctions;
  /** Instances that the JSON-RPC function has for itself. @default those that the account has left */
  readonly rpcConcurrency: number | undefined;
  /** ARN of the certificate of the API's domain. @default it has no domain of its own */
  readonly certificateArn: string | undefined;
  readonly tables: MeteringTables;
  /** The queue of charges that their functions could not store. */
  readonly charges: Queue;
  readonly deadLetters: DeadLetterQueues;
}

/** A chain, and what its stage file says of the age of its head. */
type IndexedChain = Pick<ChainSettings, 'chain' | 'maxHeadLagSeconds'>;

/** What each queue of dead letters means, and how soon somebody has to look. */
const DEAD_LETTER_ALARMS: { readonly [Name in keyof DeadLetterQueues]-?: readonly [Severity, string] } = {
  LostCharges: ['page', 'The dead-letter queue holds charges that no delivery could store.'],
  FailedSettlements: ['ticket', 'Settlement failed permanently for the work in the dead-letter queue.'],
  FailedAudits: ['page', 'The books could not be audited.'],
  FailedIndexing: [
    'ticket',
    'Slots or ranges of an index failed permanently; on a halted chain, all of them do.',
  ],
  FailedRollups: ['ticket', 'Prices, candles or daily figures could not be derived.'],
};

/** Where the runbook is, from the root of the repository. */
const RUNBOOK = 'docs/runbook.md';

/** What somebody has to look at, and the topics that tell them. Each alarm names its section of the runbook. */
export class Alarms extends Construct {
  readonly alarms: readonly Alarm[];
  /** Says that requests fail, whoever is to blame. */
  readonly failingRequests: Alarm;
  private readonly topics: Readonly<Record<Severity, Topic>>;
  private readonly metrics: GatewayMetrics;
  private readonly made: Alarm[] = [];
  readonly #chainStacks: ChainStacks;

  constructor(scope: Construct, id: string, props: AlarmsProps) {
    super(scope, id);
    const {
      stage,
      chains,
      indexedChains,
      email,
      pageEmail = email,
      rest,
      functions,
      rpcConcurrency,
      certificateArn,
      tables,
      charges,
      deadLetters,
    } = props;
    this.#chainStacks = props.chainStacks;
    this.metrics = new GatewayMetrics(stage);
    this.topics = { page: this.topic('Pages', pageEmail), ticket: this.topic('Tickets', email) };
    this.watchDeadLetters(deadLetters);
    this.failingRequests = this.watchFailures(rest);
    this.watchTraffic(rest);
    this.watchInstances(functions, rpcConcurrency);
    if (certificateArn !== undefined) this.watchCertificate(certificateArn);
    this.watchService();
    this.watchCharges(charges);
    this.watchTables(tables);
    this.watchMoney();
    for (const chain of chains) this.watchNodes(chain);
    for (const chain of indexedChains) this.watchIndex(chain);
    if (indexedChains.length > 0) this.watchDatabase();
    this.alarms = this.made;
  }

  private topic(id: string, email: string | undefined): Topic {
    const topic = new Topic(this, id, { enforceSSL: true });
    // A topic with a policy of its own loses the default one, which lets alarms publish.
    topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    if (email !== undefined) topic.addSubscription(new EmailSubscription(email));
    return topic;
  }

  private watchDeadLetters(queues: DeadLetterQueues): void {
    for (const [id, [severity, meaning]] of Object.entries(DEAD_LETTER_ALARMS)) {
      const queue = queues[id as keyof DeadLetterQueues];
      if (queue === undefined) continue;
      const metric = queue.metricApproximateNumberOfMessagesVisible({
        period: MINUTE,
        statistic: Stats.MAXIMUM,
      });
      this.watch(id, severity, meaning, { metric, threshold: 0, periods: 1 });
    }
  }

  private watchFailures(rest: RestApi): Alarm {
    const all = rest.metricCount({ period: FIVE_MINUTES, statistic: Stats.SUM });
    const failed = rest.metricServerError({ period: FIVE_MINUTES, statistic: Stats.SUM });
    return this.watch(
      'FailingRequests',
      'page',
      `More than ${MAX_FAILED_PERCENT} % of the requests fail with 5xx.`,
      {
        metric: new MathExpression({
          expression: `IF(all > ${MIN_REQUESTS}, 100 * failed / all, 0)`,
          usingMetrics: { all, failed },
          period: FIVE_MINUTES,
        }),
        threshold: MAX_FAILED_PERCENT,
        periods: 2,
      },
    );
  }

  /** A stage that serves anybody is asked now and then: silence can mean that its address leads nowhere. */
  private watchTraffic(rest: RestApi): void {
    this.watch('NoTraffic', 'ticket', `No request has come for ${QUIET_HOURS} hours.`, {
      metric: rest.metricCount({ period: HOUR, statistic: Stats.SUM }),
      threshold: 1,
      periods: QUIET_HOURS,
      comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
      missing: TreatMissingData.BREACHING,
    });
  }

  /** Clients get 503 for a run that is refused. */
  private watchInstances(
    { rpc, data, status, mcp }: ServiceFunctions,
    rpcConcurrency: number | undefined,
  ): void {
    for (const [of, { lambda }] of Object.entries({ rpc, data, status, mcp })) {
      this.watch(
        'ThrottledRuns',
        'ticket',
        'Lambda refuses to run a function: too many of its instances are busy.',
        {
          of,
          metric: lambda.metricThrottles({ period: FIVE_MINUTES, statistic: Stats.SUM }),
          threshold: MAX_THROTTLED_RUNS,
          periods: 1,
        },
      );
    }
    if (rpcConcurrency === undefined) return;
    this.watch(
      'InstancesBusy',
      'ticket',
      `More than ${MAX_BUSY_PERCENT} % of the JSON-RPC function's instances are busy.`,
      {
        metric: rpc.lambda.metric('ConcurrentExecutions', { period: FIVE_MINUTES, statistic: Stats.MAXIMUM }),
        threshold: Math.floor((rpcConcurrency * MAX_BUSY_PERCENT) / 100),
        periods: 3,
      },
    );
  }

  private watchCertificate(certificateArn: string): void {
    this.watch(
      'CertificateExpires',
      'page',
      `The domain's certificate ends within ${MIN_CERTIFICATE_DAYS} days.`,
      {
        metric: new Metric({
          namespace: 'AWS/CertificateManager',
          metricName: 'DaysToExpiry',
          dimensionsMap: { CertificateArn: certificateArn },
          statistic: Stats.MINIMUM,
          period: Duration.days(1),
        }),
        threshold: MIN_CERTIFICATE_DAYS,
        periods: 1,
        comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
      },
    );
  }

  private watchService(): void {
    this.watch('SlowGateway', 'ticket', 'The gateway itself is slow, apart from the time of its nodes.', {
      metric: new MathExpression({
        expression: `IF(requests > ${MIN_REQUESTS}, added, 0)`,
        usingMetrics: {
          requests: this.metrics.metric('Requests', { statistic: Stats.SUM }),
          added: this.metrics.metric('AddedLatency', { statistic: 'p99' }),
        },
        period: FIVE_MINUTES,
      }),
      threshold: MAX_ADDED_LATENCY_MS,
      periods: 3,
    });
    this.watch(
      'BillingUnavailable',
      'page',
      'Requests are refused because balances or limits cannot be read.',
      {
        metric: this.metrics.metric('RefusedForUnavailability', { statistic: Stats.SUM }),
        threshold: 0,
        periods: 2,
      },
    );
  }

  private watchMoney(): void {
    this.watch('BooksDoNotBalance', 'page', 'The audit found accounts whose figures contradict each other.', {
      metric: this.metrics.metric('AuditViolations', { statistic: Stats.MAXIMUM, period: HOUR }),
      threshold: 0,
      periods: 1,
    });
    this.watch('NoAudit', 'ticket', 'The books have not been audited for three hours.', {
      metric: this.metrics.metric('AuditedAccounts', { statistic: Stats.SAMPLE_COUNT, period: HOUR }),
      threshold: 1,
      periods: 3,
      comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
      missing: TreatMissingData.BREACHING,
    });
    this.watch('SettlementLate', 'ticket', 'An hour that ended more than two hours ago is not settled.', {
      metric: this.metrics.metric('UnsettledAge', { statistic: Stats.MAXIMUM, period: HOUR }),
      threshold: MAX_UNSETTLED_SECONDS,
      // A charge that comes late waits for the next settlement, which is no matter.
      periods: 2,
    });
  }

  private watchCharges(queue: Queue): void {
    this.watch('ChargesWaiting', 'page', 'Charges wait in their queue: the lanes cannot be written.', {
      metric: queue.metricApproximateAgeOfOldestMessage({ period: MINUTE, statistic: Stats.MAXIMUM }),
      threshold: MAX_CHARGE_AGE_SECONDS,
      periods: 1,
    });
    const sum = (name: MetricName) => this.metrics.metric(name, { statistic: Stats.SUM });
    this.watch(
      'UnchargedAnswers',
      'page',
      `More than ${MAX_UNCHARGED_PERCENT} % of the compute units were not charged.`,
      {
        metric: new MathExpression({
          // Without an uncharged unit there is no such metric, no value, and no alarm.
          expression: `IF(billed > ${MIN_BILLED_CU}, 100 * uncharged / billed, 0)`,
          usingMetrics: { billed: sum('BilledComputeUnits'), uncharged: sum('UnchargedComputeUnits') },
          period: FIVE_MINUTES,
        }),
        threshold: MAX_UNCHARGED_PERCENT,
        periods: 1,
      },
    );
  }

  /**
   * Tables of each request: one that refuses writes holds up charges, or the limits of a key, and one that fails does too.
   * What is watched of failures is the operation that nearly every request makes of a table.
   */
  private watchTables({ keys, accounts, lanes, unsettled }: MeteringTables): void {
    for (const [name, table] of Object.entries({ keys, lanes, unsettled })) {
      this.watch('ThrottledWrites', 'ticket', 'DynamoDB throttles writes to a metering table.', {
        of: name,
        metric: writeThrottles(table),
        threshold: MAX_THROTTLED_WRITES,
        periods: 1,
      });
    }
    const failing = {
      keys: systemErrors(keys, 'UpdateItem'),
      accounts: systemErrors(accounts, 'GetItem'),
      lanes: systemErrors(lanes, 'UpdateItem'),
    };
    for (const [of, metric] of Object.entries(failing)) {
      this.watch('StoreErrors', 'ticket', 'DynamoDB itself fails requests to a metering table.', {
        of,
        metric,
        threshold: MAX_SYSTEM_ERRORS,
        periods: 1,
      });
    }
  }

  private watchNodes(chain: string): void {
    const sum = (name: MetricName) => this.metrics.metric(name, { statistic: Stats.SUM, chain });
    this.watch(
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
    this.watch('UpstreamTakenOut', 'ticket', 'A node fails again and again and gets no more calls.', {
      chain,
      metric: sum('UpstreamsTakenOut'),
      threshold: 0,
      periods: 3,
    });
  }

  private watchIndex({ chain, maxHeadLagSeconds }: IndexedChain): void {
    const metric = (name: MetricName, statistic = Stats.MAXIMUM) =>
      this.metrics.metric(name, { statistic, chain });
    this.watch(
      'IndexHalted',
      'page',
      'The chain was reorganised below its finalized block: its index has stopped.',
      { chain, metric: metric('IndexerHalted', Stats.SUM), threshold: 0, periods: 1 },
    );
    const behind = { chain, periods: 3, missing: TreatMissingData.BREACHING };
    if (maxHeadLagSeconds === undefined)
      this.watch('IndexBehind', 'ticket', 'The index falls behind its node, or does not run.', {
        ...behind,
        metric: metric('IndexerLagBlocks'),
        threshold: MAX_LAG_BLOCKS,
      });
    else
      this.watch(
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
    this.watch('BalancesOld', 'ticket', 'The balances have missed a snapshot, or none is taken.', {
      chain,
      metric: metric('SnapshotAge'),
      threshold: MAX_SNAPSHOT_AGE_SECONDS,
      periods: 3,
      missing: TreatMissingData.BREACHING,
    });
    this.watch(
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

  private watchDatabase(): void {
    this.watch('DatabaseUnavailable', 'ticket', 'Data API requests find the chain database asleep or gone.', {
      metric: this.metrics.metric('DatabaseUnavailable', { statistic: Stats.SUM }),
      threshold: 0,
      periods: 3,
    });
  }

  /** @param section of the runbook, and the id of an alarm that is the only one of its section */
  private watch(section: string, severity: Severity, meaning: string, watched: Watched): Alarm {
    const { metric, threshold, periods, chain } = watched;
    const of = chain ?? watched.of;
    const scope = chain === undefined ? this : this.#chainStacks.of(chain, this.node.id);
    const alarm = new Alarm(scope, of === undefined ? section : `${section}-${of}`, {
      alarmDescription: [
        `[${severity}]`,
        ...(of === undefined ? [] : [`${of}:`]),
        meaning,
        `${RUNBOOK}#${section.toLowerCase()}`,
      ].join(' '),
      metric,
      threshold,
      comparisonOperator: watched.comparison ?? ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: watched.missing ?? TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.topics[severity]));
    alarm.addOkAction(new SnsAction(this.topics[severity]));
    this.made.push(alarm);
    return alarm;
  }
}

/** Age of a chain's newest indexed block before somebody has to look, in seconds. */
function maxHeadAge(maxHeadLagSeconds: number): number {
  return Math.max(MIN_HEAD_AGE_SECONDS, HEAD_AGE_FACTOR * maxHeadLagSeconds);
}

interface Watched {
  /** Chain that the alarm is about. @default all of them */
  readonly chain?: string;
  /** Table or function that the alarm is about. @default all of them */
  readonly of?: string;
  readonly metric: IMetric;
  readonly threshold: number;
  /** How many periods in a row. */
  readonly periods: number;
  /** @default more than the threshold */
  readonly comparison?: ComparisonOperator;
  /** @default no data is well */
  readonly missing?: TreatMissingData;
}
