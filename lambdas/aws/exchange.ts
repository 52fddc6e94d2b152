import {
  type Agent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { ExchangeError } from './service-error.ts';

/** Largest answer that is read, in bytes: a batch of DynamoDB may hold 16 MiB of items. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** One POST over a kept connection. */
export interface Exchange {
  readonly endpoint: URL;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly agent: Agent;
  /** Time to open a connection, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Time for all of it, in milliseconds: connection, request and whole answer. */
  readonly timeoutMs: number;
}

/** A whole answer, whatever its status. */
export interface ExchangeAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/**
 * Sends one POST and reads its answer. Nothing is sent twice.
 * @throws ExchangeError if there is no whole answer within the times and the size
 */
export function exchange(post: Exchange): Promise<ExchangeAnswer> {
  const { endpoint, path, headers, body, agent } = post;
  const isSecure = endpoint.protocol === 'https:';
  const { promise, resolve, reject } = Promise.withResolvers<ExchangeAnswer>();
  const request = (isSecure ? requestHttps : requestHttp)({
    method: 'POST',
    host: endpoint.hostname,
    port: endpoint.port,
    path,
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    agent,
  });
  let sent = false;
  let connecting: NodeJS.Timeout | undefined;
  const timer = setTimeout(fail, post.timeoutMs, 'no answer in time');

  function stopTimers(): void {
    clearTimeout(timer);
    clearTimeout(connecting);
  }
  function fail(reason: string): void {
    stopTimers();
    reject(new ExchangeError(reason, sent));
    request.destroy();
  }
  request.once('socket', (socket: Socket) => {
    sent = !socket.connecting;
    if (sent) return;
    connecting = setTimeout(fail, post.connectTimeoutMs, 'no connection in time');
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      sent = true;
      clearTimeout(connecting);
    });
  });
  request.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
  request.once('response', (response) => {
    readText(response, fail, (text) => {
      stopTimers();
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
    });
  });
  request.end(body);
  return promise;
}

function readText(
  response: IncomingMessage,
  fail: (reason: string) => void,
  done: (text: string) => void,
): void {
  const chunks: Buffer[] = [];
  let length = 0;
  response.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > MAX_ANSWER_BYTES) fail(`an answer of more than ${MAX_ANSWER_BYTES} bytes`);
    else chunks.push(chunk);
  });
  response.once('end', () => done(Buffer.concat(chunks).toString()));
  response.on('error', () => fail('the answer broke off'));
}
