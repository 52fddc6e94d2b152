import { Duration } from 'aws-cdk-lib';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';

/** AWS asks for a visibility time-out of at least six times that of the consumer. */
const VISIBILITY_PER_CONSUMER_TIMEOUT = 6;
/** With a minute between them, deliveries go on for four hours: longer than any store outage on record. */
const MAX_DELIVERIES = 240;
const RETENTION = Duration.days(4);
const DEAD_LETTER_RETENTION = Duration.days(14);

export interface ChargeQueueProps {
  readonly consumerTimeout: Duration;
}

/** Charges whose outcome was not certain in time, and behind them those that no delivery could apply. */
export class ChargeQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { consumerTimeout }: ChargeQueueProps) {
    super(scope, id);
    this.deadLetters = new Queue(this, 'DeadLetters', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: DEAD_LETTER_RETENTION,
    });
    this.queue = new Queue(this, 'Queue', {
      encryption: QueueEncryption.SQS_MANAGED,
      enforceSSL: true,
      retentionPeriod: RETENTION,
      visibilityTimeout: Duration.seconds(consumerTimeout.toSeconds() * VISIBILITY_PER_CONSUMER_TIMEOUT),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: MAX_DELIVERIES },
    });
  }
}
