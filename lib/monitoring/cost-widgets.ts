import { Duration } from 'aws-cdk-lib';
import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { type IMetric, type IWidget, MathExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { DatabaseCluster } from 'aws-cdk-lib/aws-rds';
import type { ServiceFunctions } from '../edge/service-functions.ts';
import type { MeteringTables } from '../metering/metering-tables.ts';
import { graph, WIDTH } from './graph.ts';

/** List prices in us-east-1, in USD: they show what grows, not the bill. */
const USD = {
  apiRequest: 3.5e-6,
  lambdaRequest: 2e-7,
  lambdaMillisecondPerGb: 1.33334e-8,
  writeUnit: 6.25e-7,
  readUnit: 1.25e-7,
  acuHour: 0.12,
} as const;
/** Enough for three digits of the smallest price. */
const PRICE_DECIMALS = 12;

export interface CostWidgetsProps {
  readonly rest: RestApi;
  readonly functions: ServiceFunctions;
  readonly tables: MeteringTables;
  /** Absent in a stage without a chain database. */
  readonly cluster: DatabaseCluster | undefined;
}

/** What the stage costs in an hour, by part. */
export function costWidgets({ rest, functions, tables, cluster }: CostWidgetsProps): IWidget[] {
  const hour = { period: Duration.hours(1), statistic: Stats.SUM };
  const running = [functions.rpc, functions.data, functions.mcp];
  const lambdas = running.flatMap(({ lambda }, index) => [
    [`i${index}`, lambda.metricInvocations(hour)] as const,
    [`d${index}`, lambda.metricDuration(hour)] as const,
  ]);
  const written = [tables.keys, tables.accounts, tables.lanes, tables.unsettled];
  const units = written.flatMap((table, index) => [
    [`w${index}`, table.metricConsumedWriteCapacityUnits(hour)] as const,
    [`r${index}`, table.metricConsumedReadCapacityUnits(hour)] as const,
  ]);
  const sumOf = (letter: string) => written.map((_, index) => letter + index).join(' + ');
  const perHour = (label: string, expression: string, metrics: readonly (readonly [string, IMetric])[]) =>
    new MathExpression({ label, expression, usingMetrics: Object.fromEntries(metrics), period: hour.period });
  const seconds = running.map(
    (_, index) =>
      `(d${index} * ${decimal(USD.lambdaMillisecondPerGb)} + i${index} * ${decimal(USD.lambdaRequest)})`,
  );
  return [
    graph(
      'USD per hour at list prices',
      [
        perHour('API Gateway', `c0 * ${decimal(USD.apiRequest)}`, [['c0', rest.metricCount(hour)]]),
        perHour('functions (1 GB)', seconds.join(' + '), lambdas),
        perHour(
          'metering',
          `(${sumOf('w')}) * ${decimal(USD.writeUnit)} + (${sumOf('r')}) * ${decimal(USD.readUnit)}`,
          units,
        ),
        ...(cluster === undefined
          ? []
          : [
              perHour('database', `a0 * ${USD.acuHour}`, [
                [
                  'a0',
                  cluster.metricServerlessDatabaseCapacity({ period: hour.period, statistic: Stats.AVERAGE }),
                ],
              ]),
            ]),
      ],
      WIDTH,
    ),
  ];
}

/** A price without an exponent: metric math would take its `e` for the name of a metric. */
function decimal(price: number): string {
  return price.toFixed(PRICE_DECIMALS);
}
