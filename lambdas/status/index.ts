import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import {
  type AuthenticatedEvent,
  authenticate,
  type CacheStore,
  cacheSecrets,
  connectObjects,
  createSecretFetcher,
  limitUnmetered,
  middy,
  notFound,
  openCacheStore,
  openMeter,
  openRefusalStore,
  openStore,
  RunFigures,
  readSecret,
  retryAfterSeconds,
} from 'gateway-access';
import { showAccountView } from '../settlement/account-statement.ts';
import { HEADS_PATH } from '../shared/bill/published-path.ts';
import { jsonResponse, PUBLIC_CORS } from '../shared/http/json-response.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import {
  CACHE_TABLE_VARIABLE,
  EVIDENCE_BUCKET_VARIABLE,
  HEADS_BUCKET_VARIABLE,
  ISSUER_SECRET_VARIABLE,
  requireVariable,
} from '../shared/runtime/environment.ts';
import { LAST_ANSWER_MS } from '../shared/runtime/integration-time.ts';
import { errorField, log } from '../shared/runtime/log.ts';
import { loadStageSettings } from '../shared/runtime/settings.ts';
import { systemTelemetry } from '../shared/runtime/telemetry.ts';
import { NodeCalls } from '../shared/upstream/connection/node-connection.ts';
import { serveChain } from '../shared/upstream/routing/serve-chain.ts';
import { type HeadReader, readStatus } from './chain-status.ts';
import { describeAccount } from './describe-account.ts';
import { createProofWindows, describeChains } from './describe-chains.ts';
import { descriptionResponse, isDescribed, loadDescriptions } from './describe-interface.ts';
import { checkedIssuer, createIssuer, NoReceiptKeyError } from './issuer.ts';
import {
  ACCOUNT_CREDITS,
  ACCOUNT_LANES,
  ACCOUNT_RECEIPTS,
  ACCOUNT_SETTLEMENTS,
  ACCOUNT_USAGE,
  type AccountList,
  listAccountRecords,
  SETTLEMENT_LANES,
} from './list-account-records.ts';
import { publishedObject } from './published-heads.ts';
import { createHeadReader, createRecordedHeads, RECORDS_TIMEOUT_MS } from './read-heads.ts';
import { readRefusals } from './read-refusals.ts';
import { createHistoryReader } from './status-history.ts';

/** Times of a read of leaves or of heads, in milliseconds. */
const OBJECT_TIMES = { connectTimeoutMs: 500, timeoutMs: 3_000 };

const folder = requireVariable('LAMBDA_TASK_ROOT');
const nodeCalls = new NodeCalls();
const settings = loadStageSettings(folder);
const descriptions = loadDescriptions(folder);
const store = openStore();
const refusals = openRefusalStore();
const leaves = connectObjects({ bucket: requireVariable(EVIDENCE_BUCKET_VARIABLE), ...OBJECT_TIMES });
const heads = connectObjects({ bucket: requireVariable(HEADS_BUCKET_VARIABLE), ...OBJECT_TIMES });
const fetchSecret = createSecretFetcher();
// One without a key is not kept: it gets one at any moment.
const readIssuer = cacheSecrets(async (name) => checkedIssuer(await fetchSecret(name)), {
  clock: systemClock,
  log,
});
const issuer = createIssuer(() => readIssuer(requireVariable(ISSUER_SECRET_VARIABLE)), systemClock);
const isIndexed = (process.env[CACHE_TABLE_VARIABLE] ?? '') !== '';
const records = isIndexed
  ? openCacheStore({ connectTimeoutMs: RECORDS_TIMEOUT_MS, readTimeoutMs: RECORDS_TIMEOUT_MS })
  : undefined;
const readHead = records === undefined ? readNodeHeads() : readIndexedHeads(records);
const readProven = createProofWindows({ records, chains: settings.chains, clock: systemClock, log });
const withHistory = createHistoryReader({ chains: settings.chains, records, clock: systemClock, log });

const unavailable = (
  { requestContext }: Pick<APIGatewayProxyEvent, 'requestContext'>,
  message = 'billing data temporarily unavailable',
) =>
  jsonResponse(503, { error: { code: 'billing_unavailable', message } }, requestContext.requestId, {
    'Retry-After': '1',
  });

const limited = ({ requestContext }: APIGatewayProxyEvent, retryAfterMs: number) =>
  jsonResponse(
    429,
    { error: { code: 'rate_limited', message: 'rate limit exceeded' } },
    requestContext.requestId,
    { 'Retry-After': String(retryAfterSeconds(retryAfterMs)) },
  );

