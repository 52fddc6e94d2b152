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

/** A text, of which a local run shows that it begins a section; or a query of logs, which only an account can run. */
interface TitledWidget {
  readonly kind: 'heading' | 'logs';
  readonly title: string;
}

/** A limit that is shown beside what is used of it. */
export interface Annotation {
  readonly label: string;
  readonly value: number;
}

export interface MetricsWidget {
  readonly kind: 'metrics';
  readonly view: 'timeSeries' | 'singleValue';
  readonly title: string;
  readonly queries: readonly MetricQuery[];
  readonly annotations: readonly Annotation[];
}

export type Widget = TitledWidget | MetricsWidget;

/**
 * The widgets of the dashboards of a template, but for those of alarms: a local run shows all of these.
 * @throws UnsupportedTemplateError for a widget that a local run cannot draw
 */
export function readWidgets(template: Template, resolve: Resolver): Widget[] {
  return resourcesOfType(template, 'AWS::CloudWatch::Dashboard').flatMap((resource) => {
    const body: unknown = JSON.parse(String(resolve(resource.properties.DashboardBody)));
    if (!isTemplateObject(body) || !Array.isArray(body.widgets))
      throw unsupported(resource, 'a body without widgets');
    return body.widgets.filter(isTemplateObject).flatMap((widget) => readWidget(resource, widget));
  });
}

function readWidget(resource: TemplateResource, { type, properties }: TemplateObject): Widget[] {
  if (!isTemplateObject(properties)) throw unsupported(resource, 'a widget without properties');
  if (type === 'alarm') return [];
  if (type === 'text') return [{ kind: 'heading', title: String(properties.markdown).replace(/^#+ /, '') }];
  if (type === 'metric') return [readMetrics(resource, properties)];
  if (type === 'log') return [{ kind: 'logs', title: String(properties.title ?? '') }];
  throw unsupported(resource, `widget ${type}`);
}

function readMetrics(resource: TemplateResource, properties: TemplateObject): MetricsWidget {
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
  const { view, metrics, title, annotations } = properties;
  if (view !== 'timeSeries' && view !== 'singleValue') throw unsupported(resource, `view ${view}`);
  if (!Array.isArray(metrics)) throw unsupported(resource, 'a metric widget without metrics');
  return {
    kind: 'metrics',
    view,
    title: String(title ?? ''),
    queries: metrics.map((metric) => readQuery(resource, metric, properties)),
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
