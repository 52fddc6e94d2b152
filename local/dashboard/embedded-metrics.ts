import { isTemplateObject, type TemplateObject } from '../template/template.ts';
import type { Measurement } from './metric-series.ts';

/** Most metrics of one line, and most sets of dimensions: limits of the format. */
const MAX_METRICS_PER_LINE = 100;
const MAX_DIMENSION_SETS = 30;
/** Most values of a metric in one line: another one. */
const MAX_VALUES = 100;

/** The values that a log line in the embedded metric format carries; none if the line is any other. */
export function parseEmbeddedMetrics(line: string): Measurement[] {
  if (!line.includes('"CloudWatchMetrics"')) return [];
  const root = parseObject(line);
  const header = root?._aws;
  if (root === undefined || !isTemplateObject(header) || !Array.isArray(header.CloudWatchMetrics)) return [];
  const atMs = header.Timestamp;
  if (typeof atMs !== 'number' || !Number.isFinite(atMs)) return [];
  return header.CloudWatchMetrics.filter(isTemplateObject).flatMap((directive) =>
    readDirective(directive, root, atMs),
  );
}

function parseObject(line: string): TemplateObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isTemplateObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function readDirective(directive: TemplateObject, root: TemplateObject, atMs: number): Measurement[] {
  const { Namespace: namespace, Dimensions: sets, Metrics: metrics } = directive;
  if (typeof namespace !== 'string' || !Array.isArray(sets) || !Array.isArray(metrics)) return [];
  return sets
    .slice(0, MAX_DIMENSION_SETS)
    .filter(Array.isArray)
    .flatMap((names: unknown[]) => {
      const dimensions = Object.fromEntries(names.map((name) => [String(name), String(root[String(name)])]));
      return metrics
        .slice(0, MAX_METRICS_PER_LINE)
        .filter(isTemplateObject)
        .flatMap(({ Name }) => {
          const values = [root[String(Name)]].flat().slice(0, MAX_VALUES);
          const numbers = values.filter((value): value is number => Number.isFinite(value));
          return numbers.map((value) => ({ namespace, name: String(Name), dimensions, value, atMs }));
        });
    });
}
