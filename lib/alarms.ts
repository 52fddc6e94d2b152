import { Duration, Stack } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { ChargeQueue } from './charge-queue.ts';
import type { Settlement } from './settlement.ts';
import type { Usage } from './usage.ts';

export interface AlarmsProps {
  /** @default - nobody is told; the topic can be subscribed to by hand */
  readonly email: string | undefined;
  readonly charges: ChargeQueue;
  readonly books: Settlement;
  readonly usage: Usage;
}

/** What somebody has to look at, and the topic that tells them. */
export class Alarms extends Construct {
  private readonly topic: Topic;

  constructor(scope: Construct, id: string, { email, charges, books, usage }: AlarmsProps) {
    super(scope, id);
    this.topic = new Topic(this, 'Topic', { enforceSSL: true });
    // A topic with a policy of its own loses the default one, which lets alarms publish.
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    if (email !== undefined) this.topic.addSubscription(new EmailSubscription(email));

    this.watchDeadLetters(
      'LostCharges',
      charges.deadLetters,
      'Charges that no delivery could apply wait in the dead-letter queue.',
    );
    this.watchDeadLetters(
      'FailedSettlements',
      books.settlement.deadLetters,
      'Settlement failed for good on what waits in the dead-letter queue.',
    );
    this.watchDeadLetters(
      'FailedAudits',
      books.audit.deadLetters,
      'The audit failed, or found books that do not balance.',
    );
    this.watchDeadLetters(
      'LostUsage',
      usage.deadLetters,
      'Usage that could not be counted waits in the dead-letter queue; balances are not touched by it.',
    );
  }

  private watchDeadLetters(id: string, queue: Queue, alarmDescription: string): void {
    const alarm = new Alarm(this, id, {
      alarmDescription,
      metric: queue.metricApproximateNumberOfMessagesVisible({
        period: Duration.minutes(1),
        statistic: Stats.MAXIMUM,
      }),
      threshold: 0,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: 1,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.topic));
    alarm.addOkAction(new SnsAction(this.topic));
  }
}
