import { validateHeaderName, validateHeaderValue } from 'node:http';
import { isTemplateObject } from '../template/template.ts';
import { type HeaderList, hasHeader } from './api-response.ts';

/** Status and headers of a proxy response, or of the metadata of a streamed one. */
export interface ResponseHead {
  readonly status: number;
  readonly headers: HeaderList;
}

/** Headers that API Gateway does not take from a function but renames with this prefix. */
const REMAPPED_PREFIX = 'x-amzn-Remapped-';
const REMAPPED_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'date',
  'host',
  'server',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'via',
  'www-authenticate',
]);
/** A streamed response may say how long it is. */
const STREAMED_HEADERS: ReadonlySet<string> = new Set(['content-length', 'transfer-encoding']);

/**
 * Reads what a function returned to a buffered integration. A body that says it is base64 is decoded where bodies can
 * be binary, and sent as it is elsewhere.
 *
 * @returns undefined if API Gateway takes it for malformed: other members than it knows, or of other types
 */
export function readProxyResponse(
  payload: Buffer,
  bodiesAreBinary: boolean,
): (ResponseHead & { readonly body: Buffer }) | undefined {
  const value = parse(payload);
  const { body, isBase64Encoded, ...rest } = isTemplateObject(value) ? value : { body: false };
  const head = readHead(rest, (name) => REMAPPED_HEADERS.has(name));
  const isText = body === undefined || body === null || typeof body === 'string';
  if (head === undefined || !isText || !['boolean', 'undefined'].includes(typeof isBase64Encoded))
    return undefined;
  const encoding = bodiesAreBinary && isBase64Encoded === true ? 'base64' : 'utf8';
  return { ...head, body: Buffer.from(body ?? '', encoding) };
}

/** Reads the metadata of a streamed response; undefined if it is malformed. */
export function readStreamedHead(metadata: unknown): ResponseHead | undefined {
  if (!isTemplateObject(metadata)) return undefined;
  const { cookies = [], ...rest } = metadata;
  const head = readHead(rest, (name) => REMAPPED_HEADERS.has(name) && !STREAMED_HEADERS.has(name));
  if (head === undefined || !Array.isArray(cookies) || !cookies.every(isHeaderValue)) return undefined;
  const headers = [...head.headers, ...cookies.map((cookie) => ['Set-Cookie', String(cookie)] as const)];
  return { ...head, headers: headers.filter(([name]) => name.toLowerCase() !== 'transfer-encoding') };
}

function readHead(
  { statusCode = 200, headers, multiValueHeaders, ...unknown }: Readonly<Record<string, unknown>>,
  isRemapped: (name: string) => boolean,
): ResponseHead | undefined {
  const status = Number(statusCode);
  const list = mergeHeaders(headers ?? {}, multiValueHeaders ?? {});
  const isKnown = Object.keys(unknown).length === 0;
  if (!isKnown || list === undefined || !Number.isInteger(status) || status < 200 || status > 599)
    return undefined;
  const remapped = list.map(
    ([name, value]) => [isRemapped(name.toLowerCase()) ? REMAPPED_PREFIX + name : name, value] as const,
  );
  const contentType = hasHeader(remapped, 'content-type')
    ? []
    : [['Content-Type', 'application/json'] as const];
  return { status, headers: [...contentType, ...remapped] };
}

/** A name that is in both has the values of both; the same pair counts once. */
function mergeHeaders(single: unknown, multiple: unknown): HeaderList | undefined {
  if (!isTemplateObject(single) || !isTemplateObject(multiple)) return undefined;
  const pairs: [string, unknown][] = Object.entries(multiple).flatMap(([name, values]) =>
    (Array.isArray(values) ? values : [undefined]).map((value): [string, unknown] => [name, value]),
  );
  for (const [name, value] of Object.entries(single)) {
    if (!pairs.some(([other, known]) => other === name && known === value)) pairs.push([name, value]);
  }
  const isValid = pairs.every(([name, value]) => isHeaderValue(value) && isSendable(name, String(value)));
  return isValid ? pairs.map(([name, value]) => [name, String(value)] as const) : undefined;
}

function isHeaderValue(value: unknown): boolean {
  return ['string', 'number', 'boolean'].includes(typeof value);
}

function isSendable(name: string, value: string): boolean {
  try {
    validateHeaderName(name);
    validateHeaderValue(name, value);
    return true;
  } catch {
    return false;
  }
}

function parse(payload: Buffer): unknown {
  try {
    return JSON.parse(payload.toString('utf8'));
  } catch {
    return undefined;
  }
}
