import type { Context } from 'aws-lambda';
import {
  authenticate,
  type Conclude,
  executionModeStreamifyResponse,
  isChainAllowed,
  limitUnmetered,
  middy,
  notFound,
  openCacheStore,
  openMeter,
  openStore,
  type PriceOfAnswer,
  RunFigures,
  rememberPriceLists,
} from 'gateway-access';
import { bodyOf, bytesOfPieces, headerOf, streamMs } from '../shared/http/body-pieces.ts';
import { type HeldBodies, LargeBodies } from '../shared/http/large-bodies.ts';
import { type Clock, systemClock } from '../shared/runtime/clock.ts';
import { requireVariable } from '../shared/runtime/environment.ts';
import { INTEGRATION_MARGIN_MS, LAST_ANSWER_MS } from '../shared/runtime/integration-time.ts';
import { errorField, log } from '../shared/runtime/log.ts';
import type { MetricLine } from '../shared/runtime/metrics.ts';
import { pacedCount } from '../shared/runtime/paced-count.ts';
import { processBounds, requestsAtATime } from '../shared/runtime/process-bounds.ts';
import { defaultChainOf, loadStageSettings } from '../shared/runtime/settings.ts';
import { systemTelemetry, type Telemetry } from '../shared/runtime/telemetry.ts';
import { NodeCalls } from '../shared/upstream/connection/node-connection.ts';
import { rpcPrice } from './billing/price-again.ts';
import { ResponseCache } from './cache/response-cache.ts';
import { handleRequest } from './handle-request.ts';
import { failureResponse, keyCheck } from './response/failure-response.ts';
import { deadlineOf, respond, type StreamedResponse } from './response/render-response.ts';
import { type RpcResponse, requestMetrics } from './response/rpc-response.ts';
import type { ServedChain } from './rpc-request.ts';
import { type ChainEvent, resolveChain, serveChains } from './served-chains.ts';

/** How often refusals are logged, in milliseconds. */
const TELL_INTERVAL_MS = 1_000;

const nodeCalls = new NodeCalls();
const settings = loadStageSettings(requireVariable('LAMBDA_TASK_ROOT'));
const store = openStore();
const listOf = rememberPriceLists(store, systemClock);
const runs = new RunFigures({ function: 'rpc', nodeCalls, listOf });
const opened = openMeter({ settings, store });
const meter = runs.count(opened);
const keyChecks = keyCheck(meter);
const largeBodies = openLargeBodies(requestsAtATime(), { clock: systemClock, telemetry: systemTelemetry });
const records = openCacheStore();
const chains = serveChains(
  settings,
  { clock: systemClock, telemetry: systemTelemetry, nodeCalls, largeBodies },
  records,
);
const cache = new ResponseCache({ clock: systemClock, store: records });
/** Time that the largest response is on its way: the function's last, in which nothing else has to be done. */
const streamingMs = streamMs(Math.max(...settings.chains.map(({ maxResponseBytes }) => maxResponseBytes)));

/** An event, and what is left to do for its request while its response is being sent. */
interface ServedEvent extends ChainEvent<ServedChain> {
  conclusion?: Conclusion;
  /** What its request holds of large results. */
  held?: HeldBodies;
}

/** What is left to do once a response is sent. */
interface Conclusion {
  readonly response: StreamedResponse;
  readonly handled: RpcResponse;
  /** Resolves to the metrics of the request. */
  readonly run: () => Promise<readonly MetricLine[]>;
}

