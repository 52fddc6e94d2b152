import type { IncomingHttpHeaders } from 'node:http';
import { gunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { type BodyWatch, ByteCollector } from './byte-collector.ts';
import type { Connection, Connections, ConnectionUser } from './connections.ts';

/** Content codings of responses that are decoded, as a value of `accept-encoding`. */
export const DECODED_ENCODINGS = 'gzip';
/** Names of the coding that is decoded, in any case of their letters (RFC 9110, sections 8.4.1 and 8.4.1.3). */
const GZIP_NAMES: ReadonlySet<string> = new Set([DECODED_ENCODINGS, 'x-gzip']);
/** Bytes that a decoder gives at a time. */
const DECODED_CHUNK_BYTES = 64 * 1024;
/** What has a lower status announces a response. */
const FIRST_FINAL_STATUS = 200;
/** Names of errors for what is no head of an HTTP message. */
const UNREADABLE: ReadonlySet<string> = new Set(['HTTPParserError', 'HeadersOverflowError']);
/** Codes of undici's own, which explain nothing to the reader of a log. */
const LIBRARY_CODE = /^UND_/;

/**
 * Why there is no whole response:
 * - `unreachable`: no connection came about.
 * - `connect_timeout`: none came about in the time for it.
 * - `timeout`: the time passed before the whole response was there.
 * - `closed`: the connection ended before a response began.
 * - `malformed`: a response began, but it is no whole and readable HTTP message.
 * - `too_large`: the response passes the limit.
 * - `aborted`: the caller gave it up.
 */
export type RequestFailureKind =
  | 'unreachable'
  | 'connect_timeout'
  | 'timeout'
  | 'closed'
  | 'malformed'
  | 'too_large'
  | 'aborted';

/** What is known of a request when it fails. */
export interface RequestFailure {
  readonly kind: RequestFailureKind;
  /** False only if not one byte of the request can have left. */
  readonly sent: boolean;
  /** The request went over a kept connection, which the server may have given up before. */
  readonly reusedSocket: boolean;
  /** Code of the system error, such as `ECONNREFUSED`. */
  readonly code?: string | undefined;
}

/** One HTTP request with a body that is whole, and its bounds. */
export interface SentRequest {
  /** Those to its server. */
  readonly connections: Connections;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  /** Names and values in turn, or by name. */
  readonly headers: readonly string[] | Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** Time for the whole exchange, in milliseconds. */
  readonly timeoutMs: number;
  /** Time to open a connection, in milliseconds. @default all of it */
  readonly connectTimeoutMs?: number;
  /** Largest body of a response, in bytes, before and after decoding. */
  readonly maxResponseBytes: number;
  /** Gives the exchange up. */
  readonly signal?: AbortSignal | undefined;
  /** Is told of the body as it comes, before it is decoded. @default nothing is */
  readonly watch?: BodyWatch | undefined;
  /** The error for a failure. */
  readonly toError: (failure: RequestFailure) => Error;
}

/** A whole response, whatever its status. */
export interface ReceivedResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/**
 * Sends one request and reads its response. Nothing is sent twice, and no redirect is followed.
 * @throws what `toError` makes of it if there is no whole response within the times and the size
 */
export function sendRequest(sending: SentRequest): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => new Exchange(sending, resolve, reject).start());
}

/**
 * One request on its way, and its response. A process that stood still finds its times over before it has read what came
 * meanwhile: that is read first.
 */
class Exchange implements ConnectionUser, Dispatcher.DispatchHandler {
  readonly #sending: SentRequest;
  readonly #resolve: (response: ReceivedResponse) => void;
  readonly #reject: (error: Error) => void;
  #timer: NodeJS.Timeout | undefined;
  #connecting: NodeJS.Timeout | undefined;
  /** Absent while it waits for one, and once that is given back. */
  #connection: Connection | undefined;
  #sent = false;
  #reusedSocket = false;
  #isOver = false;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  /** Absent until a response has begun. */
  #body: ByteCollector | undefined;

