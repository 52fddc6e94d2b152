import { once } from 'node:events';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { Readable } from 'node:stream';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { startApi } from '../../local/api/server.ts';
import type { Functions } from '../../local/functions/functions.ts';
import type { InvokeResult, StreamingResult } from '../../local/functions/outcome.ts';
import { functionResource, loadAssembly } from './assembly.ts';

type LocalApi = Awaited<ReturnType<typeof startApi>>;

/** The API of a local run answers as API Gateway does, from the template alone. */
export function testApi(): void {
  const MEBIBYTE = 1024 * 1024;
  /** Longer than a busy machine takes for anything here. */
  const INTEGRATION_TIMEOUT_MS = 30_000;
  /** For integrations that do not end. */
  const SHORT_TIMEOUT_MS = 500;
  const NOW = Date.UTC(2026, 3, 9, 12, 34, 56);

  /** The methods and integrations of the API under test, by path. */
  const ROUTES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
    '/{proxy+}': { ANY: unknownRoute() },
    '/v1': { POST: proxy('Buffered') },
    '/v1/{credential}': { POST: proxy('Streaming'), GET: proxy('Buffered') },
    '/v1/status': { GET: proxy('Buffered') },
    '/v1/{credential}/{api_key}': { POST: proxy('Buffered') },
    '/v1/data/{chain}/{proxy+}': { GET: proxy('Buffered') },
    '/hung': { POST: proxy('Buffered', SHORT_TIMEOUT_MS) },
    '/hung/stream': { POST: proxy('Streaming', SHORT_TIMEOUT_MS) },
    '/mock': {
      ANY: {
        Type: 'MOCK',
        ContentHandling: 'CONVERT_TO_TEXT',
        PassthroughBehavior: 'NEVER',
        RequestTemplates: { 'application/json': '{"statusCode": 202}' },
        IntegrationResponses: [
          {
            StatusCode: '202',
            ResponseTemplates: { 'text/plain': 'hello $context.requestId' },
            ResponseParameters: { 'method.response.header.X-Fixed': "'yes'" },
          },
        ],
      },
    },
  };

  function proxy(functionId: string, timeoutMs = INTEGRATION_TIMEOUT_MS): unknown {
    const isStreaming = functionId === 'Streaming';
    const [version, action] = isStreaming
      ? ['2021-11-15', 'response-streaming-invocations']
      : ['2015-03-31', 'invocations'];
    return {
      Type: 'AWS_PROXY',
      IntegrationHttpMethod: 'POST',
      TimeoutInMillis: timeoutMs,
      ...(isStreaming ? { ResponseTransferMode: 'STREAM' } : {}),
      Uri: {
        'Fn::Join': [
          '',
          [
            `arn:aws:apigateway:us-east-1:lambda:path/${version}/functions/`,
            { 'Fn::GetAtt': [functionId, 'Arn'] },
            `/${action}`,
          ],
        ],
      },
    };
  }

  function unknownRoute(): unknown {
    return {
      Type: 'MOCK',
      ContentHandling: 'CONVERT_TO_TEXT',
      PassthroughBehavior: 'NEVER',
      RequestTemplates: { 'application/json': '{"statusCode": 404}' },
      IntegrationResponses: [{ StatusCode: '404' }],
    };
  }

  function gatewayResponse(type: string, properties: object): object {
    return {
      [type.replaceAll('_', '')]: {
        Type: 'AWS::ApiGateway::GatewayResponse',
        Properties: { RestApiId: { Ref: 'Rest' }, ResponseType: type, ...properties },
      },
    };
  }

  const GATEWAY_RESPONSES = {
    ...gatewayResponse('MISSING_AUTHENTICATION_TOKEN', {
      StatusCode: '404',
      ResponseTemplates: { 'application/json': '' },
    }),
    ...gatewayResponse('INTEGRATION_FAILURE', {
      StatusCode: '503',
      ResponseTemplates: {
        'application/json': '{"e":$context.error.messageString,"t":"$context.error.responseType"}',
      },
      ResponseParameters: {
        'gatewayresponse.header.Retry-After': "'1'",
        'gatewayresponse.header.X-Request-Id': 'context.requestId',
      },
    }),
    ...gatewayResponse('DEFAULT_5XX', {
      ResponseTemplates: { 'application/json': '{"five":"$context.requestId"}' },
    }),
  };

  /** A REST API with the routes above, as CDK would synthesise it. */
  function apiResources(
    gatewayResponses: object,
    stage: object = {},
    rest: object = {},
  ): Record<string, unknown> {
    const resources: Record<string, unknown> = {
      Rest: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'test', ...rest } },
      Stage: {
        Type: 'AWS::ApiGateway::Stage',
        Properties: {
          RestApiId: { Ref: 'Rest' },
          StageName: 'live',
          AccessLogSetting: {
            Format:
              '{"r":"$context.resourcePath","s":"$context.status","b":"$context.responseLength","t":"$context.error.responseType","i":"$context.integration.status","u":"$context.identity.userAgent"}',
          },
          ...stage,
        },
      },
      Buffered: functionResource('buffered'),
      Streaming: functionResource('streaming', { Timeout: 20 }),
      ...gatewayResponses,
    };
    for (const [path, methods] of Object.entries(ROUTES)) {
      const resourceId = addResource(resources, path);
      for (const [method, integration] of Object.entries(methods)) {
        resources[`${resourceId}${method}`] = {
          Type: 'AWS::ApiGateway::Method',
          Properties: {
            RestApiId: { Ref: 'Rest' },
            ResourceId: { Ref: resourceId },
            HttpMethod: method,
            AuthorizationType: 'NONE',
            Integration: integration,
          },
        };
      }
    }
    return resources;
  }

  function addResource(resources: Record<string, unknown>, path: string): string {
    const parent = path.slice(0, path.lastIndexOf('/'));
    const parentId =
      parent === '' ? { 'Fn::GetAtt': ['Rest', 'RootResourceId'] } : { Ref: addResource(resources, parent) };
    const resourceId = `At${path.replaceAll(/[^a-z0-9]/g, 'X')}`;
    resources[resourceId] = {
      Type: 'AWS::ApiGateway::Resource',
      Properties: { RestApiId: { Ref: 'Rest' }, ParentId: parentId, PathPart: path.slice(parent.length + 1) },
    };
    return resourceId;
  }

  /** Functions that answer as a test says, and remember what they were asked. */
  class ScriptedFunctions implements Functions {
    readonly calls: [string, APIGatewayProxyEvent][] = [];
    buffered: () => Promise<InvokeResult> = async () => ({ kind: 'success', payload: Buffer.from('{}') });
    streaming: () => Promise<StreamingResult> = async () => ({ kind: 'throttled' });
    invoke(logicalId: string, event: unknown): Promise<InvokeResult> {
      this.calls.push([logicalId, event as APIGatewayProxyEvent]);
      return this.buffered();
    }
    invokeStreaming(logicalId: string, event: unknown): Promise<StreamingResult> {
      this.calls.push([logicalId, event as APIGatewayProxyEvent]);
      return this.streaming();
    }
    async close(): Promise<void> {}
  }

  interface Response {
    readonly status: number | undefined;
    readonly headers: IncomingHttpHeaders;
    readonly body: Buffer;
  }

  let api: LocalApi;
  let functions: ScriptedFunctions;
  let accessLog: string[];
  let agent: Agent;

  async function start(overrides: { resources?: Record<string, unknown> } = {}) {
    const { template, resolver } = loadAssembly(overrides.resources ?? apiResources(GATEWAY_RESPONSES), {
      buffered: { 'index.js': '' },
      streaming: { 'index.js': '' },
    });
    return startApi({
      template,
      resolver,
      functions,
      port: 0,
      host: '127.0.0.1',
      onAccessLog: (line) => accessLog.push(line),
      clock: { now: () => NOW },
    });
  }

  beforeEach(async () => {
    functions = new ScriptedFunctions();
    accessLog = [];
    agent = new Agent({ keepAlive: true });
    api = await start();
  });
  afterEach(async () => {
    agent.destroy();
    await api.close();
  });

  function send(
    method: string,
    path: string,
    options: { headers?: Record<string, string | string[]>; body?: string | Buffer; port?: number } = {},
  ): Promise<Response> {
    const { headers = {}, body, port = api.port } = options;
    return new Promise((resolve, reject) => {
      const outgoing = request({ host: '127.0.0.1', port, method, path, headers, agent }, (response) => {
        response.toArray().then(
          (chunks) =>
            resolve({
              status: response.statusCode,
              headers: response.headers,
              body: Buffer.concat(chunks),
            }),
          reject,
        );
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
  }

  function returns(value: unknown): () => Promise<InvokeResult> {
    return async () => ({ kind: 'success', payload: Buffer.from(JSON.stringify(value)) });
  }

  function streams(metadata: unknown, body: Readable): () => Promise<StreamingResult> {
    return async () => ({ kind: 'success', metadata, body });
  }

  /** The one event that the functions were invoked with. */
  function onlyEvent(): APIGatewayProxyEvent {
    expect(functions.calls).toHaveLength(1);
    return functions.calls[0]?.[1] as APIGatewayProxyEvent;
  }

  describe('routing', () => {
    test.each([
      ['POST', '/v1', '/v1', null],
      ['POST', '/v1/', '/v1', null],
      ['POST', '//v1//', '/v1', null],
      ['GET', '/v1/status', '/v1/status', null],
      ['GET', '/v1/status/', '/v1/status', null],
      ['GET', '/v1/%7Bx%7D', '/v1/{credential}', { credential: '%7Bx%7D' }],
      ['POST', '/v1/status/a+b', '/v1/{credential}/{api_key}', { credential: 'status', api_key: 'a+b' }],
      ['GET', '/v1/data/a/b//c/', '/v1/data/{chain}/{proxy+}', { chain: 'a', proxy: 'b//c' }],
    ])('%s %s goes to %s', async (method, path, resource, pathParameters) => {
      expect((await send(method, path)).status).toBe(200);
      expect(onlyEvent()).toMatchObject({
        resource,
        pathParameters,
        path: path.replace('//v1', '/v1'),
        requestContext: { resourcePath: resource, path: path.replace('//v1', '/v1') },
      });
    });

    test.each([
      ['GET', '/v1'],
      ['POST', '/v1/status'],
      ['PUT', '/v1/data'],
      ['POST', '/v1//x'],
      ['GET', '/nowhere'],
      ['PUT', '/'],
      ['OPTIONS', '*'],
    ])('%s %s is unknown: 404 without a body', async (method, path) => {
      const response = await send(method, path);
      expect(response).toMatchObject({ status: 404, headers: { 'content-length': '0' } });
      expect(functions.calls).toEqual([]);
    });
  });

  describe('the event of a function', () => {
    test('is that of API Gateway', async () => {
      await send('POST', '/v1/?b=1&a=x%20y%2Bz+w&b=2&c&__proto__=p', {
        headers: {
          'X-Mixed-CASE': ['one', 'two'],
          'User-Agent': 'test',
          'X-Forwarded-For': '1.2.3.4',
          Host: 'h.test:1',
        },
        body: '{"é":1}',
      });
      const event = onlyEvent();
      expect(
        Object.fromEntries(Object.entries(event).filter(([name]) => !/headers|requestContext/i.test(name))),
      ).toEqual({
        resource: '/v1',
        path: '/v1/',
        httpMethod: 'POST',
        pathParameters: null,
        stageVariables: null,
        queryStringParameters: JSON.parse('{"b":"2","a":"x y+z w","c":"","__proto__":"p"}'),
        multiValueQueryStringParameters: JSON.parse(
          '{"b":["1","2"],"a":["x y+z w"],"c":[""],"__proto__":["p"]}',
        ),
        body: '{"é":1}',
        isBase64Encoded: false,
      });
      const trace = expect.stringMatching(/^Root=1-[0-9a-f]{8}-[0-9a-f]{24}$/);
      expect(event.headers).toEqual({
        Host: 'h.test:1',
        'User-Agent': 'test',
        'X-Amzn-Trace-Id': trace,
        'X-Forwarded-For': '1.2.3.4, 127.0.0.1',
        'X-Forwarded-Port': '443',
        'X-Forwarded-Proto': 'https',
        'X-Mixed-CASE': 'two',
      });
      expect(event.multiValueHeaders).toMatchObject({ 'X-Mixed-CASE': ['one', 'two'], Host: ['h.test:1'] });
      expect(event.requestContext).toMatchObject({
        accountId: '000000000000',
        apiId: 'Rest',
        domainName: 'h.test',
        domainPrefix: 'h',
        httpMethod: 'POST',
        identity: { sourceIp: '127.0.0.1', userAgent: 'test', apiKey: null },
        path: '/v1/',
        protocol: 'HTTP/1.1',
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        extendedRequestId: expect.stringMatching(/=$/),
        requestTime: '09/Apr/2026:12:34:56 +0000',
        requestTimeEpoch: NOW,
        resourceId: 'AtXv1',
        resourcePath: '/v1',
        stage: 'live',
      });
    });

    test('has nulls where there is nothing', async () => {
      await send('GET', '/v1/status');
      expect(onlyEvent()).toMatchObject({
        body: null,
        queryStringParameters: null,
        multiValueQueryStringParameters: null,
        pathParameters: null,
      });
    });

    test('has U+FFFD for what is no UTF-8, and keeps a byte order mark', async () => {
      await send('POST', '/v1', {
        body: Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xff, 0xed, 0xa0, 0x80, 0x62]),
      });
      expect(onlyEvent().body).toBe('\uFEFFa\uFFFD\uFFFD\uFFFD\uFFFDb');
    });
  });

  describe('an API whose bodies are binary', () => {
    beforeEach(async () => {
      await api.close();
      api = await start({ resources: apiResources({}, {}, { BinaryMediaTypes: ['*/*'] }) });
    });

    test('hands every byte to the function', async () => {
      const body = Buffer.from([0xef, 0xbb, 0xbf, 0x61, 0xff, 0xed, 0xa0, 0x80, 0x62]);
      await send('POST', '/v1', { body, headers: { 'Content-Type': 'application/json; charset=utf-8' } });
      expect(onlyEvent()).toMatchObject({ body: body.toString('base64'), isBase64Encoded: true });
    });

    test('hands on that there is no body', async () => {
      await send('GET', '/v1/status');
      expect(onlyEvent()).toMatchObject({ body: null, isBase64Encoded: false });
    });

    test('decodes base64 of the function, and passes its text', async () => {
      functions.buffered = returns({ body: 'aGk=', isBase64Encoded: true });
      expect((await send('POST', '/v1')).body.toString()).toBe('hi');
      functions.buffered = returns({ body: 'aGk=' });
      expect((await send('POST', '/v1')).body.toString()).toBe('aGk=');
    });
  });

  test('refuses binary media types of some bodies by name', async () => {
    const resources = apiResources({}, {}, { BinaryMediaTypes: ['image/png'] });
    await expect(start({ resources })).rejects.toThrow('Rest');
  });

  describe('a buffered response', () => {
    test('has the status, headers and body of the function', async () => {
      functions.buffered = returns({
        statusCode: '201',
        headers: { 'X-One': 1, 'X-Two': 'a', Connection: 'close', 'Content-Type': 'text/plain' },
        multiValueHeaders: { 'X-Two': ['a', 'b'] },
        body: 'grüß',
        isBase64Encoded: false,
      });
      const response = await send('POST', '/v1');
      expect(response.status).toBe(201);
      expect(response.body.toString()).toBe('grüß');
      expect(response.headers).toMatchObject({
        'content-type': 'text/plain',
        'content-length': '6',
        'x-one': '1',
        'x-two': 'a, b',
        'x-amzn-remapped-connection': 'close',
        'x-amzn-requestid': onlyEvent().requestContext.requestId,
        'x-amz-apigw-id': onlyEvent().requestContext.extendedRequestId,
      });
    });

    test('is 200, JSON and empty if the function says nothing', async () => {
      const response = await send('POST', '/v1');
      expect(response).toMatchObject({
        status: 200,
        headers: { 'content-type': 'application/json', 'content-length': '0' },
      });
    });

    test('does not decode base64 without binary media types', async () => {
      functions.buffered = returns({ body: 'aGk=', isBase64Encoded: true });
      expect((await send('POST', '/v1')).body.toString()).toBe('aGk=');
    });

    test.each([
      ['no object', 7],
      ['null', null],
      ['another member', { statusCode: 200, cookies: [] }],
      ['a body that is no text', { body: { a: 1 } }],
      ['no status', { statusCode: 'soon' }],
      ['an impossible status', { statusCode: 99 }],
      ['headers that are no object', { headers: [] }],
      ['a header that is no text', { headers: { a: {} } }],
      ['a header that splits the response', { headers: { a: 'b\r\nc: d' } }],
      ['a flag that is no boolean', { isBase64Encoded: 'no' }],
    ])('is malformed, so 502: %s', async (_, value) => {
      functions.buffered = returns(value);
      const response = await send('POST', '/v1');
      expect(response.status).toBe(502);
      expect(JSON.parse(response.body.toString())).toEqual({ five: response.headers['x-amzn-requestid'] });
    });
  });

  describe('an error of the API itself', () => {
    const failures: [string, InvokeResult, number][] = [
      ['a function error', { kind: 'function-error', errorType: 'E', errorMessage: 'm' }, 502],
      ['a time-out of the function', { kind: 'timed-out', timeoutMs: 1 }, 502],
      ['a throttled function', { kind: 'throttled' }, 503],
      ['an event that is too large', { kind: 'request-too-large' }, 413],
    ];

    test.each(failures)('%s', async (_, failure, status) => {
      functions.buffered = async () => failure;
      functions.streaming = async () => failure as StreamingResult;
      expect((await send('POST', '/v1')).status).toBe(status);
      expect((await send('POST', '/v1/key')).status).toBe(status);
    });

    test('takes its body and headers from the template', async () => {
      functions.buffered = async () => ({ kind: 'throttled' });
      const response = await send('POST', '/v1');
      expect(response.body.toString()).toBe('{"e":"Internal server error","t":"INTEGRATION_FAILURE"}');
      expect(response.headers).toMatchObject({
        'content-type': 'application/json',
        'retry-after': '1',
        'x-request-id': response.headers['x-amzn-requestid'],
      });
    });

    test.each([
      ['{"message":"Missing Authentication Token"}', 403, 'GET', '/v1'],
      ['{"message":"Internal server error"}', 500, 'POST', '/v1'],
    ])('is %s without a template', async (body, status, method, path) => {
      await api.close();
      api = await start({ resources: apiResources({}) });
      functions.buffered = async () => ({ kind: 'throttled' });
      const response = await send(method, path);
      expect([response.status, response.body.toString()]).toEqual([status, body]);
    });

    test('is 504 at the time-out of the integration, and a late response is let go', async () => {
      const body = new Readable({ read() {} });
      const { promise, resolve } = Promise.withResolvers<StreamingResult>();
      functions.streaming = () => promise;
      const response = await send('POST', '/hung/stream');
      expect([response.status, JSON.parse(response.body.toString())]).toEqual([
        504,
        { five: response.headers['x-amzn-requestid'] },
      ]);
      resolve({ kind: 'success', metadata: {}, body });
      await once(body, 'close');
    });

    test('is 413 above ten mebibytes', async () => {
      const exact = await send('POST', '/v1', { body: Buffer.alloc(10 * MEBIBYTE, 97) });
      expect(exact.status).toBe(200);
      const above = await send('POST', '/v1', { body: Buffer.alloc(10 * MEBIBYTE + 1, 97) });
      expect([above.status, above.body.toString()]).toEqual([413, '{"message":"Request Too Long"}']);
      expect(functions.calls).toHaveLength(1);
    });

    test('is 429 above the throttling of the stage', async () => {
      await api.close();
      const MethodSettings = [
        { HttpMethod: '*', ResourcePath: '/*', ThrottlingBurstLimit: 2, ThrottlingRateLimit: 1 },
      ];
      api = await start({ resources: apiResources(GATEWAY_RESPONSES, { MethodSettings }) });
      const statuses = [await send('POST', '/v1'), await send('POST', '/v1'), await send('POST', '/v1')];
      expect(statuses.map(({ status }) => status)).toEqual([200, 200, 429]);
    });
  });

  describe('a mock integration', () => {
    test('answers with its response', async () => {
      const response = await send('GET', '/mock');
      expect(response).toMatchObject({
        status: 202,
        headers: { 'content-type': 'text/plain', 'x-fixed': 'yes' },
      });
      expect(response.body.toString()).toBe(`hello ${response.headers['x-amzn-requestid']}`);
    });

    test('takes any body of its types', async () => {
      const headers = { 'content-type': 'application/json; charset=utf-8' };
      expect((await send('POST', '/mock', { headers, body: 'anything' })).status).toBe(202);
    });

    test.each([
      [{ PassthroughBehavior: 'WHEN_NO_MATCH' }, 'Integration.PassthroughBehavior WHEN_NO_MATCH'],
      [{ IntegrationResponses: [] }, 'a mock integration with other than one response'],
      [{ RequestTemplates: { 'text/plain': '{"statusCode": 200}' } }, 'RequestTemplates {"statusCode": 200}'],
    ])('of another form stops the start: %j', async (changes, what) => {
      const resources = structuredClone(apiResources({}));
      const { Properties } = resources.AtXmockANY as {
        readonly Properties: { readonly Integration: object };
      };
      Object.assign(Properties.Integration, changes);
      await expect(start({ resources })).rejects.toThrow(`${what} is not supported by a local run`);
    });

    test('refuses other types', async () => {
      const response = await send('POST', '/nowhere', {
        headers: { 'content-type': 'text/plain' },
        body: 'x',
      });
      expect(response.status).toBe(415);
    });
  });

  describe('a streamed response', () => {
    test('passes its bytes through as they come', async () => {
      const body = new Readable({ read() {} });
      functions.streaming = streams(
        { statusCode: 203, headers: { 'Content-Encoding': 'gzip' }, cookies: ['a=1', 'b=2'] },
        body,
      );
      const socket = connect(api.port, '127.0.0.1');
      socket.write('POST /v1/key HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n');
      let received = '';
      const receive = async (text: string) => {
        while (!received.includes(text)) received += String((await once(socket, 'data'))[0]);
      };
      await receive('\r\n\r\n');
      body.push('first');
      await receive('first');
      body.push('second');
      body.push(null);
      await receive('second');
      await receive('0\r\n\r\n');
      socket.destroy();
      expect(received).toMatch(/^HTTP\/1\.1 203 /);
      expect(received).toContain('\r\nContent-Encoding: gzip\r\n');
      expect(received).toContain('\r\nSet-Cookie: a=1\r\nSet-Cookie: b=2\r\n');
    });

    test('may say how long it is', async () => {
      functions.streaming = streams(
        { headers: { 'Content-Length': '3' } },
        Readable.from([Buffer.from('abc')]),
      );
      const response = await send('POST', '/v1/key');
      expect(response).toMatchObject({ status: 200, headers: { 'content-length': '3' } });
    });

    test.each([
      [{ statusCode: 200, body: 'x' }],
      ['text'],
      [{ cookies: 'a' }],
      [{ headers: { 'a b': 'c' } }],
    ])('is 502 with the metadata %j', async (metadata) => {
      const body = new Readable({ read() {} });
      functions.streaming = streams(metadata, body);
      expect((await send('POST', '/v1/key')).status).toBe(502);
      expect(body.destroyed).toBe(true);
    });

    test.each([true, false])('is cut if it fails, on the way: %s', async (isOnTheWay) => {
      const body = new Readable({ read() {} });
      body.once('error', () => {});
      const fail = () => body.destroy(new Error('lost'));
      functions.streaming = async () => {
        if (!isOnTheWay) fail();
        return { kind: 'success', metadata: {}, body };
      };
      const sent = send('POST', '/v1/key');
      while (isOnTheWay && accessLog.length === 0 && body.listenerCount('data') === 0) await nextTurn();
      fail();
      await expect(sent).rejects.toThrow(/aborted|hang up/);
    });

    test('is cut at the time-out of the integration', async () => {
      const body = new Readable({ read() {} });
      functions.streaming = streams({}, body);
      body.push('half');
      await expect(send('POST', '/hung/stream')).rejects.toThrow('aborted');
      expect(body.destroyed).toBe(true);
    });

    test('is let go by a client that leaves', async () => {
      const body = new Readable({ read() {} });
      functions.streaming = streams({}, body);
      const socket = connect(api.port, '127.0.0.1');
      socket.write('POST /v1/key HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n');
      await once(socket, 'data');
      socket.destroy();
      await once(body, 'close');
    });
  });

  test('the access log has the format of the template and cannot be forged', async () => {
    functions.buffered = returns({ statusCode: 201, body: 'four' });
    await send('POST', '/v1', { headers: { 'User-Agent': 'a","s":"0' } });
    await send('GET', '/v1');
    expect(accessLog.map((line) => JSON.parse(line))).toEqual([
      { r: '/v1', s: '201', b: '4', t: '-', i: '201', u: 'a","s":"0' },
      { r: '/v1', s: '404', b: '0', t: 'MISSING_AUTHENTICATION_TOKEN', i: '-', u: '-' },
    ]);
  });

  test.each([
    [
      { AccessLogSetting: { Format: '$context.identity.apiKey' } },
      '$context.identity.apiKey in AccessLogSetting.Format',
    ],
    [{ AccessLogSetting: { Format: '$input.body' } }, '$input in AccessLogSetting.Format'],
    [{ MethodSettings: [{ CachingEnabled: true }] }, 'MethodSettings.CachingEnabled'],
  ])('a stage that it does not understand is refused: %j', async (stage, message) => {
    const starting = start({ resources: apiResources({}, stage) });
    await expect(starting).rejects.toThrow(`Stage (AWS::ApiGateway::Stage): ${message} is not supported`);
  });

  test('a port in use is the error of listen', async () => {
    const { template, resolver } = loadAssembly(apiResources({}), { buffered: {}, streaming: {} });
    const options = { template, resolver, functions, host: '127.0.0.1', onAccessLog: () => {} };
    await expect(startApi({ ...options, port: api.port })).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });

  test.each(['GARBAGE\r\n\r\n', `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(11_000)}\r\n\r\n`])(
    'what is no request ends its connection and nothing else',
    async (text) => {
      const socket = connect(api.port, '127.0.0.1');
      socket.end(text);
      expect(String((await once(socket, 'data'))[0])).toMatch(/^HTTP\/1\.1 4\d\d /);
      expect((await send('GET', '/v1/status')).status).toBe(200);
    },
  );

  /** As many connections as one has to open to use up all. */
  const FLOOD = 1_100;
  const beginsOfRequests = [
    ['nothing yet', ''],
    ['headers without their body', 'POST /v1 HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n'],
    ['a request that is answered', 'GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n'],
  ] as const;

  test.each(beginsOfRequests)(
    'connections of one address that send %s shut nobody out: the bound is by address, and those that wait longest go',
    async (_, begin) => {
      const early = connect({ port: api.port, host: '127.0.0.1', localAddress: '127.0.0.2' });
      await once(early, 'connect');
      const { promise: answer, resolve: respond } = Promise.withResolvers<InvokeResult>();
      functions.buffered = () => answer;
      const working = send('GET', '/v1/status');
      while (functions.calls.length === 0) await nextTurn();
      const flood: Socket[] = [];
      while (flood.length < FLOOD) {
        const socket = connect(api.port, '127.0.0.1').on('error', () => undefined);
        flood.push(socket.resume());
        await once(socket, 'connect');
        socket.write(begin);
      }
      const open = (sockets: readonly Socket[]) => sockets.filter(({ destroyed }) => !destroyed).length;
      while (open(flood) !== 512) await nextTurn();
      expect(open(flood.slice(-100))).toBe(100);
      const other = await send('GET', '/nowhere');
      expect(other.status).toBe(404);
      // What works, and what another address has, is left alone.
      respond({ kind: 'success', payload: Buffer.from('{"statusCode":204}') });
      expect((await working).status).toBe(204);
      expect(early.destroyed).toBe(false);
      for (const socket of [early, ...flood]) socket.destroy();
    },
  );

  test('a connection that sends nothing is closed within a second of its time, not with all others', async () => {
    const first = connect(api.port, '127.0.0.1').resume();
    await once(first, 'connect');
    await sleep(3_000);
    const second = connect(api.port, '127.0.0.1').resume();
    await once(first, 'close');
    expect((await send('GET', '/nowhere')).status).toBe(404);
    expect(second.destroyed).toBe(false);
    second.destroy();
  });

  test('close lets a request finish and ends idle connections', async () => {
    await send('GET', '/v1/status');
    const { promise, resolve } = Promise.withResolvers<InvokeResult>();
    functions.buffered = () => promise;
    const sent = send('GET', '/v1/status');
    while (functions.calls.length < 2) await nextTurn();
    const closed = api.close();
    resolve({ kind: 'success', payload: Buffer.from('{"statusCode":204}') });
    expect((await sent).status).toBe(204);
    await closed;
    await expect(send('GET', '/v1/status')).rejects.toThrow(/ECONNREFUSED|ECONNRESET|hang up/);
    api = await start();
  });
}
