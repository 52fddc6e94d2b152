import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { AuthenticatedEvent } from 'gateway-access';
import type { ObjectStore } from '../shared/aws/object-store.ts';
import { LATEST_HEAD } from '../shared/bill/head.ts';
import { MAX_OBJECT_PARTS, PART_BYTES, publishedKey } from '../shared/bill/published-path.ts';
import { jsonResponse, PUBLIC_CORS, SECURITY_HEADERS } from '../shared/http/json-response.ts';
import { errorField } from '../shared/runtime/log.ts';
import type { Telemetry } from '../shared/runtime/telemetry.ts';

/** What is put once is never changed: the store refuses another object of its name. */
const FOR_EVER = 'public, max-age=31536000, immutable';
/** The newest head is replaced once an hour. */
const FOR_A_MINUTE = 'public, max-age=60';
const PART = /^[1-9]\d?$/;

interface HeadSource {
  readonly heads: Pick<ObjectStore, 'get'>;
  readonly log: Telemetry['log'];
}

type PublishedEvent = Pick<
  APIGatewayProxyEvent,
  'httpMethod' | 'pathParameters' | 'queryStringParameters' | 'requestContext'
> &
  Pick<AuthenticatedEvent, 'isKeyless'>;

/**
 * Answers one object of the heads with its bytes as they are stored: 400 to a name that none can have, 404 where there is
 * none, 503 while the store does not answer. Of an object that is longer than {@link PART_BYTES}, `part` counts its parts
 * from 1; behind the last one there is 404. To `HEAD` it answers one byte, which API Gateway leaves out.
 */
export async function publishedObject({ heads, log }: HeadSource, event: PublishedEvent) {
  const { httpMethod, pathParameters, queryStringParameters, requestContext } = event;
  event.isKeyless = true;
  const { requestId } = requestContext;
  const refuse = (status: number, code: string, message: string, headers = {}) =>
    jsonResponse(status, { error: { code, message } }, requestId, { ...PUBLIC_CORS, ...headers });
  const key = publishedKey((pathParameters?.proxy ?? '').replace(/\/$/, ''));
  if (key === undefined)
    return refuse(400, 'bad_request', 'a head is named by its number, 1 to 999999999, or latest');
  const part = queryStringParameters?.part ?? '1';
  if (!PART.test(part) || Number(part) > MAX_OBJECT_PARTS)
    return refuse(400, 'bad_request', `part: must be an integer from 1 to ${MAX_OBJECT_PARTS}`);
  try {
    const from = (Number(part) - 1) * PART_BYTES;
    const bytes = await heads.get(key, { from, bytes: httpMethod === 'HEAD' ? 1 : PART_BYTES });
    if (bytes === undefined) return refuse(404, 'not_found', 'there is no such object of the heads');
    return {
      statusCode: 200,
      headers: {
        ...PUBLIC_CORS,
        ...SECURITY_HEADERS,
        'X-Request-Id': requestId,
        'Cache-Control': key === LATEST_HEAD ? FOR_A_MINUTE : FOR_EVER,
        'Content-Type': key.endsWith('.json') ? 'application/json' : 'text/plain; charset=utf-8',
      },
      body: bytes.toString('base64'),
      isBase64Encoded: true,
    };
  } catch (error) {
    log('warn', 'heads_unavailable', { requestId, error: errorField(error) });
    return refuse(503, 'unavailable', 'heads are temporarily unavailable', { 'Retry-After': '1' });
  }
}
