import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../lambdas/shared/runtime/clock.ts';
import { calledFunction } from '../functions/called-function.ts';
import { LOCAL_ACCOUNT_ID, LOCAL_REGION, type Resolver } from '../template/intrinsics.ts';
import {
  isTemplateObject,
  refuseUnknown,
  resourcesOfType,
  type Template,
  type TemplateObject,
  type TemplateResource,
} from '../template/template.ts';
import type { InvokeFunction } from './event-sources.ts';
import { ThrottledError } from './invoke-or-fail.ts';
import type { Queue } from './queue.ts';
import { firstFiring, nextFiring, parseSchedule, type Schedule } from './schedule-expression.ts';
import { queueOfArn } from './template-queues.ts';
import { waitForDeliveries } from './wait-for-deliveries.ts';

/** Lambda calls a function that failed on an event twice more, if the template does not say how often. */
const DEFAULT_RETRIES = 2;
/** Pause before a function is called again that runs as often as it may. */
const THROTTLED_PAUSE_MS = 1_000;
/** EventBridge's own, in seconds. */
const DEFAULT_EVENT_AGE = 86_400;

interface SchedulesOptions {
  readonly template: Template;
  readonly resolve: Resolver;
  readonly queues: ReadonlyMap<string, Queue>;
  readonly invoke: InvokeFunction;
  readonly clock: Clock;
  /** Called with each delivery that failed for good. */
  readonly onFailure: (logicalId: string, error: unknown) => void;
  /** @default THROTTLED_PAUSE_MS */
  readonly throttledPauseMs?: number;
}

interface Schedules {
  /**
   * Fires the rules that are due. To be called at least once a minute; a rule that was due several times since the last
   * call fires once, as its target must bear anyway, for the last of these times.
   */
  tick(): void;
  /** Fires nothing more and waits a little for the deliveries that are under way. */
  close(): Promise<void>;
}

interface Target {
  readonly functionId: string;
  readonly input: unknown;
  /** How often the function is called again on an event that it failed on. */
  readonly retries: number;
  /** An event that is older when its function is still throttled has failed. */
  readonly maxAgeMs: number;
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
    // Events of services in an account: a local run has none.
    .filter(({ properties }) => properties.EventPattern === undefined)
    .map((resource) => readRule(resource, options));
  const deliveries = new Set<Promise<void>>();
  const closing = new AbortController();
  const givenUp = new AbortController();

  function fire(rule: Rule, dueAt: number): void {
    for (const target of rule.targets) {
      const event = target.input ?? scheduledEvent(rule, dueAt);
      const signals = { closing: closing.signal, givenUp: givenUp.signal };
      const delivery = deliver(target, event as object, options, signals).finally(() =>
        deliveries.delete(delivery),
      );
      deliveries.add(delivery);
    }
  }

  return {
    tick: () => {
      if (closing.signal.aborted) return;
      const now = options.clock.now();
      for (const rule of rules) {
        if (rule.dueAt > now) continue;
        fire(rule, lastDue(rule, now));
        rule.dueAt = nextFiring(rule.schedule, now);
      }
    },
    close: async () => {
      closing.abort();
      await waitForDeliveries(deliveries);
      givenUp.abort();
    },
  };
}

/** How far the end of the run has come: deliveries end by themselves, or are not waited for any more. */
interface Signals {
  readonly closing: AbortSignal;
  readonly givenUp: AbortSignal;
}

async function deliver(
  target: Target,
  event: object,
  options: SchedulesOptions,
  { closing, givenUp }: Signals,
): Promise<void> {
  for (let retry = 0; ; retry += 1) {
    try {
      await invokeWhenFree(target, event, options, closing);
      return;
    } catch (error) {
      const throttled = error instanceof ThrottledError;
      if (givenUp.aborted || (throttled && closing.aborted)) return;
      if (!throttled && retry < target.retries) continue;
      options.onFailure(target.functionId, error);
      target.deadLetters?.send(JSON.stringify(event));
      return;
    }
  }
}

/** Calls a function as soon as it is not throttled, while the event is young and the run continues. */
async function invokeWhenFree(
  { functionId, maxAgeMs }: Target,
  event: object,
  { invoke, clock, throttledPauseMs = THROTTLED_PAUSE_MS }: SchedulesOptions,
  closing: AbortSignal,
): Promise<void> {
  const latest = clock.now() + maxAgeMs;
  for (;;) {
    try {
      await invoke(functionId, event);
      return;
    } catch (error) {
      if (!(error instanceof ThrottledError) || closing.aborted || clock.now() >= latest) throw error;
    }
    await sleep(throttledPauseMs, undefined, { signal: closing }).catch(() => undefined);
  }
}

/** The last time up to `now` at which a rule that is due was due. */
function lastDue({ schedule, dueAt }: Rule, now: number): number {
  let last = dueAt;
  for (let next = nextFiring(schedule, last); next <= now; next = nextFiring(schedule, next)) last = next;
  return last;
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

function readRule(resource: TemplateResource, options: SchedulesOptions): Rule {
  const properties = options.resolve(resource.properties) as TemplateObject;
  const schedule = parseSchedule(String(properties.ScheduleExpression));
  const targets = Array.isArray(properties.Targets) ? properties.Targets : [];
  return {
    arn: String(options.resolve({ 'Fn::GetAtt': [resource.logicalId, 'Arn'] })),
    schedule,
    targets: targets.map((target: TemplateObject) => readTarget(resource, target, options)),
    dueAt: firstFiring(schedule, options.clock.now()),
  };
}

function readTarget(resource: TemplateResource, target: TemplateObject, options: SchedulesOptions): Target {
  const { template, resolve, queues } = options;
  refuseUnknown(resource, 'Targets', target, ['Arn', 'DeadLetterConfig', 'Id', 'Input', 'RetryPolicy']);
  const lambda = calledFunction(template, resolve, target.Arn);
  if (lambda === undefined)
    throw new Error(`${resource.logicalId}: a target is not a function of this stack`);
  const deadLetters = isTemplateObject(target.DeadLetterConfig) ? target.DeadLetterConfig.Arn : undefined;
  return {
    functionId: lambda.logicalId,
    retries: retriesOf(lambda, options),
    maxAgeMs:
      1_000 *
      Number(
        isTemplateObject(target.RetryPolicy)
          ? (target.RetryPolicy.MaximumEventAgeInSeconds ?? DEFAULT_EVENT_AGE)
          : DEFAULT_EVENT_AGE,
      ),
    input: typeof target.Input === 'string' ? JSON.parse(target.Input) : undefined,
    deadLetters: deadLetters === undefined ? undefined : queueOfArn(queues, String(deadLetters)),
  };
}

/** The template's configuration of asynchronous calls of a function. */
function retriesOf({ logicalId }: TemplateResource, { template, resolve }: SchedulesOptions): number {
  const name = resolve({ Ref: logicalId });
  const config = resourcesOfType(template, 'AWS::Lambda::EventInvokeConfig').find(
    ({ properties }) => resolve(properties.FunctionName) === name,
  );
  return Number(config?.properties.MaximumRetryAttempts ?? DEFAULT_RETRIES);
}
