/** Ids start over after this one. */
const MAX_ID = 1_000_000_000;

/**
 * Reserves `count` consecutive ids for the calls of a request and returns the first. Ids differ between requests
 * of a connection, so that a response to an earlier request is never taken for one to a later.
 */
export function createRequestIds(): (count: number) => number {
  let nextId = 1;
  return (count) => {
    if (nextId + count > MAX_ID) nextId = 1;
    const first = nextId;
    nextId += count;
    return first;
  };
}
