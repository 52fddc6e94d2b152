import type { PostedResponse } from '../../shared/http/send-request.ts';
import { UpstreamError } from '../../shared/http/upstream-error.ts';
import { textsOf } from '../../shared/jsonrpc/error-message.ts';
import { hexNumber } from '../../shared/jsonrpc/json-values.ts';
import { isUnknownRefusal } from '../../shared/jsonrpc/unknown-words.ts';
import { systemClock } from '../../shared/runtime/clock.ts';
import { inParallel } from '../../shared/runtime/in-parallel.ts';
import { sleep } from '../../shared/runtime/sleep.ts';
import type { CallPace } from '../../shared/upstream/health/call-pace.ts';
import type { NodeLessons } from '../../shared/upstream/health/node-lessons.ts';
import type { HearUnknownWords } from '../../shared/upstream/health/refused-words.ts';
import { NodeError, type NodeErrorKind, nodeErrorOf, textErrorOf } from './node-error.ts';

/** Shortest wait before it is tried again, in milliseconds. */
const MIN_WAIT_MS = 20;
/** A question to a node. */
export interface NodeCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** What the node answered: the parsed result, or its error. */
export type NodeResponse = { readonly result: unknown } | { readonly error: NodeError };

/** The answer to a call where there is none. */
export const NO_ANSWER = { error: new NodeError('unavailable', 'no answer to a call') };

/** The result of an answer. @throws {NodeError} where it has none */
export function resultOf(answer: NodeResponse = NO_ANSWER): unknown {
  if ('error' in answer) throw answer.error;
  return answer.result;
}

/** Where requests go; a `NodeConnection` is one. */
export interface NodePost {
  /** What was learnt of what the node lacks. @default nothing is */
  readonly lessons?: NodeLessons | undefined;
  /** How often it may be asked. @default as often as wanted */
  readonly pace?: CallPace | undefined;
  /** Called with refusals in words that are not known. @default not called */
  readonly hearUnknownWords?: HearUnknownWords | undefined;
  /** Reserves `count` consecutive ids and returns the first. */
  reserveIds(count: number): number;
  /** @throws UpstreamError if there is no HTTP response */
  post(
    request: BatchOptions & { readonly body: Uint8Array; readonly idempotent: boolean },
  ): Promise<PostedResponse>;
}

export interface BatchOptions {
  /** Milliseconds since the epoch. */
  readonly deadline: number;
  /**
   * Time for one request where it may need more than a good node gives it, in milliseconds: that it takes longer is an
   * answer, and no failure of the node. A call that is refused for its rate is not sent again for longer.
   */
  readonly limitMs?: number;
  readonly signal?: AbortSignal;
}

export interface PageOptions extends BatchOptions {
  /** A block that is not worth stopping at for its traces: where the node breaks off, it is a gap. @default none */
  readonly gapOf?: number | undefined;
}

/** Answers in the order of the calls. */
export interface BatchAnswers {
  readonly responses: readonly NodeResponse[];
  /** Size of the response. */
  readonly bytes: number;
}

const SUCCESS_STATUS = 200;
const RATE_LIMITED_STATUS = 429;
const TOO_LARGE_STATUS = 413;
const MILLISECONDS_PER_SECOND = 1_000;
const TIMEOUT_STATUSES: ReadonlySet<number> = new Set([408, 504, 524]);

/** Codes of what says that a request is malformed, which an array of good calls is to a node that takes none. */
const REQUEST_CODES: ReadonlySet<number> = new Set([-32600, -32700]);
/** Requests that are on their way at once where calls cannot be sent together. */
const SINGLE_AT_ONCE = 8;
/** What a node lacks is so for each call of its kind. */
const LACKING: ReadonlySet<NodeErrorKind> = new Set(['unsupported', 'pruned']);

/**
 * Sends calls in one request; one by one to a node that takes no batches, and by method where it refuses all of them for
 * one that it lacks.
 * @throws {NodeError} where the request as a whole failed, and fewer calls would have too
 */
