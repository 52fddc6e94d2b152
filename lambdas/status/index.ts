import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import {
  type AuthenticatedEvent,
  answerErrors,
  authenticate,
  limitUnmetered,
  middy,
  notFound,
  openCacheStore,
  openMeter,
  openStore,
  readSecret,
  retryAfterSeconds,
  showAccount,
} from 'gateway-access';
import { jsonResponse } from '../shared/http/json-response.ts';
import { systemClock } from '../shared/runtime/clock.ts';
import { CACHE_TABLE_VARIABLE, requireVariable } from '../shared/runtime/environment.ts';
import { LAST_ANSWER_MS } from '../shared/runtime/integration-time.ts';
import { errorField, log } from '../shared/runtime/log.ts';
import { loadStageSettings } from '../shared/runtime/settings.ts';
import { serveChain } from '../shared/upstream/routing/serve-chain.ts';
import { type ReadHead, readStatus } from './chain-status.ts';
import { describeAccount } from './describe-account.ts';
import { describeChains } from './describe-chains.ts';
import { createHeadReader } from './node-head.ts';
import { createRecordedHeads, RECORDS_TIMEOUT_MS } from './recorded-head.ts';

const CORS = { 'Access-Control-Allow-Origin': '*' };

const settings = loadStageSettings(requireVariable('LAMBDA_TASK_ROOT'));
const store = openStore();
const isIndexed = (process.env[CACHE_TABLE_VARIABLE] ?? '') !== '';
const readHead = isIndexed ? readIndexedHeads() : readNodeHeads();

const unavailable = ({ requestContext }: APIGatewayProxyEvent) =>
  jsonResponse(
    503,
    { error: { code: 'billing_unavailable', message: 'billing data temporarily unavailable' } },
    requestContext.requestId,
    { 'Retry-After': '1' },
  );

const limited = ({ requestContext }: APIGatewayProxyEvent, retryAfterMs: number) =>
  jsonResponse(
    429,
    { error: { code: 'rate_limited', message: 'rate limit exceeded' } },
    requestContext.requestId,
    { 'Retry-After': String(retryAfterSeconds(retryAfterMs)) },
  );

const meter = openMeter({ settings });

const answerAccount = middy(async ({ holder, ...event }: AuthenticatedEvent) => {
  const { requestId } = event.requestContext;
  try {
    const [statement, isActive] = await Promise.all([
      showAccount(store, holder.account),
      meter.isActive(holder),
    ]);
    return isActive
      ? jsonResponse(200, describeAccount(statement, settings), requestId)
      : notFound(requestId);
  } catch (error) {
    log('warn', 'account_unavailable', { requestId, error: errorField(error) });
    return unavailable(event);
  }
})
  .use(authenticate({ meter, unavailable }))
  .use(limitUnmetered({ meter, limited }));

function readIndexedHeads(): ReadHead {
  const records = openCacheStore({ connectTimeoutMs: RECORDS_TIMEOUT_MS, readTimeoutMs: RECORDS_TIMEOUT_MS });
  const chains = settings.chains.map(({ chain }) => chain);
  return createRecordedHeads(records, chains, systemClock);
}

function readNodeHeads(): ReadHead {
  const nodes = settings.chains.map(
    (chain) => [chain.chain, serveChain(chain, systemClock, readSecret)] as const,
  );
  return createHeadReader(new Map(nodes), systemClock);
}

const answerRequest = async (event: APIGatewayProxyEvent, context: Context) => {
  const { requestId } = event.requestContext;
  switch (event.resource) {
    case '/v1/status':
      return jsonResponse(200, await readStatus(settings.chains, readHead, systemClock), requestId, CORS);
    case '/v1/chains':
      return jsonResponse(200, describeChains(settings.chains, isIndexed), requestId, CORS);
    case '/v1/account':
      return answerAccount(event as AuthenticatedEvent, context);
    default:
      return notFound(requestId);
  }
};

export const handler = middy(answerRequest, { timeoutEarlyInMillis: LAST_ANSWER_MS }).use(
  answerErrors(({ requestContext }) =>
    jsonResponse(
      500,
      { error: { code: 'internal_error', message: 'internal gateway error' } },
      requestContext.requestId,
    ),
  ),
);
