import type { SQSBatchResponse, SQSRecord } from 'aws-lambda';
import {
  decodeLane,
  isTooLate,
  type LaneTotal,
  StoreUnavailableError,
  type Storing,
  storeBehindMark,
} from 'gateway-access';
import { errorField } from '../shared/runtime/log.ts';
import type { Telemetry } from '../shared/runtime/telemetry.ts';

type QueuedMessage = Pick<SQSRecord, 'messageId' | 'body'>;

/** What stores queued lanes, and learns what becomes of them. */
interface QueuedStoring extends Storing {
  readonly telemetry: Telemetry;
}

/** The highest total of one lane in a batch, and the messages that it answers. */
interface QueuedLane {
  readonly highest: LaneTotal;
  readonly messageIds: readonly string[];
}

/**
 * Stores the lanes of a batch of queue messages, each once, with the highest total that the batch has of it; however
 * often and in whatever order they are delivered, nothing is charged twice. Answers the messages to be delivered again:
 * lanes that the store did not take, and messages that are none, which end in the dead-letter queue.
 */
export async function storeLanes(
  storing: QueuedStoring,
  messages: readonly QueuedMessage[],
): Promise<SQSBatchResponse> {
  const lanes = new Map<string, QueuedLane>();
  const failed: string[] = [];
  for (const { messageId, body } of messages) {
    const lane = decodeLane(body);
    if (lane === undefined) {
      storing.telemetry.log('error', 'charge_malformed');
      failed.push(messageId);
      continue;
    }
    const name = [lane.account, lane.shard, lane.hour, lane.lane].join('#');
    const { highest = lane, messageIds = [] } = lanes.get(name) ?? {};
    lanes.set(name, {
      highest: lane.total > highest.total ? lane : highest,
      messageIds: [...messageIds, messageId],
    });
  }
  const work = async ({ highest, messageIds }: QueuedLane) => {
    if (!(await isStored(storing, highest))) failed.push(...messageIds);
  };
  await Promise.all([...lanes.values()].map(work));
  return { batchItemFailures: failed.map((itemIdentifier) => ({ itemIdentifier })) };
}

/** Whether a lane is done with: stored, or too late to be. */
async function isStored(storing: QueuedStoring, lane: LaneTotal): Promise<boolean> {
  const { account, hour, total } = lane;
  const nowMs = storing.clock.now();
  if (isTooLate(hour, nowMs)) {
    const cu = Number(total);
    storing.telemetry.log('error', 'charge_lost', { account, hour, cu, reason: 'too_late' });
    storing.telemetry.emit({ values: { UnchargedComputeUnits: cu } }, nowMs);
    return true;
  }
  try {
    await storeBehindMark(storing, lane);
    return true;
  } catch (error) {
    const level = error instanceof StoreUnavailableError ? 'warn' : 'error';
    storing.telemetry.log(level, 'charge_attempt_failed', { account, hour, error: errorField(error) });
    return false;
  }
}
