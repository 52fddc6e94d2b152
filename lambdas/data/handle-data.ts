import {
  type HttpResponse,
  isChainAllowed,
  isOperationAllowed,
  type KeyHolder,
  type Meter,
  type ToldBill,
} from 'gateway-access';
import type { Queries } from '../shared/chain-database/chain-database.ts';
import { isFresh } from '../shared/http/if-none-match.ts';
import { SECURITY_HEADERS } from '../shared/http/json-response.ts';
import type { Prices } from '../shared/methods/method-facts.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import type { DataApiSettings } from '../shared/runtime/settings.ts';
import { type ReadAddressState, type ReadNativeBalance, UNKNOWN_STATE } from './address-state.ts';
import type { ExportPlaces } from './export/export-places.ts';
import type { ExportResponder } from './export-response.ts';
import { listIndexedChains, type StageChain, stageChainNamed } from './list-chains.ts';
import { matchOperation } from './operations/match-operation.ts';
import { OPERATIONS } from './operations/operations.ts';
import { renderCursor } from './plan/cursor.ts';
import { parseParameters } from './plan/parse-parameters.ts';
import type { Plan } from './plan/plan.ts';
import {
  type BilledCalls,
  billedCalls,
  cachedUsage,
  computeUnitsOf,
  cuOf,
  listedCalls,
  NO_CALLS,
  smaller,
  usageOf,
} from './plan/price.ts';
import type { Seal } from './plan/seal.ts';
import { type PlannedRequest, planRequest } from './plan-request.ts';
import { NO_PROOF, type ReadProof } from './proof/read-proof.ts';
import type { ReadAllowances } from './read-allowances.ts';
import { failureOf, rowsOf } from './read-rows.ts';
import { cacheHeaders } from './response/cache-headers.ts';
import type { DataHttpResponse } from './response/data-http-response.ts';
import { type Failure, FORBIDDEN, renderFailure } from './response/failure.ts';
import { limitHeaders } from './response/limit-headers.ts';
import { type DataResponse, nothingIndexed, readResponse, withFields } from './response/read-response.ts';
import { refusalResponse } from './response/refusal-response.ts';
import { renderBody } from './response/render-body.ts';
import { snapshotHeader } from './response/snapshot-header.ts';

/**
 * By the specification its `meta` has no `rows_read`. It has no tag either: its rows have the time of the read, so a tag would
 * never match again.
 */
const FRESHNESS = 'getFreshness';

/** A Data API request of an authenticated key. */
export interface DataRequest {
  readonly holder: KeyHolder;
  /** Chain that the path names; undefined: the default one. */
  readonly chain: string | undefined;
  /** Path below the chain, percent-encoded; undefined: the list of chains. */
  readonly path: string | undefined;
  /** All values of each query parameter. */
  readonly query: Readonly<Record<string, readonly string[] | undefined>>;
  readonly ifNoneMatch: string | undefined;
  readonly requestId: string;
  /** Moment after which an export reads no further page. @default it has the time that it needs */
  readonly endsAt?: number;
  /** Called with the bill of a file once its end is taken. @default nothing is called */
  readonly onFileEnd?: (bill: ToldBill) => void;
}

export interface DataDependencies {
  readonly meter: Pick<Meter, 'usedUpBalance' | 'admit' | 'charge' | 'noteRefusal'>;
  /** The chains of the stage. */
  readonly chains: readonly StageChain[];
  /** Undefined where the stage has no chain database. */
  readonly database: Queries | undefined;
  readonly clock: Clock;
  /** Seals tags and cursors. */
  readonly seal: Seal;
  readonly limits: DataApiSettings;
  /** Answers with files. @default there are none: agents read pages */
  readonly respondWithExport?: ExportResponder;
  /** Where exports have their places among those of their key. */
  readonly exportPlaces: ExportPlaces;
  /** What operations cost, by the hour. @default as their description has it */
  readonly prices?: Prices;
  /** Asks the nodes. @default what only they tell is null */
  readonly readState?: ReadAddressState;
  /** Asks the nodes what an address has of the native coin. @default it is not known */
  readonly readBalance?: ReadNativeBalance;
  /** Asks the nodes what is left of approvals. @default they say nothing */
  readonly readAllowances?: ReadAllowances;
  /** Proves a transaction by what the nodes send. @default nothing can be proven */
  readonly readProof?: ReadProof;
}

/** What was found for a request, before it is paid for. */
interface Found {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly isFresh?: boolean;
  /** What it is billed if the client has not kept it; nothing where it is of nothing but blocks that are not there. */
  readonly billed: BilledCalls;
}

