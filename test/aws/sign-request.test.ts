import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { DynamoDBClient, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { ExecuteStatementCommand, RDSDataClient } from '@aws-sdk/client-rds-data';
import fc from 'fast-check';
import { type Credentials, createSigner } from '../../lambdas/aws/sign-request.ts';

interface Received {
  readonly request: IncomingMessage;
  readonly body: string;
}

/** Sends a request by the SDK to a server of this test, and gives what arrived there. */
async function receive(send: (endpoint: string) => Promise<unknown>): Promise<Received> {
  let received: Received | undefined;
  const server = createServer(async (request, response) => {
    received = { request, body: await text(request) };
    response.setHeader('content-type', 'application/json').end('{}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await send(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    if (received === undefined) throw new Error('nothing arrived');
    return received;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Signs what the SDK has signed, at its time, and returns both signatures. */
function signAgain({ request, body }: Received, service: string, region: string, credentials: Credentials) {
  const { authorization, 'x-amz-date': time = '', ...headers } = request.headers;
  const [, names = ''] = /SignedHeaders=([^,]+)/.exec(String(authorization)) ?? [];
  const signed = names.split(';').filter((name) => !['x-amz-date', 'x-amz-security-token'].includes(name));
  const given = Object.fromEntries(signed.map((name) => [name, String(headers[name])]));
  const now = Date.parse(String(time).replace(/^(....)(..)(..T..)(..)(..Z)$/, '$1-$2-$3:$4:$5'));
  const sign = createSigner(service, region);
  const ours = sign({ path: request.url ?? '', headers: given, body }, credentials, now);
  return { ours: ours.authorization, sdk: authorization };
}

const someText = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
const word = fc.stringMatching(/^[A-Za-z0-9/+=]{1,40}$/);
const someCredentials = fc.record(
  { accessKeyId: fc.stringMatching(/^[A-Z0-9]{1,20}$/), secretAccessKey: word, sessionToken: word },
  { requiredKeys: ['accessKeyId', 'secretAccessKey'] },
);
const someRegion = fc.constantFrom('us-east-1', 'eu-central-1', 'ap-southeast-2');

test('signs a request to DynamoDB as the SDK does', async () => {
  await fc.assert(
    fc.asyncProperty(someText, someRegion, someCredentials, async (value, region, credentials) => {
      const received = await receive((endpoint) =>
        new DynamoDBClient({ endpoint, region, credentials, maxAttempts: 1 }).send(
          new PutItemCommand({ TableName: 'table', Item: { id: { S: value } } }),
        ),
      );
      const { ours, sdk } = signAgain(received, 'dynamodb', region, credentials);
      expect(ours).toBe(sdk);
    }),
    { numRuns: 25 },
  );
});

test('signs a request to the RDS Data API as the SDK does', async () => {
  await fc.assert(
    fc.asyncProperty(someText, someRegion, someCredentials, async (sql, region, credentials) => {
      const statement = { resourceArn: 'cluster', secretArn: 'secret', sql };
      const received = await receive((endpoint) =>
        new RDSDataClient({ endpoint, region, credentials, maxAttempts: 1 }).send(
          new ExecuteStatementCommand(statement),
        ),
      );
      const { ours, sdk } = signAgain(received, 'rds-data', region, credentials);
      expect(ours).toBe(sdk);
    }),
    { numRuns: 25 },
  );
});

test('derives a new key for another day and for other credentials', () => {
  const post = { path: '/', headers: { host: 'example.com' }, body: '{}' };
  const one = { accessKeyId: 'one', secretAccessKey: 'first' };
  const other = { accessKeyId: 'one', secretAccessKey: 'second' };
  const noon = Date.UTC(2026, 0, 1, 12);
  const sign = createSigner('dynamodb', 'us-east-1');
  const moments = [
    [one, noon],
    [other, noon],
    [other, noon + 86_400_000],
    [one, noon],
  ] as const;
  const kept = moments.map(([credentials, now]) => sign(post, credentials, now).authorization);
  const fresh = moments.map(
    ([credentials, now]) => createSigner('dynamodb', 'us-east-1')(post, credentials, now).authorization,
  );
  expect(kept).toEqual(fresh);
  expect(new Set(kept).size).toBe(3);
});
