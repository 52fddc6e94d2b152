import {
  type Admission,
  type KeyHolder,
  type Meter,
  type MeterRefusal,
  type Price,
  rateLimitHeaders,
} from 'gateway-access';
import { bytesWithin } from '../shared/http/body-pieces.ts';
import type { Call, ParsedRequest, UpstreamResponse } from '../shared/jsonrpc/calls.ts';
import type { CataloguedError, Reason } from '../shared/jsonrpc/error-catalogue.ts';
import { httpStatusOf } from '../shared/jsonrpc/render-error.ts';
import { requiredBlock } from '../shared/jsonrpc/required-block.ts';
import { isIdempotent, methodFacts } from '../shared/methods/method-facts.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import type { Soon } from '../shared/runtime/soon.ts';
import { tagsOf, withTagNumbers } from '../shared/upstream/agreement/pinned-call.ts';
import { dispatch } from '../shared/upstream/asking/dispatch.ts';
import { readMinBlock } from '../shared/upstream/head/answered-head.ts';
import { ROUGH_HEAD_MAX_AGE_MS } from '../shared/upstream/routing/ask-head.ts';
import type { AskUpstreams } from '../shared/upstream/routing/given-heads.ts';
import { BucketDraws, billOutcomes, priceCalls } from './billing/call-usage.ts';
import type { AnsweredCalls, CachedRequest, ResponseCache } from './cache/response-cache.ts';
import { guardState, screenCalls } from './policy/screen-calls.ts';
import { parseRequest } from './request/parse-calls.ts';
import { FREE_HEADERS, refusalError, retryAfterOf } from './response/refusal-error.ts';
import {
  CHARGE_RESERVE_MS,
  chainHeadHeader,
  fitDeadline,
  renderCacheMarks,
  renderRefusal,
  renderResponses,
  UpstreamEffort,
  type VerifyLevel,
  verifiedHeader,
} from './response/render-response.ts';
import {
  type CallOutcome,
  countCalls,
  outcomesOf,
  type RpcResponse,
  type ScreenedCall,
} from './response/rpc-response.ts';
import type { RpcRequest, ServedChain } from './rpc-request.ts';
import { readVerifyLevel } from './verified/read-call.ts';
import { answerVerified } from './verified/verified-calls.ts';

/** What answering a request takes of the meter. */
export type RequestMeter = Pick<
  Meter,
  'expectsAdmission' | 'usedUpBalance' | 'admit' | 'charge' | 'noteRefusal'
>;

/** What is wrong with a call whatever its chain is like and whoever pays. Other refusals come after the balance. */
const BEFORE_BALANCE: ReadonlySet<Reason> = new Set([
  'parse_error',
  'invalid_request',
  'ambiguous_member',
  'method_not_allowed',
  'contract_not_allowed',
]);
type Admitted = Extract<Admission, { admitted: true }>;

const STANDING_CLOCK: Clock = { now: () => 0 };

/** What the headers of a request want of its answers. */
interface Wanted {
  /** The block that they must have. Undefined: any. */
  readonly minBlock: bigint | undefined;
  /** What has to be verified. Undefined: nothing. */
  readonly verify: VerifyLevel | undefined;
}

/**
 * Answers a JSON-RPC request: parse, screen, price, admit, look up, dispatch, answer, in the order that the
 * specification gives to the checks. Calls that change nothing are sent while admission is under way, where it is
 * expected; their responses are returned only if it comes. Whatever is refused before it is answered costs nothing.
 * Resolves to undefined if the key turns out to be no longer active.
 */
