import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type Duplex, Readable } from 'node:stream';
import type { FunctionConfiguration } from './configuration.ts';
import { environmentVariables, type LocalServices } from './environment-variables.ts';
import {
  CONNECTION_DESCRIPTOR,
  FRAMES,
  frameReader,
  type InvocationContext,
  NO_INVOCATION,
  writeFrame,
} from './frames.ts';
import { functionError, type InvocationFailure } from './outcome.ts';

/** Longest log line in characters; a longer one is cut into several, as CloudWatch does with large events. */
const MAX_LINE_CHARACTERS = 256 * 1024;

/** Time that Lambda gives the code outside the handler. */
const INIT_TIMEOUT_MS = 10_000;
/** Share of the memory that the Lambda runtime gives to the heap. */
const HEAP_SHARE = 0.9;
/** Most of an error report that is read, in bytes. */
const MAX_ERROR_REPORT_BYTES = 256 * 1024;
/** Time that a run which ends leaves a function for what it does after its response, in milliseconds. */
const CONCLUDE_MS = 3_000;
const BOOTSTRAP = join(import.meta.dirname, 'bootstrap.ts');
/** The same in a thread, for an environment that takes many invocations at a time. */
const THREADS = join(import.meta.dirname, 'threads.ts');
const NOTHING = new Uint8Array(0);

/**
 * The response of a function: its failure, or a body. A whole body ends when the environment can take the next invocation. A streamed
 * body ends when the function ends it: as on Lambda, the function may go on after that. If the function fails on the way,
 * the body has an `error` event.
 */
export type Reply = { readonly kind: 'reply'; readonly body: Readable } | InvocationFailure;

/** Events that an environment sends to its owner. */
interface EnvironmentEvents {
  /** It has finished an invocation, or is ready for its first, and can take another. */
  onIdle(environment: Environment): void;
  /** Its process has ended; nothing else will come. */
  onExit(environment: Environment): void;
  onLine(line: string): void;
}

interface Invocation {
  readonly number: number;
  readonly requestId: string;
  readonly payload: Buffer;
  readonly settle: (reply: Reply) => void;
  /** The response that the function has begun. */
  body?: Readable;
  /** Whether the function knows that its response is not read at the moment. */
  isPaused?: boolean;
  /** Whether a body that is streamed has ended, and the function continues. */
  answered?: boolean;
  /** Whether its time ran out; the function continues, and keeps its place. */
  isGivenUp?: boolean;
  /** The error that the function has reported. */
  failure?: InvocationFailure;
  /** Ends at its time-out. */
  timer?: NodeJS.Timeout;
}

/**
 * One Lambda environment: a process, connected by a pipe, that serves one invocation at a time, or on instances as many as
 * its configuration says. The process ends with the connection.
 */
