import type { PendingPosition, ShardWork } from '../access/pending-accounts.ts';
import { isHour } from '../access/settlement-hours.ts';
import { PENDING_SHARDS } from '../access/tables.ts';

/** Work on one partition that an earlier run handed on. */
export interface HandedOnShard extends ShardWork {
  /** Accounts of the partition that earlier runs could not settle. */
  readonly failures: number;
}

/** Reads the body of a queue message. Throws an Error if it is not one of ours. */
export function parseShardMessage(body: string): HandedOnShard {
  const { shard, after, failures } = JSON.parse(body) as Partial<Record<keyof HandedOnShard, unknown>>;
  if (!isCount(shard) || shard >= PENDING_SHARDS || !isCount(failures)) {
    throw new Error('a settlement message names no partition');
  }
  if (after === undefined) return { shard, failures };
  return { shard, failures, after: parsePosition(after) };
}

function parsePosition(after: unknown): PendingPosition {
  const { hour, account } = Object(after) as Partial<Record<keyof PendingPosition, unknown>>;
  if (typeof hour !== 'string' || !isHour(hour) || typeof account !== 'string' || account === '') {
    throw new Error('a settlement message names no position');
  }
  return { hour, account };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
