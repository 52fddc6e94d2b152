import type { Position } from './cursor.ts';
import type { Plan, Scope } from './plan.ts';

/** What a statement is composed of. */
export interface StatementRequest {
  readonly scope: Scope;
  readonly plan: Plan;
  /** Most rows of the page. */
  readonly limit: number;
  /** Most bytes of its rows. A first row that is longer is returned nevertheless. */
  readonly maxBytes: number;
  /** Where the previous page ended. */
  readonly after: Position | undefined;
  readonly dataset: string | undefined;
  /**
   * Whether many rows of the list come as one row of the result, each as PostgreSQL's text of a record: this costs the
   * database and its client half of what JSON costs. The field names come with the first page.
   * @default each row by itself, as JSON
   */
  readonly packed?: 'with-names' | 'without-names' | undefined;
  readonly seats: QuerySeats;
}

/**
 * Bounds how many statements of a key run at a time. The database itself counts them, across all instances and also after
 * the function or the client is gone: a seat is free when its statement has ended.
 */
export interface QuerySeats {
  /** The API key. */
  readonly keyId: string;
  readonly count: number;
}
