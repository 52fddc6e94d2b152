import * as z from 'zod';
import { INTEGRATION_MARGIN_MS } from '../../lambdas/shared/runtime/integration-time.ts';
import { boolean, integer, must } from './fields.ts';

/** Longest time that API Gateway waits for an integration that does not stream, without a raised quota. */
const MAX_INTEGRATION_TIMEOUT_SECONDS = 29;

const MAX_FUNCTION_TIMEOUT_SECONDS = 900;
/** API Gateway and Lambda let a request that streams take 15 minutes; the function runs a little longer than API Gateway waits. */
const MAX_STREAMING_TIMEOUT_SECONDS = MAX_FUNCTION_TIMEOUT_SECONDS - INTEGRATION_MARGIN_MS / 1_000;

export const MAX_CONCURRENCY = 100_000;
/** Size of one function; 1,769 MB are one vCPU. A request to one behind the API has `timeoutSeconds`. */
function functionSize(
  memoryMb: number,
  timeoutSeconds: number,
  maxTimeoutSeconds = MAX_FUNCTION_TIMEOUT_SECONDS,
) {
  return z
    .strictObject(
      {
        memoryMb: integer(128, 10_240).default(memoryMb),
        timeoutSeconds: integer(1, maxTimeoutSeconds).default(timeoutSeconds),
        reservedConcurrency: integer(1, MAX_CONCURRENCY).optional(),
      },
      must('an object'),
    )
    .prefault({});
}

/** A function behind the API, whose instances can be kept started. */
function apiFunctionSize(memoryMb: number, timeoutSeconds: number, maxTimeoutSeconds: number) {
  const size = functionSize(memoryMb, timeoutSeconds, maxTimeoutSeconds).unwrap();
  return size.extend({ provisionedConcurrency: integer(1, MAX_CONCURRENCY).optional() }).prefault({});
}

/** How a new version of a function comes into use. */
export const releases = z
  .strictObject(
    {
      /** First for a tenth of the requests, and back if they fail. */
      canary: boolean.default(false),
    },
    must('an object'),
  )
  .prefault({});

export const functions = z
  .strictObject(
    {
      // It mostly waits: less than a processor is cheaper, and hardly slower.
      rpc: apiFunctionSize(1_024, 40, MAX_STREAMING_TIMEOUT_SECONDS),
      data: apiFunctionSize(1_024, 25, MAX_INTEGRATION_TIMEOUT_SECONDS),
      status: apiFunctionSize(512, 10, MAX_INTEGRATION_TIMEOUT_SECONDS),
      mcp: apiFunctionSize(1_024, 25, MAX_INTEGRATION_TIMEOUT_SECONDS),
      charges: functionSize(256, 10),
      /** Whether functions have concurrency of their own: an account that is new has none to give. */
      reserveConcurrency: boolean.default(true),
    },
    must('an object'),
  )
  .prefault({});
