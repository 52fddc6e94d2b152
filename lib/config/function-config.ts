import * as z from 'zod';
import { INTEGRATION_MARGIN_MS } from '../../lambdas/shared/runtime/integration-time.ts';
import { boolean, integer, must, text } from './fields.ts';

/** Longest time that API Gateway waits for an integration that does not stream, without a raised quota. */
const MAX_INTEGRATION_TIMEOUT_SECONDS = 29;

const MAX_FUNCTION_TIMEOUT_SECONDS = 900;
/** Differences that a release may declare: with more, it is compared with nothing. */
const MAX_DECLARED = 100;
/** API Gateway and Lambda let a request that streams take 15 minutes; the function runs a little longer than API Gateway waits. */
const MAX_STREAMING_TIMEOUT_SECONDS = MAX_FUNCTION_TIMEOUT_SECONDS - INTEGRATION_MARGIN_MS / 1_000;

/**
 * Deliveries of a charge are three minutes apart as long as six times this is no more. With a longer time-out the twelve hours
 * of deliveries would be days, and the message would be gone before it is a dead letter.
 */
const MAX_CHARGES_TIMEOUT_SECONDS = 30;

export const MAX_CONCURRENCY = 100_000;

/**
 * What runs a function: `event`, an environment of Lambda for each request that is under way; or `instances`, environments
 * on instances of the account that take many requests each.
 */
const HOSTINGS = ['event', 'instances'] as const;
export type Hosting = (typeof HOSTINGS)[number];
/** Requests that an environment of many takes at a time: Lambda's own number for Node.js and one processor. */
export const REQUESTS_PER_SHARED_ENVIRONMENT = 64;
/**
 * What the memory of the process in such an environment is bounded by (ADR 023). V8 would take the size of its young generation by
 * the memory of the machine: 32 MB of it for 2 GB, with which a process is 40 MB larger and as quick.
 */
export const SHARED_ENVIRONMENT_VARIABLES: Readonly<Record<string, string>> = {
  NODE_OPTIONS: '--max-semi-space-size=16',
};
/** Memory that goes with one processor on instances, in MB: Lambda sells 2, 4 or 8 GB with each. */
export const INSTANCE_MEMORIES_MB: readonly number[] = [2_048, 4_096, 8_192];
const [LEAST_INSTANCE_MB = 0] = INSTANCE_MEMORIES_MB;
/** Environments of a function on instances that always run: one in each of three instances, as Lambda itself keeps. */
const LEAST_ENVIRONMENTS = 3;
const MOST_ENVIRONMENTS = 30;
const MAX_ENVIRONMENTS = 1_000;

/** Size of one function; 1,769 MB are one vCPU. A request to one behind the API has `timeoutSeconds`. */
function functionSize(memoryMb: number, timeoutSeconds: number, maxTimeoutSeconds: number) {
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

/** Environments that take many requests: how many always run, and how many there may be. */
const environments = z.strictObject(
  {
    min: integer(1, MAX_ENVIRONMENTS).optional(),
    max: integer(1, MAX_ENVIRONMENTS).default(MOST_ENVIRONMENTS),
  },
  must('an object'),
);
const USUAL_ENVIRONMENTS: Readonly<Record<Hosting, { readonly min: number; readonly memoryMb?: number }>> = {
  event: { min: 0 },
  instances: { min: LEAST_ENVIRONMENTS, memoryMb: LEAST_INSTANCE_MB },
};

/** A function behind the API, whose instances can be kept started. */
function apiFunctionSize(memoryMb: number, timeoutSeconds: number, maxTimeoutSeconds: number) {
  const size = functionSize(memoryMb, timeoutSeconds, maxTimeoutSeconds).unwrap();
  return size.extend({ provisionedConcurrency: integer(1, MAX_CONCURRENCY).optional() }).prefault({});
}

/** A function behind the API that can have many requests in one environment. */
function hostedFunctionSize(memoryMb: number, timeoutSeconds: number, maxTimeoutSeconds: number) {
  const size = apiFunctionSize(memoryMb, timeoutSeconds, maxTimeoutSeconds).unwrap();
  return size
    .extend({
      memoryMb: size.shape.memoryMb.unwrap().optional(),
      hosting: z.enum(HOSTINGS, must(HOSTINGS.map((one) => `"${one}"`).join(' or '))).default('event'),
      environments: environments.optional(),
    })
    .transform(({ memoryMb: asked, environments: bounds, ...rest }) => {
      const usual = USUAL_ENVIRONMENTS[rest.hosting];
      const kept = bounds ?? (rest.hosting === 'event' ? undefined : environments.parse({}));
      return {
        ...rest,
        memoryMb: asked ?? usual.memoryMb ?? memoryMb,
        ...(kept !== undefined && { environments: { ...kept, min: kept.min ?? usual.min } }),
      };
    })
    .prefault({});
}

/** How a new version of a function comes into use. */
export const releases = z
  .strictObject(
    {
      /** First for a tenth of the requests, and back if they fail. */
      canary: boolean.default(false),
      /** What the new version answers in another way than the old one, as `listTransfers: body` or `*: x-new-header`. */
      differences: z
        .array(
          text(
            /^(\*|[\w./-]+): [a-z0-9-]+$/,
            'an operation or *, and what differs: status, body or a header',
          ),
        )
        .max(MAX_DECLARED)
        .default([]),
    },
    must('an object'),
  )
  .prefault({});

export const functions = z
  .strictObject(
    {
      // It mostly waits: less than a processor is cheaper, and hardly slower.
      rpc: hostedFunctionSize(1_024, 40, MAX_STREAMING_TIMEOUT_SECONDS),
      data: hostedFunctionSize(1_024, 25, MAX_INTEGRATION_TIMEOUT_SECONDS),
      status: apiFunctionSize(512, 10, MAX_INTEGRATION_TIMEOUT_SECONDS),
      mcp: hostedFunctionSize(1_024, 25, MAX_INTEGRATION_TIMEOUT_SECONDS),
      charges: functionSize(256, 10, MAX_CHARGES_TIMEOUT_SECONDS),
      /** Whether functions have concurrency of their own: an account that is new has none to give. */
      reserveConcurrency: boolean.default(true),
    },
    must('an object'),
  )
  .prefault({});
