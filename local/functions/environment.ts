import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { type Readable, Transform } from 'node:stream';
import { LOCAL_REGION } from '../template/intrinsics.ts';
import { COMPILE_CACHE_VARIABLE } from './compile-cache.ts';
import type { FunctionConfiguration } from './configuration.ts';
import { readLines } from './log-lines.ts';
import { functionError, type InvocationFailure } from './outcome.ts';

/** Time that Lambda gives the code outside the handler. */
const INIT_TIMEOUT_MS = 10_000;
/** Share of the memory that the Lambda runtime gives to the heap. */
const HEAP_SHARE = 0.9;
/** Most of an error report that is read, in bytes. */
const MAX_ERROR_REPORT_BYTES = 256 * 1024;
/** Time that a run which ends leaves a function for what it does after its answer, in milliseconds. */
const CONCLUDE_MS = 3_000;
/** Header in which the runtime says how a function answers. */
const RESPONSE_MODE = 'lambda-runtime-function-response-mode';
const BOOTSTRAP = join(import.meta.dirname, 'bootstrap.ts');
const RUNTIME_PATH = /^\/2018-06-01\/runtime\/(init|invocation)\/([^/]+)(?:\/(response|error))?$/;

/**
 * What a function answered: its failure, or a body. They come to their end when the environment can take the next
 * invocation, but a body that is streamed when the function ends it: as on Lambda, the function may go on after that. A
 * body whose function fails on the way has an `error` event.
 */
export type Reply = { readonly kind: 'reply'; readonly body: Readable } | InvocationFailure;

/** What an environment tells its owner. */
export interface EnvironmentEvents {
  /** It has finished an invocation and can take another. */
  onIdle(environment: Environment): void;
  /** Its process has ended; nothing else will come. */
  onExit(environment: Environment): void;
  onLine(line: string): void;
}

interface Invocation {
  readonly requestId: string;
  readonly payload: Buffer;
  readonly settle: (reply: Reply) => void;
  /** What the function has begun to answer. */
  body?: Transform;
  /** Ends a body that is not streamed. */
  endBody?: () => void;
  /** Whether a body that is streamed has ended, and the function goes on. */
  answered?: boolean;
  /** What the function has reported. */
  failure?: InvocationFailure;
}

/**
 * One Lambda environment: a process that serves one invocation at a time, and the Lambda Runtime API that it
 * speaks to, on a port of its own on 127.0.0.1. The process ends with the connection to that API.
 */
export class Environment {
  readonly #configuration: FunctionConfiguration;
  readonly #events: EnvironmentEvents;
  readonly #server = createServer((request, response) => this.#serve(request, response));
  readonly #exited: Promise<void>;
  #finish: () => void = () => {};
  #child: ChildProcess | undefined;
  #closed = false;
  #ended = false;
  #ready = false;
  #waitingForWork: ServerResponse | undefined;
  #invocation: Invocation | undefined;
  #timer: NodeJS.Timeout | undefined;

