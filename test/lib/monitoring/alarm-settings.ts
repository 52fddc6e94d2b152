import { brief, linesOf, nameOf } from '../resource-lines.ts';
import { SynthesisedStage } from '../synthesised-stage.ts';

/** How long alarms look back, and at what. What they make of figures: alarms.system.test.ts. */
export function testAlarmSettings(): void {
  const production = new SynthesisedStage('example-production');

  interface AlarmProperties {
    readonly AlarmDescription: string;
    readonly ComparisonOperator: string;
    readonly Threshold: number;
    readonly EvaluationPeriods: number;
    readonly DatapointsToAlarm?: number;
    readonly TreatMissingData?: string;
    readonly Period?: number;
    readonly Statistic?: string;
    readonly Metrics?: readonly {
      readonly MetricStat?: { readonly Period: number; readonly Stat: string };
      readonly Expression?: string;
      readonly Period?: number;
    }[];
  }

  const SIGNS: Readonly<Record<string, string>> = {
    GreaterThanThreshold: '>',
    GreaterThanOrEqualToThreshold: '>=',
    LessThanThreshold: '<',
    LessThanOrEqualToThreshold: '<=',
  };

  /** `Sum Average > 10, 2 of 3 times 300 s, missing` of an alarm. */
  function judgement(alarm: AlarmProperties): string {
    const { ComparisonOperator, Threshold, EvaluationPeriods, DatapointsToAlarm, TreatMissingData } = alarm;
    // A sum by chain has no statistic of its own.
    const stats = alarm.Metrics?.flatMap(
      ({ MetricStat, Expression, Period = 0 }) =>
        MetricStat ?? (Expression?.startsWith('SELECT SUM') ? { Stat: 'SELECT SUM', Period } : []),
    ) ?? [{ Stat: alarm.Statistic, Period: alarm.Period }];
    const distinct = (values: readonly unknown[]) => [...new Set(values)].join(' ');
    return [
      `${distinct(stats.map(({ Stat }) => Stat))} ${SIGNS[ComparisonOperator]} ${Threshold}`,
      `${DatapointsToAlarm === undefined ? '' : `${DatapointsToAlarm} of `}${EvaluationPeriods} times ${distinct(stats.map(({ Period }) => Period))} s`,
      TreatMissingData ?? 'missing',
    ].join(', ');
  }

  test('alarms look back so long, at these statistics, and take missing figures so', () => {
    const sections = new Map<string, Set<string>>();
    for (const [, { Properties }] of production.resources('AWS::CloudWatch::Alarm')) {
      const alarm = Properties as unknown as AlarmProperties;
      const section = /#(\w+)$/.exec(alarm.AlarmDescription)?.[1] ?? alarm.AlarmDescription;
      sections.set(section, (sections.get(section) ?? new Set()).add(judgement(alarm)));
    }
    expect(
      [...sections].flatMap(([section, some]) => [...some].map((one) => `${section}: ${one}`)).sort(),
    ).toEqual([
      'accountbalancesold: Maximum > 20, 3 times 60 s, breaching',
      'accountconcurrency: Maximum > 90, 3 times 300 s, notBreaching',
      'backupmissing: Sum SampleCount <= 0, 4 times 3600 s, notBreaching',
      'billingunavailable: Sum > 1, 1 times 300 s, notBreaching',
      'billsdisagree: SELECT SUM > 0, 1 times 300 s, notBreaching',
      'blocksunproven: SELECT SUM > 0, 1 times 300 s, notBreaching',
      'booksdonotbalance: Maximum > 0, 1 times 3600 s, notBreaching',
      'budgetburns: SampleCount Sum > 0, 1 times 7200 s, notBreaching',
      'budgetburns: SampleCount Sum > 0, 1 times 86400 s, notBreaching',
      'budgetburnsfast: SampleCount Sum > 0, 1 times 1800 s, notBreaching',
      'budgetburnsfast: SampleCount Sum > 0, 1 times 21600 s, notBreaching',
      'budgetburnsfast: SampleCount Sum > 0, 1 times 300 s, notBreaching',
      'budgetburnsfast: SampleCount Sum > 0, 1 times 3600 s, notBreaching',
      'certificateexpires: Minimum < 30, 1 times 86400 s, notBreaching',
      'chainbehind: Maximum > 0, 5 times 60 s, breaching',
      'chargeswaiting: Maximum > 300, 1 times 60 s, notBreaching',
      'databasebusy: Average > 90, 3 times 300 s, notBreaching',
      'databaseconnections: Maximum > 1600, 3 times 300 s, notBreaching',
      'databaselost: Sum SampleCount > 0, 3 of 5 times 60 s, notBreaching',
      'databaseunavailable: Sum > 0, 3 times 300 s, notBreaching',
      'derivationssetaside: SELECT SUM > 0, 1 times 300 s, notBreaching',
      'failedaudits: Maximum > 0, 1 times 60 s, notBreaching',
      'failedindexing: Maximum > 0, 1 times 60 s, notBreaching',
      'failedrollups: Maximum > 0, 1 times 60 s, notBreaching',
      'failedruns: Sum > 0, 1 times 300 s, notBreaching',
      'failedsettlements: Maximum > 0, 1 times 60 s, notBreaching',
      'failedwork: Sum > 0, 1 times 300 s, notBreaching',
      'failingdatarequests: Sum > 2, 2 times 300 s, notBreaching',
      'failingrequests: Sum > 2, 2 times 300 s, notBreaching',
      'hashcontradicted: SELECT SUM > 0, 1 times 300 s, notBreaching',
      'headsnotkept: Sum > 1, 3 times 300 s, notBreaching',
      'indexhalted: Sum > 0, 1 times 300 s, notBreaching',
      'instancesbusy: Maximum > 400, 3 times 300 s, notBreaching',
      'internalerrors: SampleCount Sum > 0, 1 times 300 s, notBreaching',
      'latencybudgetburns: SampleCount PR(300:900000) PR(2000:900000) > 0, 1 times 1800 s, notBreaching',
      'latencybudgetburns: SampleCount PR(300:900000) PR(2000:900000) > 0, 1 times 21600 s, notBreaching',
      'latencybudgetburns: SampleCount PR(300:900000) PR(2000:900000) > 0, 1 times 7200 s, notBreaching',
      'latencybudgetburns: SampleCount PR(300:900000) PR(2000:900000) > 0, 1 times 86400 s, notBreaching',
      'leavesnotkept: Sum > 0, 1 times 3600 s, notBreaching',
      'ledgerbehindhead: Maximum > 0, 1 times 3600 s, notBreaching',
      'lostcharges: Maximum > 0, 1 times 60 s, notBreaching',
      'noaudit: SampleCount <= 0, 3 times 3600 s, notBreaching',
      'nodecallshigh: Sum > 0, 3 times 300 s, notBreaching',
      'nodesdown: Sum > 20, 2 times 300 s, notBreaching',
      'nohead: SampleCount <= 0, 3 times 3600 s, notBreaching',
      'notbegun: Maximum < 1, 1 times 300 s, ignore',
      'notbegun: SampleCount < 1, 1 times 3600 s, ignore',
      'nothingcharged: SampleCount Sum > 0, 1 times 300 s, notBreaching',
      'notraffic: Sum SampleCount <= 0, 3 times 3600 s, notBreaching',
      'prooflost: SELECT SUM > 0, 1 times 300 s, notBreaching',
      'releasestopped: SampleCount Sum > 1, 1 times 300 s, notBreaching',
      'releasestopped: SampleCount Sum > 20, 1 times 300 s, notBreaching',
      'releasestopped: SampleCount tm90 > 0, 1 times 300 s, notBreaching',
      'releasestopped: SampleCount tm90 > 250, 1 times 300 s, notBreaching',
      'releasestopped: SampleCount tm90 > 50, 1 times 300 s, notBreaching',
      'releasestopped: Sum > 0, 1 times 300 s, notBreaching',
      'releasestopped: Sum > 1, 1 times 300 s, notBreaching',
      'requestsnotfound: SampleCount Sum > 0, 1 times 300 s, notBreaching',
      'schedulefails: Sum > 0, 1 times 300 s, notBreaching',
      'settlementlate: Maximum > 7200, 2 times 3600 s, notBreaching',
      'slowdataapi: Sum p95 > 3000, 3 times 300 s, notBreaching',
      'slowgateway: Sum p99 > 500, 3 times 300 s, notBreaching',
      'storeerrors: Sum > 0, 1 times 300 s, notBreaching',
      'throttledreads: Sum > 0, 1 times 300 s, notBreaching',
      'throttledruns: Sum > 0, 1 times 300 s, notBreaching',
      'throttledwrites: Sum > 0, 1 times 300 s, notBreaching',
      'transactionsold: Maximum > 1000000000, 1 times 300 s, notBreaching',
      'unchargedanswers: Sum > 0.1, 1 times 300 s, notBreaching',
      'upstreamheld: SELECT SUM > 0, 1 times 300 s, notBreaching',
      'upstreamlimited: SELECT SUM > 0, 3 times 300 s, notBreaching',
      'upstreamsdisagree: SELECT SUM > 0, 2 of 6 times 300 s, notBreaching',
      'upstreamtakenout: SELECT SUM > 0, 3 times 300 s, notBreaching',
      'witnessessilent: SELECT SUM > 0, 1 times 300 s, notBreaching',
      'wronganswers: SELECT SUM > 0, 1 times 300 s, notBreaching',
    ]);
  });

  test('alarms of alarms are kept back by these, so many seconds longer', () =>
    expect(
      production
        .resources('AWS::CloudWatch::CompositeAlarm')
        .map(([id, { Properties }]) => {
          const { ActionsSuppressor, ActionsSuppressorWaitPeriod, ActionsSuppressorExtensionPeriod } =
            Properties;
          const times = `${ActionsSuppressorWaitPeriod} ${ActionsSuppressorExtensionPeriod}`;
          const suppressed =
            ActionsSuppressor === undefined ? '' : ` by ${brief(ActionsSuppressor)} ${times}`;
          return `${nameOf(id)}: ${brief(Properties.AlarmRule).replaceAll('"', '')}${suppressed}`;
        })
        .sort(),
    ).toEqual([
      'AlarmsAccountBalancesOldTold: ((ALARM(<AlarmsAccountBalancesOld>) AND OK(<AlarmsNotBegunfirst>)))',
      'AlarmsBudgetBurns: (((ALARM(<AlarmsBudgetBurns1440>) AND ALARM(<AlarmsBudgetBurns120>)))) by <AlarmsExplaineddata> 300 7500',
      'AlarmsBudgetBurnsFastdata: (((ALARM(<AlarmsBudgetBurnsFastdata60>) AND ALARM(<AlarmsBudgetBurnsFastdata5>)) OR (ALARM(<AlarmsBudgetBurnsFastdata360>) AND ALARM(<AlarmsBudgetBurnsFastdata30>)))) by <AlarmsExplaineddata> 120 2100',
      'AlarmsBudgetBurnsFastrpc: (((ALARM(<AlarmsBudgetBurnsFastrpc60>) AND ALARM(<AlarmsBudgetBurnsFastrpc5>)) OR (ALARM(<AlarmsBudgetBurnsFastrpc360>) AND ALARM(<AlarmsBudgetBurnsFastrpc30>)))) by <AlarmsExplainedrpc> 120 2100',
      'AlarmsChainBehindToldexamplemainnet: ((ALARM(<AlarmsChainBehindexamplemainnet>) AND OK(<AlarmsNotBegunexamplemainnet>))) by <AlarmsDatabaseLost> 120 900',
      'AlarmsChainBehindToldexampletestnet: ((ALARM(<AlarmsChainBehindexampletestnet>) AND OK(<AlarmsNotBegunexampletestnet>))) by <AlarmsDatabaseLost> 120 900',
      'AlarmsDatabaseUnavailableTold: (ALARM(<AlarmsDatabaseUnavailable>)) by <AlarmsDatabaseLost> 300 900',
      'AlarmsExplaineddata: (ALARM(<AlarmsFailingRequests>) OR ALARM(<AlarmsBillingUnavailable>) OR ALARM(<AlarmsDatabaseLost>) OR ALARM(<AlarmsFailingDataRequests>))',
      'AlarmsExplainedrpc: (ALARM(<AlarmsFailingRequests>) OR ALARM(<AlarmsBillingUnavailable>))',
      'AlarmsFailedIndexingTold: (ALARM(<AlarmsFailedIndexing>)) by <AlarmsDatabaseLost> 300 900',
      'AlarmsFailedRollupsTold: (ALARM(<AlarmsFailedRollups>)) by <AlarmsDatabaseLost> 300 900',
      'AlarmsFailedWorkTolddatabase: (ALARM(<AlarmsFailedWorkdatabase>)) by <AlarmsDatabaseLost> 300 900',
      'AlarmsFailingDataRequestsTold: (ALARM(<AlarmsFailingDataRequests>)) by <AlarmsDatabaseLost> 120 300',
      'AlarmsLatencyBudgetBurns: (((ALARM(<AlarmsLatencyBudgetBurns360>) AND ALARM(<AlarmsLatencyBudgetBurns30>)) OR (ALARM(<AlarmsLatencyBudgetBurns1440>) AND ALARM(<AlarmsLatencyBudgetBurns120>)))) by <AlarmsExplaineddata> 300 7500',
      'AlarmsNotBegun: ((INSUFFICIENT_DATA(<AlarmsNotBegunfirst>) OR INSUFFICIENT_DATA(<AlarmsNotBegunexamplemainnet>) OR INSUFFICIENT_DATA(<AlarmsNotBegunexampletestnet>))) by <AlarmsNotBegunfirst> 4500 300',
      'AlarmsSlowDataApiTold: (ALARM(<AlarmsSlowDataApi>)) by <AlarmsDatabaseLost> 300 900',
    ]));

  test('a month that costs too much is told at these shares', () =>
    expect(linesOf(production, 'AWS::Budgets::Budget')).toEqual([
      'Budget Budget={BudgetLimit: {Amount: 5000, Unit: USD}, BudgetName: gateway-example-production-us-east-1, BudgetType: COST, TimeUnit: MONTHLY} NotificationsWithSubscribers=[{Notification: {ComparisonOperator: GREATER_THAN, NotificationType: ACTUAL, Threshold: 50, ThresholdType: PERCENTAGE}, Subscribers: [{Address: operations@example.com, SubscriptionType: EMAIL}]}, {Notification: {ComparisonOperator: GREATER_THAN, NotificationType: ACTUAL, Threshold: 80, ThresholdType: PERCENTAGE}, Subscribers: [{Address: operations@example.com, SubscriptionType: EMAIL}]}, {Notification: {ComparisonOperator: GREATER_THAN, NotificationType: ACTUAL, Threshold: 100, ThresholdType: PERCENTAGE}, Subscribers: [{Address: operations@example.com, SubscriptionType: EMAIL}]}, {Notification: {ComparisonOperator: GREATER_THAN, NotificationType: FORECASTED, Threshold: 100, ThresholdType: PERCENTAGE}, Subscribers: [{Address: operations@example.com, SubscriptionType: EMAIL}]}]',
    ]));

  test('notifications go there', () =>
    expect(linesOf(production, 'AWS::SNS::Subscription')).toEqual([
      'AlarmsPagesoncallexamplecom Endpoint=on-call@example.com Protocol=email TopicArn=<AlarmsPages>',
      'AlarmsTicketsoperationsexamplecom Endpoint=operations@example.com Protocol=email TopicArn=<AlarmsTickets>',
    ]));
}
