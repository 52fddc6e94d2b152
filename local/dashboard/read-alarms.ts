import type { Resolver } from '../template/intrinsics.ts';
import {
  isTemplateObject,
  refuseUnknown,
  resourcesOfType,
  type Template,
  type TemplateObject,
  type TemplateResource,
  unsupported,
} from '../template/template.ts';
import { DEFAULT_PERIOD_SECONDS, expressionQuery, type MetricQuery, statisticQuery } from './metric-query.ts';
import type { MetricId } from './metric-series.ts';

/** How an alarm compares a value with its threshold. */
type Comparison = (value: number, threshold: number) => boolean;

const COMPARISONS: Readonly<Record<string, readonly [sign: string, comparison: Comparison]>> = {
  GreaterThanThreshold: ['>', (value, threshold) => value > threshold],
  GreaterThanOrEqualToThreshold: ['≥', (value, threshold) => value >= threshold],
  LessThanThreshold: ['<', (value, threshold) => value < threshold],
  LessThanOrEqualToThreshold: ['≤', (value, threshold) => value <= threshold],
};
const MISSING_DATA = ['breaching', 'notBreaching', 'ignore', 'missing'] as const;

/** Treatment of a period without data. */
type MissingData = (typeof MISSING_DATA)[number];

/** An alarm of the template. */
export interface AlarmDefinition {
  readonly logicalId: string;
  readonly arn: string;
  readonly description: string;
  /** Whether it has an action of its own; else others that are made of it do. */
  readonly tells: boolean;
  /** All that the alarm names. */
  readonly queries: readonly MetricQuery[];
  /** The one of them that is compared. */
  readonly watched: MetricQuery;
  readonly comparison: Comparison;
  /** Such as `>`. */
  readonly sign: string;
  readonly threshold: number;
  readonly evaluationPeriods: number;
  /** How many of these must be over the threshold. */
  readonly datapointsToAlarm: number;
  readonly missingData: MissingData;
}

/**
 * The alarms of a template.
 * @throws UnsupportedTemplateError for what a local run cannot evaluate
 */
export function readAlarms(template: Template, resolve: Resolver): AlarmDefinition[] {
  return resourcesOfType(template, 'AWS::CloudWatch::Alarm').map((resource) => readAlarm(resource, resolve));
}

function readAlarm(resource: TemplateResource, resolve: Resolver): AlarmDefinition {
  const properties = resolve(resource.properties) as TemplateObject;
  const operator = String(properties.ComparisonOperator);
  const [sign, comparison] = COMPARISONS[operator] ?? [];
  if (sign === undefined || comparison === undefined)
    throw unsupported(resource, `ComparisonOperator ${operator}`);
  const missing = properties.TreatMissingData ?? 'missing';
  const missingData = MISSING_DATA.find((treatment) => treatment === missing);
  if (missingData === undefined) throw unsupported(resource, `TreatMissingData ${missing}`);
  const queries = readQueries(resource, properties);
  const watched = queries.find(({ isVisible }) => isVisible);
  if (watched === undefined) throw unsupported(resource, 'Metrics without one that returns data');
  const evaluationPeriods = Number(properties.EvaluationPeriods);
  return {
    logicalId: resource.logicalId,
    arn: String(resolve({ 'Fn::GetAtt': [resource.logicalId, 'Arn'] })),
    description: String(properties.AlarmDescription ?? ''),
    tells: Array.isArray(properties.AlarmActions),
    queries,
    watched,
    comparison,
    sign,
    threshold: Number(properties.Threshold),
    evaluationPeriods,
    datapointsToAlarm: Number(properties.DatapointsToAlarm ?? evaluationPeriods),
    missingData,
  };
}

function readQueries(resource: TemplateResource, properties: TemplateObject): MetricQuery[] {
  if (Array.isArray(properties.Metrics))
    return properties.Metrics.filter(isTemplateObject).map((query) => readQuery(resource, query));
  const statistic = String(properties.ExtendedStatistic ?? properties.Statistic);
  const period = Number(properties.Period ?? DEFAULT_PERIOD_SECONDS);
  const metric = readMetric(properties);
  return [statisticQuery({ id: undefined, label: metric.name, isVisible: true }, metric, statistic, period)];
}

function readQuery(resource: TemplateResource, query: TemplateObject): MetricQuery {
  refuseUnknown(resource, 'Metrics', query, [
    'Expression',
    'Id',
    'Label',
    'MetricStat',
    'Period',
    'ReturnData',
  ]);
  const { Id, Label, Expression, MetricStat, Period: ofExpression, ReturnData } = query;
  const base = { id: String(Id), label: String(Label ?? Id), isVisible: ReturnData !== false };
  if (typeof Expression === 'string')
    return expressionQuery(base, Expression, ofExpression === undefined ? undefined : Number(ofExpression));
  if (!isTemplateObject(MetricStat) || !isTemplateObject(MetricStat.Metric))
    throw unsupported(resource, `Metrics without Expression or MetricStat`);
  const { Stat, Period } = MetricStat;
  return statisticQuery(base, readMetric(MetricStat.Metric), String(Stat), Number(Period));
}

function readMetric({ Namespace, MetricName, Dimensions }: TemplateObject): MetricId {
  const dimensions = (Array.isArray(Dimensions) ? Dimensions : []).filter(isTemplateObject);
  return {
    namespace: String(Namespace),
    name: String(MetricName),
    dimensions: Object.fromEntries(dimensions.map(({ Name, Value }) => [String(Name), String(Value)])),
  };
}
