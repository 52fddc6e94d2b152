/**
 * How long a function behind the API may run after API Gateway has stopped waiting, in milliseconds. So API Gateway answers
 * 504 for a hanging function, and a working one has ended before.
 */
export const INTEGRATION_MARGIN_MS = 2_000;

/** Time before its own end at which a function answers with an error whatever still runs, in milliseconds. */
export const LAST_ANSWER_MS = INTEGRATION_MARGIN_MS + 500;
