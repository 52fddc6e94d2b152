import { timingSafeEqual } from 'node:crypto';

const SIGNATURE = /^AWS4-HMAC-SHA256 Credential=([^/,\s]+)\//;
const OWN_HOST = /^(?:127\.0\.0\.1|localhost)(?::\d{1,5})?$/;

/** The head of a request. */
export interface RequestHead {
  readonly method: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

/** Why a request is not answered. */
export interface GuardRefusal {
  readonly status: 400 | 403 | 405 | 415 | 421;
  /** As an AWS service names errors. */
  readonly name: string;
  readonly message: string;
}

/** Decides about a request; undefined: it may pass. */
export type Refuse = (head: RequestHead) => GuardRefusal | undefined;

/**
 * Refuses what a web page of another site can send here: a browser names the page's origin in all requests that may
 * change something, and a name that was made to point to this machine is in `Host`. Any port is let in, because another
 * one may be forwarded here; a browser cannot choose what it writes there.
 */
export function refuseForeignPages({ headers }: RequestHead): GuardRefusal | undefined {
  const { host, origin } = headers;
  if (typeof host !== 'string' || !OWN_HOST.test(host))
    return { status: 421, name: 'MisdirectedRequest', message: 'not this host' };
  if (origin === undefined || origin === `http://${host}`) return undefined;
  return { status: 403, name: 'AccessDeniedException', message: 'pages of other origins are refused' };
}

/**
 * For a service of AWS: also refuses what is not sent as its clients send it, and what is not signed with this run's
 * access key. The signature itself is not checked: the key is as secret.
 * @param contentType that of all requests of the service
 */
export function refuseOtherClients(contentType: string, accessKeyId: string): Refuse {
  return (head) => refuseForeignPages(head) ?? refusePost(head, contentType) ?? refuseKey(head, accessKeyId);
}

/** For a service of AWS whose requests are of any method and content: refuses what is not signed with this run's access key. */
export function refuseUnsigned(head: RequestHead, accessKeyId: string): GuardRefusal | undefined {
  return refuseForeignPages(head) ?? refuseKey(head, accessKeyId);
}

/** For an Ethereum node: JSON by POST, and WebSockets. A page can send neither without its origin. */
export function refuseOtherThanJsonRpc(head: RequestHead): GuardRefusal | undefined {
  const foreign = refuseForeignPages(head);
  if (foreign !== undefined) return foreign;
  if (head.method === 'GET' && /^websocket$/i.test(String(head.headers.upgrade))) return undefined;
  return refusePost(head, 'application/json');
}

function refusePost({ method, headers }: RequestHead, contentType: string): GuardRefusal | undefined {
  if (method !== 'POST') return { status: 405, name: 'MethodNotAllowed', message: 'only POST' };
  const [mediaType] = String(headers['content-type'] ?? '').split(';');
  if (mediaType?.trim().toLowerCase() === contentType) return undefined;
  return { status: 415, name: 'UnsupportedMediaType', message: `only ${contentType}` };
}

function refuseKey({ headers }: RequestHead, accessKeyId: string): GuardRefusal | undefined {
  const [, keyId = ''] = SIGNATURE.exec(String(headers.authorization ?? '')) ?? [];
  if (isSame(keyId, accessKeyId)) return undefined;
  return {
    status: 403,
    name: 'UnrecognizedClientException',
    message: 'the access key is not that of this run: it is access_key_id in gateway.json of its data folder',
  };
}

function isSame(actual: string, wanted: string): boolean {
  const [one, other] = [Buffer.from(actual), Buffer.from(wanted)];
  return one.length === other.length && timingSafeEqual(one, other);
}

/** The body of a response that refuses. */
export function refusalBody({ name, message }: GuardRefusal): string {
  return JSON.stringify({ __type: name, message });
}
