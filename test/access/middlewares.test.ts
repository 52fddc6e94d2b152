/** A request without a known key is an empty 404, and what is unmetered is limited. */
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import {
  type AuthenticatedEvent,
  authenticate,
  type HttpResponse,
  type KeyHolder,
  limitUnmetered,
  middy,
  notFound,
  RunFigures,
  StoreUnavailableError,
} from '../../lambdas/access/index.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

const UNMETERED_RESPONSE_BYTES = 8 * 1024;
const UNMETERED_PER_SECOND = 50;
const MAX_UNMETERED_REQUESTS = 500;

const KEY = `rgw_${'ab'.repeat(32)}`;
const HOLDER: KeyHolder = { keyId: 'digest', account: 'acme' };

function eventOf(changes: Partial<APIGatewayProxyEvent> = {}): AuthenticatedEvent {
  return {
    headers: {},
    pathParameters: null,
    requestContext: { requestId: 'request-1' },
    ...changes,
  } as AuthenticatedEvent;
}

function respond(statusCode: number): HttpResponse {
  return { statusCode, headers: {}, body: '' };
}

/** A function that answers 200 to the holder of {@link KEY}, and the key that it was asked for. */
function keyedFunction(holderOf: (key: string | undefined) => KeyHolder | undefined) {
  const asked: (string | undefined)[] = [];
  const meter = {
    authenticate: async (key: string | undefined) => {
      asked.push(key);
      return holderOf(key);
    },
  };
  const telemetry = new RecordedTelemetry();
  const handler = middy<AuthenticatedEvent, HttpResponse>()
    .use(new RunFigures({ function: 'one', telemetry }).answerErrors(() => respond(500)))
    .use(authenticate({ meter, unavailable: () => respond(503), telemetry }))
    .handler(async (event) => ({ ...respond(200), body: event.holder.account }));
  return { asked, telemetry, respond: (event: AuthenticatedEvent) => handler(event, {} as Context) };
}

describe('authenticate', () => {
  const known = (key: string | undefined) => (key === KEY ? HOLDER : undefined);

  test('hands the holder on', async () => {
    const { respond } = keyedFunction(known);
    expect(await respond(eventOf({ headers: { 'X-Api-Key': KEY } }))).toMatchObject({
      statusCode: 200,
      body: 'acme',
    });
  });

  test('hands on the address of a key with bounds, for what they refuse later', async () => {
    const holders: KeyHolder[] = [{ ...HOLDER, bounds: { chains: [] } }, HOLDER];
    for (const [holder, address] of holders.map((one) => [one, one.bounds && '192.0.2.7'] as const)) {
      const { respond } = keyedFunction(() => holder);
      const requestContext = { requestId: 'r', identity: { sourceIp: '192.0.2.7' } };
      const event = eventOf({ requestContext } as Partial<APIGatewayProxyEvent>);
      await respond(event);
      expect(event.holder).toEqual({ ...holder, ...(address && { address }) });
    }
  });

  test('answers every other request with an empty 404, and only that', async () => {
    const { respond } = keyedFunction(known);
    const expected = {
      statusCode: 404,
      headers: { 'Content-Type': 'text/plain', 'X-Request-Id': 'request-1' },
      body: '',
    };
    expect(notFound('request-1')).toEqual(expected);
    for (const headers of [{}, { 'x-api-key': 'nonsense' }, { 'x-api-key': KEY.replace('ab', 'cd') }]) {
      expect(await respond(eventOf({ headers }))).toEqual(expected);
    }
  });

  test.each([
    [{ credential: KEY }, KEY],
    [{ credential: 'example_mainnet' }, 'from-header'],
    [{ credential: 'example_mainnet', api_key: KEY }, KEY],
    [{ credential: 'example_mainnet', api_key: 'nonsense' }, 'nonsense'],
    [null, 'from-header'],
  ])('with the path parameters %j it is asked for the right key', async (pathParameters, key) => {
    const { asked, respond } = keyedFunction(known);
    await respond(eventOf({ pathParameters, headers: { 'x-api-key': 'from-header' } }));
    expect(asked).toEqual([key]);
  });

  test('a store that does not say is not a 404', async () => {
    const { respond, telemetry } = keyedFunction(() => {
      throw new StoreUnavailableError('timed out', true);
    });
    expect(await respond(eventOf())).toMatchObject({ statusCode: 503 });
    expect(telemetry.metrics()).toEqual([{ RefusedForUnavailability: 1 }]);
  });
});

