import { Readable } from 'node:stream';

/** A request to a web function, as API Gateway sends it. */
export interface WebRequest {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** Response of a web function, or of Lambda in its place. */
export interface WebResponse {
  readonly status: number;
  /** In order; a name may come more than once. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** A stream that fails is cut off. */
  readonly body: Readable;
  /** Whether Lambda gave the response itself. */
  readonly isOfLambda: boolean;
}

/**
 * What Lambda answers itself, by cause. The status of each is on a page of AWS, but for a process that ran out of memory; no page
 * has the bodies, nor most of the types.
 */
const OF_LAMBDA = {
  /** All environments have as many requests as they take, and there may be no other. */
  full: [429, 'Platform.TooManyRequests', 'Too Many Requests'],
  /** The environment ended, or cut the connection, in the middle of the request. */
  ended: [502, 'Application.ConnectionClosed', 'Bad Gateway'],
  /** The server did not listen in time, or its code could not be loaded. */
  notStarted: [500, 'Application.InitCodeError', 'Internal Server Error'],
  /** The time-out of the revision passed. */
  timedOut: [504, 'Application.Timeout', 'Gateway Timeout'],
  /** The environment had no memory or no descriptors left. */
  exhausted: [507, 'Application.InsufficientResources', 'Insufficient Storage'],
} as const;

export type LambdaCause = keyof typeof OF_LAMBDA;

export const ERROR_TYPE_HEADER = 'lambda-web-error-type';

/** The response that Lambda gives in place of a web function. */
export function lambdaResponse(cause: LambdaCause): WebResponse {
  const [status, type, message] = OF_LAMBDA[cause];
  const body = Buffer.from(JSON.stringify({ message }));
  return {
    status,
    headers: [
      ['Content-Type', 'application/json'],
      ['Content-Length', String(body.length)],
      [ERROR_TYPE_HEADER, type],
    ],
    body: Readable.from([body]),
    isOfLambda: true,
  };
}