export class Environment {
  readonly #configuration: FunctionConfiguration;
  readonly #events: EnvironmentEvents;
  readonly #exited: Promise<void>;
  readonly #child: ChildProcess;
  readonly #connection: Duplex;
  /** Under way, by number. */
  readonly #invocations = new Map<number, Invocation>();
  #finish: () => void = () => {};
  #closed = false;
  #ready = false;
  #report = '';
  #initFailure: InvocationFailure | undefined;
  /** Why its process has ended; undefined: it has not. */
  #ended: InvocationFailure | undefined;
  #lastNumber = NO_INVOCATION;
  /** Of its start, or of its end. */
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
    this.#timer = setTimeout(() => this.#endStart(), INIT_TIMEOUT_MS);
  }

  /** Whether its process has started, and its code is loaded. */
  get isReady(): boolean {
    return this.#ready;
  }

  /** Whether it can take one more invocation. */
  get hasRoom(): boolean {
    const { instances } = this.#configuration;
    return this.#invocations.size < (instances?.requestsPerEnvironment ?? 1);
  }

  /** Hands the environment one event, as JSON text. It must have room. */
  invoke(payload: Buffer): Promise<Reply> {
    return new Promise((settle) => {
      if (this.#ended !== undefined) {
        settle(this.#ended);
        return;
      }
      this.#lastNumber += 1;
      const invocation = { number: this.#lastNumber, requestId: randomUUID(), payload, settle };
      this.#invocations.set(invocation.number, invocation);
      if (this.#ready) this.#deliver(invocation);
    });
  }

  /** Ends the process, invocations that have answered first; resolves when it is gone. */
  close(): Promise<void> {
    this.#closed = true;
    if (!this.#hasConcluding()) this.#kill();
    else {
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#kill(), CONCLUDE_MS);
    }
    return this.#exited;
  }

  #spawn(services: LocalServices): ChildProcess {
    const script = this.#configuration.instances === undefined ? BOOTSTRAP : THREADS;
    const heapMb = Math.floor(this.#configuration.memoryMb * HEAP_SHARE);
    const child = spawn(process.execPath, [`--max-old-space-size=${heapMb}`, script], {
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

  #take(kind: number, number: number, piece: Buffer, isLast: boolean): void {
    const invocation = this.#invocations.get(number);
    if (kind === FRAMES.READY) this.#takeReady();
    else if (kind === FRAMES.DATA) {
      if (invocation !== undefined) this.#takeData(invocation, piece);
    } else if (kind === FRAMES.DONE) {
      if (invocation !== undefined) this.#takeDone(invocation);
    } else {
      if (this.#report.length < MAX_ERROR_REPORT_BYTES) this.#report += piece.toString('latin1');
      if (!isLast) return;
      const report = Buffer.from(this.#report, 'latin1').toString();
      this.#report = '';
      if (kind === FRAMES.INIT_ERROR) this.#initFailure = readErrorReport(report);
      else if (invocation === undefined) return;
      else if (kind === FRAMES.END) this.#takeEnd(invocation, report);
      else invocation.failure = readErrorReport(report);
    }
  }

  #takeReady(): void {
    clearTimeout(this.#timer);
    this.#ready = true;
    for (const invocation of this.#invocations.values()) this.#deliver(invocation);
    if (this.hasRoom) this.#events.onIdle(this);
  }

  #deliver(invocation: Invocation): void {
    const { timeoutMs, arn } = this.#configuration;
    const { number, requestId, payload } = invocation;
    invocation.timer = setTimeout(() => this.#timeOut(invocation), timeoutMs);
    const context: InvocationContext = { requestId, deadlineMs: Date.now() + timeoutMs, functionArn: arn };
    this.#connection.cork();
    writeFrame(this.#connection, FRAMES.CONTEXT, number, Buffer.from(JSON.stringify(context)));
    writeFrame(this.#connection, FRAMES.EVENT, number, payload);
    this.#connection.uncork();
  }

  #takeData(invocation: Invocation, piece: Buffer): void {
    if (invocation.answered || invocation.isGivenUp) return;
    const body = this.#bodyOf(invocation);
    if (body.destroyed || piece.length === 0 || body.push(piece) || invocation.isPaused) return;
    invocation.isPaused = true;
    writeFrame(this.#connection, FRAMES.PAUSE, invocation.number, NOTHING);
  }

  #takeEnd(invocation: Invocation, report: string): void {
    const body = this.#bodyOf(invocation);
    invocation.answered = true;
    if (report === '') body.push(null);
    // A reader that got the body in this very turn first has to listen to errors.
    else setImmediate(() => body.destroy(streamError(report)));
  }

  #takeDone(invocation: Invocation): void {
    clearTimeout(invocation.timer);
    this.#invocations.delete(invocation.number);
    this.#conclude(invocation, invocation.failure);
    if (!this.#closed) this.#events.onIdle(this);
    else if (!this.#hasConcluding()) this.#kill();
  }

  /** The body of a response, whose function writes no faster than it is read. */
  #bodyOf(invocation: Invocation): Readable {
    if (invocation.body !== undefined) return invocation.body;
    const body = new Readable({
      read: () => this.#resume(invocation),
      destroy: (error, done) => {
        this.#resume(invocation);
        done(error);
      },
    });
    invocation.body = body;
    invocation.settle({ kind: 'reply', body });
    return body;
  }

  #resume(invocation: Invocation): void {
    if (!invocation.isPaused) return;
    invocation.isPaused = false;
    if (this.#ended === undefined) writeFrame(this.#connection, FRAMES.RESUME, invocation.number, NOTHING);
  }

  /** Whether an invocation has answered, and continues. */
  #hasConcluding(): boolean {
    return [...this.#invocations.values()].some(({ answered }) => answered === true);
  }

  /** Ends the process at once, also if what it has written is not read. */
  #kill(): void {
    this.#child.kill('SIGKILL');
    this.#connection.destroy();
  }

  #endStart(): void {
    const failure: InvocationFailure = { kind: 'timed-out', timeoutMs: INIT_TIMEOUT_MS };
    this.#tellTimeOut(INIT_TIMEOUT_MS);
    this.#initFailure = failure;
    this.#kill();
  }

  /** On instances Lambda gives up the one invocation, whose function continues; else its process ends. */
  #timeOut(invocation: Invocation): void {
    const { timeoutMs, instances } = this.#configuration;
    this.#tellTimeOut(timeoutMs);
    invocation.isGivenUp = true;
    invocation.body?.destroy(new Error('the function timed out'));
    this.#conclude(invocation, { kind: 'timed-out', timeoutMs });
    if (instances === undefined) this.#kill();
  }

  #tellTimeOut(timeoutMs: number): void {
    this.#events.onLine(`Task timed out after ${(timeoutMs / 1_000).toFixed(2)} seconds`);
  }

  /** Ends an invocation for its caller: its body if there is one, else the failure is its outcome. */
  #conclude(invocation: Invocation, failure: InvocationFailure | undefined): void {
    if (failure !== undefined) invocation.settle(failure);
    else if (invocation.body?.readable && !invocation.answered) invocation.body.push(null);
  }

  #exit(reason: string): void {
    if (this.#ended !== undefined) return;
    this.#ended = this.#initFailure ?? functionError('Runtime.ExitError', `the runtime ended: ${reason}`);
    clearTimeout(this.#timer);
    for (const invocation of this.#invocations.values()) {
      clearTimeout(invocation.timer);
      if (!invocation.answered) invocation.body?.destroy(new Error('aborted'));
      this.#conclude(invocation, invocation.failure ?? this.#ended);
    }
    this.#invocations.clear();
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

/** Calls `onLine` for each line of a UTF-8 stream, without its line feed, and for what is left at its end. */
export function readLines(stream: Readable, onLine: (line: string) => void): void {
  let rest = '';
  stream.setEncoding('utf8');
  stream.on('data', (text: string) => {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) onLine(line);
    for (; rest.length > MAX_LINE_CHARACTERS; rest = rest.slice(MAX_LINE_CHARACTERS)) {
      onLine(rest.slice(0, MAX_LINE_CHARACTERS));
    }
  });
  stream.on('end', () => {
    if (rest !== '') onLine(rest);
    rest = '';
  });
}
