import { Duration } from 'aws-cdk-lib';
import { type IMetric, type IWidget, type MathExpression, Metric, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { ServiceFunction } from '../functions/service-function.ts';
import type { GatewayMetrics } from './gateway-metrics.ts';
import { graph, HALF, math } from './graph.ts';
import type { Monitored } from './monitored.ts';

/** List prices in us-east-1, in USD: they show what grows, not the bill. */
const USD = {
  apiRequest: 3.5e-6,
  lambdaRequest: 2e-7,
  lambdaMillisecondPerGb: 1.33334e-8,
  writeUnit: 6.25e-7,
  readUnit: 1.25e-7,
  acuHour: 0.12,
  logByte: 5e-10,
  /** Of a processor of an instance, with Lambda's surcharge. */
  instanceCpuHour: 0.0469,
} as const;
/** Enough for three digits of the smallest price. */
const PRICE_DECIMALS = 12;
const MILLION = 1_000_000;
const HOUR = Duration.hours(1);
const HOURLY = { period: HOUR, statistic: Stats.SUM };

/** A part of the cost of an hour: metric math over metrics by their ids. */
interface CostPart {
  readonly label: string;
  readonly expression: string;
  readonly metrics: Readonly<Record<string, IMetric>>;
}

/** Cost of the stage in an hour, by part. */
export function costWidgets(props: Monitored): IWidget[] {
  const parts = costParts(props).map(({ label, expression, metrics }) =>
    math(label, expression, metrics, HOUR),
  );
  return [graph('USD per hour at list prices', parts, HALF)];
}

/** Cost of the stage in an hour, in USD, and with a price its earnings and its margin. */
export function moneyPerHour(props: Monitored, metrics: GatewayMetrics): MathExpression[] {
  const parts = costParts(props);
  // Parts without data, such as the database of an unused stage, cost nothing.
  const cost = parts.map(({ expression }) => `(${expression})`).join(' + ');
  const spent = Object.assign({}, ...parts.map((part) => part.metrics)) as Record<string, IMetric>;
  const costs = math('costs', cost, spent, HOUR);
  const { usdPerMillionCu } = props.config;
  if (usdPerMillionCu === undefined) return [costs];
  const billed = { b0: metrics.metric('BilledComputeUnits', HOURLY) };
  const earned = `FILL(b0, 0) * ${decimal(usdPerMillionCu / MILLION)}`;
  return [
    math('earned', earned, billed, HOUR),
    costs,
    math('left over', `${earned} - (${cost})`, { ...billed, ...spent }, HOUR),
  ];
}

function costParts({ rest, functions, tables, chainData }: Monitored): CostPart[] {
  const cluster = chainData?.cluster;
  const services = [functions.rpc, functions.data, functions.mcp];
  return [
    {
      label: 'API Gateway',
      expression: `FILL(c0, 0) * ${decimal(USD.apiRequest)}`,
      metrics: { c0: rest.metricCount(HOURLY) },
    },
    ...runningCosts(services),
    meteringCost([tables.keys, tables.accounts, tables.lanes, tables.unsettled]),
    logCost(services),
    ...(cluster === undefined
      ? []
      : [
          {
            label: 'database',
            expression: `FILL(a0, 0) * ${USD.acuHour}`,
            metrics: {
              a0: cluster.metricServerlessDatabaseCapacity({ period: HOUR, statistic: Stats.AVERAGE }),
            },
          },
        ]),
  ];
}

/** Of runs by their time and number, and of instances, which are paid whether or not anything runs. */
function runningCosts(services: readonly ServiceFunction[]): CostPart[] {
  const ofEvents = services.filter(({ onInstances }) => onInstances === undefined);
  const processors = services.reduce((sum, { onInstances }) => sum + (onInstances?.environments.min ?? 0), 0);
  const { metrics: durations, sum: milliseconds } = summed(
    'd',
    ofEvents.map(({ lambda }) => lambda.metricDuration(HOURLY)),
  );
  const { metrics: invocations, sum: runs } = summed(
    'i',
    services.map(({ lambda }) => lambda.metricInvocations(HOURLY)),
  );
  const events = {
    label: 'functions (1 GB)',
    expression: `(${milliseconds}) * ${decimal(USD.lambdaMillisecondPerGb)} + (${runs}) * ${decimal(USD.lambdaRequest)}`,
    metrics: { ...durations, ...invocations },
  };
  if (processors === 0) return [events];
  // A figure is wanted also if there is no run: the runs count nothing. Instances beyond the least are not in it.
  const expression = `(${runs}) * 0 + ${processors} * ${decimal(USD.instanceCpuHour)}`;
  return [events, { label: 'instances (least)', expression, metrics: invocations }];
}

function meteringCost(written: readonly ITable[]): CostPart {
  const { metrics: writes, sum: writeUnits } = summed(
    'w',
    written.map((table) => table.metricConsumedWriteCapacityUnits(HOURLY)),
  );
  const { metrics: reads, sum: readUnits } = summed(
    'r',
    written.map((table) => table.metricConsumedReadCapacityUnits(HOURLY)),
  );
  return {
    label: 'metering',
    expression: `(${writeUnits}) * ${decimal(USD.writeUnit)} + (${readUnits}) * ${decimal(USD.readUnit)}`,
    metrics: { ...writes, ...reads },
  };
}

function logCost(services: readonly ServiceFunction[]): CostPart {
  const { metrics, sum } = summed(
    'l',
    services.map(({ logGroup }) => logBytes(logGroup.logGroupName)),
  );
  return { label: 'logs', expression: `(${sum}) * ${decimal(USD.logByte)}`, metrics };
}

/** Metrics by ids of one letter, and the expression of their sum, in which no data is none. */
function summed(letter: string, metrics: readonly IMetric[]) {
  return {
    metrics: Object.fromEntries(metrics.map((metric, index) => [`${letter}${index}`, metric])),
    sum: metrics.map((_, index) => `FILL(${letter}${index}, 0)`).join(' + ') || '0',
  };
}

function logBytes(logGroupName: string): Metric {
  return new Metric({
    namespace: 'AWS/Logs',
    metricName: 'IncomingBytes',
    dimensionsMap: { LogGroupName: logGroupName },
    ...HOURLY,
  });
}

/** A price without an exponent: metric math would take its `e` for the name of a metric. */
function decimal(price: number): string {
  return price.toFixed(PRICE_DECIMALS);
}
