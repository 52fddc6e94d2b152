import { type Agent, type IncomingHttpHeaders, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { onConnected } from '../http/on-connected.ts';
import { type BodyFailure, readBody } from '../http/read-body.ts';
import { ExchangeError } from './service-error.ts';

/** Largest answer that is read, in bytes: a batch of DynamoDB may hold 16 MiB of items. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const BODY_FAILURES: Readonly<Record<BodyFailure, string>> = {
  malformed: 'the answer broke off',
  too_large: `an answer of more than ${MAX_ANSWER_BYTES} bytes`,
};

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
  const { promise, resolve, reject } = Promise.withResolvers<ExchangeAnswer>();
  const request = (endpoint.protocol === 'https:' ? requestHttps : requestHttp)({
    method: 'POST',
    host: endpoint.hostname,
    port: endpoint.port,
    path,
    headers: { ...headers, 'content-length': Buffer.byteLength(body) },
    agent,
  });
  let sent = false;
  let connecting: NodeJS.Timeout | undefined;
  const timer = setTimeout(fail, post.timeoutMs, 'no answer in time', true);

  function stopTimers(): void {
    clearTimeout(timer);
    clearTimeout(connecting);
  }
  function fail(reason: string, timedOut = false): void {
    stopTimers();
    reject(new ExchangeError(reason, sent, timedOut));
    request.destroy();
  }
  request.once('socket', (socket: Socket) => {
    if (socket.connecting)
      connecting = setTimeout(fail, post.connectTimeoutMs, 'no connection in time', true);
    onConnected(socket, () => {
      sent = true;
      clearTimeout(connecting);
    });
  });
  request.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
  request.once('response', async (response) => {
    const read = await readBody(response, MAX_ANSWER_BYTES);
    if (typeof read === 'string') return fail(BODY_FAILURES[read]);
    stopTimers();
    resolve({ status: response.statusCode ?? 0, headers: response.headers, body: read.toString() });
  });
  request.end(body);
  return promise;
}
