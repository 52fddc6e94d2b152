import type { ResponseMeta } from '../plan/response-meta.ts';

/** `meta` of the envelope, whose fields and order are those of the specification. */
export interface Meta {
  readonly asOfBlock: number;
  readonly finalizedBlock: number;
  readonly coverage: ResponseMeta['coverage'];
  /** ISO 8601. */
  readonly refreshedAt: string;
  /** Absent where it is not known. */
  readonly rowsRead: number | undefined;
  readonly queryMs: number;
}

/** The envelope around data that is JSON already. */
export function renderBody(data: string, nextCursor: string | undefined, meta: Meta): string {
  const fields = {
    as_of_block: meta.asOfBlock,
    finalized_block: meta.finalizedBlock,
    coverage: meta.coverage,
    refreshed_at: meta.refreshedAt,
    ...(meta.rowsRead !== undefined && { rows_read: meta.rowsRead }),
    query_ms: meta.queryMs,
  };
  const next = nextCursor === undefined ? '' : `"next_cursor":${JSON.stringify(nextCursor)},`;
  return `{"data":${data},${next}"meta":${JSON.stringify(fields)}}`;
}
