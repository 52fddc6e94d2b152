import type { Plan } from '../plan/plan.ts';
import type { Seal } from '../plan/seal.ts';
import type { DataResponse } from './read-response.ts';

/**
 * Data sets whose rows at or below the finalized block never change. Prices and stock registrations come later than theirs, and a
 * token of either standard of transfers may turn out to be of the other one.
 */
const IMMUTABLE_DATASETS: ReadonlySet<string> = new Set([
  'blocks',
  'transactions',
  'logs',
  'dex_liquidity_events',
  'traces',
]);
const TAG_CHARACTERS = 27;

interface TaggedResponse {
  readonly response: Pick<DataResponse, 'data' | 'coverage' | 'meta'>;
  readonly nextCursor: string | undefined;
  readonly dataset: string | undefined;
  readonly plan: Plan;
  /** The account that is answered: the tag is of no other account's answer. */
  readonly account: string;
}

/**
 * Headers by which a client may keep a response: as long as it likes where the response can never be another one, else
 * until it has asked again. The tag is a weak one: `query_ms` and the head differ from response to response, and so
 * does the time of the data where it is not a snapshot's. It is sealed for the account, so that no client can guess the tag
 * of a response, empty ones included, and have it found for the price of one that is kept.
 */
export function cacheHeaders(
  { response, nextCursor, dataset, plan, account }: TaggedResponse,
  seal: Seal,
): {
  readonly ETag: string;
  readonly 'Cache-Control': string;
} {
  const { data, coverage, meta } = response;
  const about = [account, nextCursor, coverage, plan.ofSnapshot === true ? meta.refreshed_at : undefined];
  const tag = seal('etag', about, data).slice(0, TAG_CHARACTERS);
  const isImmutable =
    coverage === 'full' &&
    isBounded(plan, meta) &&
    plan.approvalsOf === undefined &&
    [dataset, ...(plan.alsoOf ?? [])].every((each) => each !== undefined && IMMUTABLE_DATASETS.has(each));
  return {
    ETag: `W/"${tag}"`,
    'Cache-Control': isImmutable ? 'private, max-age=31536000, immutable' : 'private, no-cache',
  };
}

/** Whether no block of a response can change or come into it. One that a time ends is open until the block behind it is final. */
function isBounded({ window, height, covers }: Plan, { cover_to, finalized }: DataResponse['meta']): boolean {
  if (cover_to > finalized) return false;
  if (window?.latest !== undefined || covers !== undefined) return cover_to < finalized;
  return window?.to !== undefined || height !== undefined;
}
