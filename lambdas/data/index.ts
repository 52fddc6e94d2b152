import { randomBytes } from 'node:crypto';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type AuthenticatedEvent, answerErrors, authenticate, middy, openMeter } from 'gateway-access';
import { hasChainDatabase, openChainDatabase } from '../chain-data/open-chain-database.ts';
import { systemClock } from '../clock.ts';
import { ANSWER_KEY_VARIABLE, requireVariable } from '../environment.ts';
import { LAST_ANSWER_MS } from '../integration-time.ts';
import { emitMetrics } from '../metrics.ts';
import { loadStageSettings } from '../settings.ts';
import { type CodedResponse, compressAnswer } from './compress-answer.ts';
import { dataMetrics } from './data-metrics.ts';
import { answerFailure, BILLING_UNAVAILABLE, type Failure, INTERNAL_ERROR } from './failure.ts';
import { handleData } from './handle-data.ts';
import { headerOf, readRequest } from './read-request.ts';
import { createSeal } from './seal.ts';

/** A client waits: a database that sleeps is answered with 503 soon, and wakes meanwhile. */
const RESUME_WAIT_MS = 1_500;
/** Longest time for a statement and its answer, in milliseconds. */
const QUERY_TIMEOUT_MS = 15_000;
const SEAL_KEY_BYTES = 32;

const settings = loadStageSettings(requireVariable('LAMBDA_TASK_ROOT'));
const dependencies = {
  meter: openMeter({ settings }),
  chains: settings.chains.map(({ chain, chainId, default: isDefault }) => ({ chain, chainId, isDefault })),
  database: hasChainDatabase()
    ? openChainDatabase({ timeoutMs: QUERY_TIMEOUT_MS, resumeWaitMs: RESUME_WAIT_MS })
    : undefined,
  clock: systemClock,
  // Without a database there is nothing to seal.
  seal: createSeal(hasChainDatabase() ? requireVariable(ANSWER_KEY_VARIABLE) : randomBytes(SEAL_KEY_BYTES)),
};

const failed =
  (failure: Failure) =>
  ({ requestContext }: APIGatewayProxyEvent) =>
    answerFailure(failure, requestContext.requestId);

async function answerRequest(event: AuthenticatedEvent): Promise<CodedResponse> {
  const request = readRequest(event);
  const startedAt = systemClock.now();
  const answer = await handleData(request, dependencies);
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
  return compressAnswer(answer, headerOf(event.headers, 'accept-encoding'));
}

export const handler = middy(answerRequest, { timeoutEarlyInMillis: LAST_ANSWER_MS })
  .use(answerErrors(failed(INTERNAL_ERROR)))
  .use(authenticate({ meter: dependencies.meter, unavailable: failed(BILLING_UNAVAILABLE) }));
