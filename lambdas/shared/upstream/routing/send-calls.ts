import type { HeldBodies } from '../../http/large-bodies.ts';
import type { Call, UpstreamResponse } from '../../jsonrpc/calls.ts';
import { wordsOf } from '../../jsonrpc/error-message.ts';
import { failed, matchResponses, ScanAhead } from '../../jsonrpc/match-responses.ts';
import { readRefusal } from '../../jsonrpc/refusal-kind.ts';
import { isIdempotent } from '../../methods/method-facts.ts';
import { inParallel } from '../../runtime/in-parallel.ts';
import type { Upstream } from '../upstream.ts';

const COMMA = Buffer.from(',');
const ARRAY_START = Buffer.from('[');
const ARRAY_END = Buffer.from(']');
const CALL_END = Buffer.from('}');

/** Lowest HTTP status of a refusal. */
const FIRST_REFUSAL = 400;
/** Requests that are on their way at once where calls cannot be sent together. */
const PARTS_AT_ONCE = 8;
/** Calls of a batch for a node that refuses larger ones and does not say which it takes. */
const CAUTIOUS_SIZE = 10;
/** A number in the words for a batch that is too large: how many calls are taken. */
const TOLD_SIZE =
  /\b(?:at most|max(?:imum)?(?: (?:is|of|size|batch size))?|limit(?: (?:is|of))?|up to)[ :]+(\d{1,4})\b/i;

/** One request to one upstream. */
interface OutgoingCalls {
  readonly calls: readonly Call[];
  /** When the whole response must be there, in milliseconds since the epoch. */
  readonly deadline: number;
  readonly signal?: AbortSignal | undefined;
  /** What the client's request holds of large responses. @default nothing */
  readonly held?: HeldBodies | undefined;
  /** Whether the request may go out once more over another connection. */
  readonly mayRepeat?: () => boolean;
  /**
   * Whether calls that the upstream refuses together may be sent once more in smaller batches.
   * @default () => true
   */
  readonly maySplit?: () => boolean;
}

/** What an upstream answered. */
export interface SendOutcome {
  /** In the order of the calls. */
  readonly responses: readonly UpstreamResponse[];
  /** HTTP status with which each response came. */
  readonly statuses: readonly number[];
  /** The header `Retry-After`, as it came. */
  readonly retryAfter?: string | undefined;
  /** Body of a response that is no success. */
  readonly refusal?: Uint8Array | undefined;
}

/**
 * Sends calls to an upstream: in one request, or in as many as it takes batches for. One that refuses them together is
 * sent them in smaller batches at once, and later ones from the start.
 * @throws UpstreamError if there is no response that could be read
 */
export function sendCalls(upstream: Sendable, outgoing: OutgoingCalls): Promise<SendOutcome> {
  return outgoing.calls.length === 1 ? sendTogether(upstream, outgoing) : sendBatch(upstream, outgoing);
}

async function sendBatch(upstream: Sendable, outgoing: OutgoingCalls): Promise<SendOutcome> {
  const { calls, maySplit = () => true } = outgoing;
  const { lessons } = upstream;
  if (lessons !== undefined && calls.length > lessons.maxBatch)
    return sendInParts(upstream, outgoing, lessons.maxBatch);
  const outcome = await sendTogether(upstream, outgoing);
  const takes = batchTaken(outcome, calls.length);
  if (takes === undefined || lessons === undefined) return outcome;
  lessons.refusedBatch(calls.length, takes);
  return maySplit() ? sendInParts(upstream, outgoing, takes) : outcome;
}

/** What calls are sent to. */
type Sendable = Pick<Upstream, 'connection'> & Partial<Pick<Upstream, 'lessons'>>;

/** Sends calls in batches of a size, a few at a time. */
async function sendInParts(
  upstream: Sendable,
  { calls, ...outgoing }: OutgoingCalls,
  size: number,
): Promise<SendOutcome> {
  const parts = Array.from({ length: Math.ceil(calls.length / size) }, (_, part) => ({
    part,
    calls: calls.slice(part * size, (part + 1) * size),
  }));
  const outcomes: SendOutcome[] = [];
  const send = async (one: { readonly part: number; readonly calls: readonly Call[] }) => {
    outcomes[one.part] = await sendTogether(upstream, { ...outgoing, calls: one.calls });
  };
  await inParallel(parts, PARTS_AT_ONCE, send, () => outgoing.signal?.aborted === true);
  // A call that was abandoned meanwhile has no response, and no request waits for it.
  const ended = parts.map(
    (one): SendOutcome =>
      outcomes[one.part] ?? {
        responses: one.calls.map(() => failed('no_upstream_response')),
        statuses: one.calls.map(() => 0),
      },
  );
  const refused = ended.find((outcome) => outcome.refusal !== undefined);
  return {
    responses: ended.flatMap(({ responses }) => responses),
    statuses: ended.flatMap(({ statuses }) => statuses),
    retryAfter: refused?.retryAfter,
    refusal: refused?.refusal,
  };
}

/** How many calls the node takes together, where one error refuses them all for being so many; else undefined. */
function batchTaken({ responses, statuses }: SendOutcome, calls: number): number | undefined {
  const [first] = responses;
  if (first?.kind !== 'error' || responses.some((response) => response !== first)) return undefined;
  const message = wordsOf(first);
  const kind = readRefusal({ method: '', status: statuses[0] ?? 0, code: first.code, message });
  if (kind === 'batch') return 1;
  if (kind !== 'batch_size') return undefined;
  const told = Number(TOLD_SIZE.exec(message)?.[1]);
  return told >= 1 && told < calls ? told : Math.max(1, Math.min(CAUTIOUS_SIZE, Math.floor(calls / 2)));
}

async function sendTogether(
  { connection }: Sendable,
  { calls, deadline, signal, held, mayRepeat }: OutgoingCalls,
): Promise<SendOutcome> {
  const firstId = connection.reserveIds(calls.length);
  const ahead = calls.length === 1 ? new ScanAhead() : undefined;
  const posted = await connection.post({
    body: renderCalls(calls, firstId),
    idempotent: calls.every((call) => isIdempotent(call.method)),
    deadline,
    signal,
    held,
    mayRepeat,
    watch: ahead,
  });
  const { status, retryAfter, body } = posted;
  return {
    responses: matchResponses(posted, firstId, calls.length, ahead?.partOf(body)),
    statuses: calls.map(() => status),
    retryAfter,
    refusal: status >= FIRST_REFUSAL ? body : undefined,
  };
}

/**
 * JSON that a node is sent: one call as an object, several as a batch, with the ids `firstId`, `firstId` + 1, ...
 * Only validated parts of the client's bytes go in, params as they came.
 */
function renderCalls(calls: readonly Call[], firstId: number): Buffer {
  const objects = calls.map((call, index) => renderCall(call, firstId + index));
  if (objects.length === 1) return Buffer.concat(objects.flat());
  const pieces = objects.flatMap((object, index) => (index === 0 ? object : [COMMA, ...object]));
  return Buffer.concat([ARRAY_START, ...pieces, ARRAY_END]);
}

function renderCall({ method, params }: Call, id: number): Uint8Array[] {
  const head = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)}`;
  return params === undefined
    ? [Buffer.from(`${head}}`)]
    : [Buffer.from(`${head},"params":`), params, CALL_END];
}