export async function handleRequest(
  request: RpcRequest,
  meter: RequestMeter,
  cache: Pick<ResponseCache, 'answer'>,
): Promise<RpcResponse | undefined> {
  const parsed = parseRequest(request.body, request.contentEncoding);
  if ('refused' in parsed) return refuseWhole(parsed.refused, parsed, request.chain);
  const wanted = readWanted(request);
  if ('reason' in wanted) return refuseWhole(wanted, parsed, request.chain);
  const { chain, deadline } = request;
  const { settings, head, unbilledErrors, prices, copies } = chain;
  const { account, bounds } = request.holder;
  const screening = screenCalls(parsed.calls, { chain: settings, view: head, deadline, bounds, ...wanted });
  const screened = unbilledErrors.screen(account, screening instanceof Promise ? await screening : screening);
  for (const one of screened) if ('refused' in one) noteBounds(one.refused.error, request.holder, meter);
  const sendable = screened.flatMap((one) => ('call' in one ? [one.call] : []));
  if (sendable.length === 0) return answerUnsent(parsed, screened, request, meter);
  const { clock = STANDING_CLOCK } = request;
  const lap = stopwatch(clock);
  const cuOf = prices?.now().callCu;
  const price = priceCalls(sendable, cuOf);
  const draws = new BucketDraws(meter, request.holder, price, cuOf);
  const effort = settings.upstreamHeaders === undefined ? undefined : new UpstreamEffort(clock);
  const send = senderOf(request, draws, effort, wanted.minBlock);
  const answerCalls = () => answerHeld(request, cache, sendable, { send, ...wanted });
  const early = mayAskEarly(request.holder, price, sendable, meter) ? answerCalls() : undefined;
  // A refused request does not wait for it.
  early?.catch(() => {});
  const admission = await meter.admit(request.holder, price);
  if (!admission.admitted) return refuseAdmission(admission.refusal, parsed, chain, early);
  const admissionMs = lap();
  const { responses: received, share } = await (early ?? answerCalls());
  const answered = outcomesOf(screened, received);
  const fitting = fitInTime(request, clock, parsed.batch, answered);
  const { outcomes, body } = fitting instanceof Promise ? await fitting : fitting;
  const upstreamMs = lap();
  const hourly = prices?.now();
  const billed = billOutcomes(settings.chain, outcomes, hourly?.callCu);
  const usage = billed.flatMap((one) => ('usage' in one && one.usage !== undefined ? [one.usage] : []));
  const billedCu = usage.reduce((sum, { cu }) => sum + cu, 0);
  unbilledErrors.note(account, billed);
  const charge = billedCu > 0 ? meter.charge(request.holder, billedCu, usage, hourly?.hour) : undefined;
  return {
    status: 200,
    headers: {
      ...meterHeaders(admission, draws.cu, billedCu, charge?.lane),
      'X-Cache': renderCacheMarks(outcomes),
      ...chainHeadHeader(received, head.known),
      ...verifiedHeader(wanted.verify, outcomes),
      ...effort?.headers(settings.upstreamHeaders),
    },
    body,
    figures: countCalls(billed),
    billedCu,
    times: { admissionMs, upstreamMs },
    admitted: true,
    conclude: () => Promise.all([charge?.store(), share(), head.settled()].filter(isThere)),
    ...(copies !== undefined && { copy: () => copies.send(received) }),
  };
}

/**
 * Sends calls to upstreams for a request, which pays for what is sent again. While the head is not known for long, the
 * guards have let pass what they could not judge.
 */
function senderOf(
  request: RpcRequest,
  { payAgain }: BucketDraws,
  effort: UpstreamEffort | undefined,
  minBlock: bigint | undefined,
): CachedRequest['send'] {
  const { holder, held, deadline, chain } = request;
  const { keyId, account } = holder;
  const { node, head, givenHeads } = chain;
  const isJudged = head.isYoung(ROUGH_HEAD_MAX_AGE_MS);
  return async (calls) => {
    const sender = { payAgain, keyId, account, onServed: effort?.onServed, held, minBlock };
    const ended = effort?.begin();
    if (minBlock !== undefined) await head.reach(minBlock, deadline);
    const ask: AskUpstreams = (asked, known) => dispatch(asked, node, deadline, { ...sender, ...known });
    const responses = await (givenHeads?.answer(keyId, calls, ask, minBlock) ??
      dispatch(calls, node, deadline, sender));
    ended?.();
    return isJudged ? responses : judgeAgain(calls, responses, chain);
  };
}

