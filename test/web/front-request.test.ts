import fc from 'fast-check';
import { FRONT_HEADERS, NO_FRONT_VALUE } from '../../lambdas/shared/runtime/front-headers.ts';
import { eventOf, readFrontRequest } from '../../lambdas/web/front-request.ts';

const FRONT = {
  secret: 's',
  requestId: 'id-1',
  sourceIp: '192.0.2.7',
  resource: '/v1/{credential}/{api_key}',
  path: NO_FRONT_VALUE,
  credential: 'two',
  apiKey: 'key',
};
const rawOf = (front: Readonly<Record<string, string>>) =>
  Object.entries(front).flatMap(([header, value]) => [
    FRONT_HEADERS[header as keyof typeof FRONT_HEADERS],
    value,
  ]);

test('an event has what API Gateway says, and the headers of the client without those', () => {
  const request = readFrontRequest([...rawOf(FRONT), 'X-Api-Key', 'a', 'x-api-key', 'b', 'Accept', '*/*']);
  expect(request?.headers).toEqual({ 'x-api-key': 'b', accept: '*/*' });
  if (request === undefined) throw new Error('not read');
  expect(eventOf(request, 'POST', Buffer.from('{}'))).toEqual({
    resource: '/v1/{credential}/{api_key}',
    path: '-',
    httpMethod: 'POST',
    headers: { 'x-api-key': 'b', accept: '*/*' },
    pathParameters: { credential: 'two', api_key: 'key' },
    requestContext: { requestId: 'id-1', path: '-', identity: { sourceIp: '192.0.2.7' } },
    body: 'e30=',
    isBase64Encoded: true,
  });
});

test('a route without parameters has none, and its path begins with one slash', () => {
  const none = { ...FRONT, resource: '/v1', path: '///v1', credential: '-', apiKey: '-' };
  const request = readFrontRequest(rawOf(none));
  if (request === undefined) throw new Error('not read');
  const event = eventOf(request, 'POST', Buffer.alloc(0));
  expect(event).toMatchObject({ path: '/v1', pathParameters: null, body: null, isBase64Encoded: false });
});

test.each(Object.values(FRONT_HEADERS))(
  'a request without %s, or with two of them, is not of the API',
  (name) => {
    const raw = rawOf(FRONT);
    const place = raw.indexOf(name);
    expect(readFrontRequest(raw.toSpliced(place, 2))).toBeUndefined();
    expect(readFrontRequest([...raw, name.toUpperCase(), raw[place + 1] ?? ''])).toBeUndefined();
    expect(readFrontRequest([...raw, name, 'another'])).toBeUndefined();
  },
);

test('whatever a client sends beside them, the headers of API Gateway are as they were set', () => {
  const header = fc.tuple(fc.stringMatching(/^[A-Za-z-]{1,24}$/), fc.string());
  fc.assert(
    fc.property(fc.array(header), (sent) => {
      const others = sent.filter(
        ([name]) => !Object.values<string>(FRONT_HEADERS).includes(name.toLowerCase()),
      );
      const read = readFrontRequest([...others.flat(), ...rawOf(FRONT)]);
      expect(read?.front).toEqual(FRONT);
    }),
  );
});
