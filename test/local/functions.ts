import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createFunctions, type Functions } from '../../local/functions/functions.ts';
import type { StreamingResult } from '../../local/functions/outcome.ts';
import { ACCESS_KEY_ID } from './access-key.ts';
import { functionResource, loadAssembly } from './assembly.ts';

type FunctionsOptions = Parameters<typeof createFunctions>[0];

/** Functions of a local run behave as those of Lambda do: environments, time-outs, streams, logs. */
export function testFunctions(): void {
  const MEBIBYTE = 1024 * 1024;
  const STREAMED_MEBIBYTES = 12;
  const ONE_HOUR_MS = 3_600_000;

  const CODE = `
const { existsSync } = require('node:fs');
const v8 = require('node:v8');
const actions = {
  echo: (event, context) => ({ event, remaining: context.getRemainingTimeInMillis(), ...context }),
  environment: () => ({ variables: process.env, heap: v8.getHeapStatistics().heap_size_limit, cwd: process.cwd() }),
  layer: () => require('shared-layer').greeting,
  thread: () => require('node:worker_threads').isMainThread,
  pid: async () => { await new Promise((done) => setTimeout(done, 100)); return process.pid; },
  meet: async (event) => {
    process.stdout.write('here\\n');
    while (!existsSync(event.until)) await new Promise((done) => setTimeout(done, 5));
    return process.pid;
  },
  throw: () => { throw new TypeError('no good'); },
  exit: () => process.exit(3),
  reject: () => { Promise.reject(new Error('not waited for')); return new Promise(() => {}); },
  hang: () => new Promise(() => {}),
  exitLater: () => { setTimeout(() => process.exit(0), 20); return process.pid; },
  big: (event) => 'x'.repeat(event.bytes),
  nothing: () => undefined,
  log: () => { process.stdout.write('one\\ntw'); process.stdout.write('o\\nthr\\u00e9e'); process.stderr.write('four\\n'); },
};
exports.handler = async (event, context) => actions[event.action](event, context);
`;

  const STREAMING_CODE = `
const { existsSync } = require('node:fs');
const actions = {
  async stream(event, stream) {
    stream = awslambda.HttpResponseStream.from(stream, { statusCode: 201, headers: { 'x-a': 'b' } });
    const piece = Buffer.alloc(${MEBIBYTE}, 7);
    for (let i = 0; i < event.mebibytes; i++) {
      const hasRoom = stream.write(piece);
      process.stdout.write('wrote ' + i + '\\n');
      if (!hasRoom) await new Promise((done) => stream.once('drain', done));
    }
    stream.end();
  },
  async early() { throw new RangeError('too early'); },
  async late(event, stream) {
    awslambda.HttpResponseStream.from(stream, { statusCode: 200 }).write('half');
    throw new RangeError('too late');
  },
  async die(event, stream) {
    awslambda.HttpResponseStream.from(stream, { statusCode: 200 }).write('half');
    setTimeout(() => process.exit(4), 50);
    await new Promise(() => {});
  },
  async empty(event, stream) {
    stream = awslambda.HttpResponseStream.from(stream, { statusCode: 404 });
    stream.write('');
    stream.end();
  },
  async endOnly(event, stream) { awslambda.HttpResponseStream.from(stream, { statusCode: 404 }).end('gone'); },
  async plain(event, stream) { stream.write('x'.repeat(20000)); stream.end(); },
  async goOn(event, stream) {
    stream = awslambda.HttpResponseStream.from(stream, {});
    stream.write('answer');
    stream.end();
    await new Promise((resolve) => setTimeout(resolve, 500));
    console.log('went on');
  },
  async pid(event, stream) {
    stream = awslambda.HttpResponseStream.from(stream, {});
    stream.end(stream.write(String(process.pid)) ? '' : '');
  },
  async pidAndGoOn(event, stream) {
    await actions.pid(event, stream);
    while (!existsSync(event.until)) await new Promise((resolve) => setTimeout(resolve, 5));
  },
};
exports.handler = awslambda.streamifyResponse((event, stream, context) => actions[event.action](event, stream, context));
`;

  /** A function on instances with so many requests in an environment, and a version with so many environments. */
  function onInstances(id: string, code: string, requests: number, environments: number, properties = {}) {
    return {
      [id]: functionResource(code, {
        CapacityProviderConfig: {
          LambdaManagedInstancesCapacityProviderConfig: {
            CapacityProviderArn: 'any',
            PerExecutionEnvironmentMaxConcurrency: requests,
          },
        },
        Environment: { Variables: { AWS_LAMBDA_NODEJS_WORKER_COUNT: '1' } },
        ...properties,
      }),
      [`${id}Version`]: {
        Type: 'AWS::Lambda::Version',
        Properties: {
          FunctionName: { Ref: id },
          FunctionScalingConfig: { MinExecutionEnvironments: 1, MaxExecutionEnvironments: environments },
        },
      },
    };
  }

  const RESOURCES = {
    ...onInstances('Shared', 'code', 64, 2),
    ...onInstances('SharedHasty', 'code', 2, 1, { Timeout: 1 }),
    ...onInstances('SharedBroken', 'broken', 64, 2),
    ...onInstances('SharedStreaming', 'streaming', 64, 1),
    Plain: functionResource('code', {
      Environment: { Variables: { STAGE: 'test', QUEUE: { Ref: 'Work' } } },
      Layers: [{ Ref: 'Layer' }],
    }),
    Single: functionResource('code', { ReservedConcurrentExecutions: 1 }),
    Hasty: functionResource('code', { Timeout: 1 }),
    Broken: functionResource('broken'),
    Streaming: functionResource('streaming'),
    SingleStreaming: functionResource('streaming', { ReservedConcurrentExecutions: 1 }),
    PairStreaming: functionResource('streaming', { ReservedConcurrentExecutions: 2 }),
    HastyStreaming: functionResource('streaming', { Timeout: 1 }),
    Layer: {
      Type: 'AWS::Lambda::LayerVersion',
      Properties: { Content: { S3Bucket: 'assets', S3Key: 'layer.zip' } },
    },
    Work: { Type: 'AWS::SQS::Queue', Properties: {} },
  };
  const ASSETS = {
    code: { 'index.js': CODE },
    broken: { 'index.js': 'throw new SyntaxError("cannot load");' },
    streaming: { 'index.js': STREAMING_CODE },
    layer: { 'nodejs/node_modules/shared-layer/index.js': 'exports.greeting = "from the layer";' },
  };

  type Settings = Pick<FunctionsOptions, 'busyWaitMs' | 'streamedBytesPerSecond'>;
  /** Only the reader slows a stream down. */
  const AS_FAST_AS_IT_COMES = { streamedBytesPerSecond: 1_000_000_000 };

  let functions: Functions;
  let lines: [string, string][];
  /** Invocations that have ended, each with what it failed for. */
  let ended: [string, string | undefined][];
  let folder: string;
  /** File for which functions wait. */
  let until: string;

  beforeEach(() => {
    lines = [];
    ended = [];
    functions = openFunctions();
    folder = mkdtempSync(join(tmpdir(), 'functions-'));
    until = join(folder, 'until');
  });
  afterEach(async () => {
    await functions.close();
    rmSync(folder, { recursive: true });
  });

  function openFunctions(options: Settings = {}): Functions {
    return createFunctions({
      accessKeyId: ACCESS_KEY_ID,
      ...loadAssembly(RESOURCES, ASSETS),
      endpoints: { dynamodb: 'http://127.0.0.1:2' },
      onLog: (logicalId, line) => lines.push([logicalId, line]),
      onInvocation: (logicalId) => (failure) => ended.push([logicalId, failure?.kind]),
      ...options,
    });
  }

  async function reopen(settings: Settings): Promise<void> {
    await functions.close();
    functions = openFunctions(settings);
  }

  /** What a function returned; fails unless it did. */
  async function resultOf(logicalId: string, event: unknown): Promise<unknown> {
    const result = await functions.invoke(logicalId, event);
    if (result.kind !== 'success') throw new Error(JSON.stringify(result));
    return JSON.parse(result.payload.toString());
  }

  async function streamOf(logicalId: string, event: unknown): Promise<StreamingResult & { kind: 'success' }> {
    const result = await functions.invokeStreaming(logicalId, event);
    if (result.kind !== 'success') throw new Error(JSON.stringify(result));
    return result;
  }

  async function read(body: Readable): Promise<Buffer> {
    return Buffer.concat(await body.toArray());
  }

  function isRunning(pid: number): boolean {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  }

  describe('a buffered invocation', () => {
    test('gives the handler its event and context', async () => {
      const event = { action: 'echo', text: 'ü\u0000', list: [1, null] };
      expect(await resultOf('Plain', event)).toEqual({
        event,
        awsRequestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        callbackWaitsForEmptyEventLoop: true,
        functionName: 'test-stack-Plain',
        functionVersion: '$LATEST',
        invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:test-stack-Plain',
        logGroupName: '/aws/lambda/test-stack-Plain',
        logStreamName: 'local',
        memoryLimitInMB: '256',
        remaining: expect.any(Number),
      });
      expect(await resultOf('Plain', { action: 'nothing' })).toBeNull();
    });

    test('runs in an environment of its own', async () => {
      process.env.ONLY_OF_THE_PARENT = 'x';
      const { variables, heap, cwd } = (await resultOf('Plain', { action: 'environment' })) as {
        variables: Record<string, string>;
        heap: number;
        cwd: string;
      };
      delete process.env.ONLY_OF_THE_PARENT;
      expect(variables).toMatchObject({
        AWS_ENDPOINT_URL_DYNAMODB: 'http://127.0.0.1:2',
        AWS_LAMBDA_FUNCTION_MEMORY_SIZE: '256',
        QUEUE: 'http://127.0.0.1:1/000000000000/test-stack-Work',
        STAGE: 'test',
        LAMBDA_TASK_ROOT: cwd,
      });
      const foreign = Object.keys(variables).filter((name) => !/^(AWS_|LAMBDA_)/.test(name));
      expect(foreign.sort()).toEqual(['HOME', 'NODE_PATH', 'PATH', 'QUEUE', 'STAGE', 'TZ', '_HANDLER']);
      expect(heap).toBeLessThan(512 * MEBIBYTE);
    });

    test('finds its layers by require', async () => {
      expect(await resultOf('Plain', { action: 'layer' })).toBe('from the layer');
    });

    test('has a process to itself, and leaves it for the next', async () => {
      await reopen({ busyWaitMs: 0 });
      const meet = { action: 'meet', until };
      const all = Promise.all(Array.from({ length: 4 }, () => resultOf('Plain', meet)));
      while (lines.length < 4) await sleep(20);
      writeFileSync(until, '');
      const processes = new Set(await all);
      expect(processes.size).toBe(4);
      expect(processes).toContain(await resultOf('Plain', meet));
    });

    test('waits for a place at the bound of this machine', async () => {
      const results = await Promise.all(
        Array.from({ length: 24 }, () => resultOf('Plain', { action: 'pid' })),
      );
      expect(new Set(results).size).toBeLessThanOrEqual(16);
    });

    test('is throttled at once at the reserved concurrency', async () => {
      const results = await Promise.all([1, 2].map(() => functions.invoke('Single', { action: 'pid' })));
      expect(results.map(({ kind }) => kind)).toEqual(['success', 'throttled']);
      expect(ended.map(([, kind]) => kind).sort()).toEqual(['throttled', undefined]);
      expect(await resultOf('Single', { action: 'pid' })).toEqual(expect.any(Number));
    });

    test('reports what the handler throws and goes on with the same process', async () => {
      const before = await resultOf('Plain', { action: 'pid' });
      expect(await functions.invoke('Plain', { action: 'throw' })).toEqual({
        kind: 'function-error',
        errorType: 'TypeError',
        errorMessage: 'no good',
      });
      expect(await resultOf('Plain', { action: 'pid' })).toBe(before);
      expect(lines).toContainEqual(['Plain', expect.stringContaining('no good')]);
      expect(ended.map(([, kind]) => kind)).toEqual([undefined, 'function-error', undefined]);
    });

    test.each(['exit', 'reject'])('survives a process that ends: %s', async (action) => {
      const before = await resultOf('Plain', { action: 'pid' });
      expect(await functions.invoke('Plain', { action })).toMatchObject({
        kind: 'function-error',
        errorType: 'Runtime.ExitError',
      });
      expect(await resultOf('Plain', { action: 'pid' })).not.toBe(before);
    });

    test('reports code that does not load', async () => {
      const failure = { kind: 'function-error', errorType: 'SyntaxError', errorMessage: 'cannot load' };
      expect(await functions.invoke('Broken', {})).toEqual(failure);
      expect(await functions.invoke('Broken', {})).toEqual(failure);
    });

    test('ends with its process at the time-out', async () => {
      const before = (await resultOf('Hasty', { action: 'pid' })) as number;
      expect(await functions.invoke('Hasty', { action: 'hang' })).toEqual({
        kind: 'timed-out',
        timeoutMs: 1_000,
      });
      expect(await resultOf('Hasty', { action: 'pid' })).not.toBe(before);
      while (isRunning(before)) await sleep(20);
      expect(lines).toContainEqual(['Hasty', 'Task timed out after 1.00 seconds']);
    });

    test('takes and gives six mebibytes and no more', async () => {
      const action = 'big';
      expect(await resultOf('Plain', { action, bytes: 6 * MEBIBYTE })).toHaveLength(6 * MEBIBYTE);
      expect(await functions.invoke('Plain', { action, bytes: 6 * MEBIBYTE + 99 })).toMatchObject({
        errorType: 'Function.ResponseSizeTooLarge',
      });
      const event = { action: 'nothing', text: '' };
      const room = 6 * MEBIBYTE - JSON.stringify(event).length;
      expect(await resultOf('Plain', { ...event, text: 'x'.repeat(room) })).toBeNull();
      expect(await functions.invoke('Plain', { ...event, text: 'x'.repeat(room + 1) })).toEqual({
        kind: 'request-too-large',
      });
    });

    test('logs whole lines', async () => {
      await resultOf('Plain', { action: 'log' });
      await functions.close();
      expect(lines.map(([, line]) => line).sort()).toEqual(['four', 'one', 'thrée', 'two']);
    });
  });

  describe('a streaming invocation', () => {
    /** As soon as its function has ended what it does after its last answer. */
    async function unthrottled(logicalId: string, event: unknown): Promise<StreamingResult> {
      let result: StreamingResult = { kind: 'throttled' };
      while (result.kind === 'throttled') {
        await sleep(20);
        result = await functions.invokeStreaming(logicalId, event);
      }
      return result;
    }

    test('gives the metadata, then the bytes', async () => {
      await reopen(AS_FAST_AS_IT_COMES);
      const { metadata, body } = await streamOf('Streaming', {
        action: 'stream',
        mebibytes: STREAMED_MEBIBYTES,
      });
      expect(metadata).toEqual({ statusCode: 201, headers: { 'x-a': 'b' } });
      const digest = createHash('sha256')
        .update(await read(body))
        .digest('hex');
      const expected = Buffer.alloc(STREAMED_MEBIBYTES * MEBIBYTE, 7);
      expect(digest).toBe(createHash('sha256').update(expected).digest('hex'));
    });

    test('holds the function back while the client does not read', async () => {
      await reopen(AS_FAST_AS_IT_COMES);
      const { body } = await streamOf('Streaming', { action: 'stream', mebibytes: 24 });
      let wrote = 0;
      while (lines.length === 0 || lines.length !== wrote) {
        wrote = lines.length;
        await sleep(300);
      }
      expect(wrote).toBeLessThan(16);
      expect(await read(body)).toHaveLength(24 * MEBIBYTE);
    });

    test('has no body if only an empty piece is written', async () => {
      const { metadata, body } = await streamOf('Streaming', { action: 'empty' });
      expect(metadata).toEqual({ statusCode: 404 });
      expect(await read(body)).toHaveLength(0);
    });

    test.each([
      ['early', 'RangeError', 'too early'],
      ['endOnly', 'MalformedStreamingResponse', 'the streamed response ends before its metadata'],
      ['plain', 'MalformedStreamingResponse', 'the streamed response has no metadata'],
    ])('fails without metadata: %s', async (action, errorType, errorMessage) => {
      const failure = { kind: 'function-error', errorType, errorMessage };
      expect(await functions.invokeStreaming('Streaming', { action })).toEqual(failure);
    });

    test.each([
      ['late', 'too late'],
      ['die', 'aborted'],
    ])('breaks off the body: %s', async (action, message) => {
      const { body } = await streamOf('Streaming', { action });
      expect(ended).toEqual([]);
      await expect(read(body)).rejects.toThrow(message);
      while (ended.length === 0) await sleep(5);
      expect(ended).toEqual([['Streaming', 'function-error']]);
      expect((await streamOf('Streaming', { action: 'empty' })).metadata).toEqual({ statusCode: 404 });
    });

    test('ends with its last byte, whatever its function does after that, and a close leaves time for it', async () => {
      const { body } = await streamOf('Streaming', { action: 'goOn' });
      expect(await read(body)).toEqual(Buffer.from('answer'));
      expect(lines).toEqual([]);
      while (ended.length === 0) await sleep(5);
      expect(ended).toEqual([['Streaming', undefined]]);
      await functions.close();
      expect(lines).toEqual([['Streaming', 'went on']]);
    });

    test('breaks off at the time-out', async () => {
      const { body } = await streamOf('HastyStreaming', { action: 'stream', mebibytes: 64 });
      const [error] = await once(body, 'error').catch((reason) => [reason]);
      expect(error).toEqual(new Error('the function timed out'));
    });

    test('breaks off if what follows its first 6 MB takes longer than the function may', async () => {
      const { body } = await streamOf('HastyStreaming', { action: 'stream', mebibytes: 10 });
      await expect(read(body)).rejects.toThrow('the function timed out');
    });

    test('goes on by itself if its reader gives up', async () => {
      const before = await read((await streamOf('SingleStreaming', { action: 'pid' })).body);
      const stream = await unthrottled('SingleStreaming', { action: 'stream', mebibytes: 16 });
      if (stream.kind === 'success') stream.body.destroy();
      const after = await unthrottled('SingleStreaming', { action: 'pid' });
      expect(lines).toContainEqual(['SingleStreaming', 'wrote 15']);
      expect(after.kind === 'success' && (await read(after.body))).toEqual(before);
    });
  });

  describe('a process at work', () => {
    async function pidOf(logicalId: string, event: object): Promise<string> {
      return String(await read((await streamOf(logicalId, event)).body));
    }

    test('is waited for by the next invocation, also after its response', async () => {
      await reopen({ busyWaitMs: ONE_HOUR_MS });
      const first = await pidOf('Streaming', { action: 'pidAndGoOn', until });
      const next = pidOf('Streaming', { action: 'pid' });
      writeFileSync(until, '');
      expect(await next).toBe(first);
    });

    test('is not waited for longer than the bound', async () => {
      await reopen({ busyWaitMs: 1 });
      const first = await pidOf('Streaming', { action: 'pidAndGoOn', until });
      expect(await pidOf('Streaming', { action: 'pid' })).not.toBe(first);
      writeFileSync(until, '');
    });

    test('counts for the reserved concurrency, and so does a request that waits for it', async () => {
      await reopen({ busyWaitMs: 1 });
      const first = await pidOf('PairStreaming', { action: 'pidAndGoOn', until });
      const next = pidOf('PairStreaming', { action: 'pid' });
      const throttled = await functions.invokeStreaming('PairStreaming', { action: 'pid' });
      expect(throttled).toEqual({ kind: 'throttled' });
      expect(await next).not.toBe(first);
      writeFileSync(until, '');
    });
  });

  describe('the processes', () => {
    test('are gone after close, whatever they do', async () => {
      const pid = (await resultOf('Plain', { action: 'pid' })) as number;
      const hanging = functions.invoke('Plain', { action: 'hang' });
      await functions.close();
      expect((await hanging).kind).not.toBe('success');
      expect(isRunning(pid)).toBe(false);
      expect(await functions.invoke('Plain', { action: 'pid' })).toEqual({ kind: 'throttled' });
    });

    test('are not started, or not for long, by what came just before close', async () => {
      const late = ['Plain', 'Single'].map((logicalId) => functions.invoke(logicalId, { action: 'hang' }));
      await functions.close();
      expect((await Promise.all(late)).map(({ kind }) => kind)).toEqual(['function-error', 'function-error']);
    });

    test('are forgotten if they end while idle', async () => {
      const pid = (await resultOf('Single', { action: 'exitLater' })) as number;
      while (isRunning(pid)) await sleep(20);
      let next = await functions.invoke('Single', { action: 'pid' });
      while (next.kind !== 'success') {
        await sleep(20);
        next = await functions.invoke('Single', { action: 'pid' });
      }
      expect(JSON.parse(next.payload.toString())).not.toBe(pid);
    });

    test('end with the process that started them', async () => {
      const { template } = loadAssembly(RESOURCES, ASSETS);
      const local = join(import.meta.dirname, '..', '..', 'local');
      const script = join(template.folder, 'parent.ts');
      writeFileSync(
        script,
        `import { createAttributes } from '${local}/template/attributes.ts';
       import { createFunctions } from '${local}/functions/functions.ts';
       import { createResolver } from '${local}/template/intrinsics.ts';
       import { loadTemplate } from '${local}/template/load-template.ts';
       const template = loadTemplate('${template.folder}');
       const resolver = createResolver(template, { attribute: createAttributes(template, '') });
       const functions = createFunctions({ template, resolver, accessKeyId: 'test', endpoints: {}, onLog: () => {} });
       const results = await Promise.all([1, 2].map(() => functions.invoke('Plain', { action: 'pid' })));
       functions.invoke('Plain', { action: 'hang' });
       console.log(JSON.stringify(results.map(({ payload }) => Number(payload))));`,
      );
      const parent = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
      const [output] = await once(parent.stdout, 'data');
      const pids: number[] = JSON.parse(String(output));
      expect(pids.filter((pid) => !isRunning(pid))).toEqual([]);
      parent.kill('SIGKILL');
      while (pids.some(isRunning)) await sleep(20);
    });
  });

  test('an unknown runtime is refused by name', () => {
    const assembly = loadAssembly({ F: functionResource('code', { Runtime: 'python3.13' }) }, ASSETS);
    expect(() =>
      createFunctions({ ...assembly, accessKeyId: ACCESS_KEY_ID, endpoints: {}, onLog: () => {} }),
    ).toThrow('F (AWS::Lambda::Function): Runtime python3.13 is not supported');
  });

  describe('an environment on instances', () => {
    const meet = () => ({ action: 'meet', until });
    const meeting = (count: number) =>
      Promise.all(Array.from({ length: count }, () => resultOf('Shared', meet())));

    async function untilHere(count: number): Promise<void> {
      while (lines.filter(([, line]) => line === 'here').length < count) await sleep(20);
    }

    test('takes 64 invocations at a time in a thread, and only when it is full is there a second', async () => {
      expect(await resultOf('Shared', { action: 'thread' })).toBe(false);
      const full = meeting(64);
      await untilHere(64);
      const next = resultOf('Shared', meet());
      await untilHere(65);
      writeFileSync(until, '');
      const [first, ...others] = await full;
      expect(new Set(others)).toEqual(new Set([first]));
      expect(await next).not.toBe(first);
      expect(await resultOf('Shared', { action: 'pid' })).toBe(first);
    });

    test('waits for a place at the bound of environments', async () => {
      const full = meeting(128);
      await untilHere(128);
      const next = resultOf('Shared', { action: 'pid' });
      writeFileSync(until, '');
      const pids = await full;
      expect(new Set(pids).size).toBe(2);
      expect(pids).toContain(await next);
    });

    test('fails alone where a handler throws, and goes on with all others', async () => {
      const others = meeting(3);
      await untilHere(3);
      expect(await functions.invoke('Shared', { action: 'throw' })).toMatchObject({ errorType: 'TypeError' });
      writeFileSync(until, '');
      expect(new Set(await others)).toEqual(new Set([await resultOf('Shared', { action: 'pid' })]));
    });

    test.each(['SIGTERM', 'SIGKILL'] as const)('takes all of its invocations with it: %s', async (signal) => {
      const pid = (await resultOf('Shared', { action: 'pid' })) as number;
      const under = Array.from({ length: 64 }, () => functions.invoke('Shared', meet()));
      await untilHere(64);
      process.kill(pid, signal);
      for (const result of await Promise.all(under))
        expect(result).toMatchObject({ kind: 'function-error', errorType: 'Runtime.ExitError' });
      expect(await resultOf('Shared', { action: 'pid' })).not.toBe(pid);
    });

    test('ends with what ends its thread', async () => {
      const pid = await resultOf('Shared', { action: 'pid' });
      expect(await functions.invoke('Shared', { action: 'exit' })).toMatchObject({
        errorType: 'Runtime.ExitError',
      });
      expect(await resultOf('Shared', { action: 'pid' })).not.toBe(pid);
    });

    test('goes on at the time-out of one, whose handler keeps its place', async () => {
      const pid = await resultOf('SharedHasty', { action: 'pid' });
      expect(await functions.invoke('SharedHasty', { action: 'hang' })).toEqual({
        kind: 'timed-out',
        timeoutMs: 1_000,
      });
      expect(await resultOf('SharedHasty', { action: 'pid' })).toBe(pid);
      expect(await functions.invoke('SharedHasty', { action: 'hang' })).toMatchObject({ kind: 'timed-out' });
      const waits = functions.invoke('SharedHasty', { action: 'pid' });
      await functions.close();
      expect(await waits).toEqual({ kind: 'throttled' });
    });

    test('that cannot start fails all that wait for it', async () => {
      const failure = { kind: 'function-error', errorType: 'SyntaxError', errorMessage: 'cannot load' };
      const results = await Promise.all([1, 2, 3].map(() => functions.invoke('SharedBroken', {})));
      expect(results).toEqual([failure, failure, failure]);
    });

    test('holds back a response that is not read, and no other', async () => {
      await reopen(AS_FAST_AS_IT_COMES);
      const { body } = await streamOf('SharedStreaming', { action: 'stream', mebibytes: 24 });
      let wrote = 0;
      while (lines.length === 0 || lines.length !== wrote) {
        wrote = lines.length;
        await sleep(300);
      }
      expect(wrote).toBeLessThan(16);
      const quick = Array.from({ length: 63 }, async () =>
        read((await streamOf('SharedStreaming', { action: 'pid' })).body),
      );
      expect(new Set((await Promise.all(quick)).map(String)).size).toBe(1);
      expect(await read(body)).toHaveLength(24 * MEBIBYTE);
    });

    test('is refused with more than one thread', () => {
      const two = onInstances('Two', 'code', 64, 2, {
        Environment: { Variables: { AWS_LAMBDA_NODEJS_WORKER_COUNT: '2' } },
      });
      const open = () =>
        createFunctions({
          accessKeyId: ACCESS_KEY_ID,
          ...loadAssembly(two, ASSETS),
          endpoints: {},
          onLog: () => {},
        });
      expect(open).toThrow('AWS_LAMBDA_NODEJS_WORKER_COUNT other than 1');
    });
  });
}