/** What the headers of a request want, or why it is refused. */
function readWanted(request: Pick<RpcRequest, 'minBlock' | 'verify'>): Wanted | CataloguedError {
  const minBlock = request.minBlock === undefined ? undefined : readMinBlock(request.minBlock);
  if (request.minBlock !== undefined && minBlock === undefined) return wrongHeader('X-Min-Block');
  const verify = request.verify === undefined ? undefined : readVerifyLevel(request.verify);
  if (request.verify !== undefined && verify === undefined) return wrongHeader('X-Verify');
  return { minBlock, verify };
}

function wrongHeader(header: string): CataloguedError {
  return { reason: 'invalid_request', details: { header } };
}

/** Answers calls from the cache or by upstreams, or by what a block commits to, and holds the results. */
function answerHeld(
  request: RpcRequest,
  cache: Pick<ResponseCache, 'answer'>,
  calls: readonly Call[],
  { send, minBlock, verify }: Wanted & Pick<CachedRequest, 'send'>,
): Promise<AnsweredCalls> {
  const { chain, deadline } = request;
  const answer = (pinned: readonly Call[]) =>
    verify === undefined
      ? cache.answer({ chain, calls: pinned, deadline, send, minBlock })
      : answerVerified(chain, pinned, { level: verify, ask: send, deadline, minBlock });
  const pinned = pinTags(calls, chain.head, deadline);
  const answering = pinned instanceof Promise ? pinned.then(answer) : answer(pinned);
  return answering.then((answered) => holdResults(request, answered));
}

/** Calls with numbers in the place of the tags of finality, before anything is looked up by them: one number for a request. */
function pinTags(
  calls: readonly Call[],
  head: Pick<ServedChain['head'], 'tagged'>,
  deadline: number,
): Soon<readonly Call[]> {
  const tags = new Set(calls.flatMap((call) => (requiredBlock(call).kind === 'head' ? tagsOf(call) : [])));
  if (tags.size === 0) return calls;
  const numbers = [...tags].map(async (tag) => [tag, await head.tagged(tag, deadline)] as const);
  return Promise.all(numbers).then((known) => calls.map((call) => withTagNumbers(call, new Map(known))));
}

/** The response to a request that is not admitted; undefined if its key is no longer active. */
function refuseAdmission(
  refusal: MeterRefusal,
  parsed: ParsedRequest,
  chain: ServedChain,
  early: Promise<AnsweredCalls> | undefined,
): RpcResponse | undefined {
  if (refusal.reason === 'key_unknown') return undefined;
  const refused = refuseWhole(refusalError(refusal), parsed, chain, refusalHeaders(refusal));
  // A call that is under way ends before its function stands still, or its node would look as if it hung.
  return early === undefined ? refused : { ...refused, conclude: () => early.then(done, done) };
}

/** What of a response arrives before the function ends. */
function fitInTime(
  { endsAt = Number.POSITIVE_INFINITY, acceptEncoding }: RpcRequest,
  clock: Clock,
  batch: boolean,
  outcomes: readonly CallOutcome[],
): ReturnType<typeof fitDeadline> {
  const bytes = bytesWithin(endsAt - clock.now() - CHARGE_RESERVE_MS);
  return fitDeadline(outcomes, (kept) => renderResponses(batch, kept), { bytes, acceptEncoding });
}

/** What the meter says of a request: its limits, what it drew, what it is billed, and the balance. */
function meterHeaders(
  { limits, balanceCu }: Admitted,
  drawnCu: number,
  billedCu: number,
  lane: string | undefined,
): Record<string, string> {
  const headers = rateLimitHeaders(limits);
  headers['X-CU-Cost'] = String(drawnCu);
  headers['X-CU-Billed'] = String(billedCu);
  headers['X-CU-Balance'] = String(balanceCu - BigInt(billedCu));
  if (lane !== undefined) headers['X-CU-Lane'] = lane;
  return headers;
}

