import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { LOCAL_ACCOUNT_ID } from '../template/intrinsics.ts';

/** Properties of a request that API Gateway knows before it is routed. */
export interface RequestContext {
  readonly apiId: string;
  readonly stage: string;
  readonly requestId: string;
  readonly extendedRequestId: string;
  readonly traceId: string;
  /** Milliseconds since the epoch. */
  readonly receivedAt: number;
  readonly method: string;
  /** Path as the client sent it: still percent-encoded, without the query. */
  readonly path: string;
  readonly query: string;
  readonly protocol: string;
  readonly domainName: string;
  readonly sourceIp: string;
  readonly userAgent: string | undefined;
}

/** Values of `$context` variables by name, such as `error.message`; undefined: none for this request. */
export type ContextVariables = Readonly<Record<string, string | number | undefined>>;

/** The variables that templates may use. */
export const contextNames = [
  'accountId',
  'apiId',
  'domainName',
  'error.message',
  'error.messageString',
  'error.responseType',
  'extendedRequestId',
  'httpMethod',
  'identity.sourceIp',
  'identity.userAgent',
  'integration.latency',
  'integration.status',
  'integrationLatency',
  'integrationStatus',
  'path',
  'protocol',
  'requestId',
  'requestTime',
  'requestTimeEpoch',
  'resourceId',
  'resourcePath',
  'responseLatency',
  'responseLength',
  'stage',
  'status',
] as const;

const VARIABLE = /\$context\.([A-Za-z]+(?:\.[A-Za-z]+)*)/g;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export function createRequestContext(
  request: IncomingMessage,
  receivedAt: number,
  api: { readonly apiId: string; readonly stage: string },
): RequestContext {
  const [path = '/', ...query] = (request.url ?? '/').split('?');
  const seconds = Math.floor(receivedAt / 1_000).toString(16);
  return {
    ...api,
    requestId: randomUUID(),
    extendedRequestId: `${randomBytes(11).toString('base64url')}=`,
    traceId: `Root=1-${seconds}-${randomBytes(12).toString('hex')}`,
    receivedAt,
    method: request.method ?? 'GET',
    path,
    query: query.join('?'),
    protocol: `HTTP/${request.httpVersion}`,
    domainName: (request.headers.host ?? '').replace(/:\d+$/, ''),
    sourceIp: request.socket.remoteAddress ?? '',
    userAgent: request.headers['user-agent'],
  };
}

/** The variables that every request has. */
export function contextVariables(context: RequestContext): ContextVariables {
  return {
    accountId: LOCAL_ACCOUNT_ID,
    apiId: context.apiId,
    domainName: context.domainName,
    extendedRequestId: context.extendedRequestId,
    httpMethod: context.method,
    'identity.sourceIp': context.sourceIp,
    'identity.userAgent': context.userAgent,
    path: context.path,
    protocol: context.protocol,
    requestId: context.requestId,
    requestTime: requestTime(context.receivedAt),
    requestTimeEpoch: context.receivedAt,
    stage: context.stage,
  };
}

/** The first part of a template that is no plain text and no known `$context` variable; undefined: none. */
export function unsupportedInTemplate(template: string): string | undefined {
  const names: readonly string[] = contextNames;
  const unknown = [...template.matchAll(VARIABLE)].find(([, name]) => !names.includes(String(name)));
  return unknown?.[0] ?? /\$[a-zA-Z!{]+|#[a-z]+\(/.exec(template.replaceAll(VARIABLE, ''))?.[0];
}

/** Puts the values of variables into a template; `absent` stands for those that have none. */
export function renderTemplate(template: string, variables: ContextVariables, absent: string): string {
  return template.replaceAll(VARIABLE, (_, name: string) => String(variables[name] ?? absent));
}

/** Date and time as API Gateway writes it, such as `09/Apr/2026:12:34:56 +0000`. */
export function requestTime(milliseconds: number): string {
  const [, year, month, day, time] =
    /^(\d+)-(\d+)-(\d+)T([\d:]+)/.exec(new Date(milliseconds).toISOString()) ?? [];
  return `${day}/${MONTHS[Number(month) - 1]}/${year}:${time} +0000`;
}
