import { Duration } from 'aws-cdk-lib';
import { MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Table } from 'aws-cdk-lib/aws-dynamodb';
import {
  type MetricName,
  metricNamespace,
  type RunDimensions,
} from '../../lambdas/shared/runtime/metrics.ts';

const DEFAULT_PERIOD = Duration.minutes(5);

/** What a metric of the gateway is asked for. */
interface Asked {
  readonly statistic: string;
  /** @default 5 minutes */
  readonly period?: Duration;
  /** Name of the chain that it is of. @default all together */
  readonly chain?: string;
  /** Function that it is of, and version. @default it is not counted by function */
  readonly run?: Pick<RunDimensions, 'Function'> & Partial<RunDimensions>;
  /** Label on the dashboard. @default its name */
  readonly label?: string;
}

/**
 * Writes to a table, or reads of it, that DynamoDB refused. It publishes these with the name of the table as the one
 * dimension (of an index, with that of the index beside it), and only while there are some.
 */
export function throttles(kind: 'Read' | 'Write', { tableName }: Table, label?: string): Metric {
  return new Metric({
    namespace: 'AWS/DynamoDB',
    metricName: `${kind}ThrottleEvents`,
    dimensionsMap: { TableName: tableName },
    statistic: Stats.SUM,
    period: DEFAULT_PERIOD,
    ...(label !== undefined && { label }),
  });
}

/** Requests of one kind to a table that DynamoDB failed with HTTP 500. It publishes them by table and operation only. */
export function systemErrors({ tableName }: Table, operation: 'GetItem' | 'UpdateItem'): Metric {
  return new Metric({
    namespace: 'AWS/DynamoDB',
    metricName: 'SystemErrors',
    dimensionsMap: { TableName: tableName, Operation: operation },
    statistic: Stats.SUM,
    period: DEFAULT_PERIOD,
  });
}

/** The metrics that the functions of a stage emit. */
export class GatewayMetrics {
  readonly #namespace: string;

  constructor(stage: string) {
    this.#namespace = metricNamespace(stage);
  }

  metric(metricName: MetricName, { statistic, period = DEFAULT_PERIOD, chain, run, label }: Asked): Metric {
    return new Metric({
      namespace: this.#namespace,
      metricName,
      statistic,
      period,
      ...(chain !== undefined && { dimensionsMap: { Chain: chain } }),
      ...(run !== undefined && { dimensionsMap: { ...run } }),
      ...(label !== undefined && { label }),
    });
  }

  /** Sum of a metric for each chain or function that has any: an alarm on it has a state, and notifies, for each of them. */
  sumOfEach(dimension: 'Chain' | 'Function', name: MetricName): MathExpression {
    // In quotes, as Function is a reserved word.
    const expression = `SELECT SUM(${name}) FROM SCHEMA("${this.#namespace}", "${dimension}") GROUP BY "${dimension}" ORDER BY SUM() DESC`;
    return new MathExpression({ expression, period: DEFAULT_PERIOD });
  }

  /** Sums of metrics, each labelled with its name. */
  sums(...names: readonly MetricName[]): Metric[] {
    return names.map((name) => this.metric(name, { statistic: Stats.SUM, label: name }));
  }

  /** Sums of a metric by each value of a breakdown. */
  brokenDown(name: MetricName, by: 'MethodClass' | 'Reason', values: readonly string[]): Metric[] {
    return values.map((value) =>
      this.metric(name, { statistic: Stats.SUM, label: value }).with({ dimensionsMap: { [by]: value } }),
    );
  }

  /** A metric of each function behind the API, labelled with its name. */
  ofFunctions(functions: readonly string[], name: MetricName, statistic: string): Metric[] {
    return functions.map((label) => this.metric(name, { statistic, run: { Function: label }, label }));
  }

  /** A metric of each chain, labelled with the chain. */
  ofEach(chains: readonly string[], name: MetricName, asked: Omit<Asked, 'chain' | 'label'>): Metric[] {
    return chains.map((chain) => this.metric(name, { ...asked, chain, label: chain }));
  }
}
