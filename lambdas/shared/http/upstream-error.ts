/**
 * Why a node, or a service of AWS, gave no HTTP response that could be used:
 * - `unreachable`: no connection came about.
 * - `timeout`: the deadline passed before the whole response was there, or that for a connection.
 * - `closed`: the connection ended before a response began.
 * - `malformed`: a response began, but it is no whole and readable HTTP message.
 * - `too_large`: the response passes the limit.
 * - `no_room`: the process had no room for the response, which is large, in the time for that.
 * - `aborted`: the caller gave it up.
 * - `wrong_chain`: the node is of another chain, so that no response of its counts.
 */
export type UpstreamErrorKind =
  | 'unreachable'
  | 'timeout'
  | 'closed'
  | 'malformed'
  | 'too_large'
  | 'no_room'
  | 'aborted'
  | 'wrong_chain';

/** What is known of the request when it fails. */
interface UpstreamErrorContext {
  /** False only if not one byte of the request can have left. */
  readonly sent: boolean;
  /** The request went over a kept connection, which the node may have closed before. */
  readonly reusedSocket: boolean;
  /** Code of the system error, such as `ECONNREFUSED`. */
  readonly code?: string | undefined;
}

/** A failed exchange with a server. Neither message nor properties hold the URL, which can carry credentials. */
export class UpstreamError extends Error {
  readonly kind: UpstreamErrorKind;
  readonly sent: boolean;
  readonly reusedSocket: boolean;

  constructor(kind: UpstreamErrorKind, context: UpstreamErrorContext) {
    super(context.code === undefined ? `upstream ${kind}` : `upstream ${kind} (${context.code})`);
    this.name = 'UpstreamError';
    this.kind = kind;
    this.sent = context.sent;
    this.reusedSocket = context.reusedSocket;
  }
}
