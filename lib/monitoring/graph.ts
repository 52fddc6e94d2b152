import { Duration } from 'aws-cdk-lib';
import { GraphWidget, type IMetric } from 'aws-cdk-lib/aws-cloudwatch';

/** Width of a dashboard in the units of CloudWatch, and parts of it. */
export const WIDTH = 24;
export const HALF = 12;
export const THIRD = 8;
/** Height of a graph. */
export const HEIGHT = 6;
/** Period of what has no other. */
export const PERIOD = Duration.minutes(5);

/** Mean of all values but the highest tenth: a few large batches or slow nodes do not move it. */
export const TRIMMED_MEAN = 'tm90';

/** A graph of metrics, from 0 on. */
export function graph(title: string, left: IMetric[], width = THIRD): GraphWidget {
  return new GraphWidget({ title, left, width, height: HEIGHT, leftYAxis: { min: 0 } });
}
