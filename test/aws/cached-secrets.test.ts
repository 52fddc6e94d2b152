import { cacheSecrets, createSecretFetcher } from '../../lambdas/shared/aws/cached-secrets.ts';
import { StillClock } from '../access/metering-world.ts';
import { listen } from '../support/listen.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

const FIVE_MINUTES_MS = 5 * 60 * 1_000;
const FIFTEEN_MINUTES_MS = 3 * FIVE_MINUTES_MS;
const RETRY_PAUSE_MS = 30_000;

describe('cacheSecrets', () => {
  let clock: StillClock;
  let fetches: string[];
  let failure: Error | undefined;
  /** Ends before a fetch does. */
  let gate: Promise<void>;

  const fetchSecret = async (name: string) => {
    fetches.push(name);
    const read = `${name}-${fetches.length}`;
    await gate;
    if (failure !== undefined) throw failure;
    return read;
  };
  /** Lets what does not wait for a fetch happen. */
  const settle = () => new Promise(setImmediate);

  beforeEach(() => {
    clock = new StillClock();
    fetches = [];
    failure = undefined;
    gate = Promise.resolve();
  });

  test('concurrent reads share one fetch, later ones the value, for five minutes', async () => {
    const readSecret = cacheSecrets(fetchSecret, { clock, log: new RecordedTelemetry().log });
    expect(await Promise.all([readSecret('a'), readSecret('a'), readSecret('a')])).toEqual([
      'a-1',
      'a-1',
      'a-1',
    ]);
    clock.timeMs += FIVE_MINUTES_MS - 1;
    expect(await readSecret('a')).toBe('a-1');
    expect(fetches).toHaveLength(1);
    clock.timeMs += 1;
    await readSecret('a');
    await settle();
    expect(await readSecret('a')).toBe('a-2');
    expect(fetches).toHaveLength(2);
  });

  test('a value of five minutes is told at once, while one fetch reads it again', async () => {
    const readSecret = cacheSecrets(fetchSecret, { clock, log: new RecordedTelemetry().log });
    await readSecret('a');
    clock.timeMs += FIVE_MINUTES_MS;
    const { promise, resolve } = Promise.withResolvers<void>();
    gate = promise;
    expect(await Promise.all([readSecret('a'), readSecret('a')])).toEqual(['a-1', 'a-1']);
    expect(await readSecret('a')).toBe('a-1');
    expect(fetches).toHaveLength(2);
    resolve();
    await settle();
    expect(await readSecret('a')).toBe('a-2');
  });

  test('a value of fifteen minutes is read first: its instance may have stood still', async () => {
    const readSecret = cacheSecrets(fetchSecret, { clock, log: new RecordedTelemetry().log });
    await readSecret('a');
    clock.timeMs += FIFTEEN_MINUTES_MS - 1;
    expect(await readSecret('a')).toBe('a-1');
    await settle();
    clock.timeMs += FIFTEEN_MINUTES_MS;
    expect(await readSecret('a')).toBe('a-3');
  });

  test('after a failed read the value is left alone for half a minute, however old it is', async () => {
    const readSecret = cacheSecrets(fetchSecret, { clock, log: new RecordedTelemetry().log });
    await readSecret('a');
    clock.timeMs += FIFTEEN_MINUTES_MS;
    failure = new Error('denied');
    expect(await readSecret('a')).toBe('a-1');
    failure = undefined;
    clock.timeMs += RETRY_PAUSE_MS - 1;
    expect(await readSecret('a')).toBe('a-1');
    expect(fetches).toHaveLength(2);
    clock.timeMs += 1;
    expect(await readSecret('a')).toBe('a-3');
  });

  test('each name has its own value', async () => {
    const readSecret = cacheSecrets(fetchSecret, { clock, log: new RecordedTelemetry().log });
    expect(await Promise.all([readSecret('a'), readSecret('b')])).toEqual(['a-1', 'b-2']);
  });

  test('a failed first read is told and not kept; a failed refresh keeps the value', async () => {
    const readSecret = cacheSecrets(fetchSecret, { clock, log: new RecordedTelemetry().log });
    failure = new Error('denied');
    await expect(readSecret('a')).rejects.toThrow('denied');
    failure = undefined;
    expect(await readSecret('a')).toBe('a-2');
    clock.timeMs += FIVE_MINUTES_MS;
    failure = new Error('denied');
    expect(await readSecret('a')).toBe('a-2');
    await settle();
    expect(await readSecret('a')).toBe('a-2');
    expect(fetches).toHaveLength(3);
  });
});

test('createSecretFetcher asks Secrets Manager', async () => {
  const targets: unknown[] = [];
  const server = await listen((request, response) => {
    targets.push(request.headers['x-amz-target']);
    response.setHeader('content-type', 'application/x-amz-json-1.1');
    request.resume().on('end', () => response.end(JSON.stringify({ SecretString: 'https://node' })));
  });
  const fetchSecret = createSecretFetcher({
    endpoint: server.url,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  expect(await fetchSecret('upstream')).toBe('https://node');
  expect(targets).toEqual(['secretsmanager.GetSecretValue']);
  await server.close();
});
