import { type Expression, ExpressionError, parseExpression } from './expression.ts';
import { type MetricId, metricKey } from './metric-series.ts';
import type { MetricStore } from './metric-store.ts';
import { parseStatistic, type Statistic, statisticOf } from './statistics.ts';

/** CloudWatch's own, in seconds, where neither a widget nor a metric names one. */
export const DEFAULT_PERIOD_SECONDS = 300;
export const DEFAULT_STATISTIC = 'Average';

/** The one form of a query of Metrics Insights that a stack of ours has. */
const GROUPED =
  /^SELECT SUM\((?<name>\w+)\) FROM SCHEMA\("(?<namespace>[^"]+)", "(?<dimension>\w+)"\) GROUP BY "\k<dimension>" ORDER BY SUM\(\) DESC$/;
const SUM: Statistic = 'Sum';

interface QueryBase {
  /** Name by which expressions read it. */
  readonly id: string | undefined;
  readonly label: string;
  readonly isVisible: boolean;
}

/** A metric with its statistic. */
interface StatisticQuery extends QueryBase {
  readonly kind: 'statistic';
  readonly metric: MetricId;
  readonly statistic: Statistic;
  readonly periodSeconds: number;
}

/** A query that metric math computes from other queries of the same widget or alarm. */
interface ExpressionQuery extends QueryBase {
  readonly kind: 'expression';
  readonly expression: Expression;
}

/** Sums of a metric by each value that one dimension of it has: an alarm on them has a state for each. */
interface GroupedQuery extends QueryBase {
  readonly kind: 'grouped';
  readonly namespace: string;
  readonly name: string;
  readonly dimension: string;
  readonly statistic: Statistic;
  readonly periodSeconds: number;
}

/** A query that the local run cannot answer because it does not know a statistic or a function. */
interface FaultyQuery extends QueryBase {
  readonly kind: 'faulty';
  readonly fault: string;
}

/** One line of a widget, or the one thing that an alarm watches. */
export type MetricQuery = StatisticQuery | ExpressionQuery | GroupedQuery | FaultyQuery;

/** A span of time, the end exclusive, in milliseconds since the epoch. */
interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The span that a query with some period means at some moment. */
type SpanOf = (periodSeconds: number) => TimeSpan;

/** Reads a metric with a statistic; one of an unknown statistic is a faulty query. */
export function statisticQuery(
  base: QueryBase,
  metric: MetricId,
  statisticName: string,
  periodSeconds: number,
): MetricQuery {
  const statistic = parseStatistic(statisticName);
  if (statistic === undefined)
    return { ...base, kind: 'faulty', fault: `statistic ${statisticName} is not supported by a local run` };
  return { ...base, kind: 'statistic', metric, statistic, periodSeconds };
}

/** Reads metric math, or a query for sums of a metric by one dimension; what is not understood is a faulty query. */
export function expressionQuery(
  base: QueryBase,
  text: string,
  periodSeconds = DEFAULT_PERIOD_SECONDS,
): MetricQuery {
  const { name = '', namespace = '', dimension = '' } = GROUPED.exec(text)?.groups ?? {};
  if (name !== '')
    return { ...base, kind: 'grouped', name, namespace, dimension, statistic: SUM, periodSeconds };
  try {
    return { ...base, kind: 'expression', expression: parseExpression(text) };
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return { ...base, kind: 'faulty', fault: `${text}: ${error.message}` };
  }
}

/** The metrics that a query reads, itself or through others. */
export function metricsOf(query: MetricQuery, all: readonly MetricQuery[]): MetricId[] {
  if (query.kind === 'statistic') return [query.metric];
  if (query.kind === 'faulty' || query.kind === 'grouped') return [];
  return operandsOf(query, all).flatMap((operand) => metricsOf(operand, all));
}

/** The longest period that a query reads, in seconds. */
export function periodOf(query: MetricQuery, all: readonly MetricQuery[]): number {
  if (query.kind === 'statistic' || query.kind === 'grouped') return query.periodSeconds;
  if (query.kind === 'faulty') return DEFAULT_PERIOD_SECONDS;
  return Math.max(...operandsOf(query, all).map((operand) => periodOf(operand, all)));
}

/** Why a query has no response; undefined: it has one, or will once there is data. */
export function faultOf(query: MetricQuery, all: readonly MetricQuery[]): string | undefined {
  if (query.kind === 'statistic' || query.kind === 'grouped') return undefined;
  if (query.kind === 'faulty') return query.fault;
  const unknown = query.expression.ids.find((id) => queryOfId(id, query, all) === undefined);
  if (unknown !== undefined) return `${unknown} is not a metric beside the expression`;
  return operandsOf(query, all)
    .map((operand) => faultOf(operand, all))
    .find((fault) => fault !== undefined);
}

/** The value of a query for the span of a moment; undefined: no data. */
export function valueIn(
  query: MetricQuery,
  all: readonly MetricQuery[],
  store: MetricStore,
  spanOf: SpanOf,
): number | undefined {
  if (query.kind === 'faulty' || query.kind === 'grouped') return undefined;
  if (query.kind === 'statistic') {
    const { fromMs, toMs } = spanOf(query.periodSeconds);
    return statisticOf(store.between(metricKey(query.metric), fromMs, toMs), query.statistic);
  }
  const read = (id: string) => {
    const operand = queryOfId(id, query, all);
    return operand === undefined ? undefined : valueIn(operand, all, store, spanOf);
  };
  const quotaOf = (id: string) => {
    const operand = queryOfId(id, query, all);
    return operand?.kind === 'statistic' ? store.account?.quotaOf(operand.metric) : undefined;
  };
  return query.expression.compute(read, quotaOf);
}

function operandsOf(query: ExpressionQuery, all: readonly MetricQuery[]): MetricQuery[] {
  return query.expression.ids.flatMap((id) => queryOfId(id, query, all) ?? []);
}

/** Expressions read metrics only, as those of the stack do: none can read itself. */
function queryOfId(id: string, reader: MetricQuery, all: readonly MetricQuery[]): MetricQuery | undefined {
  return all.find((query) => query.id === id && query !== reader && query.kind !== 'expression');
}
