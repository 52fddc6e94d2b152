import { createHash } from 'node:crypto';
import type { Plan } from './plan.ts';

/** Data sets whose rows at or below the finalised block never change. Prices and stock registrations come later than theirs. */
const IMMUTABLE_DATASETS: ReadonlySet<string> = new Set([
  'blocks',
  'transactions',
  'logs',
  'nft_transfers',
  'dex_liquidity_events',
  'traces',
]);
const TAG_CHARACTERS = 27;

export interface CachedAnswer {
  readonly data: string;
  readonly nextCursor: string | undefined;
  readonly dataset: string | undefined;
  readonly plan: Plan;
  /** Whether nothing is missing. */
  readonly isComplete: boolean;
}

/**
 * Headers by which a client may keep an answer: as long as it likes where the answer can never be another one, else
 * until it has asked again. The tag is a weak one: `query_ms` and the head differ from answer to answer.
 */
export function cacheHeaders(answer: CachedAnswer): {
  readonly ETag: string;
  readonly 'Cache-Control': string;
} {
  const { data, nextCursor, dataset, plan, isComplete } = answer;
  const hash = createHash('sha256')
    .update(data)
    .update(nextCursor ?? '')
    .digest('base64url');
  const isBounded = plan.window?.to !== undefined || plan.height !== undefined;
  const isImmutable = isComplete && isBounded && dataset !== undefined && IMMUTABLE_DATASETS.has(dataset);
  return {
    ETag: `W/"${hash.slice(0, TAG_CHARACTERS)}"`,
    'Cache-Control': isImmutable ? 'private, max-age=31536000, immutable' : 'private, no-cache',
  };
}

/** Whether a client has this answer already. */
export function isFresh(ifNoneMatch: string | undefined, etag: string): boolean {
  return (ifNoneMatch ?? '').split(',').some((tag) => tag.trim() === etag);
}
