import { type Agent, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { onConnected } from '../http/on-connected.ts';
import { type BodyFailure, readBody } from '../http/read-body.ts';

/** Largest answer that is read, in bytes: a batch of DynamoDB may hold 16 MiB of items. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const BODY_FAILURES: Readonly<Record<BodyFailure, string>> = {
  malformed: 'the answer broke off',
  too_large: `an answer of more than ${MAX_ANSWER_BYTES} bytes`,
};

/** A request as the SDK hands it over: signed, with all its headers. None of ours has a query. */
export interface SignedRequest {
  readonly protocol: string;
  readonly hostname: string;
  readonly port?: number | undefined;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** One request over a kept connection. */
export interface Exchange {
  readonly request: SignedRequest;
  readonly agent: Agent;
  /** Time to open a connection, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Time for all of it, in milliseconds: connection, request and whole answer. */
  readonly timeoutMs: number;
}

/** A whole answer, whatever its status, as the SDK takes it. */
export interface ExchangeAnswer {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

/** The response is incomplete or missing: whether the service carried out the request is unknown. */
export class ExchangeError extends Error {
  override readonly name = 'ExchangeError';
  /** Whether its time ran out; else it failed while there was time left. */
  readonly timedOut: boolean;

  constructor(message: string, timedOut: boolean) {
    super(message);
    this.timedOut = timedOut;
  }
}

/**
 * Sends one request and reads its answer. Nothing is sent twice.
 * @throws ExchangeError if there is no whole answer within the times and the size
 */
export function exchange({ request, agent, connectTimeoutMs, timeoutMs }: Exchange): Promise<ExchangeAnswer> {
  const { protocol, hostname: host, port, method, path, headers, body } = request;
  const { promise, resolve, reject } = Promise.withResolvers<ExchangeAnswer>();
  const sent = (protocol === 'https:' ? requestHttps : requestHttp)({
    host,
    port,
    method,
    path,
    headers,
    agent,
  });
  let connecting: NodeJS.Timeout | undefined;
  const timer = setTimeout(fail, timeoutMs, 'no answer in time', true);

  function stopTimers(): void {
    clearTimeout(timer);
    clearTimeout(connecting);
  }
  function fail(reason: string, timedOut = false): void {
    stopTimers();
    reject(new ExchangeError(reason, timedOut));
    sent.destroy();
  }
  sent.once('socket', (socket: Socket) => {
    if (socket.connecting) connecting = setTimeout(fail, connectTimeoutMs, 'no connection in time', true);
    onConnected(socket, () => clearTimeout(connecting));
  });
  sent.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
  sent.once('response', async (response) => {
    const read = await readBody(response, MAX_ANSWER_BYTES);
    if (typeof read === 'string') return fail(BODY_FAILURES[read]);
    stopTimers();
    const answered = response.headers as Record<string, string>;
    resolve({ statusCode: response.statusCode ?? 0, headers: answered, body: read });
  });
  sent.end(body);
  return promise;
}