const runs = new RunFigures({ function: 'status', nodeCalls });
const meter = openMeter({ settings });

/** What each path below `/v1/account` answers; a text is what is wrong with the request. */
const ACCOUNT_HANDLERS: Readonly<Record<string, (event: AuthenticatedEvent) => Promise<object | string>>> = {
  '/v1/account': async ({ holder }) => {
    const [statement, refused] = await Promise.all([
      showAccountView(store, systemClock, holder.account),
      readRefusals(holder, refusals, systemClock),
    ]);
    return describeAccount(statement, settings, holder, refused);
  },
  '/v1/account/usage': (event) => listResponse(ACCOUNT_USAGE, event),
  '/v1/account/settlements': (event) => listResponse(ACCOUNT_SETTLEMENTS, event),
  '/v1/account/lanes': (event) => listResponse(ACCOUNT_LANES, event),
  '/v1/account/receipts': (event) => listResponse(ACCOUNT_RECEIPTS, event),
  '/v1/account/credits': (event) => listResponse(ACCOUNT_CREDITS, event),
  '/v1/account/settlements/{hour}/lanes': (event) => listResponse(SETTLEMENT_LANES, event),
};

async function listResponse(list: AccountList, event: AuthenticatedEvent): Promise<object | string> {
  const query = event.multiValueQueryStringParameters ?? {};
  const path = Object.fromEntries(
    Object.entries(event.pathParameters ?? {}).map(([name, value]) => [name, value ?? '']),
  );
  const response = await listAccountRecords({ store, leaves, issuer }, list, {
    account: event.holder.account,
    path,
    query,
  });
  return response.ok ? response.body : response.message;
}

const handleAccount = middy(async (event: AuthenticatedEvent) => {
  const { requestId } = event.requestContext;
  const response = ACCOUNT_HANDLERS[event.resource];
  if (response === undefined) return notFound(requestId);
  try {
    const [body, isActive] = await Promise.all([response(event), meter.isActive(event.holder)]);
    if (!isActive) return notFound(requestId);
    if (typeof body !== 'string') return jsonResponse(200, body, requestId);
    return jsonResponse(400, { error: { code: 'bad_request', message: body } }, requestId);
  } catch (error) {
    log('warn', 'account_unavailable', { requestId, error: errorField(error) });
    return error instanceof NoReceiptKeyError
      ? unavailable(event, `receipts cannot be signed: ${error.message}`)
      : unavailable(event);
  }
})
  .use(authenticate({ meter, unavailable, clientAddress: settings.clientAddress }))
  .use(limitUnmetered({ meter, limited }));

function readIndexedHeads(records: CacheStore): HeadReader {
  const chains = settings.chains.map(({ chain }) => chain);
  return createRecordedHeads(records, chains, {
    clock: systemClock,
    log,
    batchMinutes: settings.batchMinutes,
  });
}

function readNodeHeads(): HeadReader {
  const nodes = settings.chains.map(
    (chain) =>
      [
        chain.chain,
        serveChain(chain, { clock: systemClock, telemetry: systemTelemetry, nodeCalls }, readSecret),
      ] as const,
  );
  return createHeadReader(new Map(nodes), systemClock);
}

const handleRequest = async (event: APIGatewayProxyEvent, context: Context) => {
  const { requestId } = event.requestContext;
  if (isDescribed(event.resource)) return descriptionResponse(descriptions[event.resource], event);
  switch (event.resource) {
    case '/v1/status': {
      const status = await readStatus(settings.chains, readHead, systemClock);
      const body = await withHistory(status, event.queryStringParameters?.history);
      return jsonResponse(200, body, requestId, PUBLIC_CORS);
    }
    case '/v1/chains':
      return jsonResponse(
        200,
        describeChains(settings.chains, isIndexed, await readProven()),
        requestId,
        PUBLIC_CORS,
      );
    case `${HEADS_PATH}/{proxy+}`:
      return publishedObject({ heads, log }, event);
    default:
      return Object.hasOwn(ACCOUNT_HANDLERS, event.resource)
        ? handleAccount(event as AuthenticatedEvent, context)
        : notFound(requestId);
  }
};

export const handler = middy(handleRequest, { timeoutEarlyInMillis: LAST_ANSWER_MS, ...runs.hooks() }).use(
  runs.answerErrors(({ requestContext }) =>
    jsonResponse(
      500,
      { error: { code: 'internal_error', message: 'internal gateway error' } },
      requestContext.requestId,
    ),
  ),
);
