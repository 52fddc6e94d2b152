import type { DatabaseRow } from '../../shared/chain-database/decode-row.ts';
import type { Position } from '../plan/cursor.ts';
import { PARTS_ORDINAL } from '../plan/nested-rows.ts';
import type { Plan } from '../plan/plan.ts';
import type { ResponseMeta } from '../plan/response-meta.ts';
import { type Failure, TOO_MANY_QUERIES } from './failure.ts';

/** The data set whose absence is an error of its own. */
const TRACES = 'traces';
const BLOCK_REPLACED: Failure = {
  statusCode: 409,
  code: 'block_replaced',
  message:
    'a reorganisation replaced the block that the page before ended in: start again without the cursor',
};

/** Rows of a response, as they come from the database: no row is read and written again. */
export interface DataResponse {
  readonly ok: true;
  /** JSON of `data`. */
  readonly data: string;
  /** Where the page ends, if another one exists. */
  readonly next: Position | undefined;
  readonly coverage: ResponseMeta['coverage'];
  /** How many rows `data` has that are billed. */
  readonly rows: number;
  /** Bytes of `data`; of rows that come packed, those of their texts. */
  readonly bytes: number;
  readonly meta: ResponseMeta & { readonly as_of: number };
}

type Failed = { readonly ok: false; readonly failure: Failure };

type ResponseOrFailure = DataResponse | Failed;

/** Rows of a list that come packed (`composeStatement`). */
export interface PackedResponse
  extends Pick<DataResponse, 'ok' | 'next' | 'coverage' | 'rows' | 'bytes' | 'meta'> {
  /** Names of the fields, in their order; none if there is no row, or they were not asked for. */
  readonly names: readonly string[];
  /** Lines of records, or of JSON (`isPackedJson`). */
  readonly packs: readonly string[];
}

interface ReadRequest {
  readonly plan: Plan;
  readonly dataset: string | undefined;
  /** Where the page before ended. */
  readonly after: Position | undefined;
}

/** Tells what the rows of a request's statement mean. */
export function readResponse(rows: readonly DatabaseRow[], request: ReadRequest): ResponseOrFailure {
  const [, ...rest] = rows;
  const items = rest.filter(({ ordinal }) => Number(ordinal) < PARTS_ORDINAL);
  const judged = judge(rows, request, items.at(-1)?.key);
  if (!judged.ok) return judged;
  const { plan } = request;
  const data = plan.shape === 'one' ? oneRow(plan, rest) : `[${items.map(({ item }) => item).join(',')}]`;
  return { ...judged, data, bytes: Buffer.byteLength(data), rows: billedRows(plan, rest, judged.meta) };
}

/** Of one row with a list, the rows of that; else those that a response has, but for what the plan does not count. */
function billedRows(
  { counted, parts }: Plan,
  rows: readonly DatabaseRow[],
  { rows_counted }: ResponseMeta,
): number {
  if (parts !== undefined) return Math.max(rows.length - 1, 1);
  return counted === undefined ? rows.length : rows_counted;
}

/** Tells what the rows of a statement mean whose list is packed. */
export function readPacked(rows: readonly DatabaseRow[], request: ReadRequest): PackedResponse | Failed {
  const [first, ...packs] = rows;
  const judged = judge(rows, request);
  if (!judged.ok) return judged;
  const names = typeof first?.key === 'string' ? Object.keys(JSON.parse(first.key) as object) : [];
  const { rows_returned, bytes_returned } = judged.meta;
  return {
    ...judged,
    names,
    packs: packs.map(({ item }) => String(item)),
    rows: rows_returned,
    bytes: bytes_returned,
  };
}

/** What the first row of a response tells. @param lastKey keys of its last row, if its rows have keys */
function judge(
  [first]: readonly DatabaseRow[],
  request: ReadRequest,
  lastKey?: unknown,
): Pick<DataResponse, 'ok' | 'next' | 'coverage' | 'meta'> | Failed {
  const meta = typeof first?.item === 'string' ? (JSON.parse(first.item) as ResponseMeta) : undefined;
  if (meta === undefined || meta.as_of === null) return { ok: false, failure: nothingIndexed(request.plan) };
  if (!meta.seated) return { ok: false, failure: TOO_MANY_QUERIES };
  const failure = failureOf(meta, request);
  if (failure !== undefined) return { ok: false, failure };
  const { plan, after } = request;
  const cut = after === undefined ? isCut(meta, plan) : after.cut;
  const last = lastKey ?? meta.returned_to;
  const hasMore = plan.shape === 'list' && meta.rows_returned < meta.rows_found && typeof last === 'string';
  const end = hasMore ? last : meta.examined_to;
  return {
    ok: true,
    next: end === null ? undefined : positionOf(JSON.parse(end) as string[], meta, { plan, cut }),
    coverage: coverageOf(meta, plan, cut),
    meta: { ...meta, as_of: meta.as_of },
  };
}

