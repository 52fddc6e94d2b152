import type { Queries } from '../shared/chain-database/chain-database.ts';
import { chainSchema } from '../shared/chain-database/chain-schema.ts';
import { ENTRY_POINTS } from '../shared/runtime/settings.ts';
import type { ExportFormat } from './export/format.ts';
import type { MatchedOperation } from './operations/match-operation.ts';
import { OPERATIONS } from './operations/operations.ts';
import { Binder, type NativeBalance, type TransactionPlace } from './plan/binder.ts';
import { type CursorScope, type Position, parseCursor } from './plan/cursor.ts';
import { describedPlan } from './plan/described-plan.ts';
import { type ParameterValues, parseParameters } from './plan/parse-parameters.ts';
import type { Plan, Scope } from './plan/plan.ts';
import { type OperationPrice, paidBytes, type ResponseSize } from './plan/price.ts';
import type { Rows } from './plan/resource.ts';
import type { Seal } from './plan/seal.ts';
import { composeStatement, MAX_PACKED_BYTES, MAX_PAGE_BYTES } from './plan/statement.ts';
import type { QuerySeats } from './plan/statement-request.ts';
import { windowProblem } from './plan/window.ts';
import { type ChainOperationId, RESOURCES } from './resources/all.ts';
import { poolsProblem } from './resources/pools.ts';
import { searchProblem } from './resources/searched-tokens.ts';
import type { Failure } from './response/failure.ts';

/** Most rows of a list that has no pages. */
const UNPAGED_ROWS = 500;
/** Most rows of one file, if a request names no number. */
const MAX_EXPORT_ROWS = 1_000_000;
/** Most rows of the first page of a file: few, because their length is not known yet. */
const FIRST_PAGE_ROWS = 500;

/** A request that can be sent to the database. */
export interface PlannedRequest {
  readonly ok: true;
  readonly operationId: ChainOperationId;
  readonly price: OperationPrice;
  /** The most that the response is priced by: rows of the page, members of a batch, else 1. */
  readonly most: ResponseSize;
  readonly dataset: string | undefined;
  readonly plan: Plan;
  /** Transactions whose places the statement needs. */
  readonly hashes: readonly string[];
  /** @param places by hash, of those that were found @param native if a node says it */
  readonly statement: (
    places?: ReadonlyMap<string, TransactionPlace>,
    native?: NativeBalance,
  ) => Parameters<Queries['query']>;
  readonly after: Position | undefined;
  readonly cursorScope: CursorScope;
  /** The list is to be one file. */
  readonly file: PlannedFile | undefined;
}

/** A list that is to be one file. */
export interface PlannedFile {
  readonly format: ExportFormat;
  /** Whether its last line tells of it, where it has lines. */
  readonly hasTrailer: boolean;
  /** Whether texts that look like formulas stay as they are. */
  readonly isRaw: boolean;
  /** Most rows of all of it. */
  readonly maxRows: number;
}

type PlannedOrFailure = PlannedRequest | { readonly ok: false; readonly failure: Failure };

export interface PlanInput {
  readonly account: string;
  readonly chain: string;
  /** Contracts whose user operations count. @default those of ERC-4337 */
  readonly entryPoints?: readonly string[] | undefined;
  readonly matched: MatchedOperation;
  /** All values of each query parameter. */
  readonly query: Readonly<Record<string, readonly string[] | undefined>>;
  readonly seal: Seal;
  /** Where its statement has its place among those of its key. */
  readonly seats: QuerySeats;
  /** The most that a page of an export may have. @default little, as of the first one */
  readonly pageSize?: ResponseSize;
  /** Whether the export has sent rows, and with them the names of their fields. @default false */
  readonly isGoingOn?: boolean;
}