const answerRequest = async (event: ServedEvent, context: Context) => {
  const { requestId } = event.requestContext;
  if (!isChainAllowed(event.holder.bounds, event.chain.settings.chain)) {
    meter.noteRefusal(event.holder, 'chain');
    // As an unknown chain.
    return notFound(requestId);
  }
  const startedAt = systemClock.now();
  const remainingMs = context.getRemainingTimeInMillis() - INTEGRATION_MARGIN_MS;
  const acceptEncoding = headerOf(event.headers, 'accept-encoding');
  event.held = largeBodies.open(event.holder.keyId);
  const handled = await handleRequest(
    {
      holder: event.holder,
      chain: event.chain,
      body: bodyOf(event),
      deadline: deadlineOf(startedAt, remainingMs, settings.upstreamTimeoutMs),
      contentEncoding: headerOf(event.headers, 'content-encoding'),
      minBlock: headerOf(event.headers, 'x-min-block'),
      verify: headerOf(event.headers, 'x-verify'),
      endsAt: startedAt + remainingMs,
      acceptEncoding,
      held: event.held,
      clock: systemClock,
    },
    meter,
    cache,
  );
  if (handled === undefined) return notFound(requestId);
  if (handled.admitted !== true && !(await meter.isActive(event.holder))) return notFound(requestId);
  event.responseBytes = bytesOfPieces(handled.body);
  const { unanswered = 0, errors } = handled.figures ?? {};
  // What no node shows is no fault of the bill's.
  event.blameless = unanswered > 0 || errors?.has('not_verified') === true;
  const responding = respond(handled, requestId, acceptEncoding);
  const response = responding instanceof Promise ? await responding : responding;
  const latencyMs = systemClock.now() - startedAt;
  const conclude = async () => {
    const answeredAt = systemClock.now();
    await Promise.all([handled.conclude?.(), meter.storeDue()]);
    const endedAt = systemClock.now();
    const { chain } = event.chain.settings;
    const chargeMs = endedAt - answeredAt;
    return requestMetrics({ response: handled, chain, requestId, latencyMs, chargeMs });
  };
  const concluded = settings.metering.storeBeforeAnswer ? await conclude() : undefined;
  const run = async () => {
    const copying = handled.copy?.().catch(tellOfCopies);
    const lines = concluded ?? (await conclude());
    if (copying !== undefined) await copying;
    return lines;
  };
  event.conclusion = { response, handled, run };
  return response;
};

/** What fails of the copies costs no charge and no metric. */
function tellOfCopies(error: unknown): void {
  log('error', 'copies_failed', { error: errorField(error) });
}

/**
 * Runs after the last byte is written or the client is gone, and before the invocation ends. If the time ran out and
 * another response was sent instead, nothing is charged.
 */
const concludeRequest: Conclude = ({ event, response }) => {
  const { conclusion, held } = event as ServedEvent;
  held?.release();
  if (conclusion !== undefined && conclusion.response === response) return conclusion.run();
  return meter.storeDue().then(() => []);
};

const priceOfAnswer: PriceOfAnswer = ({ event }) => {
  const { conclusion } = event as ServedEvent;
  if (conclusion === undefined) return undefined;
  const { headers, body } = conclusion.handled;
  // Of one response in 64 the price is asked for: no other has its request read again.
  return (list) => rpcPrice({ asked: bodyOf(event), cacheMarks: headers['X-Cache'], body }, list);
};

export const handler = middy(answerRequest, {
  executionMode: executionModeStreamifyResponse,
  timeoutEarlyInMillis: streamingMs + LAST_ANSWER_MS,
  ...runs.hooks(concludeRequest, priceOfAnswer),
})
  .use(runs.answerErrors((event) => failureResponse('internal_error', event.requestContext.requestId)))
  .use(resolveChain(chains, defaultChainOf(settings).chain))
  .use(authenticate({ ...keyChecks, api: 'rpc', clientAddress: settings.clientAddress }))
  .use(limitUnmetered(keyChecks));

/** Room of a process for the large results of its requests. What is refused is logged, and when all of it is free again. */
function openLargeBodies(
  requests: number,
  { clock, telemetry }: { readonly clock: Clock; readonly telemetry: Pick<Telemetry, 'log'> },
): LargeBodies {
  let bytes = 0;
  const countRefused = pacedCount(clock, TELL_INTERVAL_MS, (count) =>
    telemetry.log('warn', 'large_results_refused', { count, bytes }),
  );
  return new LargeBodies(processBounds(requests, 1).largeBodyBytes, {
    refused: (takenBytes) => {
      bytes = takenBytes;
      countRefused();
    },
    emptied: () => telemetry.log('info', 'large_results_over', { bytes: 0 }),
  });
}