function positionOf(
  keys: readonly string[],
  { lo, hi, anchor, snapshot }: ResponseMeta,
  { plan, cut }: { readonly plan: Plan; readonly cut: boolean },
): Position {
  return {
    keys,
    cut,
    ...(plan.window !== undefined && { window: [lo, hi] }),
    ...(anchor !== null && { anchor }),
    ...(plan.ofSnapshot === true && snapshot !== null && { snapshot }),
  };
}

/** A window that is wholly above what may be returned has nothing left when it is cut. */
function coverageOf(meta: ResponseMeta, { window }: Plan, cut: boolean): ResponseMeta['coverage'] {
  if (window !== undefined && meta.asked_from > meta.reach) return 'none';
  return cut && meta.coverage === 'full' ? 'partial' : meta.coverage;
}

/** Whether the window was cut: by `clamp`, or because blocks are missing where one of its times is. */
function isCut({ asked_from, asked_to, reach, lo, hi, cover_from, cover_to }: ResponseMeta, plan: Plan) {
  if (plan.window === undefined) return false;
  const isClamped = asked_from !== lo || asked_to !== hi || asked_from > reach;
  return isClamped || cover_from < lo || cover_to > hi;
}

function failureOf(meta: ResponseMeta, request: ReadRequest): Failure | undefined {
  const { plan, dataset, after } = request;
  if (meta.refusal === 'finality_exceeded' || (meta.height !== null && meta.height > meta.reach))
    return finalityExceeded(meta, request);
  if (meta.refusal === 'block_replaced') return BLOCK_REPLACED;
  if (meta.refusal === 'window_too_large') {
    const message = `the window is wider than ${plan.window?.maxBlocks} blocks: narrow it, or set clamp=true`;
    return { statusCode: 409, code: 'window_too_large', message };
  }
  if (!meta.exists) return absentOf(plan);
  if (plan.ofSnapshot === true && meta.snapshot === null) {
    const message = 'no balances snapshot is complete yet';
    return { statusCode: 422, code: 'dataset_not_installed', message };
  }
  if (after?.snapshot !== undefined && after.snapshot !== meta.snapshot) {
    const message = 'a newer balances snapshot is complete: start again without the cursor';
    return { statusCode: 409, code: 'snapshot_replaced', message };
  }
  if (dataset === TRACES && meta.rows_returned === 0 && meta.coverage === 'none') {
    const message = `no traces of blocks ${meta.cover_from} to ${meta.cover_to}: see status/coverage/traces`;
    return { statusCode: 422, code: 'no_coverage', message };
  }
  return plan.shape === 'one' && meta.rows_returned === 0 ? absentOf(plan, meta.absent_reason) : undefined;
}

/** What is not there, in the words of its operation. */
function absentOf({ absent = 'no such row' }: Plan, reason: string | null = null): Failure {
  return {
    statusCode: 404,
    code: 'not_found',
    message: reason === null ? absent : `${absent}: ${reason}`,
  };
}

/** Why nothing can be returned for a chain without an index. A block that was never indexed has no live row: 404. */
export function nothingIndexed(plan: Plan): Failure {
  if (plan.isBlock === true) return absentOf(plan);
  const message = 'this chain is not indexed in this environment';
  return { statusCode: 422, code: 'dataset_not_installed', message };
}

/** Names `finality=latest` where it would answer: every operation with a window or a block takes it, no cursor does. */
function finalityExceeded(
  { as_of, asked_from, asked_to, height, reach }: ResponseMeta,
  { plan, after }: ReadRequest,
): Failure {
  const highest = height ?? Math.max(asked_from, asked_to);
  const block = highest < Number.MAX_SAFE_INTEGER ? `block ${highest}` : 'that block';
  const isIndexed = as_of !== null && highest <= as_of;
  const isLatest = plan.finality === 'latest';
  const way =
    isIndexed && !isLatest && after === undefined
      ? `; add finality=latest to read up to as_of_block ${as_of}`
      : '';
  return {
    statusCode: 409,
    code: 'finality_exceeded',
    message: `${block} is above ${isLatest ? 'as_of_block' : 'finalized_block'} ${reach}${way}`,
  };
}

/** The one row with further fields at its end. */
export function withFields(response: DataResponse, fields: object): DataResponse {
  return { ...response, data: `${response.data.slice(0, -1)},${JSON.stringify(fields).slice(1)}` };
}

/** The one row, with the list that belongs into it. */
function oneRow({ parts }: Plan, [row, ...listed]: readonly DatabaseRow[]): string {
  const item = String(row?.item ?? null);
  if (parts === undefined) return item;
  const { field, truncatedField } = parts;
  const isTruncated = listed.length < Number(listed[0]?.key ?? 0);
  const truncation = truncatedField === undefined ? '' : `,"${truncatedField}":${isTruncated}`;
  return `${item.slice(0, -1)},"${field}":[${listed.map((part) => part.item).join(',')}]${truncation}}`;
}
