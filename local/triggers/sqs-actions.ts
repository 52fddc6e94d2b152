import { z } from 'zod';
import type { Caller } from '../processes/json-endpoint.ts';
import { LOCAL_ACCOUNT_ID } from '../template/intrinsics.ts';
import { bodyDigest, type Queue, QueueError, type ReceivedMessage } from './queue.ts';

const MAX_BATCH_ENTRIES = 10;
const MAX_DELAY_SECONDS = 900;
const MAX_WAIT_SECONDS = 20;
const MAX_VISIBILITY_SECONDS = 43_200;

const delay = z.int().min(0).max(MAX_DELAY_SECONDS).optional();
const visibility = z.int().min(0).max(MAX_VISIBILITY_SECONDS);
const names = z.array(z.string()).optional();
const queueUrl = z.string();

/** Strict, so that what is not understood here (message attributes, FIFO) is refused by name. */
const sendInput = z.strictObject({ QueueUrl: queueUrl, MessageBody: z.string().min(1), DelaySeconds: delay });
const sendBatchInput = batchOf({ Id: z.string(), MessageBody: z.string().min(1), DelaySeconds: delay });
const receiveInput = z.strictObject({
  QueueUrl: queueUrl,
  MaxNumberOfMessages: z.int().min(1).max(MAX_BATCH_ENTRIES).default(1),
  VisibilityTimeout: visibility.optional(),
  WaitTimeSeconds: z.int().min(0).max(MAX_WAIT_SECONDS).optional(),
  AttributeNames: names,
  MessageSystemAttributeNames: names,
  MessageAttributeNames: names,
});
const deleteInput = z.strictObject({ QueueUrl: queueUrl, ReceiptHandle: z.string() });
const deleteBatchInput = batchOf({ Id: z.string(), ReceiptHandle: z.string() });
const changeVisibilityInput = z.strictObject({
  QueueUrl: queueUrl,
  ReceiptHandle: z.string(),
  VisibilityTimeout: visibility,
});
const attributesInput = z.strictObject({ QueueUrl: queueUrl, AttributeNames: names });
const queueUrlInput = z.strictObject({ QueueName: z.string() });

type Input = Readonly<Record<string, unknown>>;
type Action = (queue: Queue, input: Input, caller: Caller) => object | Promise<object>;

/** The SQS actions that are understood, by name. Each throws QueueError for what SQS refuses. */
export const SQS_ACTIONS: Readonly<Record<string, Action>> = {
  SendMessage: (queue, input) => {
    const { MessageBody, DelaySeconds } = check(sendInput, input);
    return send(queue, MessageBody, DelaySeconds);
  },
  SendMessageBatch: (queue, input) => {
    const { Entries } = check(sendBatchInput, input);
    return perEntry(Entries, (entry) => send(queue, entry.MessageBody, entry.DelaySeconds));
  },
  ReceiveMessage: receive,
  DeleteMessage: (queue, input) => {
    queue.delete(check(deleteInput, input).ReceiptHandle);
    return {};
  },
  DeleteMessageBatch: (queue, input) => {
    const { Entries } = check(deleteBatchInput, input);
    return perEntry(Entries, (entry) => {
      queue.delete(entry.ReceiptHandle);
      return {};
    });
  },
  ChangeMessageVisibility: (queue, input) => {
    const { ReceiptHandle, VisibilityTimeout } = check(changeVisibilityInput, input);
    queue.changeVisibility(ReceiptHandle, VisibilityTimeout);
    return {};
  },
  GetQueueAttributes: (queue, input) => {
    const wanted = check(attributesInput, input).AttributeNames ?? [];
    return { Attributes: select(queueAttributes(queue), wanted) };
  },
  GetQueueUrl: (queue, input, { origin }) => {
    check(queueUrlInput, input);
    return { QueueUrl: `${origin}/${LOCAL_ACCOUNT_ID}/${queue.settings.name}` };
  },
};

