import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { middy, openStore } from 'gateway-access';
import { storeLanes } from './handler.ts';

const store = openStore();

/** Consumes the queue of lanes that could not be stored when their requests were answered. */
export const handler = middy<SQSEvent, SQSBatchResponse>().handler((event) =>
  storeLanes(store, event.Records),
);
