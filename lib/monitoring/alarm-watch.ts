import { Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { SubscriptionProtocol, Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription, UrlSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Construct } from 'constructs';
import type { ChainStacks } from '../chain-data/chain-stacks.ts';
import { GatewayMetrics } from './gateway-metrics.ts';

/** `page`: somebody is woken; `ticket`: somebody looks on the next working day. */
export type Severity = 'page' | 'ticket';

export interface Watched {
  /** Chain that the alarm is about. @default all of them */
  readonly chain?: string;
  /** Table or function, or what of a function, that the alarm is about. @default all of them */
  readonly of?: string;
  /** Name of the alarm. @default CloudFormation makes one */
  readonly name?: string;
  readonly metric: IMetric;
  readonly threshold: number;
  /** How many periods in a row. */
  readonly periods: number;
  /** @default more than the threshold */
  readonly comparison?: ComparisonOperator;
  /** @default no data is well */
  readonly missing?: TreatMissingData;
}

export interface AlarmWatchProps {
  readonly stage: string;
  readonly chainStacks: ChainStacks;
  /** @default - nobody is told; the topic can be subscribed to by hand */
  readonly email: string | undefined;
  /** Who is woken. @default - who has `email` */
  readonly pageEmail: string | undefined;
  /** Takes the pages beside the e-mail. @default - nothing else does */
  readonly pageUrl: string | undefined;
  /** Where people read the runbook. */
  readonly runbookUrl: string;
}

/** Makes the alarms of a stage below one construct, and the topics that they tell. */
export class AlarmWatch {
  /** Metrics of the stage, to watch. */
  readonly metrics: GatewayMetrics;
  /** The alarms in the order in which they were made. */
  readonly alarms: Alarm[] = [];
  readonly #scope: Construct;
  readonly #chainStacks: ChainStacks;
  readonly #runbookUrl: string;
  /** Where each severity is told. */
  readonly topics: Readonly<Record<Severity, Topic>>;

  constructor(
    scope: Construct,
    { stage, chainStacks, email, pageEmail = email, pageUrl, runbookUrl }: AlarmWatchProps,
  ) {
    this.#scope = scope;
    this.#chainStacks = chainStacks;
    this.metrics = new GatewayMetrics(stage);
    this.#runbookUrl = runbookUrl;
    this.topics = {
      page: alarmTopic(scope, 'Pages', pageEmail),
      ticket: alarmTopic(scope, 'Tickets', email),
    };
    if (pageUrl !== undefined)
      this.topics.page.addSubscription(
        new UrlSubscription(pageUrl, { protocol: SubscriptionProtocol.HTTPS }),
      );
  }

  /** @param section of the runbook, and the id of an alarm that is the only one of its section */
  alarm(section: string, severity: Severity, meaning: string, watched: Watched): Alarm {
    const { metric, threshold, periods, chain } = watched;
    const of = chain ?? watched.of;
    const scope = chain === undefined ? this.#scope : this.#chainStacks.of(chain, this.#scope.node.id);
    const alarm = new Alarm(scope, of === undefined ? section : `${section}-${of}`, {
      alarmDescription: [
        `[${severity}]`,
        ...(of === undefined ? [] : [`${of}:`]),
        meaning,
        `${this.#runbookUrl}#${section.toLowerCase()}`,
      ].join(' '),
      ...(watched.name !== undefined && { alarmName: watched.name }),
      metric,
      threshold,
      comparisonOperator: watched.comparison ?? ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: watched.missing ?? TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.topics[severity]));
    alarm.addOkAction(new SnsAction(this.topics[severity]));
    this.alarms.push(alarm);
    return alarm;
  }
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
