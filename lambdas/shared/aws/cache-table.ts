/**
 * The table of shared responses, which is none of the metering tables: losing it costs time, never money. Items:
 * `cache_key`, `body` (compressed JSON of a result) and `expires_at` (seconds since the epoch, its time to live).
 */
export const CACHE_TABLE_SHAPE = { partitionKey: 'cache_key', expiry: 'expires_at' } as const;

/**
 * How the keys of items begin that hold a response: a hash follows. Which ones still count tell the version of a chain's responses and a
 * block that was final with it. Each kind of item has a beginning of its own, as rights go by it.
 */
export const RESULT_KEY_PREFIX = 'result ';
export const VERSION_KEY_PREFIX = 'version#';
export const ANCHOR_KEY_PREFIX = 'anchor ';

/** How the keys of items begin that hold time which instances share. */
export const WAITING_KEY_PREFIX = 'waiting ';

/** How the keys of items begin that hold the head that an API key got. */
export const GIVEN_KEY_PREFIX = 'given ';

/** How the keys of items begin that count what the bounds of an API key refused in an hour. */
export const REFUSED_KEY_PREFIX = 'refused ';

/** How the keys of items begin that hold what instances share of a chain and its nodes, in the form of this version. */
export const SHARED_KEY_PREFIX = 'view 2 ';

/** How the keys of items begin that tell the newest indexed block of a chain, and its last day. */
export const HEAD_KEY_PREFIX = 'head#';
export const HISTORY_KEY_PREFIX = 'history#';
/** How the keys of items begin that tell of how many newest blocks the nodes of a chain prove the state. */
export const PROOFS_KEY_PREFIX = 'proofs#';
