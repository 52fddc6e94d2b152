import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import {
  type AuthenticatedEvent,
  authenticate,
  executionModeStreamifyResponse,
  type HttpResponse,
  limitUnmetered,
  middy,
  notFound,
  openMeter,
  openSharedTextStore,
  openStore,
  openWaitingStore,
  RunFigures,
  readSecret,
  rememberPriceLists,
  type ToldBill,
} from 'gateway-access';
import { headerOf } from '../shared/http/body-pieces.ts';
import { decodeSegment } from '../shared/http/decode-segment.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import { requireVariable } from '../shared/runtime/environment.ts';
import { INTEGRATION_MARGIN_MS, LAST_ANSWER_MS } from '../shared/runtime/integration-time.ts';
import type { MetricLine } from '../shared/runtime/metrics.ts';
import { loadStageSettings } from '../shared/runtime/settings.ts';
import { systemTelemetry } from '../shared/runtime/telemetry.ts';
import { NodeCalls } from '../shared/upstream/connection/node-connection.ts';
import { serveChain } from '../shared/upstream/routing/serve-chain.ts';
import { shareChain } from '../shared/upstream/sharing/share-chain.ts';
import { dataMetrics } from './data-metrics.ts';
import { exportResponse } from './export-response.ts';
import { type DataRequest, handleData } from './handle-data.ts';
import { openData } from './open-data.ts';
import { matchOperation } from './operations/match-operation.ts';
import type { DataHttpResponse } from './response/data-http-response.ts';
import { BILLING_UNAVAILABLE, type Failure, INTERNAL_ERROR, renderFailure } from './response/failure.ts';
import { dataPrice } from './response/price-again.ts';
import { renderUnmetered } from './response/refusal-response.ts';
import { type StreamedDataResponse, streamDataResponse } from './response/stream-response.ts';

const CHAIN_LIST = '/v1/data/chains';
const CHAIN_RESOURCE = '/v1/data/{chain}';
const DEFAULT_CHAIN_RESOURCE = '/v1';

/** Time in which the last lines of an export are sent, in milliseconds. */
const LAST_LINES_MS = 1_500;

const FIRST_ERROR_STATUS = 400;

const nodeCalls = new NodeCalls();
const settings = loadStageSettings(requireVariable('LAMBDA_TASK_ROOT'));
const calls = openWaitingStore(systemClock);
const views = openSharedTextStore();
const nodes = new Map(
  settings.chains.map((chain) => [
    chain.chain,
    serveChain(chain, { clock: systemClock, telemetry: systemTelemetry, nodeCalls }, readSecret, {
      calls,
      share: (node) => shareChain({ chain: chain.chain, node, store: views, telemetry: systemTelemetry }),
    }),
  ]),
);
const store = openStore();
const listOf = rememberPriceLists(store, systemClock);
const runs = new RunFigures({ function: 'data', nodeCalls, listOf });
const meter = runs.count(openMeter({ settings, store }));
/** Responses that are being sent and their metrics, by their event. */
const answered = new WeakMap<object, AnsweredData>();
const dependencies = { ...openData(settings, meter, nodes), respondWithExport: exportResponse };

/** A response, the path that it answers, and the metrics of its request. */
interface AnsweredData extends Pick<DataRequest, 'path'> {
  readonly response: DataHttpResponse;
  readonly lines: readonly MetricLine[];
}

const failed =
  (failure: Failure) =>
  ({ requestContext }: APIGatewayProxyEvent) =>
    renderFailure(failure, requestContext.requestId);

/** Whether the holder of a key may learn why a request failed: a key that was disabled meanwhile is answered as unknown. */
async function mayBeShown({ holder }: DataRequest, { statusCode }: HttpResponse): Promise<boolean> {
  return statusCode < FIRST_ERROR_STATUS || meter.isActive(holder);
}

async function handleRequest(event: AuthenticatedEvent, context: Context): Promise<StreamedDataResponse> {
  const startedAt = systemClock.now();
  const endsAt = startedAt + context.getRemainingTimeInMillis() - INTEGRATION_MARGIN_MS - LAST_LINES_MS;
  const onFileEnd = (bill: ToldBill) => {
    event.toldBill = bill;
  };
  const request = { ...readRequest(event), endsAt, onFileEnd };
  const handled = await handleData(request, dependencies);
  const response = (await mayBeShown(request, handled)) ? handled : notFound(request.requestId);
  const lines = dataMetrics(request, { response, startedAt }, dependencies);
  answered.set(event, { path: request.path, response, lines });
  await meter.storeDue();
  return streamDataResponse(response, headerOf(event.headers, 'accept-encoding'));
}

export const handler = middy(handleRequest, {
  executionMode: executionModeStreamifyResponse,
  timeoutEarlyInMillis: LAST_ANSWER_MS,
  ...runs.hooks(
    async ({ event }) => {
      // What an export was charged while it was sent.
      await meter.storeDue();
      return answered.get(event)?.lines ?? [];
    },
    ({ event }) => {
      const { path, response } = answered.get(event) ?? {};
      if (response === undefined || response.file !== undefined) return undefined;
      const operationId = path === undefined ? 'listChains' : matchOperation(path)?.operationId;
      return operationId && ((list) => dataPrice({ operationId, ...response }, list));
    },
  ),
})
  .use(runs.answerErrors(failed(INTERNAL_ERROR)))
  .use(
    authenticate({
      meter,
      api: 'data',
      unavailable: failed(BILLING_UNAVAILABLE),
      clientAddress: settings.clientAddress,
    }),
  )
  .use(
    limitUnmetered({
      meter,
      limited: ({ requestContext }, retryAfterMs) => renderUnmetered(retryAfterMs, requestContext.requestId),
    }),
  );

/** What of an event is the request. The resource says where in the path the chain is, if it is there at all. */
function readRequest(event: AuthenticatedEvent): DataRequest {
  const { holder, resource, pathParameters, headers, requestContext } = event;
  const prefix = resource.startsWith(CHAIN_RESOURCE) ? CHAIN_RESOURCE : DEFAULT_CHAIN_RESOURCE;
  const rest = resource.slice(prefix.length).replace('{proxy+}', () => pathParameters?.proxy ?? '');
  return {
    holder,
    chain: prefix === CHAIN_RESOURCE ? decodeSegment(pathParameters?.chain ?? '') : undefined,
    path: resource === CHAIN_LIST ? undefined : rest,
    query: event.multiValueQueryStringParameters ?? {},
    ifNoneMatch: headerOf(headers, 'if-none-match'),
    requestId: requestContext.requestId,
  };
}
