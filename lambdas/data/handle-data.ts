import {
  type Admission,
  type HttpResponse,
  type KeyHolder,
  type Meter,
  notFound,
  rateLimitHeaders,
  retryAfterSeconds,
} from 'gateway-access';
import type { Clock } from '../clock.ts';
import { jsonResponse } from '../json-response.ts';

/** Compute units of `GET /v1/data/chains`, by the specification. */
const CHAIN_LIST_CU = 1;
const CHAIN_LIST_USAGE = {
  chain: '*',
  method: 'data/chains',
  calls: 1,
  cu: CHAIN_LIST_CU,
  cached: 0,
  errors: 0,
};
const UNAVAILABLE_RETRY_SECONDS = 1;

/** Paths of the Data API below a chain. */
const CHAIN_PATHS = [/^blocks\/[^/]+$/, /^status\/freshness$/, /^addresses\/[^/]+\/balances$/];

/** A Data API request of an authenticated key. */
export interface DataRequest {
  readonly holder: KeyHolder;
  /** Resource that API Gateway matched. */
  readonly resource: string;
  readonly pathParameters: Readonly<Record<string, string | undefined>>;
  readonly requestId: string;
}

export interface DataDependencies {
  readonly meter: Pick<Meter, 'admit' | 'charge'>;
  /** Names of the chains of the stage. */
  readonly chains: ReadonlySet<string>;
  readonly clock: Clock;
}

/**
 * Answers a Data API request. No chain is indexed where no chain database is installed: the list of indexed chains
 * is empty, and a known operation answers 422 `dataset_not_installed`, unbilled.
 */
export async function handleData(
  request: DataRequest,
  dependencies: DataDependencies,
): Promise<HttpResponse> {
  if (request.resource === '/v1/data/chains') return listChains(request, dependencies);
  const { chain, proxy } = request.pathParameters;
  if (chain !== undefined && !dependencies.chains.has(chain))
    return absent(request, `unknown chain: ${chain}`);
  if (proxy !== undefined && !CHAIN_PATHS.some((path) => path.test(proxy)))
    return absent(request, 'unknown path');
  return failure(
    request,
    422,
    'dataset_not_installed',
    'the chain database is not installed in this environment',
  );
}

async function listChains(request: DataRequest, { meter, clock }: DataDependencies): Promise<HttpResponse> {
  const startedAt = clock.now();
  const admission = await meter.admit(request.holder, { cu: CHAIN_LIST_CU, calls: 1 });
  if (!admission.admitted) return refuse(request, admission);
  const body = {
    data: [],
    meta: {
      as_of_block: 0,
      finalized_block: 0,
      coverage: 'full',
      refreshed_at: new Date(startedAt).toISOString(),
      query_ms: clock.now() - startedAt,
    },
  };
  const outcome = await meter.charge(request.holder, CHAIN_LIST_CU, [CHAIN_LIST_USAGE]);
  const balance = outcome.state === 'charged' ? outcome.balanceCu : undefined;
  return jsonResponse(200, body, request.requestId, {
    ...rateLimitHeaders(admission.limits),
    'X-CU-Cost': String(CHAIN_LIST_CU),
    ...(outcome.state !== 'lost' && { 'X-CU-Billed': String(CHAIN_LIST_CU) }),
    ...(balance !== undefined && { 'X-CU-Balance': String(balance) }),
  });
}

/** A refusal of the meter in the envelope of the Data API. */
function refuse(request: DataRequest, { refusal }: Extract<Admission, { admitted: false }>): HttpResponse {
  switch (refusal.reason) {
    case 'key_unknown':
      return notFound(request.requestId);
    case 'insufficient_balance':
      return failure(request, 402, 'insufficient_balance', 'insufficient balance', {
        'X-CU-Balance': String(refusal.balanceCu),
      });
    case 'rate_limited':
      return failure(request, 429, 'rate_limited', 'rate limit exceeded', {
        ...rateLimitHeaders(refusal.limits),
        ...(refusal.retryAfterMs !== undefined && {
          'Retry-After': String(retryAfterSeconds(refusal.retryAfterMs)),
        }),
      });
    case 'cost_exceeds_burst':
      return failure(
        request,
        429,
        'cost_exceeds_burst',
        `request cost ${refusal.cost} CU exceeds burst capacity ${refusal.capacity} CU`,
      );
    case 'billing_unavailable':
      return failure(request, 503, 'billing_unavailable', 'billing data temporarily unavailable', {
        'Retry-After': String(UNAVAILABLE_RETRY_SECONDS),
      });
  }
}

function absent(request: DataRequest, message: string): HttpResponse {
  return failure(request, 404, 'not_found', message);
}

/** Error envelope of the Data API: `code` and `message`, and nothing else. */
function failure(
  { requestId }: DataRequest,
  statusCode: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return jsonResponse(statusCode, { error: { code, message } }, requestId, {
    'X-CU-Billed': '0',
    ...headers,
  });
}
