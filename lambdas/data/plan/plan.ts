import type { ChainSchema } from '../../shared/chain-database/chain-schema.ts';
import type { Binder } from './binder.ts';

/** How far the rows of an answer go: to the finalized block, or to the indexed head. */
export type Finality = 'finalized' | 'latest';

/** What an operation builds its part of the statement from. */
export interface Scope {
  /** Quoted name of the chain's schema. */
  readonly schema: ChainSchema;
  readonly bind: Binder;
}

/** A column that rows are ordered by and a cursor points with. */
export interface OrderKey {
  /** Name of the column in the merged rows, which have the alias `t`. */
  readonly column: string;
  readonly type:
    | 'bigint'
    | 'integer'
    | 'smallint'
    | 'numeric'
    | 'fraction'
    | 'bytea'
    | 'date'
    | 'timestamptz'
    | 'text';
  readonly descending: boolean;
}

/** One scan of one index. Several are merged: what a disjunction would make of them reads far more. */
export interface Branch {
  /** What is scanned; it has the alias `t`. */
  readonly from: string;
  /** @default all columns */
  readonly columns?: string;
  readonly where: readonly string[];
  /**
   * Conditions that the index does not serve. Of the rows that fulfil the others so many are looked at on a page at most, and
   * the page ends where the last of them is, however few fulfil these too. Only where a plan has one branch.
   */
  readonly filter?: readonly string[];
  /** How many of the keys the table has, of the first; the others are the same in all of its rows. @default all */
  readonly keys?: number;
}

/** The blocks that rows may be of. */
export interface WindowPlan {
  /** Column of the branches with the block's number. */
  readonly column: string;
  /** SQL of the first block that is asked for. */
  readonly from: string;
  /** SQL of the last block that is asked for; undefined: the last that may be told. */
  readonly to: string | undefined;
  /** SQL of the first block that may belong to the window, stored or not. @default `from` */
  readonly earliest?: string;
  /** SQL of the last block that may belong to the window, stored or not. @default `to` */
  readonly latest?: string;
  /** Widest window, in blocks. */
  readonly maxBlocks?: number;
  /** Whether a window that is too wide or too high is cut. */
  readonly clamp: boolean;
}

/** Blocks whose coverage an answer has, as SQL over the bounds of the statement. */
export interface CoveredRange {
  readonly from: string;
  readonly to: string;
}

/** A list within a row. */
export interface NestedList extends Pick<Plan, 'branches' | 'keys' | 'columns' | 'longBytes'> {
  /** Field of the row. */
  readonly field: string;
  /** Field of the row that tells whether rows of the list are missing. @default none */
  readonly truncatedField?: string;
  readonly limit: number;
}

/** The part of a statement that finds the rows of an answer. */
export interface Plan {
  /** Whether rows above the finalized block are told too, each with a mark. @default `finalized` */
  readonly finality?: Finality;
  /** `one` row, or a `list` of them. */
  readonly shape: 'one' | 'list';
  readonly branches: readonly Branch[];
  /** Several branches may find the same row, which is told once. @default false */
  readonly overlapping?: boolean;
  /** Together unique; none where there is at most one row. */
  readonly keys: readonly OrderKey[];
  /** Further tables, joined to the merged rows. */
  readonly joins?: string;
  /** Columns of the row, named as the description names its fields, in its order. */
  readonly columns: string;
  /**
   * SQL over the merged rows: how many bytes of the row's text its long values will take, worked out without reading them.
   * @default none of its values is long
   */
  readonly longBytes?: string;
  /** Absent where rows are of no block: the answer then reflects the indexed head. */
  readonly window?: WindowPlan;
  /** Common table expressions that the rest refers to. */
  readonly with?: readonly string[];
  /** SQL of whether that exists which the rows belong to; where it is false the answer is 404. */
  readonly exists?: string;
  /** SQL over the merged rows: the block of the one row, which decides whether the row may be told. */
  readonly height?: string;
  /** @default the window, the block of the one row, or all that is indexed */
  readonly covers?: CoveredRange;
  /** The rows are of the newest balances snapshot: their pages end when another one is complete. */
  readonly ofSnapshot?: boolean;
  /** The one row is an address: what nodes tell of it at the finalized block is added to its fields. */
  readonly stateOf?: string;
  /** SQL over the merged rows of whether a row is one that is billed. @default `true` */
  readonly counted?: string;
  /** Rows that become a list within the one row. */
  readonly parts?: NestedList;
  /** The one row is a block itself: on a chain without an index it is one that was never indexed. */
  readonly isBlock?: boolean;
  /** What is missing when there is no row, for people. */
  readonly absent?: string;
}
