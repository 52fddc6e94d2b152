import { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import {
  ComparisonOperator,
  type IAlarm,
  MathExpression,
  Metric,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { REQUESTS_PER_SHARED_ENVIRONMENT } from '../config/function-config.ts';
import { invokedFunctions, type ServiceFunctions } from '../edge/service-functions.ts';
import type { AlarmWatch } from './alarm-watch.ts';

const FIVE_MINUTES = Duration.minutes(5);
const HOUR = Duration.hours(1);
/** Share of requests that fail before an operator is woken, and how many there must be. */
const MAX_FAILED_PERCENT = 2;
const MIN_REQUESTS = 20;
/** Time that the gateway itself may add to a request, in milliseconds, at the 99th percentile. */
const MAX_ADDED_LATENCY_MS = 500;
/** Time of a Data API request at the 95th percentile: a query may take eight seconds, an export longer. */
const MAX_DATA_LATENCY_MS = 3_000;
/** Runs of a function behind the API that Lambda may refuse in five minutes. */
const MAX_THROTTLED_RUNS = 20;
/** Share of the JSON-RPC function's own instances that may be busy, in percent. */
const MAX_BUSY_PERCENT = 80;
/** Share of the account's concurrent executions that may be reserved or in use, in percent. */
const MAX_CLAIMED_PERCENT = 90;
/** Days that the certificate of the domain has left: AWS renews its own 60 days before. */
const MIN_CERTIFICATE_DAYS = 30;
/** Share of requests that may be refused for want of billing data, and least count of them: single ones are no matter. */
const MAX_UNBILLABLE_PERCENT = 1;
const MIN_UNBILLABLE = 10;
/** The probe asks once a minute; three failures in five are no accident. */
const PROBE_PERIOD = Duration.minutes(1);
const PROBE_PERIODS = 5;
const PROBE_FAILED_IN_PERIODS = 3;
/** Hours without a single request. */
const QUIET_HOURS = 3;

/** Requests that fail for any reason but the chain database, which has alarms of its own. */
export function watchFailures(watch: AlarmWatch, rest: RestApi): void {
  const all = rest.metricCount({ period: FIVE_MINUTES, statistic: Stats.SUM });
  const failed = rest.metricServerError({ period: FIVE_MINUTES, statistic: Stats.SUM });
  watch.alarm('FailingRequests', 'page', `More than ${MAX_FAILED_PERCENT} % of the requests fail with 5xx.`, {
    metric: new MathExpression({
      expression: `IF(all > ${MIN_REQUESTS}, 100 * (failed - FILL(away, 0)) / all, 0)`,
      usingMetrics: {
        all,
        failed,
        away: watch.metrics.metric('DatabaseUnavailable', { statistic: Stats.SUM }),
      },
      period: FIVE_MINUTES,
    }),
    threshold: MAX_FAILED_PERCENT,
    periods: 2,
  });
}

/** Requests of the Data API alone, which are few of all: that they fail, and how long they take. */
export function watchDataApi(watch: AlarmWatch, lostDatabase: IAlarm | undefined): void {
  const requests = watch.metrics.metric('DataRequests', { statistic: Stats.SUM });
  watch.alarm(
    'FailingDataRequests',
    'page',
    `More than ${MAX_FAILED_PERCENT} % of the Data API requests fail with 5xx.`,
    {
      metric: new MathExpression({
        expression: `IF(requests > ${MIN_REQUESTS}, 100 * failed / requests, 0)`,
        usingMetrics: { requests, failed: watch.metrics.metric('DataErrors', { statistic: Stats.SUM }) },
        period: FIVE_MINUTES,
      }),
      threshold: MAX_FAILED_PERCENT,
      periods: 2,
      explainedBy: lostDatabase,
    },
  );
  watch.alarm('SlowDataApi', 'ticket', 'Data API requests are slow.', {
    metric: new MathExpression({
      expression: `IF(requests > ${MIN_REQUESTS}, slow, 0)`,
      usingMetrics: { requests, slow: watch.metrics.metric('DataLatency', { statistic: 'p95' }) },
      period: FIVE_MINUTES,
    }),
    threshold: MAX_DATA_LATENCY_MS,
    periods: 3,
    explainedBy: lostDatabase,
  });
}

/**
 * The stage as its clients reach it, by name, certificate, firewall and key. A minute without a figure counts as a failed one,
 * because the probe itself did not run.
 */
export function watchProbe(watch: AlarmWatch, asksForData: boolean, lostDatabase: IAlarm | undefined): void {
  const probed = (metricName: 'RpcProbeFailures' | 'DataProbeFailures') => ({
    metric: watch.metrics.metric(metricName, { statistic: Stats.MAXIMUM, period: PROBE_PERIOD }),
    threshold: 0,
    periods: PROBE_PERIODS,
    passedIn: PROBE_FAILED_IN_PERIODS,
    missing: TreatMissingData.BREACHING,
  });
  const meaning = 'A request to the stage by its public name fails, or none is made.';
  watch.alarm('ProbeFailing', 'page', meaning, { of: 'rpc', ...probed('RpcProbeFailures') });
  if (asksForData)
    watch.alarm('ProbeFailing', 'page', meaning, {
      of: 'data',
      ...probed('DataProbeFailures'),
      explainedBy: lostDatabase,
    });
}

/** A stage with customers is asked now and then: silence can mean that its address leads nowhere. */
export function watchTraffic(watch: AlarmWatch, rest: RestApi): void {
  const requests = rest.metricCount({ period: HOUR, statistic: Stats.SUM });
  watch.absence('NoTraffic', `No request has come for ${QUIET_HOURS} hours.`, requests, QUIET_HOURS);
}

/** Clients get 503 for a run that is refused. */
export function watchInstances(
  watch: AlarmWatch,
  functions: ServiceFunctions,
  rpcConcurrency: number | undefined,
): void {
  const { rpc } = functions;
  const invoked = invokedFunctions(functions);
  watch.anyAlarm(
    'ThrottledRuns',
    'ticket',
    'Lambda refuses to run a function: too many of its instances are busy.',
    {
      each: invoked.map(([of, { lambda }]) => ({
        holds: `${of} > ${MAX_THROTTLED_RUNS}`,
        metrics: { [of]: lambda.metricThrottles({ period: FIVE_MINUTES, statistic: Stats.SUM }) },
      })),
      periods: 1,
    },
  );
  for (const [of, service] of invoked) {
    const requests = service.environmentMetric('ExecutionEnvironmentConcurrency', { period: FIVE_MINUTES });
    if (requests !== undefined) watchEnvironments(watch, of, requests);
  }
  if (rpcConcurrency === undefined || rpc.onInstances !== undefined) return;
  watch.alarm(
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

/** Environments of many requests: at the bound of them the requests of each rise, and then Lambda refuses some. */
function watchEnvironments(watch: AlarmWatch, of: string, requests: Metric): void {
  watch.alarm(
    'EnvironmentsBusy',
    'ticket',
    `An environment has more than ${MAX_BUSY_PERCENT} % of the requests that it takes.`,
    {
      of,
      metric: requests,
      threshold: Math.floor((REQUESTS_PER_SHARED_ENVIRONMENT * MAX_BUSY_PERCENT) / 100),
      periods: 3,
    },
  );
}

/** Concurrency of all functions of the account together: another stack can use up the part that this one has not reserved. */
export function watchAccount(watch: AlarmWatch): void {
  const ofAccount = (metricName: string) =>
    new Metric({ namespace: 'AWS/Lambda', metricName, statistic: Stats.MAXIMUM, period: FIVE_MINUTES });
  watch.alarm(
    'AccountConcurrency',
    'ticket',
    `More than ${MAX_CLAIMED_PERCENT} % of the account's concurrency is reserved or in use.`,
    {
      metric: new MathExpression({
        expression: '100 * claimed / SERVICE_QUOTA(running)',
        usingMetrics: {
          claimed: ofAccount('ClaimedAccountConcurrency'),
          running: ofAccount('ConcurrentExecutions'),
        },
        period: FIVE_MINUTES,
      }),
      threshold: MAX_CLAIMED_PERCENT,
      periods: 3,
    },
  );
}

/** The certificate of the API's domain: AWS renews it by itself, unless it cannot. */
export function watchCertificate(watch: AlarmWatch, certificateArn: string): void {
  watch.alarm(
    'CertificateExpires',
    'ticket',
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

/** Faults of the gateway itself that callers notice: its own time, and requests refused for want of billing data. */
export function watchService(watch: AlarmWatch, rest: RestApi): void {
  watch.alarm('SlowGateway', 'ticket', 'The gateway itself is slow, apart from the time of its nodes.', {
    metric: new MathExpression({
      expression: `IF(requests > ${MIN_REQUESTS}, added, 0)`,
      usingMetrics: {
        requests: watch.metrics.metric('Requests', { statistic: Stats.SUM }),
        added: watch.metrics.metric('AddedLatency', { statistic: 'p99' }),
      },
      period: FIVE_MINUTES,
    }),
    threshold: MAX_ADDED_LATENCY_MS,
    periods: 3,
  });
  watch.alarm(
    'BillingUnavailable',
    'page',
    `More than ${MAX_UNBILLABLE_PERCENT} % of the requests are refused because balances or limits cannot be read.`,
    {
      metric: new MathExpression({
        // Without a refusal there is no such metric, no value, and no alarm.
        expression: `IF(refused >= ${MIN_UNBILLABLE}, 100 * refused / all, 0)`,
        usingMetrics: {
          refused: watch.metrics.metric('RefusedForUnavailability', { statistic: Stats.SUM }),
          all: rest.metricCount({ period: FIVE_MINUTES, statistic: Stats.SUM }),
        },
        period: FIVE_MINUTES,
      }),
      threshold: MAX_UNBILLABLE_PERCENT,
      periods: 1,
    },
  );
}
