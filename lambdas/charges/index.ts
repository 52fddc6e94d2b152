import { randomBytes } from 'node:crypto';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { openStore } from 'gateway-access';
import { systemClock } from '../shared/runtime/clock.ts';
import { systemTelemetry } from '../shared/runtime/telemetry.ts';
import { storeLanes } from './handler.ts';

const storing = {
  store: openStore(),
  clock: systemClock,
  telemetry: systemTelemetry,
  randomBytes: (count: number) => randomBytes(count),
};

/** Consumes the queue of lanes that could not be stored when their requests were answered. */
export const handler = (event: SQSEvent): Promise<SQSBatchResponse> => storeLanes(storing, event.Records);
