/** Methods that change something: sent twice, they can act twice or fail the second time. */
const ACTING_METHODS = /^eth_(send|submit)/;

/** Whether a node may see a call of the method twice, and answer equal calls once. */
export function isIdempotent(method: string): boolean {
  return !ACTING_METHODS.test(method);
}