/** Reads the parameters of a request and puts its statement together. Invalid requests do not reach the database. */
export function planRequest(input: PlanInput): PlannedOrFailure {
  const { account, chain, entryPoints = ENTRY_POINTS, matched, query } = input;
  const { seal, seats, pageSize, isGoingOn = false } = input;
  const operationId = matched.operationId as ChainOperationId;
  const { parameters, computeUnits, perItem, dataset } = OPERATIONS[operationId];
  const parsed = parseParameters(parameters, matched.path, query);
  if (!parsed.ok) return refuse(parsed.message);
  const { values } = parsed;
  const problem =
    windowProblem(values) ?? operationProblem(operationId, values) ?? exportProblem(values, query);
  if (problem !== undefined) return refuse(problem);
  const { cursor, limit, finality, max_rows, ...filters } = values;
  const scope: Scope = { schema: chainSchema(chain), bind: new Binder(), entryPoints };
  const isLatest = finality === 'latest';
  const plan: Plan = { ...planOf(operationId, scope, values), ...(isLatest && { finality }) };
  const cursorScope = {
    account,
    chain,
    operationId,
    filters: definedOnly({ ...filters, ...(isLatest && { finality }) }),
  };
  const after = cursor === undefined ? undefined : parseCursor(String(cursor), cursorScope, plan, seal);
  if (cursor !== undefined && after === undefined) return refuse('cursor belongs to a different query');
  const file = fileOf(values);
  const most =
    (file && (pageSize ?? sized(Math.min(FIRST_PAGE_ROWS, file.maxRows)))) ??
    mostOf(plan, { limit, items: perItem === undefined ? undefined : values[perItem] });
  const isSized = file !== undefined || limit !== undefined || plan.parts !== undefined;
  const { rows, bytes } = isSized ? most : { rows: UNPAGED_ROWS, bytes: MAX_PAGE_BYTES };
  const sql = composeStatement({
    scope,
    plan,
    limit: rows,
    maxBytes: Math.min(bytes, file === undefined ? MAX_PAGE_BYTES : MAX_PACKED_BYTES),
    after,
    dataset,
    packed: file && (isGoingOn ? 'without-names' : 'with-names'),
    seats,
  });
  return {
    ok: true,
    operationId,
    price: { computeUnits, isPerItem: perItem !== undefined },
    most,
    dataset,
    plan,
    hashes: scope.bind.hashes,
    statement: (places, native) => [sql, scope.bind.parametersOf(sql, places, native)],
    after,
    cursorScope,
    file,
  };
}

/** A number of rows, and the bytes that their price includes. */
function sized(rows: number): ResponseSize {
  return { rows, bytes: paidBytes(rows) };
}

/** The most that a response is priced by, unless it is a file. One row counts as one, or by the list within it. */
function mostOf({ parts }: Plan, { limit, items }: Pick<ParameterValues, string>): ResponseSize {
  if (items !== undefined) return { rows: itemsOf(items), bytes: 0 };
  if (limit !== undefined) return sized(Number(limit));
  return parts === undefined ? { rows: 1, bytes: 0 } : sized(parts.limit);
}

function fileOf({ format, trailer, csv, max_rows }: ParameterValues): PlannedFile | undefined {
  if (format === undefined) return undefined;
  return {
    format: format as ExportFormat,
    hasTrailer: trailer !== 'none',
    isRaw: csv === 'raw',
    maxRows: Number(max_rows ?? MAX_EXPORT_ROWS),
  };
}

/** The values are valid by the operation's own table of parameters. */
function planOf(operationId: ChainOperationId, scope: Scope, values: ParameterValues): Plan {
  const resource = RESOURCES[operationId] as (scope: Scope, parameters: ParameterValues) => Rows;
  return describedPlan(scope, operationId, resource(scope, values), values);
}

function operationProblem(operationId: ChainOperationId, values: ParameterValues): string | undefined {
  if (operationId === 'listPools') return poolsProblem(values);
  if (operationId === 'listTokens') return searchProblem(values);
  const isUnselective = values.address === undefined && values.topic0 === undefined;
  return operationId === 'listLogs' && isUnselective ? 'address or topic0 is required' : undefined;
}

/** What is wrong with the parameters of a file: a page has `limit`, a file has `max_rows`. */
function exportProblem(
  { format, trailer, csv }: ParameterValues,
  query: PlanInput['query'],
): string | undefined {
  if (trailer !== undefined && format !== 'csv' && format !== 'ndjson')
    return 'trailer goes with format=csv and format=ndjson';
  if (csv !== undefined && format !== 'csv') return 'csv goes with format=csv';
  if (format === undefined)
    return query.max_rows === undefined ? undefined : 'max_rows goes with format; limit is that of a page';
  return query.limit === undefined ? undefined : 'limit goes with pages; max_rows is that of a file';
}

/** Members of a list parameter that is valid. */
function itemsOf(list: ParameterValues[string]): number {
  return String(list).split(',').length;
}

function definedOnly(values: ParameterValues): ParameterValues {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

function refuse(message: string): PlannedOrFailure {
  return { ok: false, failure: { statusCode: 400, code: 'bad_request', message } };
}