/**
 * Answers a Data API request: parameters, then balance and limits, then one statement, then the charge; a chain without an
 * index is refused after the balance. The bucket is
 * drawn for the most rows that a page may have; the bill is for the rows that it has. Only responses with 2xx or 304 are
 * charged. The bucket stays drawn in any case, also for a query that ran out of time.
 */
export async function handleData(
  request: DataRequest,
  dependencies: DataDependencies,
): Promise<DataHttpResponse> {
  const { requestId } = request;
  const { bounds } = request.holder;
  if (request.path === undefined) {
    if (!isOperationAllowed(bounds, 'listChains')) return forbidden(request, dependencies);
    return listChains(request, dependencies);
  }
  const chain = stageChainNamed(dependencies.chains, request.chain);
  const isAllowed = chain !== undefined && isChainAllowed(bounds, chain.chain);
  if (chain !== undefined && !isAllowed) dependencies.meter.noteRefusal(request.holder, 'chain');
  if (!isAllowed)
    return renderFailure(notFound(`unknown chain: ${request.chain ?? chain?.chain}`), requestId);
  const matched = matchOperation(request.path);
  if (matched === undefined) return renderFailure(notFound('unknown path'), requestId);
  if (!isOperationAllowed(bounds, matched.operationId)) return forbidden(request, dependencies);
  const { account } = request.holder;
  const { seal } = dependencies;
  const seats = { keyId: request.holder.keyId, count: dependencies.limits.queriesPerKey };
  const { entryPoints } = chain;
  const input = { account, chain: chain.chain, entryPoints, matched, query: request.query, seal, seats };
  const planned = planRequest(input);
  if (!planned.ok) return renderFailure(planned.failure, requestId);
  const { database, clock } = dependencies;
  if (database === undefined) return refuseUnindexed(request, dependencies, nothingIndexed(planned.plan));
  if (planned.file !== undefined)
    return fileResponse(request, { ...dependencies, database }, { input, planned, file: planned.file });
  const cu = computeUnitsOf(planned.price, planned.most);
  const usage = { chain: chain.chain, operationId: planned.operationId, cu };
  return metered(request, dependencies, usage, async () => {
    const startedAt = clock.now();
    const rows = await rowsOf(database, planned, dependencies);
    const response = readResponse(rows, {
      plan: planned.plan,
      dataset: planned.dataset,
      after: planned.after,
    });
    if (!response.ok) return response.failure;
    const queryMs = clock.now() - startedAt;
    const whole = await withNodes(dependencies, chain.chain, planned.plan, response);
    return whole.ok ? found(request, planned, { response: whole, seal, queryMs }) : whole.failure;
  });
}

/** The row of a transaction that is to be proven. */
interface PlaceRow {
  readonly transaction_hash: string;
  readonly block_number: number;
  readonly block_hash: string;
  readonly transaction_index: number;
}

/** A response with what only nodes tell of its rows. Most have nothing of that. */
async function withNodes(
  { readState, readAllowances, readProof }: DataDependencies,
  chain: string,
  { stateOf, approvalsOf, proves }: Plan,
  response: DataResponse,
): Promise<ReturnType<typeof readResponse>> {
  if (stateOf !== undefined)
    return withFields(
      response,
      (await readState?.(chain, stateOf, response.meta.finalized)) ?? UNKNOWN_STATE,
    );
  if (approvalsOf !== undefined && readAllowances !== undefined) {
    const approvals = JSON.parse(response.data) as Parameters<ReadAllowances>[2];
    const told = await readAllowances(chain, approvalsOf, approvals, response.meta.as_of);
    return { ...response, data: JSON.stringify(told) };
  }
  if (proves === undefined) return response;
  const row = JSON.parse(response.data) as PlaceRow;
  const wanted = {
    hash: row.transaction_hash,
    blockHash: row.block_hash,
    number: row.block_number,
    index: row.transaction_index,
  };
  const proof = (await readProof?.(chain, { ...wanted, ...proves })) ?? NO_PROOF;
  return 'code' in proof ? { ok: false, failure: proof } : withFields(response, proof);
}

/** The end of a balance comes before what a chain does not have. */
async function refuseUnindexed(
  { holder, requestId }: DataRequest,
  { meter }: DataDependencies,
  failure: Failure,
): Promise<DataHttpResponse> {
  const balanceCu = await meter.usedUpBalance(holder);
  return balanceCu === undefined
    ? renderFailure(failure, requestId)
    : refusalResponse({ admitted: false, refusal: { reason: 'insufficient_balance', balanceCu } }, requestId);
}

/** Responds with a whole list, where files are served. */
async function fileResponse(
  request: DataRequest,
  { respondWithExport, ...dependencies }: DataDependencies & { readonly database: Queries },
  planned: Parameters<ExportResponder>[2],
): Promise<DataHttpResponse> {
  if (respondWithExport !== undefined) return respondWithExport(request, dependencies, planned);
  const message = 'no files are served here: leave format out';
  return renderFailure({ statusCode: 400, code: 'bad_request', message }, request.requestId);
}

