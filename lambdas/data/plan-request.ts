import type { ChainDatabase } from '../shared/chain-database/chain-database.ts';
import { chainSchema } from '../shared/chain-database/chain-schema.ts';
import { FIRST_PAGE_ROWS } from './export/export-list.ts';
import type { ExportFormat } from './export/format.ts';
import type { MatchedOperation } from './operations/match-operation.ts';
import { OPERATIONS } from './operations/operations.ts';
import { Binder } from './plan/binder.ts';
import { type CursorScope, type Position, parseCursor } from './plan/cursor.ts';
import { type ParameterValues, parseParameters } from './plan/parse-parameters.ts';
import type { Plan, Scope } from './plan/plan.ts';
import type { Seal } from './plan/seal.ts';
import { composeStatement } from './plan/statement.ts';
import { windowProblem } from './plan/window.ts';
import { type ChainOperationId, RESOURCES } from './resources/all.ts';
import { includeTokens } from './resources/included-tokens.ts';
import { poolsProblem } from './resources/pools.ts';
import { searchProblem } from './resources/searched-tokens.ts';
import type { Failure } from './response/failure.ts';

/** Most rows of a list that has no pages. */
const UNPAGED_ROWS = 500;

/** A request that can be sent to the database. */
export interface PlannedRequest {
  readonly ok: true;
  readonly operationId: ChainOperationId;
  readonly price: OperationPrice;
  /** Most rows that the answer is priced by: of the page, members of a batch, else 1. */
  readonly limit: number;
  /** Most rows that the statement tells. */
  readonly rows: number;
  readonly dataset: string | undefined;
  readonly plan: Plan;
  readonly statement: Parameters<ChainDatabase['query']>;
  readonly after: Position | undefined;
  readonly cursorScope: CursorScope;
  /** The list is to be one file. */
  readonly format: ExportFormat | undefined;
}

export type PlannedOrFailure = PlannedRequest | { readonly ok: false; readonly failure: Failure };

export interface PlanInput {
  readonly account: string;
  readonly chain: string;
  readonly matched: MatchedOperation;
  /** All values of each query parameter. */
  readonly query: Readonly<Record<string, readonly string[] | undefined>>;
  readonly seal: Seal;
  /** Most rows of a page of an export. @default {@link FIRST_PAGE_ROWS} */
  readonly pageRows?: number;
  /** Last block of the list that is told. @default all that are in the window */
  readonly upTo?: number | undefined;
  /** Whether the export has told rows, and with them the names of their fields. @default false */
  readonly isGoingOn?: boolean;
}

/** Reads the parameters of a request and puts its statement together. Nothing wrong gets as far as the database. */
export function planRequest(input: PlanInput): PlannedOrFailure {
  const { account, chain, matched, query, seal, pageRows = FIRST_PAGE_ROWS, isGoingOn = false, upTo } = input;
  const operationId = matched.operationId as ChainOperationId;
  const { parameters, computeUnits, perItem, dataset } = OPERATIONS[operationId];
  const parsed = parseParameters(parameters, matched.path, query);
  if (!parsed.ok) return refuse(parsed.message);
  const { values } = parsed;
  const problem =
    windowProblem(values) ?? operationProblem(operationId, values) ?? exportProblem(values, query);
  if (problem !== undefined) return refuse(problem);
  const { cursor, limit, finality, ...filters } = values;
  const scope: Scope = { schema: chainSchema(chain), bind: new Binder() };
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
  const format = values.format as ExportFormat | undefined;
  const rows = format !== undefined ? pageRows : limit === undefined ? UNPAGED_ROWS : Number(limit);
  const packed = format && (isGoingOn ? 'without-names' : 'with-names');
  const sql = composeStatement({ scope, plan, limit: rows, after, dataset, upTo, packed });
  return {
    ok: true,
    operationId,
    price: { computeUnits, isPerItem: perItem !== undefined },
    limit: perItem === undefined ? (limit === undefined ? 1 : rows) : itemsOf(values[perItem]),
    rows,
    dataset,
    plan,
    statement: [sql, scope.bind.parametersOf(sql)],
    after,
    cursorScope,
    format,
  };
}

/** The values are those that the operation's own table of parameters has let through. */
function planOf(operationId: ChainOperationId, scope: Scope, values: ParameterValues): Plan {
  const resource = RESOURCES[operationId] as (scope: Scope, parameters: ParameterValues) => Plan;
  const plan = resource(scope, values);
  return values.include === 'token' ? includeTokens(scope, plan, operationId) : plan;
}

function operationProblem(operationId: ChainOperationId, values: ParameterValues): string | undefined {
  if (operationId === 'listPools') return poolsProblem(values);
  if (operationId === 'listTokens') return searchProblem(values);
  const isUnselective = values.address === undefined && values.topic0 === undefined;
  return operationId === 'listLogs' && isUnselective ? 'address or topic0 is required' : undefined;
}

/** A file has no pages: its size is not asked for. */
function exportProblem({ format }: ParameterValues, query: PlanInput['query']): string | undefined {
  return format !== undefined && query.limit !== undefined
    ? 'limit goes with pages, not with format'
    : undefined;
}

/** How many members a list has that the table of parameters has let through. */
function itemsOf(list: ParameterValues[string]): number {
  return String(list).split(',').length;
}

function definedOnly(values: ParameterValues): ParameterValues {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
}

/** Rows that the price of an operation includes. */
const INCLUDED_ROWS = 100;
/** Rows beyond these that one CU pays for: by what they take of the database (`npm run bench -- prices`). */
const ROWS_PER_CU = 20;

/** How an operation is priced. */
export interface OperationPrice {
  /** Of the first hundred rows of an answer, or of each item. */
  readonly computeUnits: number;
  readonly isPerItem: boolean;
}

/**
 * What an answer of so many rows costs, in CU: one more for each twenty that are begun beyond the first hundred. What is priced by
 * its items costs that of one look-up for each, and of one at least: an answer without any tells something too.
 */
export function priceOf({ computeUnits, isPerItem }: OperationPrice, rows: number): number {
  if (isPerItem) return computeUnits * Math.max(rows, 1);
  return computeUnits + Math.ceil(Math.max(rows - INCLUDED_ROWS, 0) / ROWS_PER_CU);
}

function refuse(message: string): PlannedOrFailure {
  return { ok: false, failure: { statusCode: 400, code: 'bad_request', message } };
}
