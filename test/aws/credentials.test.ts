import type { IncomingMessage, RequestListener } from 'node:http';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { connectDynamo } from '../../lambdas/shared/aws/dynamo-client.ts';
import {
  defaultProvider,
  endpointCredentials,
  variableCredentials,
} from '../../lambdas/shared/aws/environment-credentials.ts';
import { listen, type TestServer } from '../support/listen.ts';

const CREDENTIALS_ASK_AGAIN_MS = 5_000;
const READ_AGAIN_MS = 60_000;
type ReadCredentials = ReturnType<typeof variableCredentials>;

const NOW_MS = Date.UTC(2026, 10, 26);
/** From so long before their end on, the SDK asks for new credentials. */
const SDK_MARGIN_MS = 300_000;
const REQUESTS_AT_A_TIME = 64;
const PATIENCE_MS = 120_000;
const TOKEN = 'token-of-the-endpoint';

const servers: TestServer[] = [];
const variables = { ...process.env };

afterEach(async () => {
  process.env = { ...variables };
  for (const server of servers.splice(0)) await server.close();
});

/** Resolves to its address. */
async function serve(answer: RequestListener): Promise<string> {
  const server = await listen(answer);
  servers.push(server);
  return server.url;
}

/** Reads an item again and again, so many requests at a time, until it is told to end; resolves to the refusals. */
async function load(
  endpoint: string,
  credentials: ReadCredentials,
  isOver: () => boolean,
): Promise<unknown[]> {
  const client = connectDynamo({
    config: { endpoint, region: 'us-east-1', credentials },
    connectTimeoutMs: PATIENCE_MS,
    timeoutMs: PATIENCE_MS,
  });
  const refusals: unknown[] = [];
  const one = async () => {
    while (!isOver()) {
      await client
        .send(new GetItemCommand({ TableName: 'table', Key: { id: { S: 'a' } } }))
        .catch((error: unknown) => refusals.push(error));
    }
  };
  await Promise.all(Array.from({ length: REQUESTS_AT_A_TIME }, one));
  return refusals;
}

/** A store that takes what the issued credentials have signed, and notes which it has seen. */
async function startStore(issued: readonly string[], seen: Set<string>): Promise<string> {
  return serve((request, response) => {
    const used = keyOf(request);
    seen.add(used);
    if (issued.includes(used)) response.end('{}');
    else response.writeHead(400).end('{"__type":"x#ExpiredTokenException"}');
  });
}

function keyOf({ headers }: IncomingMessage): string {
  return /Credential=([^/]+)/.exec(headers.authorization ?? '')?.[1] ?? '';
}

function expiring(inMs: number): Date {
  return new Date(Date.now() + inMs);
}

describe('credentials that expire under 64 requests at a time', () => {
  test('of an endpoint: they are asked for before their end, once for all requests, and none is refused', async () => {
    const issued: string[] = [];
    const seen = new Set<string>();
    let asking = 0;
    let mostAsking = 0;
    const endpoint = await serve((request, response) => {
      if (request.headers.authorization !== TOKEN) return void response.writeHead(401).end();
      asking += 1;
      mostAsking = Math.max(mostAsking, asking);
      response.once('close', () => {
        asking -= 1;
      });
      issued.push(`key${issued.length}`);
      const credentials = { AccessKeyId: issued.at(-1), SecretAccessKey: 's', Token: 't' };
      // The SDK renews them after a quarter of a second.
      response.end(
        JSON.stringify({ ...credentials, Expiration: expiring(SDK_MARGIN_MS + 250).toISOString() }),
      );
    });
    process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI = `${endpoint}/credentials`;
    process.env.AWS_CONTAINER_AUTHORIZATION_TOKEN = TOKEN;
    process.env.AWS_ACCESS_KEY_ID = 'of-a-variable';
    const store = await startStore(issued, seen);
    expect(await load(store, defaultProvider(), () => seen.size >= 4)).toEqual([]);
    expect(mostAsking).toBe(1);
  });

  test('of variables: what they have become is used within a minute', async () => {
    const issued = ['first', 'second'];
    const seen = new Set<string>();
    const store = await startStore(issued, seen);
    process.env.AWS_ACCESS_KEY_ID = 'first';
    process.env.AWS_SECRET_ACCESS_KEY = 's';
    // By a clock that is a minute behind, what was read has aged at once.
    const credentials = variableCredentials({ now: () => Date.now() - READ_AGAIN_MS });
    const refusals = await load(store, credentials, () => {
      if (seen.has('first')) process.env.AWS_ACCESS_KEY_ID = 'second';
      return seen.has('second');
    });
    expect(refusals).toEqual([]);
  });

  test('without an endpoint they are those of the variables', async () => {
    delete process.env.AWS_CONTAINER_CREDENTIALS_FULL_URI;
    Object.assign(process.env, {
      AWS_ACCESS_KEY_ID: 'a',
      AWS_SECRET_ACCESS_KEY: 's',
      AWS_SESSION_TOKEN: 't',
    });
    const read = defaultProvider();
    expect(await read()).toMatchObject({ accessKeyId: 'a', secretAccessKey: 's', sessionToken: 't' });
    delete process.env.AWS_ACCESS_KEY_ID;
    await expect(defaultProvider()()).rejects.toThrow('AWS_ACCESS_KEY_ID');
  });
});

describe('an endpoint that fails', () => {
  const VALID_MS = 60_000;
  let nowMs: number;
  let fails: boolean;
  let read: ReadCredentials;

  beforeEach(() => {
    nowMs = NOW_MS;
    fails = false;
    const expiration = new Date(NOW_MS + VALID_MS);
    read = endpointCredentials({ now: () => nowMs }, async () => {
      if (fails) throw new Error('no answer');
      return { accessKeyId: 'a', secretAccessKey: 's', expiration };
    });
  });

  test('takes nothing from a process whose credentials are valid, and is asked again in seconds', async () => {
    await read();
    fails = true;
    nowMs += VALID_MS - 1;
    const kept = await read();
    expect(kept.accessKeyId).toBe('a');
    expect(kept.expiration?.getTime()).toBe(nowMs + SDK_MARGIN_MS + CREDENTIALS_ASK_AGAIN_MS);
    fails = false;
    expect((await read()).expiration?.getTime()).toBe(NOW_MS + VALID_MS);
  });

  test('fails the request once they have expired, and where there never were any', async () => {
    fails = true;
    await expect(read()).rejects.toThrow('no answer');
    fails = false;
    await read();
    fails = true;
    nowMs += VALID_MS;
    await expect(read()).rejects.toThrow('no answer');
  });
});