/** Holds results until the response is sent: some are what another request has asked for at the same time. */
function holdResults({ held }: RpcRequest, answered: AnsweredCalls): AnsweredCalls {
  for (const { response } of answered.responses) {
    if (response.kind === 'result') held?.hold(response.result);
    if (response.kind === 'error') held?.hold(response.error);
  }
  return answered;
}

function done(): void {}

function isThere(awaited: Promise<unknown> | undefined): boolean {
  return awaited !== undefined;
}

function noteBounds({ reason, details }: CataloguedError, holder: KeyHolder, meter: RequestMeter): void {
  if (reason === 'contract_not_allowed') meter.noteRefusal(holder, 'contract');
  if (reason === 'method_not_allowed' && details?.bound === 'methods') meter.noteRefusal(holder, 'method');
}

/** Refuses what was let pass while the head had not been known for long, and lies beyond what is served by now. */
function judgeAgain(
  calls: readonly Call[],
  responses: readonly UpstreamResponse[],
  { settings, head }: ServedChain,
): readonly UpstreamResponse[] {
  const { known } = head;
  return responses.map((response, index) => {
    const call = calls[index];
    const error =
      known === undefined || call === undefined || call.isPinned || response.kind === 'failed'
        ? undefined
        : guardState(call, known, settings.stateWindowBlocks);
    return error === undefined ? response : { kind: 'failed', error };
  });
}

/** Whether calls may be sent before their request is admitted: none may act, and none may occupy a node for long. */
function mayAskEarly(holder: KeyHolder, price: Price, calls: readonly Call[], meter: RequestMeter): boolean {
  return (
    calls.every(({ method }) => isIdempotent(method) && methodFacts(method).class !== 'trace') &&
    meter.expectsAdmission(holder, price)
  );
}

/** Tells at each call how long it is since the last one, in milliseconds. */
function stopwatch(clock: Clock): () => number {
  let last = clock.now();
  return () => {
    const before = last;
    last = clock.now();
    return last - before;
  };
}

/** Headers of a response that was charged nothing, and that no upstream had a part in. */
function freeHeaders({ known }: ServedChain['head']): Readonly<Record<string, string>> {
  return { ...FREE_HEADERS, ...chainHeadHeader([], known) };
}

/** A request that is refused as a whole: one error object, nothing billed. */
function refuseWhole(
  error: CataloguedError,
  parsed: ParsedRequest,
  { head }: Pick<ServedChain, 'head'>,
  headers: Readonly<Record<string, string>> = {},
): RpcResponse {
  return {
    status: httpStatusOf(error),
    headers: { ...freeHeaders(head), ...headers },
    body: renderRefusal(error, parsed),
    refused: error.reason,
  };
}

function refusalHeaders(refusal: MeterRefusal): Record<string, string> {
  const retryAfter = retryAfterOf(refusal);
  return {
    ...('limits' in refusal ? rateLimitHeaders(refusal.limits) : {}),
    ...(refusal.reason === 'insufficient_balance' ? { 'X-CU-Balance': String(refusal.balanceCu) } : {}),
    ...(retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) }),
  };
}

/** A request without a call that may be sent: nothing is drawn. The end of a balance comes before what a chain refuses. */
async function answerUnsent(
  parsed: Extract<ParsedRequest, { calls: unknown }>,
  screened: readonly ScreenedCall[],
  { holder, chain }: RpcRequest,
  meter: RequestMeter,
): Promise<RpcResponse> {
  const refused = screened.filter((one) => 'refused' in one);
  if (refused.some((one) => !BEFORE_BALANCE.has(one.refused.error.reason))) {
    const balanceCu = await meter.usedUpBalance(holder);
    if (balanceCu !== undefined) {
      const refusal: MeterRefusal = { reason: 'insufficient_balance', balanceCu };
      return refuseWhole(refusalError(refusal), parsed, chain, refusalHeaders(refusal));
    }
  }
  return {
    status: 200,
    headers: freeHeaders(chain.head),
    body: renderResponses(parsed.batch, refused),
    figures: countCalls(refused),
  };
}
