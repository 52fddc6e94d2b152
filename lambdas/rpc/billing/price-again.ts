import type { PriceBounds } from 'gateway-access';
import { listedPrice, type PriceList } from '../../shared/bill/price-list.ts';
import { type BodyPieces, bytesOfPieces } from '../../shared/http/body-pieces.ts';
import { ERROR_CATALOGUE } from '../../shared/jsonrpc/error-catalogue.ts';
import { parseRequest } from '../request/parse-calls.ts';

/** Longest response whose price is worked out again, in bytes: it is read as a whole, while a process waits. */
const MAX_BYTES = 512 * 1024;
const FREE: PriceBounds = { least: 0, most: 0 };
const HIT = 'hit';
const REFUSED = '-';
/** Errors of nodes that cost nothing, written a second time here: by code, and by words of those that have no other code. */
const FREE_CODES: ReadonlySet<unknown> = new Set([4444, -32002, -32003, -32600]);
const SERVER_ERROR = -32000;
const FREE_WORDS = ['historical state', 'is not available'] as const;

/** A request of JSON-RPC, and what it was answered. */
interface AnsweredRpc {
  /** Body of the request. */
  readonly asked: Uint8Array;
  /** `X-Cache` of the response; undefined: it was refused as a whole. */
  readonly cacheMarks: string | undefined;
  readonly body: BodyPieces;
}

/** An object of a response, as a client reads it. */
interface AnswerObject {
  readonly error?: {
    readonly code?: unknown;
    readonly message?: unknown;
    readonly data?: { readonly reason?: unknown } | null;
  };
}

/**
 * The price of a response by a list and by nothing of the code that bills: of each call that of its method, or of a cached
 * one. Undefined: the response is too long, or not one that a client could read.
 */
export function rpcPrice({ asked, cacheMarks, body }: AnsweredRpc, list: PriceList): PriceBounds | undefined {
  if (cacheMarks === undefined) return FREE;
  if (bytesOfPieces(body) > MAX_BYTES) return undefined;
  const parsed: unknown = JSON.parse(Buffer.concat(body).toString());
  const answers = (Array.isArray(parsed) ? parsed : [parsed]) as readonly AnswerObject[];
  const methods = methodsOf(asked);
  const marks = cacheMarks.split(', ');
  if (answers.length !== methods.length || answers.length !== marks.length) return undefined;
  const cu = answers.reduce(
    (sum, answer, index) => sum + answerCu(methods[index], marks[index] as string, answer, list),
    0,
  );
  return { least: cu, most: cu };
}

/** Methods of the calls of a request; undefined for a call that cannot be read. */
function methodsOf(asked: Uint8Array): readonly (string | undefined)[] {
  const parsed = parseRequest(asked);
  return 'refused' in parsed ? [] : parsed.calls.map((one) => ('call' in one ? one.call.method : undefined));
}

/** Compute units of one answer; not a number where no list has its method. */
export function answerCu(
  method: string | undefined,
  mark: string,
  { error }: AnswerObject,
  list: PriceList,
): number {
  if (mark === REFUSED || (error !== undefined && isFree(error))) return 0;
  return mark === HIT ? list.cached : (listedPrice(list, method ?? '') ?? Number.NaN);
}

/** The gateway's own errors have its reasons, which no error of a node has. */
function isFree({ code, message, data }: NonNullable<AnswerObject['error']>): boolean {
  if (Object.hasOwn(ERROR_CATALOGUE, String(data?.reason))) return true;
  if (code !== SERVER_ERROR) return FREE_CODES.has(code);
  const words = String(message).toLowerCase();
  const [start, end] = FREE_WORDS;
  return words.includes(start) && words.indexOf(end, words.indexOf(start) + start.length) >= 0;
}
