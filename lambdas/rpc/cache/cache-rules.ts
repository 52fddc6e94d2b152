/**
 * Largest cached result in bytes; a larger one is requested from the node each time. A cached result costs 1 CU
 * whatever its size, so its size must be bounded.
 */
export const MAX_KEPT_BYTES = 256 * 1024;

/** How long a constant is kept, in milliseconds: a deployment can change it. */
export const CONSTANT_TTL_MS = 60 * 60 * 1000;
/** How long a response about a final block is kept, in milliseconds. It would stay right for ever: this bounds the cost. */
export const FINAL_TTL_MS = 7 * 24 * 60 * 60 * 1000;
/** How long any response of a chain's only upstream is kept, in milliseconds: no other upstream contradicts it if it is wrong. */
export const SOLE_UPSTREAM_TTL_MS = 5 * 60 * 1000;
