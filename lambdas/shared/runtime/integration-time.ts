/**
 * Time that a function behind the API may run on after API Gateway has given it up, in milliseconds. A function that hangs
 * is so answered with 504 by API Gateway, and one that works has ended before.
 */
export const INTEGRATION_MARGIN_MS = 2_000;

/** Time before its own end at which a function answers with an error whatever still runs, in milliseconds. */
export const LAST_ANSWER_MS = INTEGRATION_MARGIN_MS + 500;
