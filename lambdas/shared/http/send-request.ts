import type { IncomingHttpHeaders } from 'node:http';
import { gunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import type { Connection, Connections, ConnectionUser } from './connections.ts';
import {
  type BodyWatch,
  ByteCollector,
  type HeldBodies,
  type LargeBody,
  MAX_ROOM_WAIT_MS,
  SMALL_BODY_BYTES,
} from './large-bodies.ts';
import { UpstreamError, type UpstreamErrorKind } from './upstream-error.ts';

/** Content codings of responses that are decoded, as a value of `accept-encoding`. */
const DECODED_ENCODINGS = 'gzip';
/** Names of the coding that is decoded, in any case of their letters (RFC 9110, sections 8.4.1 and 8.4.1.3). */
const GZIP_NAMES: ReadonlySet<string> = new Set([DECODED_ENCODINGS, 'x-gzip']);
/** Bytes that a decoder gives at a time. */
const DECODED_CHUNK_BYTES = 64 * 1024;
/** Bytes at the end of a gzip member that hold the length of what it decodes to, modulo 2^32 (RFC 1952, section 2.3.1). */
const SIZE_BYTES = 4;
/** What has a lower status announces a response. */
const FIRST_FINAL_STATUS = 200;
/** Names of errors for what is no head of an HTTP message. */
const UNREADABLE: ReadonlySet<string> = new Set(['HTTPParserError', 'HeadersOverflowError']);
/** Code of a request for which no connection came about in the time for that. */
const NO_CONNECTION = 'NO_CONNECTION';
/** Codes of undici's own, which explain nothing to the reader of a log. */
const LIBRARY_CODE = /^UND_/;

/** One HTTP request with a body that is whole, and its bounds. */
interface SentRequest {
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
  /** Called with the body as it comes, before it is decoded. @default nothing is */
  readonly watch?: BodyWatch | undefined;
  /** Where a large response takes room, which is the holder's once it is whole. @default it takes none */
  readonly held?: HeldBodies | undefined;
}

/** A whole HTTP response, whatever its status. */
export interface PostedResponse {
  readonly status: number;
  readonly body: Buffer;
  /** The header `retry-after`, as it came. */
  readonly retryAfter?: string | undefined;
}

/** The same with its headers. */
interface ReceivedResponse extends PostedResponse {
  readonly headers: IncomingHttpHeaders;
}

/**
 * Sends one request and reads its response. Nothing is sent twice, and no redirect is followed.
 * @throws UpstreamError if there is no whole response within the times and the size
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
  /** Absent while it waits for one, and once that is returned. */
  #connection: Connection | undefined;
  #sent = false;
  #reusedSocket = false;
  #isOver = false;
  #status = 0;
  #headers: IncomingHttpHeaders = {};
  /** Absent until a response has begun. */
  #body: ByteCollector | undefined;
  /** Absent while the response is not known to be large. */
  #large: LargeBody | undefined;
  #roomTimer: NodeJS.Timeout | undefined;
  /** What came before there was room for it. */
  readonly #early: Buffer[] = [];
  #isWhole = false;

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
    this.#body = new ByteCollector(maxResponseBytes, bytes, () => this.#large?.partBytes);
    if (this.#connection !== undefined) this.#connection.reads.place = this.#body;
    if (bytes === undefined || bytes <= SMALL_BODY_BYTES) return;
    if (bytes > maxResponseBytes) this.#fail('too_large');
    else this.#takeRoom(this.#isCoded ? bytes + maxResponseBytes : bytes, this.#goOn);
  }

  onResponseData(_: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return;
    if (this.#large?.isWaiting === true) this.#early.push(chunk);
    else this.#add(chunk);
  }

  onResponseEnd(): void {
    if (this.#isOver) return;
    this.#isWhole = true;
    if (this.#large?.isWaiting !== true) this.#finish();
  }

  onResponseError(_: Dispatcher.DispatchController, error: NodeJS.ErrnoException): void {
    const { code, name } = error;
    this.#fail(this.#kindOf(name), code === undefined || LIBRARY_CODE.test(code) ? undefined : code);
  }

  get #isCoded(): boolean {
    return this.#coding !== 'identity';
  }

  get #coding(): string {
    return (this.#headers['content-encoding'] ?? 'identity').toLowerCase();
  }

  #kindOf(errorName: string): UpstreamErrorKind {
    if (!this.#sent) return 'unreachable';
    return this.#body !== undefined || UNREADABLE.has(errorName) ? 'malformed' : 'closed';
  }

  /**
   * Takes room for a response that is large, all of it at once: what had a part and waited for more would keep others from
   * theirs. Until there is room, nothing more is read of the connection. `next` is called once there is.
   */
  #takeRoom(bytes: number, next: () => void): void {
    const { held } = this.#sending;
    if (held === undefined) {
      next();
      return;
    }
    this.#large = held.take(bytes, next);
    if (!this.#large.isWaiting) return;
    this.#connection?.reads.holdBack();
    this.#roomTimer = setTimeout(() => setImmediate(this.#endRoomWait), MAX_ROOM_WAIT_MS);
  }

  readonly #endRoomWait = () => {
    if (this.#large?.isWaiting === true) this.#fail('no_room');
  };

  /** Reads on where it has waited for room. */
  readonly #goOn = () => {
    clearTimeout(this.#roomTimer);
    for (const chunk of this.#early.splice(0)) if (!this.#isOver) this.#add(chunk);
    this.#connection?.reads.goOn();
    if (this.#isWhole && !this.#isOver) this.#finish();
  };

  #add(chunk: Buffer): void {
    const { watch, maxResponseBytes } = this.#sending;
    const body = this.#body as ByteCollector;
    if (!body.add(chunk)) {
      this.#fail('too_large');
      return;
    }
    if (watch !== undefined) body.tell(watch);
    const isUntold = this.#large === undefined && body.length > SMALL_BODY_BYTES;
    // Its length was not declared: it can become as long as the longest.
    if (isUntold) this.#takeRoom(this.#isCoded ? 2 * maxResponseBytes : maxResponseBytes, this.#goOn);
  }

  #finish(): void {
    const { connections, maxResponseBytes } = this.#sending;
    const collected = this.#body as ByteCollector;
    const body = collected.join();
    const connection = this.#connection as Connection;
    this.#connection = undefined;
    connection.reads.place = undefined;
    connections.giveBack(connection);
    if (!this.#isCoded) this.#watchWhole(body, collected.isTold);
    else if (!GZIP_NAMES.has(this.#coding)) this.#fail('malformed');
    else if (this.#large !== undefined) this.#decode(body, maxResponseBytes);
    else this.#decodeSmall(body);
  }

  /** A short body can be that of a large response: it says itself how long that is, which has to be found out as well. */
  #decodeSmall(encoded: Buffer): void {
    const { maxResponseBytes } = this.#sending;
    const told = encoded.length < SIZE_BYTES ? 0 : encoded.readUInt32LE(encoded.length - SIZE_BYTES);
    const bytes = Math.min(maxResponseBytes, Math.max(told, SMALL_BODY_BYTES));
    if (told <= SMALL_BODY_BYTES) this.#decode(encoded, bytes);
    else this.#takeRoom(bytes, () => this.#decode(encoded, bytes));
  }

  #decode(encoded: Buffer, maxBytes: number): void {
    clearTimeout(this.#roomTimer);
    const { maxResponseBytes } = this.#sending;
    const options = { maxOutputLength: maxBytes, chunkSize: DECODED_CHUNK_BYTES };
    gunzip(encoded, options, (error, body) => {
      if (this.#isOver) return;
      if (error === null) this.#watchWhole(body, false);
      else if (!('code' in error && error.code === 'ERR_BUFFER_TOO_LARGE')) this.#fail('malformed');
      else if (maxBytes === maxResponseBytes) this.#fail('too_large');
      else {
        // Several pieces, of which the last has said its own length alone.
        this.#large?.drop();
        this.#takeRoom(maxResponseBytes, () => this.#decode(encoded, maxResponseBytes));
      }
    });
  }

  /** Tells of a large body that could not be watched while it came, a part in each turn of the event loop. */
  #watchWhole(body: Buffer, isTold: boolean): void {
    const { watch } = this.#sending;
    const large = this.#large;
    if (watch === undefined || large === undefined || isTold) {
      this.#succeed(body);
      return;
    }
    let bytes = 0;
    const tellMore = () => {
      if (this.#isOver) return;
      bytes = Math.min(body.length, bytes + large.partBytes);
      watch.filled(body, bytes);
      if (bytes < body.length) setImmediate(tellMore);
      else this.#succeed(body);
    };
    tellMore();
  }

  #succeed(body: Buffer): void {
    if (this.#isOver) return;
    this.#end();
    this.#large?.keep(body);
    const headers = this.#headers;
    this.#resolve({ status: this.#status, headers, body, retryAfter: headers['retry-after'] });
  }

  readonly #abort = () => this.#fail('aborted');

  readonly #endConnecting = () => {
    if (!this.#sent) this.#fail('timeout', NO_CONNECTION);
  };

  #fail(kind: UpstreamErrorKind, code?: string): void {
    if (this.#isOver) return;
    this.#end();
    const { connections } = this.#sending;
    const isRefused = kind === 'no_room' || (kind === 'timeout' && this.#large?.isWaiting === true);
    if (isRefused) this.#large?.refuse();
    else this.#large?.drop();
    const context = { sent: this.#sent, reusedSocket: this.#reusedSocket, code };
    this.#reject(new UpstreamError(isRefused ? 'no_room' : kind, context));
    connections.leave(this);
    if (this.#connection !== undefined) connections.drop(this.#connection);
  }

  #end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#connecting);
    clearTimeout(this.#roomTimer);
    this.#sending.signal?.removeEventListener('abort', this.#abort);
  }
}

/** Path and headers of requests with bodies of JSON. @param headers further headers; those of the body win */
export function jsonTarget(
  path: string,
  headers: Readonly<Record<string, string>> = {},
): Pick<SentRequest, 'method' | 'path' | 'headers'> {
  const ofBody = {
    'content-type': 'application/json',
    accept: 'application/json',
    'accept-encoding': DECODED_ENCODINGS,
  };
  const further = Object.entries(headers).filter(([name]) => !(name.toLowerCase() in ofBody));
  return { method: 'POST', path, headers: [...further, ...Object.entries(ofBody)].flat() };
}