export async function sendBatch(
  node: NodePost,
  calls: readonly NodeCall[],
  options: BatchOptions,
): Promise<BatchAnswers> {
  const takesNone = node.lessons !== undefined && node.lessons.maxBatch === 1;
  if (takesNone) return sendSingly(node, calls, options);
  try {
    return await sendTogether(node, calls, options);
  } catch (error) {
    if (!(error instanceof NodeError)) throw error;
    if (isAgainstBatches(error)) {
      const answers = await sendSingly(node, calls, options);
      node.lessons?.refusedBatch(Math.max(2, calls.length), 1);
      return answers;
    }
    if (!LACKING.has(error.kind)) throw error;
    const methods = new Set(calls.map(({ method }) => method));
    if (methods.size === 1) return { responses: calls.map(() => ({ error })), bytes: 0 };
    return sendByMethod(node, calls, methods, options);
  }
}

function isAgainstBatches({ kind, code }: NodeError): boolean {
  return kind === 'no_batches' || (kind === 'refused' && code !== undefined && REQUEST_CODES.has(code));
}

/** One batch for each method: the node lacks one of them. */
async function sendByMethod(
  node: NodePost,
  calls: readonly NodeCall[],
  methods: ReadonlySet<string>,
  options: BatchOptions,
): Promise<BatchAnswers> {
  const answers: NodeResponse[] = [];
  let bytes = 0;
  for (const method of methods) {
    const ofMethod = calls.filter((call) => call.method === method);
    const batch = await sendBatch(node, ofMethod, options);
    let used = 0;
    for (const [index, call] of calls.entries())
      if (call.method === method) answers[index] = batch.responses[used++] as NodeResponse;
    bytes += batch.bytes;
  }
  return { responses: answers, bytes };
}

/** Sends each call by itself, as an object. */
async function sendSingly(
  node: NodePost,
  calls: readonly NodeCall[],
  options: BatchOptions,
): Promise<BatchAnswers> {
  const answers: NodeResponse[] = [];
  let bytes = 0;
  const send = async ({ call, index }: { readonly call: NodeCall; readonly index: number }) => {
    const id = node.reserveIds(1);
    const response = await post(node, requestOf(call, id), options);
    bytes += response.body.length;
    const parsed = parseBody(node, response, call.method);
    answers[index] = answerOf(node, memberOf(parsed, 'id') === id ? parsed : undefined, call.method);
  };
  const numbered = calls.map((call, index) => ({ call, index }));
  await inParallel(numbered, SINGLE_AT_ONCE, (one) =>
    send(one).catch((error: unknown) => {
      if (!(error instanceof NodeError) || !LACKING.has(error.kind)) throw error;
      answers[one.index] = { error };
    }),
  );
  return { responses: answers, bytes };
}

/** Sends calls in one request. */
async function sendTogether(
  node: NodePost,
  calls: readonly NodeCall[],
  options: BatchOptions,
): Promise<BatchAnswers> {
  const firstId = node.reserveIds(calls.length);
  const requests = calls.map((call, index) => requestOf(call, firstId + index));
  const response = await post(node, requests, options);
  const method = methodOf(calls);
  const parsed = parseBody(node, response, method);
  if (!Array.isArray(parsed))
    throw (
      errorOf(node, parsed, method, response.status) ?? new NodeError('unavailable', 'no batch of answers')
    );
  const byId = new Map<unknown, unknown>(parsed.map((answer: unknown) => [memberOf(answer, 'id'), answer]));
  const answers = calls.map((call, index) => answerOf(node, byId.get(firstId + index), call.method));
  return { responses: answers, bytes: response.body.length };
}

/** The method of calls that are all of one. */
function methodOf(calls: readonly NodeCall[]): string {
  const [first] = calls;
  return first !== undefined && calls.every(({ method }) => method === first.method) ? first.method : '';
}

function requestOf({ method, params }: NodeCall, id: number) {
  return { jsonrpc: '2.0', id, method, params };
}

