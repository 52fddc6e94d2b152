import type { CataloguedError } from './error-catalogue.ts';

/** Most calls that one batch may have. */
export const MAX_BATCH_CALLS = 100;
/** Largest request body, in bytes. */
export const MAX_BODY_BYTES = 2 * 1024 * 1024;
/** Longest id of a call, in bytes of JSON: every response repeats it, an unbilled one, too. */
export const MAX_ID_BYTES = 1_024;
/** Longest name of a method, in bytes of JSON without its quotes: a refusal repeats it. */
export const MAX_METHOD_BYTES = 1_024;
/** Most members of a call. It needs four; reading the names of more is unbilled work. */
export const MAX_CALL_MEMBERS = 64;

/** A valid call. `id` and `params` are the bytes that the client sent: they are never parsed and re-serialised. */
export interface Call {
  /** Raw JSON of the id: a string, a number or `null`. */
  readonly id: Uint8Array;
  readonly method: string;
  /** Raw JSON of the params array; absent if the client sent none. */
  readonly params: Uint8Array | undefined;
  /** Places of upstreams that have answered the call before: the others are asked first. @default none has */
  readonly answeredBy?: ReadonlySet<number>;
  /** Places of the upstreams that alone may answer the call. @default any may */
  readonly askedOf?: ReadonlySet<number>;
  /** Whether its block is named by number in place of the tag that the client sent. @default false */
  readonly isPinned?: true;
}

/** An element of a request that cannot be sent, with the id that its response has (`null` if none was readable). */
export interface RefusedCall {
  readonly id: Uint8Array;
  readonly error: CataloguedError;
}

export type ParsedCall = { readonly call: Call } | { readonly refused: RefusedCall };

/** A request body: one call, or a batch in request order. `refused` is an error of the request as a whole. */
export type ParsedRequest =
  | { readonly batch: boolean; readonly calls: readonly ParsedCall[] }
  | { readonly refused: CataloguedError };

/**
 * The response to one call that was sent to a node. Bytes are the node's own. A response without further words is always
 * that of one call; the HTTP response that carries it carries those of a whole batch.
 */
export type UpstreamResponse =
  /**
   * Raw JSON of `result`. `kept`: it was returned before, and is returned again by the gateway. `from`: place of the upstream
   * whose own bytes it is, if that is known. `asOf`: of a call about the newest block, a block that it is at least as new as.
   * `verifiedAt`: hash of the block that commits to it.
   */
  | {
      readonly kind: 'result';
      readonly result: Uint8Array;
      readonly kept?: true;
      readonly from?: number;
      readonly asOf?: bigint;
      readonly verifiedAt?: string;
    }
  /** Raw JSON of the `error` object, and its code. `from`: place of the upstream that has taken the call's transaction. */
  | {
      readonly kind: 'error';
      readonly error: Uint8Array;
      readonly code: number;
      readonly from?: number | undefined;
    }
  /** The node gave no usable response. */
  | { readonly kind: 'failed'; readonly error: CataloguedError };

/** Raw JSON `null`, the id of a response to a call whose id could not be read. */
export const NULL_ID: Uint8Array = Buffer.from('null');

/** A call of the gateway's own. */
export function ownCall(method: string, params: readonly unknown[]): Call {
  return { id: NULL_ID, method, params: Buffer.from(JSON.stringify(params)) };
}
