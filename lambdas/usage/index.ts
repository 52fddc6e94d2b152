import { setTimeout as sleep } from 'node:timers/promises';
import type { DynamoDBBatchResponse, DynamoDBStreamEvent } from 'aws-lambda';
import { middy, openStore } from 'gateway-access';
import { countUsage } from './handler.ts';

const parts = { store: openStore(), pause: (durationMs: number) => sleep(durationMs) };

/** Consumes the stream of the accounts table, and counts what the charges in it paid for. */
export const handler = middy<DynamoDBStreamEvent, DynamoDBBatchResponse>().handler((event) =>
  countUsage(parts, event.Records),
);
