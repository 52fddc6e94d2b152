import type { Readable } from 'node:stream';

/** Why an invocation gave no result. */
export type InvocationFailure =
  /** The function threw, exited, ran out of time, or answered what Lambda does not accept. */
  | { readonly kind: 'function-error'; readonly errorType: string; readonly errorMessage: string }
  /** The function's time-out passed; its process was ended. */
  | { readonly kind: 'timed-out'; readonly timeoutMs: number }
  /** No free place within the function's concurrency. */
  | { readonly kind: 'throttled' }
  /** The event is larger than Lambda takes. */
  | { readonly kind: 'request-too-large' };

/** Outcome of a buffered invocation; the payload is the JSON text that the handler returned. */
export type InvokeResult = { readonly kind: 'success'; readonly payload: Buffer } | InvocationFailure;

/**
 * Outcome of a streaming invocation: the parsed metadata and the bytes after it. A failure later on is an `error`
 * event of the body. The body must be read to its end or resumed: the function runs on either way.
 */
export type StreamingResult =
  | { readonly kind: 'success'; readonly metadata: unknown; readonly body: Readable }
  | InvocationFailure;

export function functionError(errorType: string, errorMessage: string): InvocationFailure {
  return { kind: 'function-error', errorType, errorMessage };
}
