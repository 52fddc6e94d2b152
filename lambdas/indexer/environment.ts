/** Variable with the name of the chain that a function indexes. */
export const INDEXED_CHAIN_VARIABLE = 'INDEXED_CHAIN';

/** Variable with the URL of the queue of ranges to backfill. */
export const BACKFILL_QUEUE_URL_VARIABLE = 'BACKFILL_QUEUE_URL';
