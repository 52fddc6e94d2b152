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
import {
  DEFAULT_PERIOD_SECONDS,
  DEFAULT_STATISTIC,
  expressionQuery,
  type MetricQuery,
  statisticQuery,
} from './metric-query.ts';

/** The states of an alarm; a widget that names none shows all. */
const ALARM_STATES = ['ALARM', 'INSUFFICIENT_DATA', 'OK'];

/** Where a widget is on the grid of 24 columns. */
export interface WidgetPosition {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface TextWidget extends WidgetPosition {
  readonly kind: 'text';
  readonly markdown: string;
}

interface AlarmsWidget extends WidgetPosition {
  readonly kind: 'alarms';
  readonly title: string;
  readonly arns: readonly string[];
  /** Alarms in other states are not shown, only counted. */
  readonly states: readonly string[];
}

/** A query of logs, which only an account can run. */
interface LogsWidget extends WidgetPosition {
  readonly kind: 'logs';
  readonly title: string;
}

/** A limit that a chart shows as a level line. */
export interface Annotation {
  readonly label: string;
  readonly value: number;
}

export interface MetricsWidget extends WidgetPosition {
  readonly kind: 'metrics';
  readonly view: 'timeSeries' | 'singleValue';
  readonly title: string;
  readonly queries: readonly MetricQuery[];
  /** Least value of the left axis, if the widget fixes it. */
  readonly minimum: number | undefined;
  readonly annotations: readonly Annotation[];
}

export type Widget = TextWidget | AlarmsWidget | LogsWidget | MetricsWidget;

/** A dashboard of the template. */
interface DashboardDefinition {
  readonly name: string;
  readonly widgets: readonly Widget[];
}

/**
 * The dashboards of a template.
 * @throws UnsupportedTemplateError for a widget that a local run cannot draw
 */
export function readDashboards(template: Template, resolve: Resolver): DashboardDefinition[] {
  return resourcesOfType(template, 'AWS::CloudWatch::Dashboard').map((resource) => {
    const body: unknown = JSON.parse(String(resolve(resource.properties.DashboardBody)));
    if (!isTemplateObject(body) || !Array.isArray(body.widgets))
      throw unsupported(resource, 'a body without widgets');
    refuseUnknown(resource, 'DashboardBody', body, ['widgets']);
    return {
      name: String(resolve(resource.properties.DashboardName)),
      widgets: body.widgets.filter(isTemplateObject).map((widget) => readWidget(resource, widget)),
    };
  });
}

function readWidget(resource: TemplateResource, widget: TemplateObject): Widget {
  refuseUnknown(resource, 'widget', widget, ['height', 'properties', 'type', 'width', 'x', 'y']);
  const { type, properties, x, y, width, height } = widget;
  const place = { x: Number(x), y: Number(y), width: Number(width), height: Number(height) };
  if (!isTemplateObject(properties)) throw unsupported(resource, 'a widget without properties');
  if (type === 'text') return { ...place, ...readText(resource, properties) };
  if (type === 'alarm') return { ...place, ...readAlarmStates(resource, properties) };
  if (type === 'metric') return { ...place, ...readMetrics(resource, properties) };
  if (type === 'log') return { ...place, ...readLogs(resource, properties) };
  throw unsupported(resource, `widget ${type}`);
}

function readText(
  resource: TemplateResource,
  properties: TemplateObject,
): Omit<TextWidget, keyof WidgetPosition> {
  refuseUnknown(resource, 'text', properties, ['background', 'markdown']);
  return { kind: 'text', markdown: String(properties.markdown) };
}

function readAlarmStates(
  resource: TemplateResource,
  properties: TemplateObject,
): Omit<AlarmsWidget, keyof WidgetPosition> {
  refuseUnknown(resource, 'alarm', properties, ['alarms', 'states', 'title']);
  const texts = (list: unknown) => (Array.isArray(list) ? list.map(String) : undefined);
  return {
    kind: 'alarms',
    title: String(properties.title ?? ''),
    arns: texts(properties.alarms) ?? [],
    states: texts(properties.states) ?? ALARM_STATES,
  };
}

function readLogs(
  resource: TemplateResource,
  properties: TemplateObject,
): Omit<LogsWidget, keyof WidgetPosition> {
  refuseUnknown(resource, 'log', properties, ['query', 'region', 'title', 'view']);
  return { kind: 'logs', title: String(properties.title ?? '') };
}

function readMetrics(
  resource: TemplateResource,
  properties: TemplateObject,
): Omit<MetricsWidget, keyof WidgetPosition> {
  refuseUnknown(resource, 'metric', properties, [
    'annotations',
    'metrics',
    'period',
    'region',
    'stat',
    'title',
    'view',
    'yAxis',
  ]);
  const { view, metrics, title, yAxis, annotations } = properties;
  if (view !== 'timeSeries' && view !== 'singleValue') throw unsupported(resource, `view ${view}`);
  if (!Array.isArray(metrics)) throw unsupported(resource, 'a metric widget without metrics');
  const left = isTemplateObject(yAxis) && isTemplateObject(yAxis.left) ? yAxis.left : {};
  return {
    kind: 'metrics',
    view,
    title: String(title ?? ''),
    queries: metrics.map((metric) => readQuery(resource, metric, properties)),
    minimum: left.min === undefined ? undefined : Number(left.min),
    annotations: readAnnotations(resource, annotations),
  };
}

function readAnnotations(resource: TemplateResource, annotations: unknown): Annotation[] {
  if (annotations === undefined) return [];
  if (!isTemplateObject(annotations) || !Array.isArray(annotations.horizontal))
    throw unsupported(resource, 'annotations that are not horizontal');
  refuseUnknown(resource, 'annotations', annotations, ['horizontal']);
  return annotations.horizontal.filter(isTemplateObject).map((annotation) => {
    refuseUnknown(resource, 'annotation', annotation, ['label', 'value', 'yAxis']);
    return { label: String(annotation.label ?? ''), value: Number(annotation.value) };
  });
}

/** A metric is `[namespace, name, dimension, value, ..., options]`, an expression `[options]`. */
function readQuery(resource: TemplateResource, metric: unknown, properties: TemplateObject): MetricQuery {
  if (!Array.isArray(metric)) throw unsupported(resource, 'a metric that is not a list');
  const last: unknown = metric.at(-1);
  const options = isTemplateObject(last) ? last : {};
  refuseUnknown(resource, 'metric', options, ['expression', 'id', 'label', 'period', 'stat', 'visible']);
  const { expression, id, label, period, stat, visible } = options;
  const [namespace = '', name = '', ...pairs] = (isTemplateObject(last) ? metric.slice(0, -1) : metric).map(
    String,
  );
  const base = {
    id: id === undefined ? undefined : String(id),
    label: String(label ?? (name === '' ? expression : name)),
    isVisible: visible !== false,
  };
  if (expression !== undefined) return expressionQuery(base, String(expression));
  if ([namespace, name, ...pairs].includes('.')) throw unsupported(resource, '"." in a metric');
  const dimensions = Object.fromEntries(
    Array.from({ length: pairs.length / 2 }, (_, index) => [pairs[index * 2], pairs[index * 2 + 1]]),
  );
  return statisticQuery(
    base,
    { namespace, name, dimensions },
    String(stat ?? properties.stat ?? DEFAULT_STATISTIC),
    Number(period ?? properties.period ?? DEFAULT_PERIOD_SECONDS),
  );
}
