/** How the text of a parameter is read. */
type ParameterKind =
  | { readonly kind: 'integer'; readonly minimum: number; readonly maximum: number }
  /** Height of a block: any run of digits. One above 2^53 - 1 is read as that, which no chain has. */
  | { readonly kind: 'height' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'enum'; readonly values: readonly string[] }
  /** ISO 8601 in UTC. */
  | { readonly kind: 'time' }
  /** `YYYY-MM-DD` */
  | { readonly kind: 'day' }
  | { readonly kind: 'pattern'; readonly pattern: RegExp; readonly foldCase: boolean }
  | { readonly kind: 'text'; readonly maxLength: number };

export type ParameterEntry = ParameterKind & {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly default?: string | number | boolean;
};

/** What a parameter is once it is read. */
type ValueOf<Entry> = Entry extends { readonly kind: 'integer' | 'height' }
  ? number
  : Entry extends { readonly kind: 'boolean' }
    ? boolean
    : Entry extends { readonly kind: 'enum'; readonly values: readonly (infer Value)[] }
      ? Value
      : string;

/** What a request has of a parameter in any case. */
type Given = { readonly required: true } | { readonly default: unknown };

/** The values of parameters by their names; those that a request may leave out and that have no default are optional. */
export type ValuesOf<Entries extends readonly ParameterEntry[]> = {
  [Entry in Extract<Entries[number], Given> as Entry['name']]: ValueOf<Entry>;
} & { [Entry in Exclude<Entries[number], Given> as Entry['name']]?: ValueOf<Entry> };

/** An operation of the Data API, as its description has it. */
export interface OperationEntry {
  /** Below `/v1/data`. */
  readonly path: string;
  readonly computeUnits: number;
  /** Parameter that lists members, separated by commas, each of which has the price. */
  readonly perItem?: string;
  /** Whose coverage tells whether a response is complete. */
  readonly dataset?: string;
  /** Widest window, in blocks; without it any. */
  readonly maxWindowBlocks?: number;
  /** Whether answers come in pages. */
  readonly paged: boolean;
  readonly parameters: readonly ParameterEntry[];
}
