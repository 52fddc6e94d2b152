import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { closedQueue } from '../functions/closed.ts';

/** AWS asks for a visibility time-out of at least six times that of the consumer. */
const VISIBILITY_PER_CONSUMER_TIMEOUT = 6;
/**
 * Time after which a message that failed is delivered again, in seconds. SQS leaves a message out of the age of the oldest
 * one after its third delivery: with less than 150 s between them the alarm at 300 s could never go off.
 */
const MIN_VISIBILITY_SECONDS = 180;
/** With three minutes between them, deliveries go on for twelve hours: longer than any outage of the store on record. */
const MAX_DELIVERIES = 240;
/**
 * A message is kept for 4 days, and for 14 as a dead letter: well below the 30 days for which its lane may rise, so that
 * none that is brought back by hand in time comes too late.
 */
const RETENTION = Duration.days(4);
const DEAD_LETTER_RETENTION = Duration.days(14);

interface ChargeQueueProps {
  readonly consumerTimeout: Duration;
  /** `retain` keeps both queues when the stack is deleted: their messages are on no other record. */
  readonly removal: 'retain' | 'destroy';
}

/** Totals of lanes that their process could not store, and behind them those that no delivery could store. */
export class LaneQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, { consumerTimeout, removal }: ChargeQueueProps) {
    super(scope, id);
    const removalPolicy =
      removal === 'retain' ? RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE : RemovalPolicy.DESTROY;
    this.deadLetters = closedQueue(this, 'DeadLetters', {
      removalPolicy,
      retentionPeriod: DEAD_LETTER_RETENTION,
    });
    this.queue = closedQueue(this, 'Queue', {
      removalPolicy,
      retentionPeriod: RETENTION,
      visibilityTimeout: Duration.seconds(
        Math.max(MIN_VISIBILITY_SECONDS, consumerTimeout.toSeconds() * VISIBILITY_PER_CONSUMER_TIMEOUT),
      ),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: MAX_DELIVERIES },
    });
  }
}
