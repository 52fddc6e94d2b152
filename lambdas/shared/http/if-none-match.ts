/** Tags of a request that are looked at: a client keeps one, or one of each of its caches. */
const MAX_TAGS = 4;

/** Whether a client has an answer already, by its `If-None-Match` and the tag of the answer. */
export function isFresh(ifNoneMatch: string | undefined, etag: string): boolean {
  return (ifNoneMatch ?? '').split(',', MAX_TAGS).some((tag) => tag.trim() === etag);
}
