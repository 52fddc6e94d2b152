/** How much of the source a plain call runs through, counted by V8 in the function as it is deployed, but not bundled. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type Profiler, Session } from 'node:inspector/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDynamoStore } from '../../../lambdas/access/store/dynamo-store.ts';
import { STAGE_SETTINGS_FILE } from '../../../lambdas/shared/runtime/settings.ts';
import { MeteringWorld, PLANS } from '../../access/metering-world.ts';
import { createCacheTable } from '../../emulators/cache-table.ts';
import { startDynoxide } from '../../emulators/dynoxide.ts';
import { createMeteringTables, emulatorClientConfig } from '../../emulators/metering-tables.ts';
import type { Emulator } from '../../emulators/server-process.ts';
import { answering } from '../../nodes/replies.ts';
import { type ScriptedNode, startScriptedNode } from '../../nodes/scripted-node.ts';
import { CHAIN } from '../cache/cache-world.ts';

/** Files that a warm plain `eth_call` runs through at most. Fewer is better. */
const MOST_FILES = 60;
const WARM_UP_CALLS = 20;
/** Calls that are counted. What does not run in each of them is a question or a timer of the gateway's own beside it. */
const COUNTED_CALLS = 20;
/** Time without a call, in milliseconds: what runs in it are timers that earlier test files left in this process. */
const IDLE_MS = 200;
/** Nobody listens there: no charge is uncertain. */
const QUEUE_URL = 'http://127.0.0.1:9';
const REMAINING_MS = 25_000;
/** An emulator on a busy machine is no stalled store. */
const PATIENCE_MS = 120_000;

type Handler = (event: object, stream: Writable, context: object) => Promise<void>;

/** A response as the Lambda runtime passes it on. */
class ResponseStream extends Writable {
  status = 0;
  readonly pieces: Buffer[] = [];

  override _write(piece: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.pieces.push(piece);
    done();
  }
}

let emulator: Emulator;
let node: ScriptedNode;
let folder: string;
let apiKey: string;
const before = { ...process.env };
const listeners = process.listeners('SIGTERM');

beforeAll(async () => {
  emulator = await startDynoxide();
  node = await startScriptedNode(
    answering(({ method }) => {
      if (method === 'eth_chainId') return { result: '"0x1"' };
      if (method === 'eth_getBlockByNumber') return { result: newestBlock() };
      return { result: '"0x2a"' };
    }),
  );
  folder = await mkdtemp(join(tmpdir(), 'run-files-'));
  const chain = { ...CHAIN, upstreams: [node.url], privateUpstreams: true };
  const settings = {
    stage: 'test',
    chains: [chain],
    plans: PLANS,
    defaultPlan: 'large',
    metering: { storeBeforeAnswer: false, groupCommitCu: 0 },
    dataApi: { queriesPerKey: 1, exportsPerKey: 1 },
    upstreamTimeoutMs: 20_000,
    rpcConcurrency: 100,
  };
  await writeFile(join(folder, STAGE_SETTINGS_FILE), JSON.stringify(settings));
  const { endpoint } = emulator;
  const tableNames = await createMeteringTables(endpoint, 'run');
  await createCacheTable(endpoint, 'run-cache');
  const clientConfig = emulatorClientConfig(endpoint);
  const world = new MeteringWorld(
    createDynamoStore({ tableNames, clientConfig, requestTimeoutMs: PATIENCE_MS }),
  );
  world.clock.timeMs = Date.now();
  await world.create({ plan: 'large' });
  apiKey = world.apiKey;
  const names = Object.entries(tableNames).map(([table, name]) => [`${table.toUpperCase()}_TABLE`, name]);
  Object.assign(process.env, Object.fromEntries(names), {
    CACHE_TABLE: 'run-cache',
    REFUSALS_TABLE: 'run-cache',
    CHARGE_QUEUE_URL: QUEUE_URL,
    LAMBDA_TASK_ROOT: folder,
    AWS_REGION: clientConfig.region,
    AWS_ACCESS_KEY_ID: clientConfig.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: clientConfig.credentials.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  });
});

afterAll(async () => {
  for (const listener of process.listeners('SIGTERM'))
    if (!listeners.includes(listener)) process.off('SIGTERM', listener);
  for (const name of Object.keys(process.env)) if (!(name in before)) delete process.env[name];
  Object.assign(process.env, before);
  await Promise.all([node?.close(), emulator?.close(), rm(folder, { recursive: true, force: true })]);
});

function newestBlock(): string {
  const [hash, parentHash] = ['11', '22'].map((byte) => `0x${byte.repeat(32)}`);
  const timestamp = `0x${Math.floor(Date.now() / 1_000).toString(16)}`;
  return JSON.stringify({ number: '0x100', hash, parentHash, timestamp });
}

