import { setTimeout as sleep } from 'node:timers/promises';
import { calledFunction } from '../functions/called-function.ts';
import { LOCAL_ACCOUNT_ID, LOCAL_REGION, type Resolver } from '../template/intrinsics.ts';
import {
  isTemplateObject,
  resourcesOfType,
  type Template,
  type TemplateResource,
} from '../template/template.ts';
import { bodyDigest, type Queue, type ReceivedMessage } from './queue.ts';
import { queueOfArn } from './template-queues.ts';
import { waitForDeliveries } from './wait-for-deliveries.ts';

/** Deliveries of one mapping that run at the same time, as Lambda starts with. */
const DELIVERIES = 5;
const DEFAULT_BATCH_SIZE = 10;
/** How long one look into an empty queue lasts. */
const POLL_MS = 20_000;
/** Pause of one worker after a failed delivery. */
const FAILURE_PAUSE_MS = 1_000;

/** Calls a function by its logical id; rejects when it fails, runs out of time or is throttled. */
export type InvokeFunction = (logicalId: string, event: object) => Promise<unknown>;

interface EventSources {
  /** Takes no further message and waits a little for the deliveries under way; what they hold stays in its queue. */
  close(): Promise<void>;
}

interface EventSourcesOptions {
  readonly template: Template;
  readonly resolve: Resolver;
  readonly queues: ReadonlyMap<string, Queue>;
  readonly invoke: InvokeFunction;
  /** Called with each delivery that failed; its messages come again after their visibility time-out. */
  readonly onFailure: (logicalId: string, error: unknown) => void;
}

interface Mapping {
  readonly functionId: string;
  readonly queue: Queue;
  readonly batchSize: number;
  readonly deliveries: number;
  readonly reportsFailures: boolean;
}

/** Delivers the messages of the template's queues to their functions, at least once. */
export function startEventSources(options: EventSourcesOptions): EventSources {
  const closing = new AbortController();
  const workers = resourcesOfType(options.template, 'AWS::Lambda::EventSourceMapping')
    .filter((resource) => options.resolve(resource.properties.Enabled) !== false)
    .map((resource) => readMapping(resource, options))
    .flatMap((mapping) =>
      Array.from({ length: mapping.deliveries }, () => deliverAll(mapping, options, closing.signal)),
    );
  return {
    close: async () => {
      closing.abort();
      await waitForDeliveries(workers);
    },
  };
}

function readMapping(
  resource: TemplateResource,
  { template, resolve, queues }: EventSourcesOptions,
): Mapping {
  const properties = resolve(resource.properties) as Readonly<Record<string, unknown>>;
  const queue = queueOfArn(queues, String(properties.EventSourceArn));
  const functionId = calledFunction(template, resolve, properties.FunctionName)?.logicalId;
  if (queue === undefined || functionId === undefined) {
    throw new Error(`${resource.logicalId}: its queue or its function is not part of this stack`);
  }
  const scaling = isTemplateObject(properties.ScalingConfig)
    ? Number(properties.ScalingConfig.MaximumConcurrency)
    : DELIVERIES;
  const responseTypes = Array.isArray(properties.FunctionResponseTypes)
    ? properties.FunctionResponseTypes
    : [];
  return {
    functionId,
    queue,
    batchSize: Number(properties.BatchSize ?? DEFAULT_BATCH_SIZE),
    deliveries: Math.min(scaling, DELIVERIES),
    reportsFailures: responseTypes.includes('ReportBatchItemFailures'),
  };
}

async function deliverAll(
  mapping: Mapping,
  options: EventSourcesOptions,
  closing: AbortSignal,
): Promise<void> {
  while (!closing.aborted) {
    try {
      const messages = mapping.queue.receive(mapping.batchSize);
      if (messages.length === 0) await mapping.queue.arrival(POLL_MS, closing);
      else await deliver(mapping, messages, options.invoke);
    } catch (error) {
      options.onFailure(mapping.functionId, error);
      await sleep(FAILURE_PAUSE_MS, undefined, { signal: closing }).catch(() => undefined);
    }
  }
}

/** One invocation; the messages that it dealt with are deleted, the others stay in the queue. */
async function deliver(
  mapping: Mapping,
  messages: readonly ReceivedMessage[],
  invoke: InvokeFunction,
): Promise<void> {
  const response = await invoke(mapping.functionId, deliveryEvent(mapping.queue, messages));
  const ids = messages.map(({ messageId }) => messageId);
  const failed = mapping.reportsFailures ? failedItems(response, ids) : new Set<string>();
  for (const { messageId, receiptHandle } of messages) {
    if (!failed.has(messageId)) mapping.queue.delete(receiptHandle);
  }
}

/** The event that Lambda makes of a batch. */
function deliveryEvent(queue: Queue, messages: readonly ReceivedMessage[]): object {
  return {
    Records: messages.map((message) => ({
      messageId: message.messageId,
      receiptHandle: message.receiptHandle,
      body: message.body,
      attributes: {
        ApproximateReceiveCount: String(message.receiveCount),
        SentTimestamp: String(message.sentAt),
        SenderId: LOCAL_ACCOUNT_ID,
        ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
      },
      messageAttributes: {},
      md5OfBody: bodyDigest(message.body),
      eventSource: 'aws:sqs',
      eventSourceARN: queue.settings.arn,
      awsRegion: LOCAL_REGION,
    })),
  };
}

/**
 * Ids of the items of a batch that a function reports as failed. As on Lambda, no report means that all succeeded, and
 * a report that cannot be understood or names an unknown item that all failed.
 */
function failedItems(response: unknown, ids: readonly string[]): ReadonlySet<string> {
  const report = isTemplateObject(response) ? response.batchItemFailures : undefined;
  if (
    response === null ||
    response === undefined ||
    (isTemplateObject(response) && (report === undefined || report === null))
  ) {
    return new Set();
  }
  const known = new Set(ids);
  const failed = (Array.isArray(report) ? report : [undefined]).map((failure: unknown) =>
    isTemplateObject(failure) ? String(failure.itemIdentifier) : '',
  );
  return failed.every((id) => known.has(id)) ? new Set(failed) : known;
}
