import {
  isTemplateObject,
  resourcesOfType,
  type Template,
  type TemplateResource,
} from '../../local/template/template.ts';

const HOURS_PER_MONTH = 730;
/** Runs of what runs each minute. */
export const MINUTES_PER_MONTH = HOURS_PER_MONTH * 60;
/** Minutes of every hour. */
const CRON = /^cron\(([\d,]+) \* \* \* \? \*\)$/;
const RATE = /^rate\((\d+) (minute|hour|day)s?\)$/;
const MINUTES: Readonly<Record<string, number>> = { minute: 1, hour: 60, day: 1_440 };
/** Names of functions by how their logical ids begin. */
const FUNCTION_NAMES: readonly (readonly [prefix: string, name: string])[] = [
  ['FunctionsRpc', 'rpc'],
  ['FunctionsData', 'data'],
  ['FunctionsStatus', 'status'],
  ['FunctionsMcp', 'mcp'],
  ['FunctionsCharges', 'charges'],
  ['IndexingFollow', 'indexer'],
  ['IndexingFill', 'backfill'],
  ['SnapshotsService', 'snapshots'],
  ['BooksSettlement', 'settlement'],
  ['BooksAudit', 'audit'],
  ['AccountBalances', 'account-balances'],
  ['ProbeService', 'probe'],
  ['HeadsService', 'seal'],
];

/** Resources of a stage that are billed even if it gets no request. */
export interface StageResources {
  /** Memory of each function, in MB. */
  readonly memoryMb: Readonly<Record<string, number>>;
  /** Runs of each function in a month that its schedules ask for, of one chain where there is one for each. */
  readonly scheduledRuns: Readonly<Record<string, number>>;
  /** Queues that Lambda polls. */
  readonly polledQueues: number;
  readonly tables: number;
  readonly secrets: number;
  /** Keys that sign. */
  readonly signingKeys: number;
  readonly dashboards: number;
  /** Metrics that the alarms of the stage look at: one that computes from two counts as two. */
  readonly alarmMetrics: number;
  /** Those of the alarms of one chain, as a mean over the chains of the stage. */
  readonly chainAlarmMetrics: number;
  /** Alarms that are made of others, of the stage and of one chain. */
  readonly compositeAlarms: number;
  readonly chainCompositeAlarms: number;
  /** Methods of the API that have a function behind them and detailed metrics of their own. */
  readonly measuredMethods: number;
  readonly firewallRules: number;
}

/** Reads what a synthesised stage has. A function or a schedule that each chain has is counted once. */
export function readStageResources(template: Template): StageResources {
  const of = (type: string) => resourcesOfType(template, type);
  return {
    memoryMb: Object.fromEntries(
      of('AWS::Lambda::Function').map(({ logicalId, properties }) => [
        functionName(logicalId),
        Number(properties.MemorySize),
      ]),
    ),
    scheduledRuns: readSchedules(of('AWS::Events::Rule')),
    polledQueues: of('AWS::Lambda::EventSourceMapping').length,
    tables: of('AWS::DynamoDB::Table').length,
    secrets: of('AWS::SecretsManager::Secret').length,
    signingKeys: of('AWS::KMS::Key').filter(({ properties }) => properties.KeyUsage === 'SIGN_VERIFY').length,
    dashboards: of('AWS::CloudWatch::Dashboard').length,
    ...alarmCounts(of('AWS::CloudWatch::Alarm'), of('AWS::CloudWatch::CompositeAlarm')),
    measuredMethods: of('AWS::ApiGateway::Stage').some(hasDetailedMetrics)
      ? of('AWS::ApiGateway::Method').filter(hasFunction).length
      : 0,
    firewallRules: of('AWS::WAFv2::WebACL').reduce((sum, list) => sum + lengthOf(list.properties.Rules), 0),
  };
}

/** Name of a function for people, by its logical id. */
export function functionName(logicalId: string): string {
  return FUNCTION_NAMES.find(([prefix]) => logicalId.startsWith(prefix))?.[1] ?? logicalId;
}

function readSchedules(rules: readonly TemplateResource[]): Record<string, number> {
  return Object.fromEntries(
    rules.flatMap(({ properties: { ScheduleExpression, Targets } }) => {
      const [, every, unit = ''] = RATE.exec(String(ScheduleExpression)) ?? [];
      const [, minutes] = CRON.exec(String(ScheduleExpression)) ?? [];
      const targets = Array.isArray(Targets) ? Targets.map(targetOf) : [];
      const runs =
        minutes === undefined
          ? MINUTES_PER_MONTH / (Number(every) * (MINUTES[unit] ?? 1))
          : HOURS_PER_MONTH * minutes.split(',').length;
      return Number.isNaN(runs) ? [] : targets.map((target) => [target, runs]);
    }),
  );
}

function targetOf(target: unknown): string {
  const arn = isTemplateObject(target) && isTemplateObject(target.Arn) ? target.Arn['Fn::GetAtt'] : undefined;
  return functionName(Array.isArray(arn) ? String(arn[0]) : '');
}

/** What the alarms of a stage are billed by, and of one of its chains: those have the chain in their ids. */
function alarmCounts(
  alarms: readonly TemplateResource[],
  composites: readonly TemplateResource[],
): Pick<StageResources, 'alarmMetrics' | 'chainAlarmMetrics' | 'compositeAlarms' | 'chainCompositeAlarms'> {
  const sum = (some: readonly TemplateResource[]) =>
    some.reduce((total, alarm) => total + metricsOf(alarm), 0);
  const halted = alarms.filter(({ logicalId }) => logicalId.startsWith('AlarmsIndexHalted'));
  const chains = halted.map(({ logicalId }) => logicalId.replace(/^AlarmsIndexHalted|[0-9A-F]{8}$/g, ''));
  const isOfChain = ({ logicalId }: TemplateResource) =>
    chains.some((chain) => logicalId.replace(/[0-9A-F]{8}$/, '').endsWith(chain));
  const each = (total: number) => (chains.length === 0 ? 0 : total / chains.length);
  const ofChains = composites.filter(isOfChain).length;
  return {
    alarmMetrics: sum(alarms.filter((alarm) => !isOfChain(alarm))),
    chainAlarmMetrics: each(sum(alarms.filter(isOfChain))),
    compositeAlarms: composites.length - ofChains,
    chainCompositeAlarms: each(ofChains),
  };
}

/** A sum of each chain is a metric for each chain that has any; one as a rule, as it is of faults. */
function metricsOf({ properties: { Metrics } }: TemplateResource): number {
  return Array.isArray(Metrics)
    ? Math.max(1, Metrics.filter((metric) => isTemplateObject(metric) && 'MetricStat' in metric).length)
    : 1;
}

function hasDetailedMetrics({ properties: { MethodSettings } }: TemplateResource): boolean {
  return (
    Array.isArray(MethodSettings) &&
    MethodSettings.some((one) => isTemplateObject(one) && one.MetricsEnabled === true)
  );
}

function hasFunction({ properties: { Integration } }: TemplateResource): boolean {
  return isTemplateObject(Integration) && Integration.Type === 'AWS_PROXY';
}

function lengthOf(list: unknown): number {
  return Array.isArray(list) ? list.length : 0;
}
