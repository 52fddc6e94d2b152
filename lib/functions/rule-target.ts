import { Duration } from 'aws-cdk-lib';
import { type IRuleTarget, Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { Construct } from 'constructs';
import { BATCH_SLOTS } from '../../lambdas/shared/runtime/slot.ts';
import type { ServiceFunction } from './service-function.ts';

const SLOT = Duration.minutes(1);
const HOUR_MINUTES = 60;
/** By then the next slot is over as well: an event that could not begin its slot is kept as a failed one. */
const MAX_SLOT_AGE = Duration.minutes(2);

interface RunProps {
  readonly description: string;
  /** Times that a run which failed is tried again, before the next one is due. */
  readonly retryAttempts: number;
}

/** Runs a function again and again. An event that is as old as the next one is dropped. */
export function runEvery(interval: Duration, service: ServiceFunction, props: RunProps): void {
  const { description, retryAttempts } = props;
  const event = { retryAttempts, maxEventAge: interval };
  service.lambda.configureAsyncInvoke(event);
  const { scope } = service.node;
  if (scope === undefined) throw new Error('a function is below no construct');
  new Rule(scope, 'Rule', {
    description,
    schedule: Schedule.rate(interval),
    targets: [new FunctionTarget(service.lambda, event)],
  });
}

/** When slots of a minute begin: each minute, or in the first minutes of each batch. */
export function slotSchedule(batchMinutes: number | undefined): Schedule {
  if (batchMinutes === undefined) return Schedule.rate(SLOT);
  const minutes = Array.from({ length: HOUR_MINUTES }, (_, minute) => minute);
  return Schedule.cron({ minute: minutes.filter((one) => one % batchMinutes < BATCH_SLOTS).join(',') });
}

interface SlotsProps {
  readonly scope: Construct;
  /** @default - slots follow each other */
  readonly batchMinutes: number | undefined;
  readonly description: string;
  /** Where slots end that failed; it needs {@link takeEventsOf}. */
  readonly deadLetters: Queue;
}

/** Runs a function of a chain, slot by slot. A slot that failed is over: the next continues where it ended. */
export function slotsOf(chain: string, service: ServiceFunction, props: SlotsProps): Rule {
  const { scope, batchMinutes, description, deadLetters } = props;
  service.keepFailedEvents(deadLetters);
  service.lambda.configureAsyncInvoke({ retryAttempts: 0, maxEventAge: MAX_SLOT_AGE });
  return new Rule(scope, `Slot-${chain}`, {
    description,
    schedule: slotSchedule(batchMinutes),
    targets: [slotTarget(service, deadLetters)],
  });
}

/** The target of the CDK would add a statement to the queue's policy for each rule, and SQS takes twenty. */
function slotTarget(service: ServiceFunction, deadLetters: Queue): IRuleTarget {
  const target = new FunctionTarget(service.lambda, { maxEventAge: MAX_SLOT_AGE });
  return {
    bind: (rule, id) => ({ ...target.bind(rule, id), deadLetterConfig: { arn: deadLetters.queueArn } }),
  };
}

/** Lets a queue take the events of these rules, and of no others. */
export function takeEventsOf(rules: readonly Rule[], deadLetters: Queue): void {
  deadLetters.addToResourcePolicy(
    new PolicyStatement({
      sid: 'TakeEventsOfRules',
      principals: [new ServicePrincipal('events.amazonaws.com')],
      actions: ['sqs:SendMessage'],
      resources: [deadLetters.queueArn],
      conditions: { ArnEquals: { 'aws:SourceArn': rules.map((rule) => rule.ruleArn) } },
    }),
  );
}