describe('limitUnmetered', () => {
  let now: number;
  let isActive: boolean;
  /** Whether the function says that a node was to blame. */
  let isBlameless: boolean;
  /** Requests that have reached the function. */
  let served: number;
  /** Bytes that the function says it has streamed. */
  let responseBytes: number | undefined;

  beforeEach(() => {
    now = 1_000_000_000_000;
    isActive = true;
    isBlameless = false;
    served = 0;
    responseBytes = undefined;
  });

  /** Asks as a key that is authenticated, until it has to wait; the responses. */
  async function hammer(
    response: HttpResponse,
    body: string | null = null,
    times = 3 * MAX_UNMETERED_REQUESTS,
  ) {
    const handler = middy<AuthenticatedEvent, HttpResponse>()
      .use(
        limitUnmetered({
          meter: { isActive: async () => isActive },
          limited: (_, retryAfterMs) => ({ ...respond(429), body: String(retryAfterMs) }),
          clock: { now: () => now },
          telemetry: new RecordedTelemetry(),
        }),
      )
      .handler(async (event) => {
        served += 1;
        event.blameless = isBlameless;
        if (responseBytes !== undefined) event.responseBytes = responseBytes;
        return response;
      });
    const ask = async () => handler({ ...eventOf({ body }), holder: HOLDER }, {} as Context);
    for (let count = 0; count < times; count++) {
      const answered = await ask();
      if (answered.statusCode !== response.statusCode || answered.body !== response.body)
        return { answered, ask };
    }
    return { answered: response, ask };
  }

  const free = (statusCode: number) => ({ ...respond(statusCode), headers: { 'X-CU-Cost': '0' } });

  test.each([
    ['a JSON-RPC error', free(200)],
    ['a 400', respond(400)],
    ['a 429', respond(429)],
    ['an account', respond(200)],
  ])('%s is answered as often as the limit allows, and then without the function', async (_, response) => {
    const { answered, ask } = await hammer({ ...response, body: 'own' });
    expect([answered.statusCode, served]).toEqual([429, MAX_UNMETERED_REQUESTS]);
    now += Number(answered.body);
    await ask();
    await ask();
    expect(served).toBe(MAX_UNMETERED_REQUESTS + 1);
    now += 1_000;
    for (let count = 0; count < 2 * UNMETERED_PER_SECOND; count++) await ask();
    expect(served).toBe(MAX_UNMETERED_REQUESTS + 1 + UNMETERED_PER_SECOND);
  });

  test.each([
    ['what drew the bucket', { ...respond(200), headers: { 'X-CU-Cost': '1' } }],
    ['402, as long as the balance is used up', free(402)],
    ['what failed for a reason of the gateway', free(503)],
  ])('%s is not limited', async (_, response) => {
    await hammer(response);
    expect(served).toBe(3 * MAX_UNMETERED_REQUESTS);
  });

  test('what is free for want of a node is not limited: a chain that syncs takes no other from a key', async () => {
    isBlameless = true;
    await hammer(free(200));
    expect(served).toBe(3 * MAX_UNMETERED_REQUESTS);
  });

  test('a large body counts for many requests', async () => {
    await hammer(free(200), 'x'.repeat(2 * 1024 * 1024));
    expect(served).toBe(Math.ceil(MAX_UNMETERED_REQUESTS / 65));
  });

  test.each<[string, Partial<HttpResponse> & { readonly isBase64Encoded?: boolean }]>([
    ['a text', { body: 'é'.repeat(UNMETERED_RESPONSE_BYTES / 2) }],
    ['bytes', { body: [Buffer.alloc(UNMETERED_RESPONSE_BYTES - 1), Buffer.alloc(1)] }],
    [
      'bytes in base64',
      { body: Buffer.alloc(UNMETERED_RESPONSE_BYTES).toString('base64'), isBase64Encoded: true },
    ],
  ])('a large answer counts for many requests: %s', async (_, body) => {
    await hammer({ ...free(200), ...body });
    expect(served).toBe(MAX_UNMETERED_REQUESTS / 2);
  });

  test('so does a stream, whose function says how large it is', async () => {
    responseBytes = 2 * UNMETERED_RESPONSE_BYTES;
    await hammer(free(200));
    expect(served).toBe(Math.ceil(MAX_UNMETERED_REQUESTS / 3));
  });

  test('a key that is disabled is told nothing, also while it would have to wait', async () => {
    const { ask } = await hammer(free(200), 'x'.repeat(2 * 1024 * 1024));
    isActive = false;
    expect(await ask()).toEqual(notFound('request-1'));
  });
});

describe('answerErrors', () => {
  test('answers what is thrown, and logs neither key nor event', async () => {
    const { respond, telemetry } = keyedFunction(() => {
      throw new TypeError('defect');
    });
    expect(await respond(eventOf({ headers: { 'x-api-key': KEY }, path: `/v1/${KEY}` }))).toMatchObject({
      statusCode: 500,
    });
    expect(telemetry.logged).toEqual([
      { level: 'error', event: 'request_failed', requestId: 'request-1', error: 'TypeError: defect' },
    ]);
  });
});
