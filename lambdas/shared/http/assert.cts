/**
 * Stands in for `node:assert` in what is deployed: undici calls it and none of its functions, and it takes 3 ms of a cold start. It
 * is CommonJS, as what is called is the module itself.
 */
module.exports = (condition: unknown, message?: string): void => {
  if (!condition) throw new Error(message ?? 'an assertion of the client of HTTP failed');
};
