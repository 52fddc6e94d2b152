import type { ClientConfig } from '../../shared/aws/client-settings.ts';
import { connectQueue } from '../../shared/aws/queue.ts';
import { isHour } from '../../shared/runtime/clock.ts';
import { MAX_SHARDS } from '../store/tables.ts';
import type { ChargeQueue } from './charge.ts';
import type { LaneTotal } from './lane.ts';
import { decodeUsage, usageCu } from './usage-text.ts';

const ACCOUNT = /^.{1,255}$/;
const UNITS = /^[1-9]\d{0,15}$/;
const LANE = /^[\w-]{11}$/;
const CONNECT_TIMEOUT_MS = 300;
/** Time for one whole exchange, connection and response included, in milliseconds. */
export const QUEUE_TIMEOUT_MS = 700;

/** Where the queue is. */
interface SqsChargeQueueOptions {
  readonly queueUrl: string;
  readonly clientConfig?: ClientConfig;
}

/** The queue in SQS. Opens no connection before the first lane that needs it: most processes never do. */
export function createSqsChargeQueue({ queueUrl, clientConfig }: SqsChargeQueueOptions): ChargeQueue {
  const send = connectQueue({
    queueUrl,
    config: clientConfig,
    connectTimeoutMs: CONNECT_TIMEOUT_MS,
    timeoutMs: QUEUE_TIMEOUT_MS,
  });
  return { send: (lane) => send(encodeLane(lane)) };
}

/** The body of the queue message "this lane is at least at this total": JSON, integers as text. */
export function encodeLane(lane: LaneTotal): string {
  return JSON.stringify({ ...lane, total: lane.total.toString() });
}

/** The lane of a message body; undefined if invalid. */
export function decodeLane(body: string): LaneTotal | undefined {
  const { account, shard, hour, lane, charges, total, used } = members(body);
  if (!matches(ACCOUNT, account) || !matches(LANE, lane) || !matches(UNITS, total)) return undefined;
  if (typeof hour !== 'string' || !isHour(hour) || !isShard(shard)) return undefined;
  if (typeof used !== 'string' || !addsUp(used, total) || !isCount(charges)) return undefined;
  return { account, shard, hour, lane, charges, total: BigInt(total), used };
}

function addsUp(used: string, total: string): boolean {
  const usage = decodeUsage(used);
  return usage !== undefined && usageCu(usage) === Number(total);
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function isShard(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) < MAX_SHARDS;
}

function members(body: string): Readonly<Record<string, unknown>> {
  try {
    const parsed: unknown = JSON.parse(body);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : {};
  } catch {
    return {};
  }
}

function matches(pattern: RegExp, value: unknown): value is string {
  return typeof value === 'string' && pattern.test(value);
}
