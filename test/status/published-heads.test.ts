import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import fc from 'fast-check';
import { type HttpResponse, middy, RunFigures } from '../../lambdas/access/index.ts';
import { certificateKey } from '../../lambdas/shared/bill/certificate.ts';
import { headKey, headLeavesKey, LATEST_HEAD, priceListsKey } from '../../lambdas/shared/bill/head.ts';
import { PART_BYTES, publishedKey, publishedPath } from '../../lambdas/shared/bill/published-path.ts';
import { publishedObject } from '../../lambdas/status/published-heads.ts';
import { MemoryObjects } from '../support/memory/objects.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

type Event = Parameters<typeof publishedObject>[1];

const ask = (
  heads: Parameters<typeof publishedObject>[0]['heads'],
  proxy: string,
  query: Event['queryStringParameters'] = {},
  httpMethod = 'GET',
) =>
  publishedObject(
    { heads, log: () => {} },
    {
      httpMethod,
      pathParameters: { proxy },
      queryStringParameters: query,
      requestContext: { requestId: 'r' } as Event['requestContext'],
    },
  );

test('each object that seal publishes has a path, and each path the object of its kind', () => {
  const hash = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 });
  const day = fc
    .date({ min: new Date(0), max: new Date('2999-12-31'), noInvalidDate: true })
    .map((date) => date.toISOString().slice(0, 10));
  const key = fc.oneof(
    fc.constant(LATEST_HEAD),
    fc.integer({ min: 1, max: 999_999_999 }).map(headKey),
    hash.map(headLeavesKey),
    hash.map(priceListsKey),
    fc.record({ day, revision: fc.integer({ min: 1, max: 100 }) }).map(certificateKey),
  );
  fc.assert(fc.property(key, (one) => expect(publishedKey(publishedPath(one))).toBe(one)));
});

test('no path leads to an object of another kind', () => {
  fc.assert(
    fc.property(fc.string(), (path) => {
      expect(publishedKey(path) ?? 'heads/1.json').toMatch(/^(heads|leaves|prices|certificates)\/[\w.-]+$/);
    }),
  );
  for (const path of ['sealed/00', 'heads/1.json', '1.json', '../1', '1/../2', '1\n', 'leaves/', ''])
    expect([path, publishedKey(path)]).toEqual([path, undefined]);
});

test('a path may end with a slash', async () => {
  const objects = new MemoryObjects();
  await objects.put(headKey(7), '{}\n');
  expect(await ask(objects, '7/')).toMatchObject({ statusCode: 200, body: btoa('{}\n') });
});

test('an object comes in parts of 2 MiB, and behind the last is 404', async () => {
  const objects = new MemoryObjects();
  const bytes = Buffer.alloc(PART_BYTES + 7, 'a');
  const path = `leaves/${'0a'.repeat(32)}`;
  await objects.put(path, bytes);
  const part = async (number: string) => {
    const { statusCode, body } = await ask(objects, path, { part: number });
    return statusCode === 200 ? Buffer.from(body, 'base64').length : statusCode;
  };
  expect([await part('1'), await part('2'), await part('3'), await part('32')]).toEqual([
    PART_BYTES,
    7,
    404,
    404,
  ]);
  expect([await part('0'), await part('33'), await part('01'), await part('x')]).toEqual([
    400, 400, 400, 400,
  ]);
});

test('HEAD reads one byte of a part, and finds none behind the last', async () => {
  const objects = new MemoryObjects();
  const path = `leaves/${'0a'.repeat(32)}`;
  await objects.put(path, Buffer.alloc(PART_BYTES + 1, 'a'));
  const read: unknown[] = [];
  const heads = {
    get: (key: string, part?: { readonly from: number; readonly bytes: number }) => {
      read.push(part);
      return objects.get(key, part);
    },
  };
  const headed = async (part: string) => (await ask(heads, path, { part }, 'HEAD')).statusCode;
  expect([await headed('1'), await headed('2'), await headed('3')]).toEqual([200, 200, 404]);
  expect(read).toEqual([1, 2, 3].map((part) => ({ from: (part - 1) * PART_BYTES, bytes: 1 })));
});

test('a 404 that anybody gets without a key is not counted', async () => {
  const telemetry = new RecordedTelemetry();
  const runs = new RunFigures({ function: 'status', clock: { now: () => 0 }, telemetry });
  const handler = middy<APIGatewayProxyEvent, HttpResponse>(
    (event: APIGatewayProxyEvent) => publishedObject({ heads: new MemoryObjects(), log: () => {} }, event),
    runs.hooks(),
  ).use(runs.answerErrors(() => ({ statusCode: 500, headers: {}, body: '' })));
  const event = {
    pathParameters: { proxy: '7' },
    requestContext: { requestId: 'r' },
  } as unknown as APIGatewayProxyEvent;
  expect(await handler(event, { functionVersion: '1' } as Context)).toMatchObject({ statusCode: 404 });
  expect(telemetry.emitted.map(({ run }) => run?.values)).toEqual([{ RunTime: 0 }]);
});

test('a bucket that does not answer is 503, and tells when to ask again', async () => {
  const away = { get: () => Promise.reject(new Error('S3 answered with status 500')) };
  const { statusCode, headers, body } = await ask(away, 'latest');
  expect([statusCode, headers, JSON.parse(body).error.code]).toEqual([
    503,
    expect.objectContaining({ 'Retry-After': '1', 'Access-Control-Allow-Origin': '*' }),
    'unavailable',
  ]);
});
