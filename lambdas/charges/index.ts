import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { middy, openStore } from 'gateway-access';
import { applyCharges } from './handler.ts';

const store = openStore();

/** Consumes the queue of charges that were not certain when their request was answered. */
export const handler = middy<SQSEvent, SQSBatchResponse>().handler((event) =>
  applyCharges(store, event.Records),
);
