import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Duplex, Readable } from 'node:stream';
import type { FunctionConfiguration } from './configuration.ts';
import { environmentVariables, type LocalServices } from './environment-variables.ts';
import { CONNECTION_DESCRIPTOR, FRAMES, frameReader, type InvocationContext, writeFrame } from './frames.ts';
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
const BOOTSTRAP = join(import.meta.dirname, 'bootstrap.ts');

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
  body?: Readable;
  /** Whether a body that is streamed has ended, and the function goes on. */
  answered?: boolean;
  /** What the function has reported. */
  failure?: InvocationFailure;
}

/**
 * One Lambda environment: a process that serves one invocation at a time, connected by a pipe. The process ends with
 * the connection.
 */
export class Environment {
  readonly #configuration: FunctionConfiguration;
  readonly #events: EnvironmentEvents;
  readonly #exited: Promise<void>;
  readonly #child: ChildProcess;
  readonly #connection: Duplex;
  #finish: () => void = () => {};
  #closed = false;
  #ended = false;
  #ready = false;
  #isWaiting = false;
  #report = '';
  #invocation: Invocation | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(configuration: FunctionConfiguration, services: LocalServices, events: EnvironmentEvents) {
    this.#configuration = configuration;
    this.#events = events;
    this.#exited = new Promise((resolve) => {
      this.#finish = resolve;
    });
    this.#child = this.#spawn(services);
    this.#connection = this.#child.stdio[CONNECTION_DESCRIPTOR] as Duplex;
    // The end of the process says all that there is to say.
    this.#connection.on('error', () => undefined);
    this.#connection.on(
      'data',
      frameReader((...piece) => this.#take(...piece)),
    );
    this.#startTimer(INIT_TIMEOUT_MS);
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
    if (this.#invocation?.answered !== true) this.#kill();
    else {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#kill(), CONCLUDE_MS);
    }
    return this.#exited;
  }

  #spawn(services: LocalServices): ChildProcess {
    const heapMb = Math.floor(this.#configuration.memoryMb * HEAP_SHARE);
    const child = spawn(process.execPath, [`--max-old-space-size=${heapMb}`, BOOTSTRAP], {
      cwd: this.#configuration.codeFolder,
      env: environmentVariables(this.#configuration, services),
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
      // A Ctrl-C in a terminal reaches the whole process group; requests under way are to finish first.
      detached: true,
    });
    readLines(child.stdout as Readable, this.#events.onLine);
    readLines(child.stderr as Readable, this.#events.onLine);
    child.once('error', (error) => this.#exit(error.message));
    child.once('close', (code, signal) => this.#exit(signal ?? `exit status ${code}`));
    return child;
  }

  #take(kind: number, piece: Buffer, isLast: boolean): void {
    if (kind === FRAMES.DATA) this.#takeData(piece);
    else if (kind === FRAMES.READY) this.#takeReady();
    else {
      if (this.#report.length < MAX_ERROR_REPORT_BYTES) this.#report += piece.toString('latin1');
      if (!isLast) return;
      const report = Buffer.from(this.#report, 'latin1').toString();
      this.#report = '';
      if (kind === FRAMES.END) this.#takeEnd(report);
      else if (this.#invocation) this.#invocation.failure = readErrorReport(report);
    }
  }

  #takeReady(): void {
    clearTimeout(this.#timer);
    this.#ready = true;
    this.#isWaiting = true;
    const invocation = this.#invocation;
    if (invocation?.body || invocation?.failure) {
      this.#finishInvocation(invocation.failure);
      if (this.#closed) this.#kill();
      else this.#events.onIdle(this);
    } else this.#deliver();
  }

  #deliver(): void {
    const { timeoutMs, arn } = this.#configuration;
    if (this.#invocation === undefined || !this.#isWaiting) return;
    this.#isWaiting = false;
    this.#startTimer(timeoutMs);
    const { requestId, payload } = this.#invocation;
    const context: InvocationContext = { requestId, deadlineMs: Date.now() + timeoutMs, functionArn: arn };
    this.#connection.cork();
    writeFrame(this.#connection, FRAMES.CONTEXT, Buffer.from(JSON.stringify(context)));
    writeFrame(this.#connection, FRAMES.EVENT, payload);
    this.#connection.uncork();
  }

  #takeData(piece: Buffer): void {
    const invocation = this.#invocation;
    if (invocation === undefined || invocation.answered) return;
    const body = this.#bodyOf(invocation);
    if (!body.destroyed && piece.length > 0 && !body.push(piece)) this.#connection.pause();
  }

  #takeEnd(report: string): void {
    const invocation = this.#invocation;
    if (invocation === undefined) return;
    const body = this.#bodyOf(invocation);
    invocation.answered = true;
    if (report === '') body.push(null);
    // Not before its reader, who may have got it in this very turn, listens to errors.
    else setImmediate(() => body.destroy(streamError(report)));
  }

  /** The body of an answer, whose function writes no faster than it is read. */
  #bodyOf(invocation: Invocation): Readable {
    if (invocation.body !== undefined) return invocation.body;
    const body = new Readable({
      read: () => this.#connection.resume(),
      destroy: (error, done) => {
        this.#connection.resume();
        done(error);
      },
    });
    invocation.body = body;
    invocation.settle({ kind: 'reply', body });
    return body;
  }

  /** Ends the process at once, also if what it has written is not read. */
  #kill(): void {
    this.#child.kill('SIGKILL');
    this.#connection.destroy();
  }

  #startTimer(timeoutMs: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#timeOut(timeoutMs), timeoutMs);
  }

  #timeOut(timeoutMs: number): void {
    this.#events.onLine(`Task timed out after ${(timeoutMs / 1_000).toFixed(2)} seconds`);
    this.#invocation?.body?.destroy(new Error('the function timed out'));
    this.#finishInvocation({ kind: 'timed-out', timeoutMs });
    this.#kill();
  }

  /** Ends the current invocation: its body if there is one, else the failure is its outcome. */
  #finishInvocation(failure: InvocationFailure | undefined): void {
    const invocation = this.#invocation;
    this.#invocation = undefined;
    if (failure !== undefined) invocation?.settle(failure);
    else if (invocation?.body?.readable && !invocation.answered) invocation.body.push(null);
  }

  #exit(reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#timer);
    const ended = functionError('Runtime.ExitError', `the runtime ended: ${reason}`);
    if (!this.#invocation?.answered) this.#invocation?.body?.destroy(new Error('aborted'));
    this.#finishInvocation(this.#invocation?.failure ?? ended);
    this.#connection.destroy();
    this.#finish();
    this.#events.onExit(this);
  }
}

/** The error that a function reports after a part of its streamed response. */
function streamError(report: string): Error {
  const failure = readErrorReport(report);
  if (failure.kind !== 'function-error') return new Error(report);
  return Object.assign(new Error(failure.errorMessage), { name: failure.errorType });
}

function readErrorReport(report: string): InvocationFailure {
  try {
    const { errorType, errorMessage } = JSON.parse(report) as Record<string, unknown>;
    return functionError(String(errorType), String(errorMessage));
  } catch {
    return functionError('Runtime.Unknown', 'the function failed without a readable report');
  }
}
