import type { Connections } from '../http/connections.ts';
import { type RequestFailure, sendRequest } from '../http/send-request.ts';

/** Largest response that is read, in bytes: a batch of DynamoDB may hold 16 MiB of items. */
const MAX_RESPONSE_BYTES = 32 * 1024 * 1024;

/** A request as the SDK hands it over: signed, with all its headers. A query is a part of the path. */
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
export interface SignedExchange {
  readonly request: SignedRequest;
  readonly connections: Connections;
  /** Time to open a connection, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Time for all of it, in milliseconds: connection, request and whole response. */
  readonly timeoutMs: number;
}

/** A whole response, whatever its status, as the SDK takes it. */
export interface ExchangeResponse {
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
 * Sends one request and reads its response. Nothing is sent twice.
 * @throws ExchangeError if there is no whole response within the times and the size
 */
export async function exchange({ request, ...sending }: SignedExchange): Promise<ExchangeResponse> {
  const { method, path, headers, body } = request;
  const response = await sendRequest({
    ...sending,
    method,
    path,
    headers,
    body,
    maxResponseBytes: MAX_RESPONSE_BYTES,
    toError,
  });
  return {
    statusCode: response.status,
    headers: response.headers as Record<string, string>,
    body: response.body,
  };
}

function toError({ kind, code }: RequestFailure): ExchangeError {
  switch (kind) {
    case 'connect_timeout':
      return new ExchangeError('no connection in time', true);
    case 'timeout':
      return new ExchangeError('no answer in time', true);
    case 'too_large':
      return new ExchangeError(`an answer of more than ${MAX_RESPONSE_BYTES} bytes`, false);
    case 'malformed':
      return new ExchangeError(code ?? 'the answer broke off', false);
    default:
      return new ExchangeError(code ?? 'no answer', false);
  }
}
