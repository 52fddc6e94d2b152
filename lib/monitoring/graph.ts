import { Duration } from 'aws-cdk-lib';
import {
  GraphWidget,
  type HorizontalAnnotation,
  type IMetric,
  LogQueryVisualizationType,
  LogQueryWidget,
  MathExpression,
  SingleValueWidget,
} from 'aws-cdk-lib/aws-cloudwatch';
import type { Service } from '../functions/service-function.ts';

/** Width of a dashboard in the units of CloudWatch, and parts of it. */
export const WIDTH = 24;
export const HALF = 12;
export const THIRD = 8;
export const QUARTER = 6;
/** Height of a graph, and of figures alone. */
const HEIGHT = 6;
const FIGURES_HEIGHT = 4;
/** Period of what has no other. */
export const PERIOD = Duration.minutes(5);

/** Mean of all values but the highest tenth: a few large batches or slow nodes do not move it. */
export const TRIMMED_MEAN = 'tm90';

/** A graph of metrics, from 0 on, with lines for limits that do not change. */
export function graph(
  title: string,
  left: IMetric[],
  width = THIRD,
  leftAnnotations: HorizontalAnnotation[] = [],
): GraphWidget {
  return new GraphWidget({ title, left, width, height: HEIGHT, leftYAxis: { min: 0 }, leftAnnotations });
}

/** The latest values of metrics, in figures. */
export function figures(title: string, metrics: IMetric[], width: number): SingleValueWidget {
  return new SingleValueWidget({ title, metrics, width, height: FIGURES_HEIGHT });
}

/** Metric math over metrics by the ids that the expression names. */
export function math(
  label: string,
  expression: string,
  usingMetrics: Readonly<Record<string, IMetric>>,
  period = PERIOD,
): MathExpression {
  return new MathExpression({ label, expression, usingMetrics: { ...usingMetrics }, period });
}

/** What a query of CloudWatch Logs Insights finds in the logs of some functions, as a table. It costs when it is looked at. */
export function logTable(
  title: string,
  functions: readonly Service[],
  queryLines: readonly string[],
  width: number,
): LogQueryWidget {
  return new LogQueryWidget({
    title,
    logGroupNames: functions.map(({ logGroup }) => logGroup.logGroupName),
    view: LogQueryVisualizationType.TABLE,
    queryLines: [...queryLines],
    width,
    height: HEIGHT,
  });
}
