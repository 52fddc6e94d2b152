import { Duration, Stack } from 'aws-cdk-lib';
import {
  Alarm,
  type AlarmBase,
  AlarmRule,
  AlarmState,
  ComparisonOperator,
  CompositeAlarm,
  type IAlarm,
  type IAlarmRule,
  type IMetric,
  MathExpression,
  Stats,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { SubscriptionProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription, UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { ChainStacks } from '../chain-data/chain-stacks.ts';
import type { StageConfig } from '../config/stage-config.ts';
import { GatewayMetrics } from './gateway-metrics.ts';
import { PERIOD } from './graph.ts';

const HOUR = Duration.hours(1);
/** CloudWatch computes from no more metrics in an alarm. */
const METRICS_OF_ALARM = 10;

/** `page`: an operator is woken; `ticket`: one looks on the next working day. */
export type Severity = 'page' | 'ticket';

/**
 * How long an alarm is held back, in case the one that explains it goes off as well, and how long after the end of that
 * one, in case it only takes a while to end too. A page waits no longer than its cause needs to be seen.
 */
const WAIT: Readonly<Record<Severity, Duration>> = { page: Duration.minutes(2), ticket: Duration.minutes(5) };
const EXTENSION: Readonly<Record<Severity, Duration>> = {
  page: Duration.minutes(5),
  ticket: Duration.minutes(15),
};

/** Time from the creation of the alarms to the end of the first hourly run, which comes an hour after that of its rule. */
const FIRST_HOUR = Duration.minutes(75);
/** Beginnings that one alarm waits for: a rule of CloudWatch has 10,240 characters, and names up to 255 each. */
const BEGINNINGS_OF_ALARM = 26;

/** Condition of an alarm, and when it is not notified. */
interface Subject {
  /** Chain that the alarm is about. @default all of them */
  readonly chain?: string;
  /** Table or function, or what of a function, that the alarm is about. @default all of them */
  readonly of?: string;
  /** Alarm that explains this one: while it is on, this one does not notify. @default none does */
  readonly explainedBy?: IAlarm | undefined;
  /** For how long it waits for that one. @default 2 minutes for a page, 5 for a ticket */
  readonly wait?: Duration;
  /** For how long after the end of that one. @default 5 minutes for a page, 15 for a ticket */
  readonly extension?: Duration;
}

/** Condition of an alarm that is composed of others. */
interface Composed extends Subject {
  /** When it is on. */
  readonly rule: IAlarmRule;
}

interface Watched extends Subject {
  /** Name of the alarm. @default CloudFormation makes one */
  readonly name?: string;
  readonly metric: IMetric;
  readonly threshold: number;
  /** How many periods are looked at. */
  readonly periods: number;
  /** In how many of them the threshold must be passed. @default all */
  readonly passedIn?: number;
  /** @default more than the threshold */
  readonly comparison?: ComparisonOperator;
  /** @default no data is well. Where it is not, the alarm notifies once what it watches has begun */
  readonly missing?: TreatMissingData;
  /** What tells that it has, for good. @default the first audit of the books */
  readonly beginning?: Beginning;
}

/** Has a value of at least 1 once something has begun, and none before. */
interface Beginning {
  readonly meaning: string;
  readonly metric: IMetric;
}

/** A condition as metric math whose value is 0 or 1, and the metrics that it names, by ids that no other has. */
interface Condition {
  readonly holds: string;
  readonly metrics: Readonly<Record<string, IMetric>>;
}

interface WatchedTogether extends Pick<Watched, 'of' | 'periods' | 'explainedBy'> {
  readonly each: readonly Condition[];
}

interface WatchedEach extends Pick<Watched, 'periods'> {
  readonly each: readonly (Condition & Pick<Subject, 'chain' | 'of'>)[];
}

export type Topics = Readonly<Record<Severity, Topic>>;

/** Where each severity is sent. A topic without an address can be subscribed to by hand. */
export function alarmTopics(
  scope: Construct,
  { email, pageEmail = email, pageUrl }: StageConfig['alarms'],
): Topics {
  const page = alarmTopic(scope, 'Pages', pageEmail);
  if (pageUrl !== undefined)
    page.addSubscription(new UrlSubscription(pageUrl, { protocol: SubscriptionProtocol.HTTPS }));
  return { page, ticket: alarmTopic(scope, 'Tickets', email) };
}

interface AlarmWatchProps {
  readonly stage: string;
  readonly chainStacks: ChainStacks;
  readonly topics: Topics;
  /** Where people read the runbook. */
  readonly runbookUrl: string;
  /** Sections of the alarms that are made. @default all */
  readonly sections?: readonly string[] | undefined;
}

/** Makes alarms of a stage below one construct, and those of chains in their stacks. */
export class AlarmWatch {
  /** Metrics of the stage, to watch. */
  readonly metrics: GatewayMetrics;
  /** The alarms that notify, in the order in which they were made. */
  readonly alarms: AlarmBase[] = [];
  readonly topics: Topics;
  /** All that are made of metrics, by their ids. */
  readonly #made = new Map<string, Alarm>();
  /** What was waited for in the first hour of the stage, or of a chain that was added. */
  readonly beginnings: Alarm[] = [];
  readonly #scope: Construct;
  readonly #chainStacks: ChainStacks;
  readonly #runbookUrl: string;
  readonly #sections: readonly string[] | undefined;

  constructor(scope: Construct, { stage, chainStacks, topics, runbookUrl, sections }: AlarmWatchProps) {
    this.#scope = scope;
    this.#chainStacks = chainStacks;
    this.#runbookUrl = runbookUrl;
    this.#sections = sections;
    this.metrics = new GatewayMetrics(stage);
    this.topics = topics;
  }

  /**
   * An alarm that notifies; undefined if the stage does not want it. Only a composite alarm can be silent while another is on, so one that is explained by
   * another notifies by a composite of it alone.
   * @param section of the runbook, and the id of an alarm that is the only one of its section
   */
  alarm(section: string, severity: Severity, meaning: string, watched: Watched): Alarm | undefined {
    if (this.#sections?.includes(section) === false) return undefined;
    const alarm = this.part(section, severity, meaning, watched);
    const isOfSilence = watched.missing === TreatMissingData.BREACHING;
    if (watched.explainedBy === undefined && !isOfSilence) this.#tell(alarm, severity);
    else
      this.#composite(idOf(`${section}-Told`, watched), {
        section,
        severity,
        meaning,
        subject: watched,
        rule: isOfSilence ? AlarmRule.allOf(alarm, this.#hasBegun(watched)) : alarm,
      });
    return alarm;
  }

  /**
   * A ticket for what did not come for so many hours in which the stage ran: another alarm pages for a stage that does not run,
   * and a new one has no such hours.
   * @param event counted for an hour; no value counts as zero
   */
  absence(section: string, meaning: string, event: IMetric, hours: number): void {
    const ran = this.metrics.metric('BalanceViewAge', { statistic: Stats.SAMPLE_COUNT, period: HOUR });
    this.alarm(section, 'ticket', meaning, {
      // Of an hour without a run there is no value, and no alarm.
      metric: new MathExpression({
        expression: 'FILL(came, 0) / ran',
        usingMetrics: { came: event, ran },
        period: HOUR,
      }),
      threshold: 0,
      periods: hours,
      comparison: ComparisonOperator.LESS_THAN_OR_EQUAL_TO_THRESHOLD,
    });
  }

  /** An alarm for each that a condition is watched of. */
  eachAlarm(section: string, severity: Severity, meaning: string, { each, periods }: WatchedEach): void {
    for (const { holds, metrics, ...subject } of each) {
      const metric = new MathExpression({
        expression: holds,
        usingMetrics: { ...metrics },
        period: PERIOD,
      });
      this.alarm(section, severity, meaning, { ...subject, metric, threshold: 0, periods });
    }
  }

  /**
   * One alarm for all that a condition is watched of, and one more for each further ten metrics, of which CloudWatch computes
   * from no more: it is on while the condition of one of them holds.
   */
  anyAlarm(
    section: string,
    severity: Severity,
    meaning: string,
    { each, ...watched }: WatchedTogether,
  ): void {
    let [part, taken]: [Condition[], number] = [[], 0];
    const parts = [part];
    for (const condition of each) {
      const count = Object.keys(condition.metrics).length;
      if (taken + count > METRICS_OF_ALARM) {
        [part, taken] = [[], 0];
        parts.push(part);
      }
      part.push(condition);
      taken += count;
    }
    for (const [index, conditions] of parts.entries()) {
      if (conditions.length === 0) continue;
      const usingMetrics = Object.assign({}, ...conditions.map(({ metrics }) => metrics));
      // What one has no figures of must not hide the others.
      const expression = conditions.map(({ holds }) => `FILL(${holds}, 0)`).join(' + ');
      const metric = new MathExpression({ expression, usingMetrics, period: PERIOD });
      const of = [watched.of ?? [], index === 0 ? [] : String(index + 1)].flat().join('-');
      this.alarm(section, severity, meaning, { ...watched, ...(of !== '' && { of }), metric, threshold: 0 });
    }
  }

  /** An alarm that does not notify: the one that it is a part of does. */
  part(section: string, severity: Severity, meaning: string, watched: Watched): Alarm {
    const { metric, threshold, periods } = watched;
    const id = idOf(section, watched);
    const alarm = new Alarm(this.#scopeOf(watched), id, {
      alarmDescription: this.#description(section, severity, meaning, watched),
      ...(watched.name !== undefined && { alarmName: watched.name }),
      metric,
      threshold,
      comparisonOperator: watched.comparison ?? ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      ...(watched.passedIn !== undefined && { datapointsToAlarm: watched.passedIn }),
      treatMissingData: watched.missing ?? TreatMissingData.NOT_BREACHING,
    });
    this.#made.set(id, alarm);
    return alarm;
  }

  /**
   * An alarm that is on while one of some is, and does not notify: it explains others.
   * @param ids of alarms of the stage, such as `FailedRuns-rpc`; one that the stage does not have is passed over; undefined if it has none
   */
  anyOf(id: string, ids: readonly string[]): CompositeAlarm | undefined {
    const made = ids.flatMap((one) => this.#made.get(one) ?? []);
    if (made.length === 0) return undefined;
    return new CompositeAlarm(this.#scope, id, {
      alarmDescription: 'Explains other alarms; notifies by the alarms in it.',
      alarmRule: AlarmRule.anyOf(...made),
    });
  }

  /** An alarm that notifies once for all in it. @param section of the runbook, and its id */
  composite(
    section: string,
    severity: Severity,
    meaning: string,
    { rule, ...subject }: Composed,
  ): CompositeAlarm {
    return this.#composite(idOf(section, subject), { section, severity, meaning, subject, rule });
  }

  #composite(
    id: string,
    {
      section,
      severity,
      meaning,
      subject,
      rule,
    }: {
      readonly section: string;
      readonly severity: Severity;
      readonly meaning: string;
      readonly subject: Subject;
      readonly rule: IAlarmRule;
    },
  ): CompositeAlarm {
    const { explainedBy, wait = WAIT[severity], extension = EXTENSION[severity] } = subject;
    const alarm = new CompositeAlarm(this.#scopeOf(subject), id, {
      alarmDescription: this.#description(section, severity, meaning, subject),
      alarmRule: AlarmRule.anyOf(rule),
      ...(explainedBy !== undefined && {
        actionsSuppressor: explainedBy,
        actionsSuppressorWaitPeriod: wait,
        actionsSuppressorExtensionPeriod: extension,
      }),
    });
    this.#tell(alarm, severity);
    return alarm;
  }

  /**
   * One page for all that has not begun in its first hour, and one more for each further 26: until then no silence of it notifies.
   * @param beginnings of other stacks, which are made before the one of this
   */
  notBegun(beginnings: readonly Alarm[]): void {
    const section = 'NotBegun';
    for (let at = 0; at < beginnings.length; at += BEGINNINGS_OF_ALARM) {
      const some = beginnings.slice(at, at + BEGINNINGS_OF_ALARM);
      this.#composite(at === 0 ? section : `${section}-${at / BEGINNINGS_OF_ALARM + 1}`, {
        section,
        severity: 'page',
        meaning: 'Something has not begun within its first hour: no alarm of its silence notifies.',
        // It is never on, so that this one only waits.
        subject: { explainedBy: some[0], wait: FIRST_HOUR },
        rule: AlarmRule.anyOf(...some.map((one) => AlarmRule.fromAlarm(one, AlarmState.INSUFFICIENT_DATA))),
      });
    }
  }

  /** Holds from when the stage, or the chain, has begun, for good: until then nothing has run that could be missed. */
  #hasBegun({ chain, beginning = this.#firstAudit() }: Watched): IAlarmRule {
    const subject = chain === undefined ? { of: 'first' } : { chain };
    const known = this.#made.get(idOf('NotBegun', subject));
    const begun =
      known ??
      this.part('NotBegun', 'page', beginning.meaning, {
        ...subject,
        metric: beginning.metric,
        threshold: 1,
        periods: 1,
        comparison: ComparisonOperator.LESS_THAN_THRESHOLD,
        // Without a value a new alarm has no state, and one that had a value keeps its own.
        missing: TreatMissingData.IGNORE,
      });
    if (known === undefined) this.beginnings.push(begun);
    return AlarmRule.fromAlarm(begun, AlarmState.OK);
  }

  #firstAudit(): Beginning {
    const audits = { statistic: Stats.SAMPLE_COUNT, period: HOUR };
    return {
      meaning: 'The first audit of the books.',
      metric: this.metrics.metric('AuditedAccounts', audits),
    };
  }

  #tell(alarm: AlarmBase, severity: Severity): void {
    alarm.addAlarmAction(new SnsAction(this.topics[severity]));
    alarm.addOkAction(new SnsAction(this.topics[severity]));
    this.alarms.push(alarm);
  }

  #scopeOf({ chain }: Subject): Construct {
    return chain === undefined ? this.#scope : this.#chainStacks.of(chain, this.#scope.node.id);
  }

  #description(section: string, severity: Severity, meaning: string, { chain, of = chain }: Subject): string {
    return [
      `[${severity}]`,
      ...(of === undefined ? [] : [`${of}:`]),
      meaning,
      `${this.#runbookUrl}#${section.toLowerCase()}`,
    ].join(' ');
  }
}

function idOf(section: string, { chain, of = chain }: Subject): string {
  return of === undefined ? section : `${section}-${of}`;
}

function alarmTopic(scope: Construct, id: string, email: string | undefined): Topic {
  const topic = new Topic(scope, id, { enforceSSL: true });
  // A topic with a policy of its own loses the default one, which lets alarms publish.
  topic.addToResourcePolicy(
    new PolicyStatement({
      principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
      actions: ['sns:Publish'],
      resources: [topic.topicArn],
      conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(scope).account } },
    }),
  );
  if (email !== undefined) topic.addSubscription(new EmailSubscription(email));
  return topic;
}
