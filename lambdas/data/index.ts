import { randomBytes } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import {
  type AuthenticatedEvent,
  answerErrors,
  authenticate,
  connectRdsData,
  type HttpResponse,
  limitUnmetered,
  middy,
  notFound,
  openMeter,
  readSecret,
} from 'gateway-access';
import { hasChainDatabase, openChainDatabase } from '../shared/chain-database/open-chain-database.ts';
import { headerOf } from '../shared/http/header-of.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import { ANSWER_KEY_VARIABLE, requireVariable } from '../shared/runtime/environment.ts';
import { LAST_ANSWER_MS } from '../shared/runtime/integration-time.ts';
import { emitMetrics } from '../shared/runtime/metrics.ts';
import { loadStageSettings } from '../shared/runtime/settings.ts';
import { serveChain } from '../shared/upstream/routing/serve-chain.ts';
import { createAddressStateReader } from './address-state.ts';
import { type DataRequest, handleData } from './handle-data.ts';
import { createSeal } from './plan/seal.ts';
import { readRequest } from './read-request.ts';
import { answerUnmetered } from './response/answer-refusal.ts';
import { type CodedResponse, compressAnswer } from './response/compress-response.ts';
import { dataMetrics } from './response/data-metrics.ts';
import { answerFailure, BILLING_UNAVAILABLE, type Failure, INTERNAL_ERROR } from './response/failure.ts';

/** A client waits: a database that sleeps is answered with 503 soon, and wakes meanwhile. */
const RESUME_WAIT_MS = 1_500;
/** Longest time for a statement and its answer, in milliseconds. */
const QUERY_TIMEOUT_MS = 15_000;
const SEAL_KEY_BYTES = 32;

const FIRST_ERROR_STATUS = 400;

const settings = loadStageSettings(requireVariable('LAMBDA_TASK_ROOT'));
const nodes = new Map(
  settings.chains.map((chain) => [chain.chain, serveChain(chain, systemClock, readSecret)]),
);
const dependencies = {
  meter: openMeter({ settings }),
  chains: settings.chains.map(({ chain, chainId, default: isDefault }) => ({ chain, chainId, isDefault })),
  database: hasChainDatabase()
    ? openChainDatabase({
        connect: connectRdsData,
        timeoutMs: QUERY_TIMEOUT_MS,
        resumeWaitMs: RESUME_WAIT_MS,
      })
    : undefined,
  readState: createAddressStateReader(nodes, systemClock),
  clock: systemClock,
  // Without a database there is nothing to seal.
  seal: createSeal(hasChainDatabase() ? requireVariable(ANSWER_KEY_VARIABLE) : randomBytes(SEAL_KEY_BYTES)),
};

const failed =
  (failure: Failure) =>
  ({ requestContext }: APIGatewayProxyEvent) =>
    answerFailure(failure, requestContext.requestId);

/** Whether the holder of a key may learn why a request failed: a key that was disabled meanwhile is answered as unknown. */
async function isTold({ holder }: DataRequest, { statusCode }: HttpResponse): Promise<boolean> {
  return statusCode < FIRST_ERROR_STATUS || dependencies.meter.isActive(holder);
}

async function answerRequest(event: AuthenticatedEvent): Promise<CodedResponse> {
  const request = readRequest(event);
  const startedAt = systemClock.now();
  const handled = await handleData(request, dependencies);
  const answer = (await isTold(request, handled)) ? handled : notFound(request.requestId);
  const endedAt = systemClock.now();
  const named = dependencies.chains.find(({ chain, isDefault }) =>
    request.chain === undefined ? isDefault : chain === request.chain,
  );
  const lines = dataMetrics({
    answer,
    chain: named?.chain,
    requestId: request.requestId,
    latencyMs: endedAt - startedAt,
  });
  for (const line of lines) emitMetrics(line, endedAt);
  await dependencies.meter.storeDue();
  return compressAnswer(answer, headerOf(event.headers, 'accept-encoding'));
}

export const handler = middy(answerRequest, { timeoutEarlyInMillis: LAST_ANSWER_MS })
  .use(answerErrors(failed(INTERNAL_ERROR)))
  .use(authenticate({ meter: dependencies.meter, unavailable: failed(BILLING_UNAVAILABLE) }))
  .use(
    limitUnmetered({
      meter: dependencies.meter,
      limited: ({ requestContext }, retryAfterMs) => answerUnmetered(retryAfterMs, requestContext.requestId),
    }),
  );
