import { Duration } from 'aws-cdk-lib';
import { Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { DatabaseCluster } from 'aws-cdk-lib/aws-rds';
import type { StageConfig } from '../config/stage-config.ts';
import type { AlarmWatch } from './alarm-watch.ts';

const FIVE_MINUTES = Duration.minutes(5);
/** Share of the highest capacity that the writer may use for a quarter of an hour. */
const MAX_CAPACITY_PERCENT = 90;
/** Connections that PostgreSQL takes on so much memory, at most, and at most where the least capacity is half a unit. */
const CONNECTIONS_PER_ACU = 189;
const MAX_CONNECTIONS = 5_000;
const MAX_SMALL_CONNECTIONS = 2_000;
const SMALL_ACU = 0.5;
const MAX_CONNECTIONS_PERCENT = 80;
/** Age of the oldest transaction that is not frozen: at 2.1 billion PostgreSQL refuses writes. */
const MAX_TRANSACTION_AGE = 1_000_000_000;
const PERCENT = 100;

/** The chain database as a machine: capacity, connections, and the age of its transactions. */
export function watchCluster(
  watch: AlarmWatch,
  cluster: DatabaseCluster,
  { minAcu, maxAcu }: StageConfig['database'],
): void {
  const ofCluster = { DBClusterIdentifier: cluster.clusterIdentifier };
  const metric = (metricName: string, dimensionsMap: Record<string, string> = ofCluster) =>
    new Metric({
      namespace: 'AWS/RDS',
      metricName,
      dimensionsMap,
      statistic: Stats.MAXIMUM,
      period: FIVE_MINUTES,
    });
  const ofWriter = { ...ofCluster, Role: 'WRITER' };
  watch.alarm(
    'DatabaseBusy',
    'ticket',
    `The chain database uses more than ${MAX_CAPACITY_PERCENT} % of its highest capacity.`,
    {
      metric: metric('ACUUtilization', ofWriter).with({ statistic: Stats.AVERAGE }),
      threshold: MAX_CAPACITY_PERCENT,
      periods: 3,
    },
  );
  watch.alarm('DatabaseConnections', 'ticket', 'The chain database is about to refuse connections.', {
    metric: metric('DatabaseConnections', ofWriter),
    threshold: Math.floor((maxConnections(minAcu, maxAcu) * MAX_CONNECTIONS_PERCENT) / PERCENT),
    periods: 3,
  });
  watch.alarm('TransactionsOld', 'ticket', 'Vacuum of the chain database falls behind its transactions.', {
    metric: metric('MaximumUsedTransactionIDs'),
    threshold: MAX_TRANSACTION_AGE,
    periods: 1,
  });
}

/** Connections that the cluster takes: by its highest capacity, unless its least one is very small. */
function maxConnections(minAcu: number, maxAcu: number): number {
  const most = minAcu <= SMALL_ACU ? MAX_SMALL_CONNECTIONS : MAX_CONNECTIONS;
  return Math.min(most, Math.floor(maxAcu * CONNECTIONS_PER_ACU));
}
