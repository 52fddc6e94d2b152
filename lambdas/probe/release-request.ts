/**
 * A request that the versions of a release are asked. `{name}` in its path, query and body stands for a value; a value that
 * is not known yet is left as it is.
 */
export interface ReleaseRequest {
  /** Operation, method, or what is wrong with the request: a difference is declared by it. */
  readonly of: string;
  readonly resource: string;
  readonly method: 'GET' | 'POST';
  readonly pathParameters?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** What the old version's response tells for the requests after it: by name, where it is, as `data.0.hash`. */
  readonly learns?: Readonly<Record<string, string>>;
  /** Whether its body says what the release itself is. @default false */
  readonly describes?: boolean;
}

/** What the bundle has for the comparison of releases. */
export interface ReleaseFile {
  /** By function, in the order in which they are asked. */
  readonly requests: Readonly<Record<string, readonly ReleaseRequest[]>>;
  /** A value for each name. */
  readonly values: Readonly<Record<string, string>>;
  /** Differences that the release declares. */
  readonly declared: readonly string[];
}

/** Name of that file in the bundle. */
export const RELEASE_FILE = 'release.json';

const PLACE = /\{(\w+)\}/g;
/** Sessions of the protocol for agents look at what a client takes. */
const HEADERS = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
const CALLER = '127.0.0.1';

/** The event that API Gateway makes of a request. `requestId`: of this one. */
export function proxyEvent(
  request: ReleaseRequest,
  values: ReadonlyMap<string, string>,
  { key, requestId }: { readonly key: string; readonly requestId: string },
): object {
  const fill = (text: string) => text.replace(PLACE, (place, name: string) => values.get(name) ?? place);
  const fillAll = (texts: Readonly<Record<string, string>> | undefined) =>
    texts && Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fill(text)]));
  const { resource, method, body } = request;
  const pathParameters = fillAll(request.pathParameters);
  const query = fillAll(request.query);
  const filled = resource.replace(/\{(\w+)\+?\}/g, (_, name: string) => pathParameters?.[name] ?? '');
  const path = filled === '/v1' ? '/v1/' : filled;
  const headers = { ...HEADERS, 'x-api-key': key };
  return {
    resource,
    path,
    httpMethod: method,
    headers,
    multiValueHeaders: listed(headers),
    queryStringParameters: query ?? null,
    multiValueQueryStringParameters: query ? listed(query) : null,
    pathParameters: pathParameters ?? null,
    stageVariables: null,
    requestContext: {
      requestId,
      path,
      httpMethod: method,
      resourcePath: resource,
      identity: { sourceIp: CALLER },
    },
    body: body === undefined ? null : fill(body),
    isBase64Encoded: false,
  };
}

/** What a response tells, by name: what is absent from it is not learned. */
export function learnFrom(
  body: string,
  learns: Readonly<Record<string, string>>,
): readonly (readonly [name: string, value: string])[] {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    return [];
  }
  return Object.entries(learns).flatMap(([name, place]) => {
    const value = place
      .split('.')
      .reduce<unknown>((at, member) => (at as Record<string, unknown> | null)?.[member], json);
    return typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : [];
  });
}

function listed(values: Readonly<Record<string, string>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, [value]]));
}
