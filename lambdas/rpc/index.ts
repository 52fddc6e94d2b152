import type { Context } from 'aws-lambda';
import {
  answerErrors,
  authenticate,
  executionModeStreamifyResponse,
  middy,
  notFound,
  openCacheStore,
  openMeter,
  readSecret,
} from 'gateway-access';
import { systemClock } from '../clock.ts';
import { requireVariable } from '../environment.ts';
import { INTEGRATION_MARGIN_MS, LAST_ANSWER_MS } from '../integration-time.ts';
import { emitMetrics } from '../metrics.ts';
import { defaultChainOf, loadStageSettings } from '../settings.ts';
import { BegunCharges } from './begun-charges.ts';
import { ResponseCache } from './cache/response-cache.ts';
import { deadlineOf } from './deadline.ts';
import { failureResponse } from './failure-response.ts';
import { handleRequest } from './handle-request.ts';
import { requestMetrics } from './request-metrics.ts';
import { type ChainEvent, resolveChain } from './resolve-chain.ts';
import { headerOf, respond } from './respond.ts';
import { serveChains } from './served-chains.ts';
import { streamMs } from './stream-time.ts';

const settings = loadStageSettings(requireVariable('LAMBDA_TASK_ROOT'));
const meter = openMeter({ settings });
const chains = serveChains(settings, systemClock, readSecret);
const cache = new ResponseCache({ clock: systemClock, store: openCacheStore() });
const begunCharges = new BegunCharges();
/** Time that the largest answer is on its way: the function's last, in which nothing else has to be done. */
const streamingMs = streamMs(Math.max(...settings.chains.map(({ maxResponseBytes }) => maxResponseBytes)));

const answerRequest = async (event: ChainEvent, context: Context) => {
  const { requestId } = event.requestContext;
  const startedAt = systemClock.now();
  const remainingMs = context.getRemainingTimeInMillis() - INTEGRATION_MARGIN_MS;
  const acceptEncoding = headerOf(event, 'accept-encoding');
  const answer = await handleRequest(
    {
      holder: event.holder,
      chain: event.chain,
      body: Buffer.from(event.body ?? '', event.isBase64Encoded ? 'base64' : 'utf8'),
      deadline: deadlineOf(startedAt, remainingMs, settings.upstreamTimeoutMs),
      endsAt: startedAt + remainingMs,
      acceptEncoding,
      clock: systemClock,
    },
    begunCharges.meterOf(event, meter),
    cache,
  );
  if (answer === undefined) return notFound(requestId);
  const endedAt = systemClock.now();
  const { chain } = event.chain.settings;
  const lines = requestMetrics({ answer, chain, requestId, latencyMs: endedAt - startedAt });
  for (const line of lines) emitMetrics(line, endedAt);
  return respond(answer, requestId, acceptEncoding);
};

export const handler = middy(answerRequest, {
  executionMode: executionModeStreamifyResponse,
  timeoutEarlyInMillis: streamingMs + LAST_ANSWER_MS,
})
  .use(
    answerErrors((event) =>
      failureResponse('internal_error', event.requestContext.requestId, begunCharges.has(event)),
    ),
  )
  .use(resolveChain(chains, defaultChainOf(settings).chain))
  .use(
    authenticate({
      meter,
      unavailable: ({ requestContext }) => failureResponse('billing_unavailable', requestContext.requestId),
    }),
  );
