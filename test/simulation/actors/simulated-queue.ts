import type { Weather } from '../weather.ts';
import type { Machine, SimulatedProcess } from './simulated-process.ts';

const SEND_TIMEOUT_MS = 700;
const MIN_LATENCY_MS = 2;
const MAX_LATENCY_MS = 30;
const MIN_DELIVERY_MS = 20;
const MAX_DELIVERY_MS = 2_000;
/** A message that is late or doubled is delivered by this time after it was sent. */
const MAX_DELAY_MS = 7 * 24 * 3_600_000;
const VISIBILITY_TIMEOUT_MS = 180_000;
/** Chance that a message which was worked stays all the same. */
const LOST_DELETE_RATE = 0.02;
/** Dead letters are delivered again after a time between these. */
const MIN_REDRIVE_MS = 600_000;
const MAX_REDRIVE_MS = 30 * 3_600_000;

/** Faults of a message to the queue, or of its response. */
export type QueueFault = 'refused' | 'request lost' | 'answer lost' | 'delivered late' | 'delivered twice';

export const QUEUE_FAULTS: readonly [QueueFault, ...QueueFault[]] = [
  'refused',
  'request lost',
  'answer lost',
  'delivered late',
  'delivered twice',
];

/** A message as a consumer gets it. */
export interface DeliveredMessage {
  readonly messageId: string;
  readonly body: string;
}

interface QueuedMessage extends DeliveredMessage {
  receives: number;
  redrives: number;
}

export interface QueueOptions {
  readonly name: string;
  readonly machine: Machine;
  readonly weather: Weather<QueueFault>;
  readonly batchSize: number;
  readonly maxReceives: number;
  /** Times that a dead letter is delivered again, before an operator deletes it. @default without end */
  readonly maxRedrives?: number;
  /**
   * Works a batch, and resolves to the ids that are to be delivered again. If it rejects all are; if it does not
   * settle they are delivered again after a while, perhaps while they are still being worked.
   */
  readonly consume: (messages: readonly DeliveredMessage[]) => Promise<readonly string[]>;
  /** Told when a message is deleted because a consumer has worked it. */
  readonly onWorked?: (message: DeliveredMessage) => void;
}

/** A queue that delivers at least once, in any order, with a dead-letter queue that an operator redrives in the end. */
export class SimulatedQueue {
  readonly #options: QueueOptions;
  readonly #visible: QueuedMessage[] = [];
  #deliveryPlanned = false;
  #lastId = 0;
  #deadLetters: QueuedMessage[] = [];
  #redrivePlanned = false;

  constructor(options: QueueOptions) {
    this.#options = options;
  }

  /** Sends a message from a process. */
  send(process: SimulatedProcess, body: string): Promise<void> {
    const { machine, weather } = this.#options;
    return new Promise((resolve, reject) => {
      if (!process.send()) return;
      const sentMs = machine.time.nowMs;
      const fault = process.isExpired ? 'refused' : weather.next();
      if (fault !== undefined) process.faults.queue += 1;
      const answerMs = sentMs + machine.random.integer(MIN_LATENCY_MS, MAX_LATENCY_MS);
      const fail = (timeMs: number, message: string) => {
        const error = new Error(message);
        process.receive(timeMs, () => reject(error));
      };
      if (fault === 'refused') return fail(answerMs, 'the queue refused');
      if (fault === 'request lost') return fail(sentMs + SEND_TIMEOUT_MS, 'no answer');
      this.#accept(body, fault === 'delivered late' ? MAX_DELAY_MS : MAX_DELIVERY_MS);
      if (fault === 'delivered twice') this.#accept(body, MAX_DELAY_MS);
      if (fault === 'answer lost') return fail(sentMs + SEND_TIMEOUT_MS, 'no answer');
      process.receive(answerMs, resolve);
    });
  }

  #accept(body: string, maxDeliveryMs: number): void {
    const { machine } = this.#options;
    this.#lastId += 1;
    const message = { messageId: `m${this.#lastId}`, body, receives: 0, redrives: 0 };
    machine.time.after(machine.random.magnitude(MIN_DELIVERY_MS, maxDeliveryMs), () => this.#show(message));
  }

  #show(message: QueuedMessage): void {
    this.#visible.push(message);
    this.#planDelivery();
  }

  #planDelivery(): void {
    if (this.#deliveryPlanned || this.#visible.length === 0) return;
    this.#deliveryPlanned = true;
    const { machine } = this.#options;
    machine.time.after(machine.random.integer(0, MIN_DELIVERY_MS), () => this.#deliver());
  }

  #deliver(): void {
    this.#deliveryPlanned = false;
    const { machine, batchSize, maxReceives, consume } = this.#options;
    const batch = this.#visible.splice(0, batchSize);
    this.#planDelivery();
    for (const message of batch) message.receives += 1;
    machine.tally.add(`${this.#options.name} deliveries`, batch.length);
    let settled = false;
    const settle = (failed: (message: QueuedMessage) => boolean) => {
      if (settled) return;
      settled = true;
      for (const message of batch) {
        const kept = failed(message);
        if (!kept) this.#options.onWorked?.(message);
        if (!kept && !machine.random.chance(LOST_DELETE_RATE)) continue;
        if (message.receives >= maxReceives) this.#bury(message);
        else machine.time.after(VISIBILITY_TIMEOUT_MS, () => this.#show(message));
      }
    };
    machine.time.after(VISIBILITY_TIMEOUT_MS, () => settle(() => true));
    consume(batch).then(
      (ids) => settle(({ messageId }) => ids.includes(messageId)),
      () => settle(() => true),
    );
  }

  #bury(message: QueuedMessage): void {
    const { machine, name } = this.#options;
    machine.tally.add(`${name} dead letters`);
    this.#deadLetters.push(message);
    if (this.#redrivePlanned) return;
    this.#redrivePlanned = true;
    machine.time.after(machine.random.integer(MIN_REDRIVE_MS, MAX_REDRIVE_MS), () => this.#redrive());
  }

  #redrive(): void {
    this.#redrivePlanned = false;
    const letters = this.#deadLetters;
    this.#deadLetters = [];
    for (const message of letters) {
      message.receives = 0;
      message.redrives += 1;
      if (message.redrives <= (this.#options.maxRedrives ?? message.redrives)) this.#show(message);
    }
  }
}
