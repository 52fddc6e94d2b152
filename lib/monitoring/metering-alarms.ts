import { Duration } from 'aws-cdk-lib';
import {
  type IAlarm,
  type IMetric,
  MathExpression,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { MetricName } from '../../lambdas/shared/runtime/metrics.ts';
import type { MeteringTables } from '../metering/metering-tables.ts';
import type { AlarmWatch, Severity } from './alarm-watch.ts';
import { systemErrors, throttles } from './gateway-metrics.ts';
import type { Monitored } from './monitored.ts';

const FIVE_MINUTES = Duration.minutes(5);
const HOUR = Duration.hours(1);
const MINUTE = Duration.minutes(1);
/** Time that a charge may wait in its queue, in seconds. */
const MAX_CHARGE_AGE_SECONDS = 300;
/** Writes to one table that DynamoDB may refuse in five minutes: a burst is no matter, a hot item stays. */
const MAX_THROTTLED_WRITES = 100;
/** Reads of one table that it may refuse in five minutes: instances go on with what they know for ten seconds. */
const MAX_THROTTLED_READS = 100;
/** Requests to one table that DynamoDB may fail in five minutes: single ones are tried again, and no client notices. */
const MAX_SYSTEM_ERRORS = 100;
/** Time after its end at which an hour must be settled: as a rule it is within 70 minutes. */
const MAX_UNSETTLED_SECONDS = 2 * 3_600;
/** Share of the compute units that may stay uncharged, and how many there must be. */
const MAX_UNCHARGED_PERCENT = 0.1;
const MIN_BILLED_CU = 10_000;
/** Time between two balance views of an account, in seconds: ten as a rule, and a minute is the most that readers bear. */
const MAX_BALANCE_VIEW_AGE_SECONDS = 20;

/** Queues in which what failed for good is kept, by what their alarm is called. */
type DeadLetters =
  | 'LostCharges'
  | 'FailedSettlements'
  | 'FailedAudits'
  | keyof NonNullable<Monitored['chainData']>['deadLetters'];

/** Meaning of each queue of dead letters, and how soon an operator has to look. */
const DEAD_LETTER_ALARMS: Readonly<Record<DeadLetters, readonly [Severity, string]>> = {
  LostCharges: ['page', 'The dead-letter queue holds charges that no delivery could store.'],
  FailedSettlements: ['ticket', 'Settlement failed permanently for the work in the dead-letter queue.'],
  FailedAudits: ['page', 'The books could not be audited.'],
  FailedIndexing: [
    'ticket',
    'Slots or ranges of an index failed permanently; on a halted chain, all of them do.',
  ],
  FailedRollups: ['ticket', 'Prices, candles or daily figures could not be derived.'],
};

/** Queues of work on the chain database, which fill while that is lost. */
const DATABASE_WORK = ['FailedIndexing', 'FailedRollups'];

/** Work that failed permanently. */
export function watchDeadLetters(
  watch: AlarmWatch,
  { charges, books, chainData }: Monitored,
  lostDatabase: IAlarm | undefined,
): void {
  const queues: Readonly<Partial<Record<DeadLetters, Queue>>> = {
    LostCharges: charges.deadLetters,
    FailedSettlements: books.settlement.deadLetters,
    FailedAudits: books.audit.deadLetters,
    ...chainData?.deadLetters,
  };
  for (const [id, [severity, meaning]] of Object.entries(DEAD_LETTER_ALARMS)) {
    const queue = queues[id as DeadLetters];
    if (queue === undefined) continue;
    const metric = queue.metricApproximateNumberOfMessagesVisible({
      period: MINUTE,
      statistic: Stats.MAXIMUM,
    });
    const explainedBy = DATABASE_WORK.includes(id) ? lostDatabase : undefined;
    watch.alarm(id, severity, meaning, { metric, threshold: 0, periods: 1, explainedBy });
  }
}

/** Charges on their way to the store. */
export function watchCharges(watch: AlarmWatch, queue: Queue): void {
  watch.alarm('ChargesWaiting', 'page', 'Charges wait in their queue: the lanes cannot be written.', {
    metric: queue.metricApproximateAgeOfOldestMessage({ period: MINUTE, statistic: Stats.MAXIMUM }),
    threshold: MAX_CHARGE_AGE_SECONDS,
    periods: 1,
  });
  const sum = (name: MetricName) => watch.metrics.metric(name, { statistic: Stats.SUM });
  watch.alarm(
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
 * Tables of each request: one that refuses writes holds up charges, or the limits of a key, one that refuses reads holds up
 * requests, and one that fails does too.
 * What is watched of failures is the operation that nearly every request makes of a table.
 */
export function watchTables(
  watch: AlarmWatch,
  { keys, accounts, lanes, unsettled, balances }: MeteringTables,
): void {
  const over = (least: number, of: Readonly<Record<string, IMetric>>) => ({
    each: Object.entries(of).map(([name, metric]) => ({
      holds: `${name} > ${least}`,
      metrics: { [name]: metric },
    })),
    periods: 1,
  });
  const refused = (kind: 'Read' | 'Write', tables: Readonly<Record<string, Table>>) =>
    Object.fromEntries(Object.entries(tables).map(([name, table]) => [name, throttles(kind, table)]));
  watch.anyAlarm(
    'ThrottledWrites',
    'ticket',
    'DynamoDB throttles writes to a metering table.',
    over(MAX_THROTTLED_WRITES, refused('Write', { keys, lanes, unsettled })),
  );
  watch.anyAlarm(
    'ThrottledReads',
    'ticket',
    'DynamoDB throttles reads of a metering table.',
    over(MAX_THROTTLED_READS, refused('Read', { keys, accounts, lanes, balances })),
  );
  watch.anyAlarm(
    'StoreErrors',
    'ticket',
    'DynamoDB itself fails requests to a metering table.',
    over(MAX_SYSTEM_ERRORS, {
      keys: systemErrors(keys, 'UpdateItem'),
      accounts: systemErrors(accounts, 'GetItem'),
      lanes: systemErrors(lanes, 'UpdateItem'),
    }),
  );
}

/** The balance views of accounts with many lanes: that they are refreshed. Without them, accounts near their end get 503. */
export function watchBalanceViews(watch: AlarmWatch): void {
  watch.alarm(
    'AccountBalancesOld',
    'page',
    'The balances of accounts with many instances are not refreshed.',
    {
      metric: watch.metrics.metric('BalanceViewAge', { statistic: Stats.MAXIMUM, period: MINUTE }),
      threshold: MAX_BALANCE_VIEW_AGE_SECONDS,
      periods: 3,
      missing: TreatMissingData.BREACHING,
    },
  );
}

/** The books: that they balance, are audited, and are settled in time. */
export function watchMoney(watch: AlarmWatch): void {
  watch.alarm('BooksDoNotBalance', 'page', 'The audit found accounts whose figures contradict each other.', {
    metric: watch.metrics.metric('AuditViolations', { statistic: Stats.MAXIMUM, period: HOUR }),
    threshold: 0,
    periods: 1,
  });
  const runs = (name: MetricName) =>
    watch.metrics.metric(name, { statistic: Stats.SAMPLE_COUNT, period: HOUR });
  watch.absence('NoAudit', 'The books have not been audited for three hours.', runs('AuditedAccounts'), 3);
  watch.alarm('SettlementLate', 'ticket', 'An hour that ended more than two hours ago is not settled.', {
    metric: watch.metrics.metric('UnsettledAge', { statistic: Stats.MAXIMUM, period: HOUR }),
    threshold: MAX_UNSETTLED_SECONDS,
    // A charge that comes late waits for the next settlement, which is no matter.
    periods: 2,
  });
  watch.alarm('LeavesNotKept', 'ticket', 'Records are settled whose lanes could not be kept.', {
    metric: watch.metrics.metric('UnfrozenRecords', { statistic: Stats.SUM, period: HOUR }),
    threshold: 0,
    periods: 1,
  });
  watch.alarm(
    'LedgerBehindHead',
    'page',
    'The ledger lacks records that a signed head names: their accounts are not settled.',
    {
      metric: watch.metrics.metric('LedgerBehindHead', { statistic: Stats.MAXIMUM, period: HOUR }),
      threshold: 0,
      periods: 1,
    },
  );
  watch.absence(
    'NoHead',
    'No head of settled records has been signed for three hours.',
    runs('SealedRecords'),
    // In a new stage two would be over before the first run: its rule may be made minutes after those of minutes.
    3,
  );
}
