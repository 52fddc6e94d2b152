import { createHash, randomUUID } from 'node:crypto';
import { EventEmitter } from 'node:events';
import type { Clock } from '../../lambdas/shared/runtime/clock.ts';
import { MessageFolder, type StoredMessage } from './message-folder.ts';

/** Most messages that one queue holds. */
const MAX_QUEUE_MESSAGES = 100_000;
/** Deliveries after which a message does not count for the age of the oldest one. */
const MAX_DELIVERIES_IN_AGE = 3;

/** The template's configuration of a queue. */
export interface QueueSettings {
  readonly name: string;
  readonly arn: string;
  readonly visibilityTimeoutSeconds: number;
  readonly delaySeconds: number;
  readonly retentionSeconds: number;
  /** Largest message body. */
  readonly maxMessageBytes: number;
  /** Where a message goes that was received `maxReceiveCount` times and not deleted. */
  readonly redrive?: { readonly deadLetterArn: string; readonly maxReceiveCount: number };
}

/** A message as one receiver sees it. */
export interface ReceivedMessage {
  readonly messageId: string;
  readonly receiptHandle: string;
  readonly body: string;
  /** Milliseconds since the epoch. */
  readonly sentAt: number;
  readonly firstReceivedAt: number;
  readonly receiveCount: number;
}

/** Messages that wait, are delayed, or are hidden because a receiver has them. */
interface QueueCounts {
  readonly visible: number;
  readonly delayed: number;
  readonly inFlight: number;
}

/** The queue refuses a request; `code` is the name of the error on SQS. */
export class QueueError extends Error {
  override readonly name = 'QueueError';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/**
 * One standard SQS queue. Each change of a message is in its file before the call returns, so a queue continues where
 * its last run ended. Delivery is at least once; order is by the time of sending, and is not promised.
 */
export class Queue {
  readonly settings: QueueSettings;
  readonly #clock: Clock;
  readonly #folder: MessageFolder;
  readonly #messages: Map<string, StoredMessage>;
  readonly #arrivals = new EventEmitter().setMaxListeners(0);
  #deadLetters: Queue | undefined;

  constructor(settings: QueueSettings, folder: string, clock: Clock) {
    this.settings = settings;
    this.#clock = clock;
    this.#folder = new MessageFolder(folder);
    this.#messages = new Map(this.#folder.load().map((message) => [message.id, message]));
  }

  /** Names the queue that `redrive.deadLetterArn` means. */
  redriveTo(queue: Queue): void {
    this.#deadLetters = queue;
  }

  /** Takes a message in and returns its id. */
  send(body: string, delaySeconds: number = this.settings.delaySeconds): string {
    if (Buffer.byteLength(body) > this.settings.maxMessageBytes) {
      throw new QueueError(
        'InvalidParameterValue',
        `a message has at most ${this.settings.maxMessageBytes} bytes`,
      );
    }
    const now = this.#clock.now();
    const message = {
      id: randomUUID(),
      body,
      sentAt: now,
      visibleAt: now + delaySeconds * 1000,
      receiveCount: 0,
    };
    this.#admit(message);
    return message.id;
  }

  /** Hands out up to `limit` visible messages and hides them for the visibility time-out. */
  receive(limit: number): ReceivedMessage[] {
    const now = this.#clock.now();
    const received: ReceivedMessage[] = [];
    for (const message of this.#messages.values()) {
      if (received.length === limit) break;
      if (this.#expired(message, now)) this.#drop(message);
      else if (message.visibleAt > now) continue;
      else if (this.#exhausted(message)) this.#moveToDeadLetters(message);
      else received.push(this.#handOut(message, now));
    }
    return received;
  }

  /** Deletes a message for good. A handle that is not the message's latest changes nothing, as on SQS. */
  delete(receiptHandle: string): void {
    const [id = '', count] = receiptHandle.split('.');
    const message = this.#messages.get(id);
    if (message !== undefined && message.receiveCount === Number(count)) this.#drop(message);
  }

  counts(): QueueCounts {
    const now = this.#clock.now();
    const counts = { visible: 0, delayed: 0, inFlight: 0 };
    for (const message of this.#messages.values()) {
      if (this.#expired(message, now)) continue;
      if (message.visibleAt <= now) counts.visible += 1;
      else if (message.receiveCount === 0) counts.delayed += 1;
      else counts.inFlight += 1;
    }
    return counts;
  }

  /**
   * Age of the oldest message, in seconds; 0 of an empty queue. As on SQS, a message that was delivered more than three
   * times is left out.
   */
  oldestAgeSeconds(): number {
    const now = this.#clock.now();
    const counted = [...this.#messages.values()].filter(
      (message) => message.receiveCount <= MAX_DELIVERIES_IN_AGE && !this.#expired(message, now),
    );
    return Math.max(0, ...counted.map(({ sentAt }) => Math.floor((now - sentAt) / 1_000)));
  }

  /** Resolves when a message may have become visible, at the latest after `milliseconds` or when aborted. */
  async arrival(milliseconds: number, signal?: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    let wait = milliseconds;
    for (const { visibleAt } of this.#messages.values()) wait = Math.min(wait, Math.max(0, visibleAt - now));
    await new Promise<void>((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        this.#arrivals.off('arrival', finish);
        signal?.removeEventListener('abort', finish);
        resolve();
      };
      const timer = setTimeout(finish, signal?.aborted === true ? 0 : wait);
      this.#arrivals.once('arrival', finish);
      signal?.addEventListener('abort', finish);
    });
  }

  #admit(message: StoredMessage): void {
    if (this.#messages.size >= MAX_QUEUE_MESSAGES) {
      throw new QueueError('OverLimit', `queue ${this.settings.name} holds ${MAX_QUEUE_MESSAGES} messages`);
    }
    this.#keep(message);
    this.#arrivals.emit('arrival');
  }

  #handOut(message: StoredMessage, now: number): ReceivedMessage {
    const held = {
      ...message,
      visibleAt: now + this.settings.visibilityTimeoutSeconds * 1000,
      receiveCount: message.receiveCount + 1,
      firstReceivedAt: message.firstReceivedAt ?? now,
    };
    this.#keep(held);
    return {
      messageId: held.id,
      receiptHandle: `${held.id}.${held.receiveCount}`,
      body: held.body,
      sentAt: held.sentAt,
      firstReceivedAt: held.firstReceivedAt,
      receiveCount: held.receiveCount,
    };
  }

  #expired(message: StoredMessage, now: number): boolean {
    return message.sentAt + this.settings.retentionSeconds * 1000 <= now;
  }

  #exhausted(message: StoredMessage): boolean {
    return (
      this.settings.redrive !== undefined && message.receiveCount >= this.settings.redrive.maxReceiveCount
    );
  }

  /** Into the other queue first: a crash in between leaves the message in both, never in none. */
  #moveToDeadLetters(message: StoredMessage): void {
    if (this.#deadLetters === undefined)
      throw new Error(`queue ${this.settings.name} lacks its dead-letter queue`);
    const { id, body, sentAt } = message;
    this.#deadLetters.#admit({ id, body, sentAt, visibleAt: this.#clock.now(), receiveCount: 0 });
    this.#drop(message);
  }

  #keep(message: StoredMessage): void {
    this.#folder.write(message);
    this.#messages.set(message.id, message);
  }

  #drop(message: StoredMessage): void {
    this.#folder.remove(message.id);
    this.#messages.delete(message.id);
  }
}

/** MD5 of a message body, as SQS answers it and its clients check it. */
export function bodyDigest(body: string): string {
  return createHash('md5').update(body).digest('hex');
}