/** The system attributes of a message, as SQS and the events of Lambda carry them. */
export function messageAttributes(message: ReceivedMessage): Record<string, string> {
  return {
    ApproximateReceiveCount: String(message.receiveCount),
    SentTimestamp: String(message.sentAt),
    SenderId: LOCAL_ACCOUNT_ID,
    ApproximateFirstReceiveTimestamp: String(message.firstReceivedAt),
  };
}

function send(queue: Queue, body: string, delaySeconds: number | undefined): object {
  return { MessageId: queue.send(body, delaySeconds), MD5OfMessageBody: bodyDigest(body) };
}

async function receive(queue: Queue, input: Input, { gone }: Caller): Promise<object> {
  const wanted = check(receiveInput, input);
  const names = [...(wanted.AttributeNames ?? []), ...(wanted.MessageSystemAttributeNames ?? [])];
  const deadline = Date.now() + (wanted.WaitTimeSeconds ?? queue.settings.receiveWaitSeconds) * 1000;
  let messages = queue.receive(wanted.MaxNumberOfMessages, wanted.VisibilityTimeout);
  while (messages.length === 0 && Date.now() < deadline && !gone.aborted) {
    await queue.arrival(deadline - Date.now(), gone);
    if (!gone.aborted) messages = queue.receive(wanted.MaxNumberOfMessages, wanted.VisibilityTimeout);
  }
  if (messages.length === 0) return {};
  return {
    Messages: messages.map((message) => ({
      MessageId: message.messageId,
      ReceiptHandle: message.receiptHandle,
      MD5OfBody: bodyDigest(message.body),
      Body: message.body,
      Attributes: select(messageAttributes(message), names),
    })),
  };
}

function queueAttributes(queue: Queue): Record<string, string> {
  const { settings } = queue;
  const { visible, delayed, inFlight } = queue.counts();
  return {
    QueueArn: settings.arn,
    ApproximateNumberOfMessages: String(visible),
    ApproximateNumberOfMessagesDelayed: String(delayed),
    ApproximateNumberOfMessagesNotVisible: String(inFlight),
    VisibilityTimeout: String(settings.visibilityTimeoutSeconds),
    DelaySeconds: String(settings.delaySeconds),
    MessageRetentionPeriod: String(settings.retentionSeconds),
    ReceiveMessageWaitTimeSeconds: String(settings.receiveWaitSeconds),
    MaximumMessageSize: String(settings.maxMessageBytes),
    ...(settings.redrive === undefined
      ? {}
      : {
          RedrivePolicy: JSON.stringify({
            deadLetterTargetArn: settings.redrive.deadLetterArn,
            maxReceiveCount: settings.redrive.maxReceiveCount,
          }),
        }),
  };
}

function select(attributes: Record<string, string>, wanted: readonly string[]): Record<string, string> {
  if (wanted.includes('All')) return attributes;
  return Object.fromEntries(Object.entries(attributes).filter(([name]) => wanted.includes(name)));
}

function batchOf<Shape extends z.core.$ZodLooseShape>(entry: Shape) {
  return z.strictObject({
    QueueUrl: queueUrl,
    Entries: z.array(z.strictObject(entry)).min(1).max(MAX_BATCH_ENTRIES),
  });
}

/** Carries out a batch; an entry that is refused does not touch the others. */
function perEntry<Entry extends { readonly Id: string }>(
  entries: readonly Entry[],
  carryOut: (entry: Entry) => object,
): object {
  if (new Set(entries.map((entry) => entry.Id)).size !== entries.length) {
    throw new QueueError('BatchEntryIdsNotDistinct', 'two entries have the same Id');
  }
  const successful: object[] = [];
  const failed: object[] = [];
  for (const entry of entries) {
    try {
      successful.push({ Id: entry.Id, ...carryOut(entry) });
    } catch (error) {
      if (!(error instanceof QueueError)) throw error;
      failed.push({ Id: entry.Id, SenderFault: true, Code: error.code, Message: error.message });
    }
  }
  return { Successful: successful, Failed: failed };
}

function check<Output>(schema: z.ZodType<Output>, input: Input): Output {
  const result = schema.safeParse(input);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new QueueError('InvalidParameterValue', `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
}