  /** @param endpoints URLs of the local services by the SDK's service identifier, such as `dynamodb` */
  constructor(
    configuration: FunctionConfiguration,
    endpoints: Readonly<Record<string, string>>,
    events: EnvironmentEvents,
  ) {
    this.#configuration = configuration;
    this.#events = events;
    this.#exited = new Promise((resolve) => {
      this.#finish = resolve;
    });
    // An invocation may take as long as the function's time-out says, and an idle environment waits for ever.
    Object.assign(this.#server, { requestTimeout: 0, keepAliveTimeout: 0 });
    this.#server.once('error', (error) => this.#exit(`runtime API failed: ${error.message}`));
    this.#server.listen(0, '127.0.0.1', () => this.#spawn(endpoints));
  }

  /** Whether its process has started, and its code is loaded. */
  get isReady(): boolean {
    return this.#ready;
  }

  /** Hands the environment one event, as JSON text. It must be new or idle. */
  invoke(payload: Buffer): Promise<Reply> {
    return new Promise((settle) => {
      this.#invocation = { requestId: randomUUID(), payload, settle };
      if (this.#ended) this.#finishInvocation(functionError('Runtime.ExitError', 'the runtime has ended'));
      else this.#deliver();
    });
  }

  /** Ends the process, an invocation that has answered first; resolves when it is gone. */
  close(): Promise<void> {
    this.#closed = true;
    if (this.#child === undefined) this.#exit('closed');
    else if (this.#invocation?.answered !== true) this.#child.kill('SIGKILL');
    else {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#child?.kill('SIGKILL'), CONCLUDE_MS);
    }
    return this.#exited;
  }

  #spawn(endpoints: Readonly<Record<string, string>>): void {
    if (this.#closed) return;
    const heapMb = Math.floor(this.#configuration.memoryMb * HEAP_SHARE);
    const { port } = this.#server.address() as AddressInfo;
    const child = spawn(process.execPath, [`--max-old-space-size=${heapMb}`, BOOTSTRAP], {
      cwd: this.#configuration.codeFolder,
      env: environmentVariables(this.#configuration, endpoints, `127.0.0.1:${port}`),
      stdio: ['ignore', 'pipe', 'pipe'],
      // A Ctrl-C in a terminal reaches the whole process group; requests under way are to finish first.
      detached: true,
    });
    this.#child = child;
    readLines(child.stdout, this.#events.onLine);
    readLines(child.stderr, this.#events.onLine);
    child.once('error', (error) => this.#exit(error.message));
    child.once('close', (code, signal) => this.#exit(signal ?? `exit status ${code}`));
    this.#startTimer(INIT_TIMEOUT_MS);
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const [, scope, id, action] = RUNTIME_PATH.exec(request.url ?? '') ?? [];
    const invocation = this.#invocation;
    const isCurrent = id === invocation?.requestId && !invocation?.body && !invocation?.failure;
    if (scope === 'invocation' && id === 'next') this.#takeNext(response);
    else if (scope === 'init' ? id === 'error' : isCurrent && action === 'error') {
      this.#takeError(request, response);
    } else if (isCurrent && action === 'response') this.#takeResponse(request, response);
    else {
      request.resume();
      response.writeHead(400).end();
    }
  }

  #takeNext(response: ServerResponse): void {
    clearTimeout(this.#timer);
    this.#ready = true;
    this.#waitingForWork = response;
    const invocation = this.#invocation;
    if (invocation?.body || invocation?.failure) {
      this.#finishInvocation(invocation.failure);
      if (this.#closed) this.#child?.kill('SIGKILL');
      else this.#events.onIdle(this);
    } else this.#deliver();
  }

  #deliver(): void {
    const { timeoutMs, arn } = this.#configuration;
    if (this.#invocation === undefined || this.#waitingForWork === undefined) return;
    this.#startTimer(timeoutMs);
    this.#waitingForWork.writeHead(200, {
      'Content-Type': 'application/json',
      'Lambda-Runtime-Aws-Request-Id': this.#invocation.requestId,
      'Lambda-Runtime-Deadline-Ms': Date.now() + timeoutMs,
      'Lambda-Runtime-Invoked-Function-Arn': arn,
    });
    this.#waitingForWork.end(this.#invocation.payload);
    this.#waitingForWork = undefined;
  }

  #takeResponse(request: IncomingMessage, response: ServerResponse): void {
    const invocation = this.#invocation;
    if (invocation === undefined) return;
    const body = new Transform({
      transform: (chunk, _encoding, done) => done(null, chunk),
      flush: (done) => {
        response.writeHead(202).end();
        if (request.headers[RESPONSE_MODE] === 'streaming') {
          invocation.answered = true;
          done(trailerError(request));
        } else invocation.endBody = () => done(trailerError(request));
      },
    });
    request.on('error', (error) => body.destroy(error)).pipe(body);
    invocation.body = body;
    invocation.settle({ kind: 'reply', body });
  }

  #takeError(request: IncomingMessage, response: ServerResponse): void {
    let report = '';
    request.setEncoding('utf8');
    request.on('data', (text: string) => {
      if (report.length < MAX_ERROR_REPORT_BYTES) report += text;
    });
    request.on('end', () => {
      if (this.#invocation) this.#invocation.failure = readErrorReport(report);
      response.writeHead(202).end();
    });
  }

  #startTimer(timeoutMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#timeOut(timeoutMs), timeoutMs);
  }

  #timeOut(timeoutMs: number): void {
    this.#events.onLine(`Task timed out after ${(timeoutMs / 1_000).toFixed(2)} seconds`);
    this.#invocation?.body?.destroy(new Error('the function timed out'));
    this.#finishInvocation({ kind: 'timed-out', timeoutMs });
    this.#child?.kill('SIGKILL');
  }

  /** Ends the current invocation: its body if there is one, else the failure is its outcome. */
  #finishInvocation(failure: InvocationFailure | undefined): void {
    const invocation = this.#invocation;
    this.#invocation = undefined;
    invocation?.endBody?.();
    if (failure !== undefined) invocation?.settle(failure);
  }

  #exit(reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    const ended = functionError('Runtime.ExitError', `the runtime ended: ${reason}`);
    this.#finishInvocation(this.#invocation?.failure ?? ended);
    this.#server.close();
    this.#server.closeAllConnections();
    this.#finish();
    this.#events.onExit(this);
  }
}

/**
 * Everything that the process sees: nothing of this process's own environment but `PATH` and `HOME`, and the folder of
 * compiled code, which the bootstrap hides from the function.
 */
function environmentVariables(
  configuration: FunctionConfiguration,
  endpoints: Readonly<Record<string, string>>,
  runtimeApi: string,
): NodeJS.ProcessEnv {
  return {
    ...configuration.variables,
    ...Object.fromEntries(
      Object.entries(endpoints).map(([service, url]) => [`AWS_ENDPOINT_URL_${service.toUpperCase()}`, url]),
    ),
    AWS_ACCESS_KEY_ID: 'local',
    AWS_DEFAULT_REGION: LOCAL_REGION,
    AWS_EXECUTION_ENV: `AWS_Lambda_${configuration.runtime}`,
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(configuration.memoryMb),
    AWS_LAMBDA_FUNCTION_NAME: configuration.name,
    AWS_LAMBDA_FUNCTION_VERSION: configuration.version,
    AWS_LAMBDA_INITIALIZATION_TYPE: 'on-demand',
    AWS_LAMBDA_LOG_GROUP_NAME: `/aws/lambda/${configuration.name}`,
    AWS_LAMBDA_LOG_STREAM_NAME: 'local',
    AWS_LAMBDA_RUNTIME_API: runtimeApi,
    AWS_REGION: LOCAL_REGION,
    AWS_SECRET_ACCESS_KEY: 'local',
    HOME: process.env.HOME,
    [COMPILE_CACHE_VARIABLE]: process.env[COMPILE_CACHE_VARIABLE],
    LAMBDA_TASK_ROOT: configuration.codeFolder,
    NODE_PATH: configuration.moduleFolders.join(':'),
    PATH: process.env.PATH,
    TZ: 'UTC',
    _HANDLER: configuration.handler,
  };
}

/** The error that a function reports after a part of its streamed response. */
function trailerError(request: IncomingMessage): Error | null {
  const errorType = request.trailers['lambda-runtime-function-error-type'];
  if (errorType === undefined) return null;
  const report = Buffer.from(request.trailers['lambda-runtime-function-error-body'] ?? '', 'base64');
  const failure = readErrorReport(report.toString());
  const error = new Error(failure.kind === 'function-error' ? failure.errorMessage : '');
  error.name = errorType;
  return error;
}

function readErrorReport(report: string): InvocationFailure {
  try {
    const { errorType, errorMessage } = JSON.parse(report) as Record<string, unknown>;
    return functionError(String(errorType), String(errorMessage));
  } catch {
    return functionError('Runtime.Unknown', 'the function failed without a readable report');
  }
}
