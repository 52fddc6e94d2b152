import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import { applyCharge, decodeCharge, type Store, StoreUnavailableError } from 'gateway-access';
import { type Clock, systemClock } from '../clock.ts';
import { errorField, log } from '../log.ts';
import { emitMetrics } from '../metrics.ts';

type QueuedMessage = Pick<SQSRecord, 'messageId' | 'body'>;

/**
 * Applies the charges of a batch of queue messages; however often and in whatever order a charge is delivered, it
 * is applied once. Answers the messages to be delivered again: charges that the store did not decide, and messages
 * that are none, which end in the dead-letter queue.
 */
export async function applyCharges(
  store: Store,
  messages: readonly QueuedMessage[],
  clock: Clock = systemClock,
): Promise<SQSBatchResponse> {
  const done = await Promise.all(messages.map((message) => isDone(store, message, clock)));
  const failed = messages.filter((_, index) => !done[index]);
  return { batchItemFailures: failed.map(({ messageId }) => ({ itemIdentifier: messageId })) };
}

async function isDone(store: Store, message: QueuedMessage, clock: Clock): Promise<boolean> {
  const charge = decodeCharge(message.body);
  if (charge === undefined) {
    log('error', 'charge_malformed');
    return false;
  }
  const { account, hour } = charge;
  try {
    const verdict = await applyCharge(store, charge);
    if (verdict.state !== 'applied') {
      log('error', 'charge_lost', { account, hour, cu: Number(charge.cu), reason: verdict.state });
      emitMetrics({ values: { ChargesLost: 1 } }, clock.now());
    }
    return true;
  } catch (error) {
    const level = error instanceof StoreUnavailableError ? 'warn' : 'error';
    log(level, 'charge_attempt_failed', { account, hour, error: errorField(error) });
    return false;
  }
}
