import type { KeyHolder, Meter, ToldBill } from 'gateway-access';
import type { Queries } from '../shared/chain-database/chain-database.ts';
import { SECURITY_HEADERS } from '../shared/http/json-response.ts';
import type { Prices } from '../shared/methods/method-facts.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { errorField, log } from '../shared/runtime/log.ts';
import { emitMetrics } from '../shared/runtime/metrics.ts';
import { within } from '../shared/runtime/sleep.ts';
import type { ReadNativeBalance } from './address-state.ts';
import { type Column, columnsFor, kindsOf } from './export/column.ts';
import { type ExportPage, exportList, type PageRead, type Span } from './export/export-list.ts';
import type { ExportPlaces } from './export/export-places.ts';
import { type FileProof, fileProof } from './export/file-proof.ts';
import {
  CONTENT_TYPES,
  type ExportEnd,
  type FilePiece,
  type FileWriter,
  LINE_ENDS,
  type TextFormat,
} from './export/format.ts';
import { LIST_COLUMNS } from './export/list-columns.ts';
import { parquetFile } from './export/parquet-file.ts';
import { renderRows } from './export/render-rows.ts';
import { renderCursor } from './plan/cursor.ts';
import { isPackedJson } from './plan/page-rows.ts';
import {
  added,
  computeUnitsOf,
  cuOf,
  listedCalls,
  pageCalls,
  type ResponseSize,
  usageOf,
} from './plan/price.ts';
import type { Seal } from './plan/seal.ts';
import { type PlanInput, type PlannedFile, type PlannedRequest, planRequest } from './plan-request.ts';
import { failureOf, rowsOf } from './read-rows.ts';
import type { DataHttpResponse } from './response/data-http-response.ts';
import { type Failure, renderFailure, TOO_MANY_EXPORTS } from './response/failure.ts';
import { limitHeaders } from './response/limit-headers.ts';
import { readPacked } from './response/read-response.ts';
import { refusalFailure, refusalResponse } from './response/refusal-response.ts';
import { snapshotHeader } from './response/snapshot-header.ts';

interface TextFile {
  readonly format: TextFormat;
  /** Columns of the list as its description has them. */
  readonly columns: readonly Column[];
  /** Whether rows come as JSON. @default as records */
  readonly isJson?: boolean;
  /** Whether the last line tells of the file. @default true */
  readonly hasTrailer?: boolean;
  /** Whether texts stand in CSV as they are, formulas too. @default false */
  readonly isRaw?: boolean;
}

interface ExportRequest {
  readonly holder: KeyHolder;
  readonly requestId: string;
  readonly endsAt?: number;
  readonly onFileEnd?: (bill: ToldBill) => void;
}

interface ExportDependencies {
  readonly meter: Pick<Meter, 'admit' | 'charge'>;
  readonly database: Queries;
  readonly clock: Clock;
  readonly seal: Seal;
  readonly exportPlaces: ExportPlaces;
  readonly prices?: Prices;
  readonly readBalance?: ReadNativeBalance;
}

interface PlannedExport {
  readonly input: PlanInput;
  readonly planned: PlannedRequest;
  readonly file: PlannedFile;
}

/**
 * Answers with a whole list as one file. The first page is read before anything is sent, so what is wrong is answered as
 * always; what fails later stands at the end of the file. The bucket is drawn before each page, for the most that it may have.
 */
export async function exportResponse(
  request: ExportRequest,
  dependencies: ExportDependencies,
  { input, planned, file }: PlannedExport,
): Promise<DataHttpResponse> {
  const { holder, requestId } = request;
  const { meter, exportPlaces } = dependencies;
  const cu = computeUnitsOf(planned.price, planned.most);
  const admission = await meter.admit(holder, { cu });
  if (!admission.admitted) return refusalResponse(admission, requestId);
  const limits = limitHeaders(admission.limits, cu);
  const place = await exportPlaces.take(holder.keyId);
  if (place === undefined) return renderFailure(TOO_MANY_EXPORTS, requestId, limits);
  const first = await readPage(dependencies, planned).catch((error: unknown) => failureOf(error, requestId));
  if ('code' in first) {
    await place.leave();
    return renderFailure(first, requestId, limits);
  }
  const sent = { bytes: 0 };
  const pieces = exportPieces(request, dependencies, { input, planned, file, first, sent });
  const headers = {
    'Content-Type': CONTENT_TYPES[file.format],
    'Cache-Control': 'private, no-store',
    'X-Request-Id': requestId,
    ...SECURITY_HEADERS,
    ...limits,
    ...snapshotHeader(planned.plan, first.response.meta),
    'X-CU-Max': String(computeUnitsOf(planned.price, { rows: file.maxRows, bytes: 0 })),
  };
  const isCompressed = file.format === 'parquet';
  const stream = endedBy(pieces, () => place.leave());
  return { statusCode: 200, headers, body: '', file: { stream, isCompressed, sent } };
}

/** {@link exportResponse}, which only a function that serves files has in its bundle. */
export type ExportResponder = typeof exportResponse;

