import type { Duration } from 'aws-cdk-lib';
import type { IRuleTarget, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction as FunctionTarget } from 'aws-cdk-lib/aws-events-targets';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import type { ServiceFunction } from './service-function.ts';

interface RuleTargetProps {
  /** Where events end that did not reach the function; it needs {@link takeEventsOf}. */
  readonly deadLetters: Queue;
  readonly maxEventAge: Duration;
}

/**
 * A function as the target of a rule. The target of the CDK would add a statement to the queue's policy for each rule,
 * and SQS takes twenty.
 */
export function ruleTarget(
  service: ServiceFunction,
  { deadLetters, maxEventAge }: RuleTargetProps,
): IRuleTarget {
  const target = new FunctionTarget(service.lambda, { maxEventAge });
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
