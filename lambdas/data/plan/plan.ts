import type { ChainSchema } from '../../shared/chain-database/chain-schema.ts';
import type { Binder } from './binder.ts';

/** How far the rows of a response go: to the finalized block, or to the indexed head. */
type Finality = 'finalized' | 'latest';

/** What an operation needs to build its part of the statement. */
export interface Scope {
  /** Quoted name of the chain's schema. */
  readonly schema: ChainSchema;
  readonly bind: Binder;
  /** Contracts whose user operations count. */
  readonly entryPoints: readonly string[];
}

/** A column of the order of rows, and so of cursors. */
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

/** One scan of one index. Several scans are merged: a single scan with OR would read far more. */
export interface Branch {
  /** What is scanned; it has the alias `t`. */
  readonly from: string;
  /** @default all columns */
  readonly columns?: string;
  readonly where: readonly string[];
  /**
   * Function of all keys but the first, which an index has in their place: its numbers follow their order, and few rows share one.
   * @default the index has the keys
   */
  readonly place?: string;
  /**
   * Column that the index has in front of the keys, and of which a condition with `ANY` leaves one value. It stands in the order as well,
   * which an index without it does not serve: where nearly all rows have the value, that seems to be as good.
   */
  readonly front?: string;
  /** Keys that are the same for all rows of the branch, and that no index has: all keys have one direction then. @default none */
  readonly constants?: Readonly<Record<string, number>>;
  /** Whether all its rows fulfil the filter: no more than a page of them is examined. @default false */
  readonly fulfils?: boolean;
}

/** The range of blocks of a list. */
export interface WindowPlan {
  /** Column of the branches with the block's number. */
  readonly column: string;
  /** SQL of the first block of the request. */
  readonly from: string;
  /** SQL of the last block of the request; undefined: the last that may be returned. */
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

/** Blocks whose coverage a response has, as SQL over the bounds of the statement. */
export interface CoveredRange {
  readonly from: string;
  readonly to: string;
}

/** A list within a row. */
interface NestedList extends Pick<Plan, 'branches' | 'keys' | 'columns' | 'longBytes'> {
  /** Field of the row. */
  readonly field: string;
  /** Field of the row that tells whether rows of the list are missing. @default none */
  readonly truncatedField?: string;
  readonly limit: number;
}

/** The part of a statement that finds the rows of a response. */
export interface Plan {
  /** Whether rows above the finalized block are returned too, each with a mark. @default `finalized` */
  readonly finality?: Finality;
  /** `one` row, or a `list` of them. */
  readonly shape: 'one' | 'list';
  readonly branches: readonly Branch[];
  /** Several branches may find the same row, which is returned once. @default false */
  readonly overlapping?: boolean;
  /**
   * Conditions over the merged rows that no index serves. A page examines a bounded number of rows, and ends with the last of them,
   * however few fulfil these.
   */
  readonly filter?: readonly string[];
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
  /** Absent where rows belong to no block: the response then reflects the indexed head. */
  readonly window?: WindowPlan;
  /** Common table expressions that the rest refers to. */
  readonly with?: readonly string[];
  /** SQL of whether the owner of the rows exists (an address, a token); if not, the response is 404. */
  readonly exists?: string;
  /** SQL over the merged rows: the block of the one row, which decides whether the row may be returned. */
  readonly height?: string;
  /** @default the window, the block of the one row, or all that is indexed */
  readonly covers?: CoveredRange;
  /** Further data sets that rows are of: a response is as complete as all of them. @default none */
  readonly alsoOf?: readonly string[];
  /** The rows are of the newest balances snapshot: their pages end when another one is complete. */
  readonly ofSnapshot?: boolean;
  /** The one row is an address: what nodes tell of it at the finalized block is added to its fields. */
  readonly stateOf?: string;
  /** The rows have what this address has of the native coin: the nodes are asked for it before the statement is run. */
  readonly nativeOf?: string;
  /** The rows are approvals of this address: what nodes say is left of the first ones is added to their fields. */
  readonly approvalsOf?: string;
  /** The one row is the place of a transaction: its proof is added to its fields. `logIndex`: of a log of its block. */
  readonly proves?: { readonly logIndex: number | undefined };
  /** SQL over the merged rows of whether a row is one that is billed. @default `true` */
  readonly counted?: string;
  /** Rows that become a list within the one row. */
  readonly parts?: NestedList;
  /** The one row is a block itself: on a chain without an index it is one that was never indexed. */
  readonly isBlock?: boolean;
  /** Message of the error if there is no row. */
  readonly absent?: string;
  /** SQL of a word that says why it is missing. @default the message says enough */
  readonly absentReason?: string;
}
