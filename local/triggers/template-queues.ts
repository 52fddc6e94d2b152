import { join } from 'node:path';
import type { Clock } from '../../lambdas/shared/runtime/clock.ts';
import type { Resolver } from '../template/intrinsics.ts';
import {
  isTemplateObject,
  refuseUnknown,
  resourcesOfType,
  type Template,
  type TemplateResource,
} from '../template/template.ts';
import { Queue, type QueueSettings } from './queue.ts';

/** SQS's own defaults, in seconds and bytes. */
const DEFAULTS = {
  visibilityTimeout: 30,
  delay: 0,
  retention: 345_600,
  maxMessage: 1024 * 1024,
};

/** The queues of the template by name, with what earlier runs left in them. Each has a folder of its name. */
export function openQueues(
  template: Template,
  resolve: Resolver,
  folder: string,
  clock: Clock,
): ReadonlyMap<string, Queue> {
  const queues = new Map<string, Queue>();
  for (const resource of resourcesOfType(template, 'AWS::SQS::Queue')) {
    const settings = queueSettings(resource, resolve);
    queues.set(settings.name, new Queue(settings, join(folder, settings.name), clock));
  }
  for (const queue of queues.values()) {
    const { redrive, name } = queue.settings;
    if (redrive === undefined) continue;
    const deadLetters = queueOfArn(queues, redrive.deadLetterArn);
    if (deadLetters === undefined)
      throw new Error(`queue ${name}: ${redrive.deadLetterArn} is not a queue of the stack`);
    queue.redriveTo(deadLetters);
  }
  return queues;
}

/** The queue that an ARN of the template means. */
export function queueOfArn(queues: ReadonlyMap<string, Queue>, arn: string): Queue | undefined {
  return [...queues.values()].find((queue) => queue.settings.arn === arn);
}

function queueSettings(resource: TemplateResource, resolve: Resolver): QueueSettings {
  const { logicalId, properties } = resource;
  const number = (name: string, fallback: number) => Number(resolve(properties[name]) ?? fallback);
  const redrive = redrivePolicy(resource, resolve);
  return {
    name: String(resolve({ 'Fn::GetAtt': [logicalId, 'QueueName'] })),
    arn: String(resolve({ 'Fn::GetAtt': [logicalId, 'Arn'] })),
    visibilityTimeoutSeconds: number('VisibilityTimeout', DEFAULTS.visibilityTimeout),
    delaySeconds: number('DelaySeconds', DEFAULTS.delay),
    retentionSeconds: number('MessageRetentionPeriod', DEFAULTS.retention),
    maxMessageBytes: number('MaximumMessageSize', DEFAULTS.maxMessage),
    ...(redrive === undefined ? {} : { redrive }),
  };
}

function redrivePolicy(resource: TemplateResource, resolve: Resolver): QueueSettings['redrive'] {
  const policy = resolve(resource.properties.RedrivePolicy);
  if (!isTemplateObject(policy)) return undefined;
  refuseUnknown(resource, 'RedrivePolicy', policy, ['deadLetterTargetArn', 'maxReceiveCount']);
  return {
    deadLetterArn: String(policy.deadLetterTargetArn),
    maxReceiveCount: Number(policy.maxReceiveCount),
  };
}