/** How a module of CommonJS gives away one of its exports: nothing of the source runs. */
const EXPORTED = /^(?:get )?\w+\s*\(\)\s*\{\s*return [\w.]+;\s*\}$/;

/** The scripts that run though nothing is asked. */
async function idleScripts(session: Session): Promise<ReadonlySet<string>> {
  await session.post('Profiler.takePreciseCoverage');
  await sleep(IDLE_MS);
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const ran = result.filter(({ functions }) =>
    functions.some(({ ranges }) => ranges.some(({ count }) => count > 0)),
  );
  return new Set(ran.map(({ scriptId }) => scriptId));
}

/** Files of the gateway, with how often each of their functions ran. */
async function ranOf(
  session: Session,
  scripts: readonly Profiler.ScriptCoverage[],
): Promise<ReadonlyMap<string, readonly number[]>> {
  const ran = new Map<string, readonly number[]>();
  for (const { url, scriptId, functions } of scripts) {
    const [, file] = url.split('/lambdas/');
    const called = functions.flatMap(({ ranges: [whole] }) => (whole === undefined ? [] : [whole]));
    if (file === undefined || called.every(({ count }) => count === 0)) continue;
    const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId });
    const counts = called
      .filter(({ startOffset, endOffset }) => !EXPORTED.test(scriptSource.slice(startOffset, endOffset)))
      .flatMap(({ count }) => (count === 0 ? [] : [count]));
    if (counts.length > 0) ran.set(file, counts);
  }
  return ran;
}

test(`a warm plain eth_call runs through at most ${MOST_FILES} files`, async () => {
  const session = new Session();
  session.connect();
  await session.post('Debugger.enable');
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  const others = await idleScripts(session);
  Object.assign(globalThis, {
    awslambda: {
      streamifyResponse: (handler: Handler) => handler,
      HttpResponseStream: {
        from: (stream: ResponseStream, { statusCode }: { readonly statusCode: number }) =>
          Object.assign(stream, { status: statusCode }),
      },
    },
  });
  const { handler } = (await import('../../../lambdas/rpc/index.ts')) as unknown as { handler: Handler };
  let asked = 0;
  const call = async () => {
    asked += 1;
    const stream = new ResponseStream();
    const params = [
      { to: `0x${'1'.repeat(40)}`, data: `0x${asked.toString(16).padStart(8, '0')}` },
      'latest',
    ];
    const event = {
      resource: '/v1',
      path: '/v1/',
      httpMethod: 'POST',
      headers: { 'x-api-key': apiKey },
      pathParameters: null,
      queryStringParameters: null,
      requestContext: { requestId: 'test', path: '/v1/', identity: { sourceIp: '127.0.0.1' } },
      body: JSON.stringify({ jsonrpc: '2.0', id: asked, method: 'eth_call', params }),
      isBase64Encoded: false,
    };
    const context = { awsRequestId: 'test', getRemainingTimeInMillis: () => REMAINING_MS };
    await handler(event, stream, context);
    expect([stream.status, JSON.parse(Buffer.concat(stream.pieces).toString())]).toEqual([
      200,
      { jsonrpc: '2.0', id: asked, result: '0x2a' },
    ]);
  };
  // Each request writes its metrics.
  const writing = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  for (let warming = 0; warming < WARM_UP_CALLS; warming++) await call();
  const counted: ReadonlyMap<string, readonly number[]>[] = [];
  for (let counting = 0; counting < COUNTED_CALLS; counting++) {
    await session.post('Profiler.takePreciseCoverage');
    await call();
    const taken = await session.post('Profiler.takePreciseCoverage');
    const own = taken.result.filter(({ scriptId }) => !others.has(scriptId));
    counted.push(await ranOf(session, own));
  }
  session.disconnect();
  writing.mockRestore();
  const [fewest = new Map<string, readonly number[]>()] = counted.sort((one, other) => one.size - other.size);
  const files = [...fewest.keys()].filter((file) => counted.every((one) => one.has(file)));
  const counts = files.flatMap((file) => fewest.get(file) ?? []);
  const calls = counts.reduce((sum, count) => sum + count, 0);
  const folders = Map.groupBy(files, (file) => file.split('/').slice(0, 2).join('/'));
  const perFolder = [...folders].map(([name, files]) => `${name} ${files.length}`);
  console.log(
    `${files.length} files, ${counts.length} functions, ${calls} calls: ${perFolder.sort().join(', ')}`,
  );
  expect(files.length).toBeLessThanOrEqual(MOST_FILES);
});