  constructor(
    sending: SentRequest,
    resolve: (response: ReceivedResponse) => void,
    reject: (error: Error) => void,
  ) {
    this.#sending = sending;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  start(): void {
    const { connections, timeoutMs, signal } = this.#sending;
    this.#timer = setTimeout(() => setImmediate(() => this.#fail('timeout')), timeoutMs);
    signal?.addEventListener('abort', this.#abort);
    connections.take(this);
  }

  begin(connection: Connection): void {
    const { method, path, headers, body, connectTimeoutMs } = this.#sending;
    this.#connection = connection;
    if (connectTimeoutMs !== undefined && !connection.isOpen)
      this.#connecting = setTimeout(() => setImmediate(this.#endConnecting), connectTimeoutMs);
    const request = { method: method as Dispatcher.HttpMethod, path, headers: headers as string[], body };
    connection.client.dispatch(request as Dispatcher.DispatchOptions, this);
  }

  /** Called as its first byte leaves. */
  onRequestStart(): void {
    this.#sent = true;
    this.#reusedSocket = this.#connection?.isUsed ?? false;
    clearTimeout(this.#connecting);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    const isFinal = status >= FIRST_FINAL_STATUS;
    if (this.#isOver || !isFinal) return;
    const { maxResponseBytes } = this.#sending;
    const { 'content-length': declared } = headers;
    const bytes = declared === undefined ? undefined : Number(declared);
    this.#status = status;
    this.#headers = headers;
    this.#body = new ByteCollector(maxResponseBytes, bytes);
    if (this.#connection !== undefined) this.#connection.reads.place = this.#body;
    if (bytes !== undefined && bytes > maxResponseBytes) this.#fail('too_large');
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    const { watch } = this.#sending;
    if (this.#body?.add(chunk) !== true) this.#fail('too_large');
    else if (watch !== undefined) this.#body.tell(watch);
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    const { connections } = this.#sending;
    const coding = (this.#headers['content-encoding'] ?? 'identity').toLowerCase();
    const body = (this.#body as ByteCollector).join();
    const connection = this.#connection as Connection;
    this.#connection = undefined;
    connection.reads.place = undefined;
    connections.giveBack(connection);
    if (coding === 'identity') this.#succeed(body);
    else if (GZIP_NAMES.has(coding)) this.#decode(body);
    else this.#fail('malformed');
  }

  onResponseError(_: Dispatcher.DispatchController, error: NodeJS.ErrnoException): void {
    const { code, name } = error;
    this.#fail(this.#kindOf(name), code === undefined || LIBRARY_CODE.test(code) ? undefined : code);
  }

  #kindOf(errorName: string): RequestFailureKind {
    if (!this.#sent) return 'unreachable';
    return this.#body !== undefined || UNREADABLE.has(errorName) ? 'malformed' : 'closed';
  }

  #decode(encoded: Buffer): void {
    const { maxResponseBytes } = this.#sending;
    const options = { maxOutputLength: maxResponseBytes, chunkSize: DECODED_CHUNK_BYTES };
    gunzip(encoded, options, (error, body) => {
      if (error === null) this.#succeed(body);
      else this.#fail('code' in error && error.code === 'ERR_BUFFER_TOO_LARGE' ? 'too_large' : 'malformed');
    });
  }

  #succeed(body: Buffer): void {
    if (this.#isOver) return;
    this.#end();
    this.#resolve({ status: this.#status, headers: this.#headers, body });
  }

  readonly #abort = () => this.#fail('aborted');

  readonly #endConnecting = () => {
    if (!this.#sent) this.#fail('connect_timeout');
  };

  #fail(kind: RequestFailureKind, code?: string): void {
    if (this.#isOver) return;
    this.#end();
    const { connections, toError } = this.#sending;
    this.#reject(toError({ kind, sent: this.#sent, reusedSocket: this.#reusedSocket, code }));
    connections.leave(this);
    if (this.#connection !== undefined) connections.drop(this.#connection);
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#connecting);
    this.#sending.signal?.removeEventListener('abort', this.#abort);
  }
}
