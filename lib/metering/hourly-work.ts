import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { SqsEventSource } from 'aws-cdk-lib/aws-lambda-event-sources';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { WORK_QUEUE_URL_VARIABLE } from '../../lambdas/shared/aws/work-queue.ts';
import { closedQueue } from '../functions/closed.ts';
import {
  type FunctionSize,
  ServiceFunction,
  type ServiceFunctionProps,
} from '../functions/service-function.ts';

/** One run must leave time to hand its rest on, and start again soon enough when it is retried. */
const SIZE: FunctionSize = { memoryMb: 1024, timeoutSeconds: 300 };
/** AWS asks for a visibility time-out of at least six times that of the consumer. */
const VISIBILITY_SECONDS = 6 * SIZE.timeoutSeconds;
const MAX_DELIVERIES = 3;
const DEAD_LETTER_RETENTION = Duration.days(14);
const EVENT_RETRIES = 2;
/** An event that is older is of no use: the next one finds the same work. */
const MAX_EVENT_AGE = Duration.hours(1);

/**
 * A function that runs every hour, and hands what one run has no time for on to further runs of itself. Events and
 * work that failed for good are kept in one dead-letter queue.
 */
export class HourlyWork extends Construct {
  readonly service: ServiceFunction;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, props: Omit<ServiceFunctionProps, 'size'>) {
    super(scope, id);
    this.deadLetters = closedQueue(this, 'DeadLetters', {
      retentionPeriod: DEAD_LETTER_RETENTION,
    });
    const work = closedQueue(this, 'Work', {
      visibilityTimeout: Duration.seconds(VISIBILITY_SECONDS),
      deadLetterQueue: { queue: this.deadLetters, maxReceiveCount: MAX_DELIVERIES },
    });
    this.service = new ServiceFunction(this, 'Service', {
      ...props,
      size: SIZE,
      sendsToItself: true,
      environment: { ...props.environment, [WORK_QUEUE_URL_VARIABLE]: work.queueUrl },
    });
    this.service.allow(['sqs:SendMessage'], [work.queueArn]);
    this.service.lambda.addEventSource(new SqsEventSource(work, { batchSize: 1 }));
    this.service.keepFailedEvents(this.deadLetters);
    new Rule(this, 'Rule', {
      description: props.description,
      schedule: Schedule.rate(Duration.hours(1)),
      targets: [
        new FunctionTarget(this.service.lambda, {
          deadLetterQueue: this.deadLetters,
          retryAttempts: EVENT_RETRIES,
          maxEventAge: MAX_EVENT_AGE,
        }),
      ],
    });
  }
}