function forbidden({ holder, requestId }: DataRequest, { meter }: DataDependencies): DataHttpResponse {
  meter.noteRefusal(holder, 'operation');
  return renderFailure(FORBIDDEN, requestId);
}

function notFound(message: string): Failure {
  return { statusCode: 404, code: 'not_found', message };
}

function found(
  { ifNoneMatch, holder: { account } }: DataRequest,
  { plan, dataset, operationId, cursorScope, price, most }: PlannedRequest,
  {
    response,
    seal,
    queryMs,
  }: { readonly response: DataResponse; readonly seal: Seal; readonly queryMs: number },
): Found {
  const { data, next, coverage, meta } = response;
  const nextCursor = next === undefined ? undefined : renderCursor(next, cursorScope, seal);
  const body = renderBody(data, nextCursor, {
    asOfBlock: meta.as_of,
    finalizedBlock: meta.finalized,
    coverage,
    refreshedAt: meta.refreshed_at,
    rowsRead: operationId === FRESHNESS ? undefined : meta.rows_read,
    queryMs,
  });
  const { ETag, ...cacheControl } = cacheHeaders({ response, nextCursor, dataset, plan, account }, seal);
  const tag = operationId === FRESHNESS ? undefined : ETag;
  const isNothing = coverage === 'none' && response.rows === 0;
  return {
    body,
    headers: { ...(tag !== undefined && { ETag: tag }), ...cacheControl, ...snapshotHeader(plan, meta) },
    isFresh: isFresh(ifNoneMatch, tag),
    // A response is billed for what it has, at most for what was requested.
    billed: isNothing ? NO_CALLS : billedCalls(price, smaller(response, most)),
  };
}

function listChains(request: DataRequest, dependencies: DataDependencies): Promise<HttpResponse> {
  const { database, clock } = dependencies;
  const { bounds } = request.holder;
  const chains = dependencies.chains.filter(({ chain }) => isChainAllowed(bounds, chain));
  const { computeUnits: cu, parameters } = OPERATIONS.listChains;
  const parsed = parseParameters(parameters, {}, request.query);
  if (!parsed.ok)
    return Promise.resolve(
      renderFailure({ statusCode: 400, code: 'bad_request', message: parsed.message }, request.requestId),
    );
  return metered(request, dependencies, { chain: '*', operationId: 'listChains', cu }, async () => {
    const startedAt = clock.now();
    const { data, meta } = await listIndexedChains(database, chains, startedAt);
    const queryMs = clock.now() - startedAt;
    return {
      body: renderBody(JSON.stringify(data), undefined, { ...meta, queryMs }),
      headers: { 'Cache-Control': 'private, no-cache' },
      billed: { calls: 1, computeUnits: cu, twenties: 0 },
    };
  });
}

interface DataUsage {
  readonly chain: string;
  readonly operationId: string;
  /** The most that it can cost. */
  readonly cu: number;
}

/** Admits a request, finds its response and charges for it; a failure is not charged. */
async function metered(
  { holder, requestId }: DataRequest,
  { meter, prices }: DataDependencies,
  { chain, operationId, cu }: DataUsage,
  find: () => Promise<Found | Failure>,
): Promise<HttpResponse> {
  const admission = await meter.admit(holder, { cu });
  if (!admission.admitted) return refusalResponse(admission, requestId);
  const limits = limitHeaders(admission.limits, cu);
  const outcome = await find().catch((error: unknown) => failureOf(error, requestId));
  if ('code' in outcome) return renderFailure(outcome, requestId, limits);
  const isCached = outcome.isFresh === true;
  const hourly = prices?.now();
  const billed = listedCalls(outcome.billed, operationId, hourly);
  const isFree = cuOf(billed) === 0;
  const usage = isCached && !isFree ? [cachedUsage(chain, operationId)] : usageOf(chain, operationId, billed);
  const billedCu = usage.reduce((sum, line) => sum + line.cu, 0);
  // The response says what was billed: that is stored before it is sent.
  const charge = billedCu > 0 ? meter.charge(holder, billedCu, usage, hourly?.hour) : undefined;
  await charge?.store();
  const headers = {
    'X-Request-Id': requestId,
    ...SECURITY_HEADERS,
    ...limits,
    ...outcome.headers,
    'X-CU-Billed': String(billedCu),
    'X-CU-Balance': String(admission.balanceCu - BigInt(billedCu)),
    ...(charge?.lane !== undefined && { 'X-CU-Lane': charge.lane }),
  };
  if (isCached) return { statusCode: 304, headers, body: '' };
  return {
    statusCode: 200,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: outcome.body,
  };
}
