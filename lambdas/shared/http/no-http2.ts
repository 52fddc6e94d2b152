/** Stands in for `node:http2` in what is deployed: undici loads it, no function uses it, and it takes 5 ms of a cold start. */
export const constants = {};
