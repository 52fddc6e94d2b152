/** What a client gets, as API Gateway would pass it on. */
export interface SeenResponse {
  readonly status: number;
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/**
 * Headers whose values belong to one response: they are compared by whether they are there. All others, `X-CU-Billed`
 * among them, are compared by value.
 */
const MASKED_HEADERS: ReadonlySet<string> = new Set([
  'content-length',
  'date',
  'etag',
  'ratelimit',
  'retry-after',
  'x-chain-head',
  'x-cu-balance',
  'x-cu-lane',
  'x-request-id',
  'x-upstream',
  'x-upstream-attempts',
  'x-upstream-duration',
  'x-verified',
]);
/**
 * Members of a body whose values belong to one response, and cursors, whose place in a list they are: masked in the bytes, so
 * that all others are compared. A result for agents has them a second time, in a text.
 */
const MASKED_MEMBERS =
  /(\\?")(as_of_block|cu_balance|cu_lane|finalized_block|next_cursor|query_ms|refreshed_at|request_id)\1:(\1[^"\\]*\1|-?\d+)/g;
const FIRST_FAILURE = 500;
/** The gateway's own errors and its nodes', in a response that is 200. */
const FAILED_CALL = /"error":\{"code":-32603\b/;

/**
 * What differs between two responses to one request: `status`, `body`, and names of headers in lower case.
 * @param describes whether the body says what the release itself is, so that it is not compared
 */
export function differingParts(one: SeenResponse, other: SeenResponse, describes = false): readonly string[] {
  const names = new Set([...Object.keys(one.headers), ...Object.keys(other.headers)]);
  return [
    ...(one.status === other.status ? [] : ['status']),
    ...[...names].sort().filter((name) => maskedHeader(one, name) !== maskedHeader(other, name)),
    ...(describes || maskedBody(one) === maskedBody(other) ? [] : ['body']),
  ];
}

/** Whether a version answered by a failure of its own, which another version need not repeat. */
export function isFailure({ status, body }: SeenResponse): boolean {
  return status >= FIRST_FAILURE || FAILED_CALL.test(body);
}

/** Whether a release declares a difference: `OPERATION: PART`, or `*: PART` for every request. */
export function isDeclared(declared: readonly string[], of: string, part: string): boolean {
  return declared.includes(`${of}: ${part}`) || declared.includes(`*: ${part}`);
}

function maskedHeader({ headers }: SeenResponse, name: string): string | undefined {
  const value = headers[name];
  return value !== undefined && MASKED_HEADERS.has(name) ? '*' : value;
}

function maskedBody({ body }: SeenResponse): string {
  return body.replace(MASKED_MEMBERS, '$2: *');
}
