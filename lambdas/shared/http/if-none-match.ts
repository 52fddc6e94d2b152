/** Tags of a request that are compared, at most: a client keeps one, or one of each of its caches. */
const MAX_TAGS = 100;

/** A tag as RFC 9110 writes it (8.8.3), weak or not; its first group is what is between the quotes. */
const TAG = /(?:W\/)?"([!\x23-\x7e\x80-\xff]*)"/g;

/**
 * Whether a client has a response already, by its `If-None-Match` and the tag of the response, if it has one. The comparison is the weak one
 * (RFC 9110, 13.1.2): `"x"` is the same as `W/"x"`. `*` names no tag, so it never is one that the client has.
 */
export function isFresh(ifNoneMatch: string | undefined, etag: string | undefined): boolean {
  const opaque = etag?.replace('W/', '');
  const tags = [...(ifNoneMatch ?? '').matchAll(TAG)].slice(0, MAX_TAGS);
  return tags.some(([, tag]) => `"${tag}"` === opaque);
}
