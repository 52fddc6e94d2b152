import type { DynamoDBRecord as StreamRecord } from 'aws-lambda';
import { LOCAL_REGION } from '../intrinsics.ts';
import type { ShardRecords } from './table-stream.ts';

const MILLISECONDS = 1_000;

/** The event that Lambda makes of records; times are seconds since the epoch. */
export function streamEvent(records: readonly StreamRecord[], streamArn: string): object {
  return {
    Records: records.map(({ dynamodb, ...record }) => ({
      ...record,
      awsRegion: LOCAL_REGION,
      dynamodb: { ...dynamodb, ApproximateCreationDateTime: Math.floor(createdAt(dynamodb) / MILLISECONDS) },
      eventSourceARN: streamArn,
    })),
  };
}

/** What Lambda sends to the destination of records that it gives up: where they stand, not what they hold. */
export function discardedBatch(
  { shard, records }: ShardRecords,
  streamArn: string,
  functionArn: string,
  nowMs: number,
): object {
  const [first, last] = [records[0]?.dynamodb, records.at(-1)?.dynamodb];
  return {
    version: '1.0',
    timestamp: new Date(nowMs).toISOString(),
    requestContext: { functionArn, condition: 'RecordAgeExceeded' },
    DDBStreamBatchInfo: {
      streamArn,
      shardId: shard,
      batchSize: records.length,
      startSequenceNumber: first?.SequenceNumber,
      endSequenceNumber: last?.SequenceNumber,
      approximateArrivalOfFirstRecord: new Date(createdAt(first)).toISOString(),
      approximateArrivalOfLastRecord: new Date(createdAt(last)).toISOString(),
    },
  };
}

/** Milliseconds since the epoch. */
export function createdAt(change: StreamRecord['dynamodb']): number {
  return (change?.ApproximateCreationDateTime ?? 0) * MILLISECONDS;
}
