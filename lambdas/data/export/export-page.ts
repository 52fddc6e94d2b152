import type { PackedResponse } from '../response/read-response.ts';

/** A page of a list. */
export interface ExportPage {
  readonly response: Pick<PackedResponse, 'names' | 'packs' | 'rows' | 'bytes' | 'meta' | 'coverage'>;
  /** Of the next page; undefined: it was the last one. */
  readonly nextCursor: string | undefined;
  /** Blocks that it has, from the one that the page before ended in; undefined where that is not known. */
  readonly range?: { readonly from: number; readonly to: number } | undefined;
  /** Block up to which it was to be read. @default none */
  readonly upTo?: number | undefined;
}