/** The file of a request, as the rows of its list come. */
function writerOf({ operationId, cursorScope, plan }: PlannedRequest, file: PlannedFile): FileWriter {
  const columns = columnsFor(LIST_COLUMNS[operationId] ?? [], cursorScope.filters);
  const isJson = isPackedJson(plan);
  if (file.format === 'parquet') return parquetFile(columns, isJson);
  const { format, hasTrailer, isRaw } = file;
  return textFile({ format, columns, isJson, hasTrailer, isRaw });
}

/** The pieces of a file whose first page is there. */
function exportPieces(
  { holder, requestId, onFileEnd, endsAt = Number.POSITIVE_INFINITY }: ExportRequest,
  dependencies: ExportDependencies,
  { input, planned, file, first, sent }: PlannedExport & { first: ExportPage; sent: { bytes: number } },
): AsyncGenerator<FilePiece, void, void> {
  const { meter, database, clock, prices } = dependencies;
  const price = (size: ResponseSize) => computeUnitsOf(planned.price, size);
  const readNext = async ({ cursor, size, before }: Span) => {
    const query = { ...input.query, cursor: [cursor] };
    const next = planRequest({ ...input, query, pageSize: size, isGoingOn: before.rows > 0 });
    if (!next.ok) return next.failure;
    const more = await meter.admit(holder, { cu: price(added(before, size)) - price(before) });
    if (!more.admitted) return refusalFailure(more);
    return readPage(dependencies, next);
  };
  return exportList({
    writer: writerOf(planned, file),
    first,
    maxRows: file.maxRows,
    priceOf: price,
    readPage: (span) =>
      inTime(
        endsAt - clock.now(),
        readNext(span).catch((error: unknown) => failureOf(error, requestId)),
      ),
    charge: async (due, isFirst) => {
      const hourly = prices?.now();
      const { operationId } = planned;
      const billed = listedCalls(pageCalls(planned.price, due, isFirst), operationId, hourly);
      const usage = usageOf(input.chain, operationId, billed);
      const cu = cuOf(billed);
      const { lane, store } = meter.charge(holder, cu, usage, hourly?.hour);
      await store();
      const dimensions = { Chain: input.chain };
      emitMetrics({ values: { BilledComputeUnits: cu }, dimensions }, clock.now());
      return { cu, lane };
    },
    proof: proofOf(planned, first, database),
    onEnd: onFileEnd,
    sent,
    clock,
    endsAt,
  });
}

/** What says how sure the blocks of a file's window are; of a list without one nothing does. */
function proofOf(
  { plan: { window }, cursorScope: { chain } }: PlannedRequest,
  { response: { meta } }: ExportPage,
  database: Queries,
): (() => Promise<FileProof | undefined>) | undefined {
  if (window === undefined || meta.cover_from > meta.cover_to) return undefined;
  const range = { from: meta.cover_from, to: meta.cover_to };
  return () =>
    fileProof(database, chain, range).catch((error: unknown) => {
      log('warn', 'file_proof_failed', { chain, error: errorField(error) });
      return undefined;
    });
}

/** The same pieces; what is to be done at their end is done however they end. */
async function* endedBy(
  pieces: AsyncGenerator<FilePiece, void, void>,
  leave: () => Promise<void>,
): AsyncGenerator<FilePiece, void, void> {
  try {
    yield* pieces;
  } finally {
    await leave();
  }
}

async function readPage(
  dependencies: ExportDependencies,
  planned: PlannedRequest,
): Promise<ExportPage | Failure> {
  const { database, seal } = dependencies;
  const { plan, dataset, after, cursorScope } = planned;
  const rows = await rowsOf(database, planned, dependencies);
  const response = readPacked(rows, { plan, dataset, after });
  if (!response.ok) return response.failure;
  const nextCursor = response.next === undefined ? undefined : renderCursor(response.next, cursorScope, seal);
  return { response, nextCursor };
}

/** What comes within a time; undefined: it did not, and the file ends as one does whose time is over. */
async function inTime(ms: number, page: Promise<PageRead>): Promise<PageRead> {
  if (ms === Number.POSITIVE_INFINITY) return page;
  return within(Math.max(ms, 0), page);
}

/**
 * A file of lines. Without a last line that tells of it, CSV without rows has the names of its fields all the same: an empty file is
 * an error to what reads tables.
 */
export function textFile(file: TextFile): FileWriter {
  const { format, columns, isJson = false, hasTrailer = true, isRaw = false } = file;
  const kinds = kindsOf(columns);
  let isNamed = false;
  return {
    rows(names, packs) {
      const text = renderRows(format, { names, packs, kinds, isJson, isRaw }, !isNamed);
      isNamed ||= names.length > 0;
      return text;
    },
    end(end) {
      if (hasTrailer) return renderEnd(format, end);
      return format === 'csv' && !isNamed ? columns.map(({ name }) => name).join(',') + LINE_ENDS.csv : '';
    },
  };
}

/** The last line: an object `end` where each line is JSON, a comment in CSV. */
function renderEnd(format: TextFormat, end: ExportEnd): string {
  const line = format === 'ndjson' ? JSON.stringify({ end }) : `# ${JSON.stringify(end)}`;
  return line + LINE_ENDS[format];
}
