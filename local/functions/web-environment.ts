import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { Agent, type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { HTTP_ENDPOINT_VARIABLE } from '../../lambdas/shared/runtime/environment.ts';
import { pickPort } from '../processes/free-port.ts';
import { type LocalServices, runVariables } from './environment-variables.ts';
import { CONNECTION_DESCRIPTOR } from './frames.ts';
import { readLines } from './log-lines.ts';
import type { SharedEnvironment, SharedEnvironmentEvents } from './shared-pool.ts';
import type { WebConfiguration } from './web-configuration.ts';
import { type LambdaCause, lambdaResponse, type WebRequest, type WebResponse } from './web-response.ts';

const HOST = '127.0.0.1';
/** Time that Lambda gives a server until it listens, and how often a local run looks. */
const INIT_TIMEOUT_MS = 10_000;
const LOOK_INTERVAL_MS = 20;
/** Memory of an environment, in MB, and the share of it that goes to the heap. */
const MEMORY_MB = 2_048;
const HEAP_SHARE = 0.9;
/** Time from SIGTERM to SIGKILL. */
const END_MS = 1_000;
/** An environment without a request is ended after this time. */
const IDLE_MS = 5 * 60_000;
const BOOTSTRAP = join(import.meta.dirname, 'web-bootstrap.ts');
/** Headers that end at each hop. */
const HOP_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
/** Headers that Lambda does not pass to a web function. */
const REMOVED_HEADERS = /^(?:x-real-ip|x-http-method.*|lambda-web-.*)$/;

type Settle = (response: WebResponse) => void;

/**
 * An environment of a web function: a process that listens on a port of this machine, to which requests are passed on as they are.
 * When it is to end it gets SIGTERM, and is killed within a second.
 */
export class WebEnvironment implements SharedEnvironment {
  readonly #configuration: WebConfiguration;
  readonly #events: SharedEnvironmentEvents<WebEnvironment>;
  readonly #exited: Promise<void>;
  readonly #agent = new Agent({ keepAlive: true });
  readonly #underWay = new Set<ClientRequest>();
  #finish: () => void = () => {};
  #child: ChildProcess | undefined;
  #port = 0;
  #ready = false;
  #isEnding = false;
  /** Why its process has ended; undefined: it has not. */
  #ended: LambdaCause | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(
    configuration: WebConfiguration,
    services: LocalServices,
    events: SharedEnvironmentEvents<WebEnvironment>,
    { onLine, idleMs = IDLE_MS }: { readonly onLine: (line: string) => void; readonly idleMs?: number },
  ) {
    this.#configuration = configuration;
    this.#events = events;
    this.#exited = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.#idle = setTimeout(() => void this.close(), INIT_TIMEOUT_MS + idleMs);
    this.#onIdle = () => {
      clearTimeout(this.#idle);
      if (this.#underWay.size === 0) this.#idle = setTimeout(() => void this.close(), idleMs);
      if (this.hasRoom) this.#events.onIdle(this);
    };
    void this.#start(services, onLine);
  }

  readonly #onIdle: () => void;

  get isReady(): boolean {
    return this.#ready;
  }

  get hasRoom(): boolean {
    return (
      !this.#isEnding &&
      this.#ended === undefined &&
      this.#underWay.size < this.#configuration.requestsPerEnvironment
    );
  }

  /** Passes a request on. It must have room. */
  request(asked: WebRequest): Promise<WebResponse> {
    if (this.#ended !== undefined) return Promise.resolve(lambdaResponse(this.#ended));
    clearTimeout(this.#idle);
    return new Promise((settle) => this.#send(asked, settle));
  }

  close(): Promise<void> {
    this.#isEnding = true;
    clearTimeout(this.#idle);
    const child = this.#child;
    if (child === undefined || this.#ended !== undefined) return this.#exited;
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
    void this.#exited.then(() => clearTimeout(timer));
    return this.#exited;
  }

  async #start(services: LocalServices, onLine: (line: string) => void): Promise<void> {
    this.#port = await pickPort();
    const heapMb = Math.floor(MEMORY_MB * HEAP_SHARE);
    const child = spawn(process.execPath, [`--max-old-space-size=${heapMb}`, BOOTSTRAP], {
      cwd: this.#configuration.codeFolder,
      env: {
        ...this.#configuration.variables,
        ...runVariables(services),
        AWS_LAMBDA_INITIALIZATION_TYPE: 'native-http',
        [HTTP_ENDPOINT_VARIABLE]: `${HOST}:${this.#port}`,
      },
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      // A Ctrl-C in a terminal reaches the whole process group; requests under way are to finish first.
      detached: true,
    });
    this.#child = child;
    (child.stdio[CONNECTION_DESCRIPTOR] as Readable).on('error', () => undefined);
    readLines(child.stdout as Readable, onLine);
    readLines(child.stderr as Readable, onLine);
    child.once('error', () => this.#exit('notStarted'));
    child.once('close', (_code, signal) => {
      if (!this.#ready) this.#exit('notStarted');
      // V8 ends the process this way when its heap is full.
      else this.#exit(signal === 'SIGABRT' ? 'exhausted' : 'ended');
    });
    if (this.#isEnding) void this.close();
    await this.#untilItListens(child, onLine);
  }

  async #untilItListens(child: ChildProcess, onLine: (line: string) => void): Promise<void> {
    const deadline = Date.now() + INIT_TIMEOUT_MS;
    while (this.#ended === undefined && !(await listens(this.#port))) {
      if (Date.now() > deadline) {
        onLine(`The server did not listen within ${INIT_TIMEOUT_MS / 1_000} seconds`);
        child.kill('SIGKILL');
        return;
      }
      await pause(LOOK_INTERVAL_MS);
    }
    if (this.#ended !== undefined) return;
    this.#ready = true;
    this.#onIdle();
  }

  #send({ method, target, headers, body }: WebRequest, settle: Settle): void {
    const { timeoutMs, endpointName } = this.#configuration;
    const id = randomUUID();
    let isTimedOut = false;
    const sent = httpRequest({
      host: HOST,
      port: this.#port,
      method,
      path: target,
      agent: this.#agent,
      headers: [
        ...forwarded(headers),
        ...['lambda-web-request-id', id, 'lambda-web-endpoint-name', endpointName],
        ...(body.length > 0 ? ['Content-Length', String(body.length)] : []),
      ],
    });
    this.#underWay.add(sent);
    const timer = setTimeout(() => {
      isTimedOut = true;
      sent.destroy();
    }, timeoutMs);
    sent.once('response', (response: IncomingMessage) => settle(webResponseOf(response, id)));
    sent.once('error', () => {
      if (isTimedOut) settle(lambdaResponse('timedOut'));
      else void this.#causeOfEnd().then((cause) => settle(lambdaResponse(cause)));
    });
    sent.once('close', () => {
      clearTimeout(timer);
      this.#underWay.delete(sent);
      if (this.#ended === undefined) this.#onIdle();
    });
    sent.end(body);
  }

  /** A process that dies is seen by its connections first. */
  async #causeOfEnd(): Promise<LambdaCause> {
    await Promise.race([this.#exited, pause(LOOK_INTERVAL_MS * 10, undefined, { ref: false })]);
    return this.#ended ?? 'ended';
  }

  #exit(cause: LambdaCause): void {
    if (this.#ended !== undefined) return;
    this.#ended = cause;
    clearTimeout(this.#idle);
    this.#agent.destroy();
    this.#finish();
    this.#events.onExit(this);
  }
}

/** Whether a program listens on a port of this machine. */
function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: HOST, port });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

function forwarded(headers: readonly string[]): string[] {
  return pairsOf(headers)
    .filter(([name]) => {
      const key = name.toLowerCase();
      return key !== 'content-length' && !HOP_HEADERS.has(key) && !REMOVED_HEADERS.test(key);
    })
    .flat();
}

function webResponseOf(response: IncomingMessage, id: string): WebResponse {
  return {
    status: response.statusCode ?? 0,
    headers: [
      ...pairsOf(response.rawHeaders).filter(([name]) => !HOP_HEADERS.has(name.toLowerCase())),
      ['lambda-web-request-id', id],
      ['lambda-web-logstream', 'local'],
    ],
    body: response,
    isOfLambda: false,
  };
}

function pairsOf(list: readonly string[]): (readonly [name: string, value: string])[] {
  return list.flatMap((name, index) => (index % 2 === 0 ? [[name, list[index + 1] ?? ''] as const] : []));
}
