import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../lambdas/clock.ts';
import { LOCAL_ACCOUNT_ID, LOCAL_REGION, type Resolver } from './intrinsics.ts';
import type { InvokeFunction } from './queues/event-sources.ts';
import type { Queue } from './queues/queue.ts';
import { queueOfArn } from './queues/template-queues.ts';
import { firstFiring, nextFiring, parseSchedule, type Schedule } from './schedule-expression.ts';
import {
  isObject,
  type JsonObject,
  type Resource,
  refuseUnknown,
  resourcesOfType,
  type Template,
} from './template.ts';

/** Time that deliveries have to end when the run does, in milliseconds; then their functions are ended. */
const CLOSE_WAIT_MS = 3_000;
/** Lambda calls a function that failed on an event twice more. */
const DELIVERY_ATTEMPTS = 3;

export interface SchedulesOptions {
  readonly template: Template;
  readonly resolve: Resolver;
  readonly queues: ReadonlyMap<string, Queue>;
  readonly invoke: InvokeFunction;
  readonly clock: Clock;
  /** Told of each delivery that failed for good. */
  readonly onFailure: (logicalId: string, error: unknown) => void;
}

export interface Schedules {
  /**
   * Fires the rules that are due. To be called at least once a minute; a rule that was due several times since the last
   * call fires once, as its target must bear anyway.
   */
  tick(): void;
  /** Fires nothing more and waits a little for the deliveries that are under way. */
  close(): Promise<void>;
}

interface Target {
  readonly functionId: string;
  readonly input: unknown;
  readonly deadLetters: Queue | undefined;
}

interface Rule {
  readonly arn: string;
  readonly schedule: Schedule;
  readonly targets: readonly Target[];
  /** Milliseconds since the epoch. */
  dueAt: number;
}

/** The schedules of the template's rules. Delivery is at least once, as EventBridge promises. */
export function createSchedules(options: SchedulesOptions): Schedules {
  const rules = resourcesOfType(options.template, 'AWS::Events::Rule')
    .filter((resource) => options.resolve(resource.properties.State) !== 'DISABLED')
    .map((resource) => readRule(resource, options));
  const deliveries = new Set<Promise<void>>();
  let closed = false;
  let givenUp = false;

  function fire(rule: Rule, dueAt: number): void {
    for (const target of rule.targets) {
      const event = target.input ?? scheduledEvent(rule, dueAt);
      const delivery = deliver(target, event as object, options, () => givenUp).finally(() =>
        deliveries.delete(delivery),
      );
      deliveries.add(delivery);
    }
  }

  return {
    tick: () => {
      if (closed) return;
      const now = options.clock.now();
      for (const rule of rules) {
        if (rule.dueAt > now) continue;
        fire(rule, rule.dueAt);
        rule.dueAt = nextFiring(rule.schedule, now);
      }
    },
    close: async () => {
      closed = true;
      const late = new AbortController();
      const waited = sleep(CLOSE_WAIT_MS, undefined, { signal: late.signal }).catch(() => undefined);
      await Promise.race([Promise.all(deliveries), waited]);
      late.abort();
      givenUp = true;
    },
  };
}

async function deliver(
  target: Target,
  event: object,
  options: SchedulesOptions,
  isGivenUp: () => boolean,
): Promise<void> {
  for (let attempt = 1; attempt <= DELIVERY_ATTEMPTS; attempt += 1) {
    try {
      await options.invoke(target.functionId, event);
      return;
    } catch (error) {
      if (isGivenUp()) return;
      if (attempt < DELIVERY_ATTEMPTS) continue;
      options.onFailure(target.functionId, error);
    }
  }
  target.deadLetters?.send(JSON.stringify(event));
}

/** The event that EventBridge makes of a rule that is due. */
function scheduledEvent(rule: Rule, dueAt: number): object {
  return {
    version: '0',
    id: randomUUID(),
    'detail-type': 'Scheduled Event',
    source: 'aws.events',
    account: LOCAL_ACCOUNT_ID,
    time: new Date(dueAt).toISOString().replace('.000Z', 'Z'),
    region: LOCAL_REGION,
    resources: [rule.arn],
    detail: {},
  };
}

function readRule(resource: Resource, options: SchedulesOptions): Rule {
  const properties = options.resolve(resource.properties) as JsonObject;
  const schedule = parseSchedule(String(properties.ScheduleExpression));
  const targets = Array.isArray(properties.Targets) ? properties.Targets : [];
  return {
    arn: String(options.resolve({ 'Fn::GetAtt': [resource.logicalId, 'Arn'] })),
    schedule,
    targets: targets.map((target: JsonObject) => readTarget(resource, target, options)),
    dueAt: firstFiring(schedule, options.clock.now()),
  };
}

function readTarget(resource: Resource, target: JsonObject, options: SchedulesOptions): Target {
  const { template, resolve, queues } = options;
  refuseUnknown(resource, 'Targets', target, ['Arn', 'DeadLetterConfig', 'Id', 'Input', 'RetryPolicy']);
  const lambda = resourcesOfType(template, 'AWS::Lambda::Function').find(
    ({ logicalId }) => resolve({ 'Fn::GetAtt': [logicalId, 'Arn'] }) === target.Arn,
  );
  if (lambda === undefined) throw new Error(`${resource.logicalId}: a target is no function of this stack`);
  const deadLetters = isObject(target.DeadLetterConfig) ? target.DeadLetterConfig.Arn : undefined;
  return {
    functionId: lambda.logicalId,
    input: typeof target.Input === 'string' ? JSON.parse(target.Input) : undefined,
    deadLetters: deadLetters === undefined ? undefined : queueOfArn(queues, String(deadLetters)),
  };
}
