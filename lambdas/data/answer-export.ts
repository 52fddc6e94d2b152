import type { KeyHolder, Meter } from 'gateway-access';
import type { Queries } from '../shared/chain-database/chain-database.ts';
import { SECURITY_HEADERS } from '../shared/http/json-response.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { emitMetrics } from '../shared/runtime/metrics.ts';
import { blocksOf, type PositionedPage, withinSpan } from './export/blocks.ts';
import { exportList } from './export/export-list.ts';
import type { ExportPage } from './export/export-page.ts';
import { CONTENT_TYPES, type ExportFormat } from './export/format.ts';
import type { Span } from './export/read-ahead.ts';
import { OPERATIONS } from './operations/operations.ts';
import { renderCursor } from './plan/cursor.ts';
import type { Seal } from './plan/seal.ts';
import { type PlanInput, type PlannedRequest, planRequest, priceOf } from './plan-request.ts';
import { failureOf, rowsOf } from './read-rows.ts';
import { answerRefusal, refusalFailure } from './response/answer-refusal.ts';
import type { DataAnswer } from './response/data-answer.ts';
import { answerFailure, type Failure, UNAVAILABLE } from './response/failure.ts';
import { limitHeaders } from './response/limit-headers.ts';
import { readPacked } from './response/read-response.ts';

interface ExportRequest {
  readonly holder: KeyHolder;
  readonly requestId: string;
  readonly endsAt?: number;
}

interface ExportDependencies {
  readonly meter: Pick<Meter, 'admit' | 'charge'>;
  readonly database: Queries;
  readonly clock: Clock;
  readonly seal: Seal;
}

interface PlannedExport {
  readonly input: PlanInput;
  readonly planned: PlannedRequest;
  readonly format: ExportFormat;
}

/**
 * Answers with a whole list as one file. The first page is read before anything is sent, so what is wrong is answered as
 * always; what fails later is told by the last line. The bucket is drawn before each page, for its most rows.
 */
export async function answerExport(
  { holder, requestId, endsAt = Number.POSITIVE_INFINITY }: ExportRequest,
  { meter, database, clock, seal }: ExportDependencies,
  { input, planned, format }: PlannedExport,
): Promise<DataAnswer> {
  const price = (rows: number) => priceOf(planned.price, rows);
  const cu = price(planned.rows);
  const admission = await meter.admit(holder, { cu });
  if (!admission.admitted) return answerRefusal(admission, requestId);
  const limits = limitHeaders(admission.limits, cu);
  const first = await readPage(database, planned, seal).catch((error: unknown) =>
    failureOf(error, requestId),
  );
  if ('code' in first) return answerFailure(first, requestId, limits);
  const blocks = blocksOf(planned, first.next, seal);
  const readNext = async ({ cursor, upTo, pageRows, rowsBefore }: Span) => {
    const query = { ...input.query, cursor: [cursor] };
    const next = planRequest({ ...input, query, pageRows, upTo, isGoingOn: rowsBefore > 0 });
    if (!next.ok) return next.failure;
    const more = await meter.admit(holder, { cu: price(rowsBefore + pageRows) - price(rowsBefore) });
    if (!more.admitted) return refusalFailure(more);
    const page = await readPage(database, next, seal);
    return 'code' in page ? page : withinSpan(page, { after: next.after, upTo, blocks });
  };
  const method = `data/${planned.operationId}`;
  const sent = { bytes: 0 };
  const stream = exportList({
    format,
    kinds: OPERATIONS[planned.operationId].fields ?? {},
    first,
    priceOf: price,
    blocks,
    readPage: (span) =>
      before(
        endsAt - clock.now(),
        readNext(span).catch((error: unknown) => failureOf(error, requestId)),
      ),
    charge: async (due, isFirst) => {
      const usage = { chain: input.chain, method, calls: isFirst ? 1 : 0, cu: due, cached: 0, errors: 0 };
      await meter.charge(holder, due, [usage]);
      const dimensions = { Chain: input.chain };
      emitMetrics({ values: { BilledComputeUnits: due }, dimensions }, clock.now());
    },
    sent,
    clock,
    endsAt,
  });
  const headers = {
    'Content-Type': CONTENT_TYPES[format],
    'Cache-Control': 'private, no-store',
    'X-Request-Id': requestId,
    ...SECURITY_HEADERS,
    ...limits,
  };
  return { statusCode: 200, headers, body: '', file: { stream, sent } };
}

async function readPage(
  database: Queries,
  planned: PlannedRequest,
  seal: Seal,
): Promise<PositionedPage | Failure> {
  const { plan, dataset, after, cursorScope } = planned;
  const answer = readPacked(await rowsOf(database, planned), { plan, dataset, after });
  if (!answer.ok) return answer.failure;
  const nextCursor = answer.next === undefined ? undefined : renderCursor(answer.next, cursorScope, seal);
  return { answer, nextCursor, next: answer.next };
}

/** What comes within a time, or that it did not: the file still gets its last line. */
async function before(ms: number, page: Promise<ExportPage | Failure>): Promise<ExportPage | Failure> {
  if (ms === Number.POSITIVE_INFINITY) return page;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Failure>((resolve) => {
    timer = setTimeout(resolve, Math.max(ms, 0), UNAVAILABLE);
  });
  return Promise.race([page, late]).finally(() => clearTimeout(timer));
}