type Request = ReturnType<typeof requestOf>;

async function post(
  node: NodePost,
  requests: Request | readonly Request[],
  options: BatchOptions,
): Promise<PostedResponse> {
  const body = Buffer.from(JSON.stringify(requests));
  await waitForTurn(node.pace, Array.isArray(requests) ? requests.length : 1, options);
  try {
    return await node.post({ body, idempotent: true, ...options });
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    const kind = error.kind === 'too_large' || error.kind === 'timeout' ? error.kind : 'unavailable';
    throw new NodeError(kind, error.message);
  }
}

function parseBody(node: NodePost, { status, body, retryAfter }: PostedResponse, method: string): unknown {
  if (status === RATE_LIMITED_STATUS)
    throw new NodeError('rate_limited', `HTTP ${status}`, retryAfterMs(retryAfter));
  if (status === TOO_LARGE_STATUS) throw new NodeError('too_large', `HTTP ${status}`);
  if (TIMEOUT_STATUSES.has(status)) throw new NodeError('timeout', `HTTP ${status}`);
  const text = body.toString('utf8');
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw textErrorOf(status, text);
  }
  if (status !== SUCCESS_STATUS && !Array.isArray(parsed))
    throw errorOf(node, parsed, method, status) ?? new NodeError('unavailable', `HTTP ${status}`);
  return parsed;
}

/** A wait in seconds; a date, which would have to be compared with the node's clock, is none. */
function retryAfterMs(header: string | undefined): number | undefined {
  return header !== undefined && /^\d{1,9}$/.test(header)
    ? Number(header) * MILLISECONDS_PER_SECOND
    : undefined;
}

function answerOf(node: NodePost, answer: unknown, method: string): NodeResponse {
  if (answer === undefined) return NO_ANSWER;
  const error = errorOf(node, answer, method);
  if (error !== undefined) return { error };
  const result = memberOf(answer, 'result');
  return result === undefined
    ? { error: new NodeError('unavailable', 'neither result nor error') }
    : { result };
}

function errorOf(
  node: NodePost,
  answer: unknown,
  method: string,
  status = SUCCESS_STATUS,
): NodeError | undefined {
  const told = memberOf(answer, 'error');
  if (told === undefined || told === null) return undefined;
  const toldCode = memberOf(told, 'code');
  const toldMessage = memberOf(told, 'message');
  const code = typeof toldCode === 'number' ? toldCode : 0;
  const message = typeof toldMessage === 'string' ? toldMessage : 'no message';
  const data = textsOf(memberOf(told, 'data'));
  const error = nodeErrorOf(code, message, { method, status, data });
  const words = [message, ...data].join('; ');
  if (error.kind === 'refused' && isUnknownRefusal({ method, status, code, message: words }))
    node.hearUnknownWords?.(() => words);
  return error;
}

function memberOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return (value as Record<string, unknown>)[name];
}

/**
 * Waits until calls may be sent to an upstream that takes so many a second.
 * @throws {NodeError} `rate_limited` if that is not before the deadline, in milliseconds since the epoch
 */
export async function waitForTurn(
  pace: CallPace | undefined,
  calls: number,
  { deadline, signal }: BatchOptions,
  { clock, wait } = { clock: systemClock, wait: sleep },
): Promise<void> {
  if (pace === undefined) return;
  while (!(await pace.admits(calls))) {
    const waitMs = Math.max(MIN_WAIT_MS, (pace.pausedUntil ?? clock.now()) - clock.now());
    if (signal?.aborted || clock.now() + waitMs >= deadline)
      throw new NodeError('rate_limited', 'no calls are left by callsPerSecond', waitMs);
    await wait(waitMs, signal);
  }
}

/** The question for a block: for its header, or for all of it. */
export function blockCall(block: number | 'latest', isWhole = false): NodeCall {
  const params = [block === 'latest' ? block : hexNumber(block), isWhole];
  return { method: 'eth_getBlockByNumber', params };
}
