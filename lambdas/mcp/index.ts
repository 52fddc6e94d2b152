import type { Context } from 'aws-lambda';
import {
  type AuthenticatedEvent,
  authenticate,
  type HttpResponse,
  limitUnmetered,
  middy,
  notFound,
  openCacheStore,
  openMeter,
  openRefusalStore,
  openStore,
  type PriceOfAnswer,
  RunFigures,
  rememberPriceLists,
} from 'gateway-access';
import { openData } from '../data/open-data.ts';
import { type CodedResponse, compressResponse } from '../data/response/render-body.ts';
import { ResponseCache } from '../rpc/cache/response-cache.ts';
import { failureResponse, keyCheck } from '../rpc/response/failure-response.ts';
import { serveChains } from '../rpc/served-chains.ts';
import { bodyOf, headerOf } from '../shared/http/body-pieces.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import { requireVariable } from '../shared/runtime/environment.ts';
import { INTEGRATION_MARGIN_MS, LAST_ANSWER_MS } from '../shared/runtime/integration-time.ts';
import { defaultChainOf, loadStageSettings } from '../shared/runtime/settings.ts';
import { systemTelemetry } from '../shared/runtime/telemetry.ts';
import { NodeCalls } from '../shared/upstream/connection/node-connection.ts';
import { handleMcp } from './handle-mcp.ts';
import { toolPrice } from './price-again.ts';

/** Headers that the protocol reads. */
const READ_HEADERS = ['accept', 'content-type', 'mcp-protocol-version', 'origin'];
const METHOD_NOT_ALLOWED = 405;

const nodeCalls = new NodeCalls();
const settings = loadStageSettings(requireVariable('LAMBDA_TASK_ROOT'));
const store = openStore();
const listOf = rememberPriceLists(store, systemClock);
const runs = new RunFigures({ function: 'mcp', nodeCalls, listOf });
const meter = runs.count(openMeter({ settings, store }));
/** Responses before they are compressed, by their event. */
const answered = new WeakMap<object, HttpResponse>();
const keyChecks = keyCheck(meter);
const records = openCacheStore();
const chains = serveChains(settings, { clock: systemClock, telemetry: systemTelemetry, nodeCalls }, records);
const nodes = new Map([...chains].map(([name, { node }]) => [name, node]));
const dependencies = {
  meter,
  data: openData(settings, meter, nodes),
  rpc: {
    meter,
    chains,
    defaultChain: defaultChainOf(settings).chain,
    cache: new ResponseCache({ clock: systemClock, store: records }),
    clock: systemClock,
    upstreamTimeoutMs: settings.upstreamTimeoutMs,
  },
  account: { store, refusals: openRefusalStore(), settings, clock: systemClock },
};

/** A server without sessions has no stream to give (GET) and no session to end (DELETE): the protocol's response is 405. */
function onlyPost(requestId: string): CodedResponse {
  const headers = { ...notFound(requestId).headers, Allow: 'POST' };
  return { statusCode: METHOD_NOT_ALLOWED, headers, body: '' };
}

async function handleRequest(event: AuthenticatedEvent, context: Context): Promise<CodedResponse> {
  const { requestId } = event.requestContext;
  if (event.httpMethod !== 'POST')
    return (await meter.isActive(event.holder)) ? onlyPost(requestId) : notFound(requestId);
  const remainingMs = context.getRemainingTimeInMillis() - INTEGRATION_MARGIN_MS;
  const named = READ_HEADERS.map((name) => [name, headerOf(event.headers, name)] as const);
  const response = await handleMcp(
    {
      holder: event.holder,
      requestId,
      remainingMs,
      body: bodyOf(event),
      headers: Object.fromEntries(
        named.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
      ),
      query: event.multiValueQueryStringParameters ?? {},
    },
    dependencies,
  );
  await meter.storeDue();
  if (response === undefined) return notFound(requestId);
  event.blameless = response.isBlameless;
  event.hasFailed = response.hasFailed;
  answered.set(event, response.response);
  return compressResponse(response.response, headerOf(event.headers, 'accept-encoding'));
}

const priceOfAnswer: PriceOfAnswer = ({ event }) => {
  const response = answered.get(event);
  return response && ((list) => toolPrice(bodyOf(event).toString(), response, list));
};

export const handler = middy(handleRequest, {
  timeoutEarlyInMillis: LAST_ANSWER_MS,
  ...runs.hooks(undefined, priceOfAnswer),
})
  .use(runs.answerErrors((event) => failureResponse('internal_error', event.requestContext.requestId)))
  .use(authenticate({ ...keyChecks, api: 'mcp', clientAddress: settings.clientAddress }))
  .use(limitUnmetered(keyChecks));
