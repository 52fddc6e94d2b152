/** What each operation of the Data API costs the operator for one CU: processor time of the database and bytes, beside the median. */
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { nextSize } from '../../lambdas/data/export/export-list.ts';
import { type DataOperationId, OPERATIONS } from '../../lambdas/data/operations/operations.ts';
import { computeUnitsOf } from '../../lambdas/data/plan/price.ts';
import type { PlannedRequest } from '../../lambdas/data/plan-request.ts';
import { readPacked, readResponse } from '../../lambdas/data/response/read-response.ts';
import type { DatabaseRow } from '../../lambdas/shared/chain-database/decode-row.ts';
import { planSampled, samplePath } from '../../test/data/plan/sampled-requests.ts';
import type { Samples } from '../../test/data/plan/seeded-rows.ts';
import { runBenchmark } from '../benchmark.ts';
import { type Figure, judgePrices, MAX_PRICE_RATIO, median, type PricedRequest } from '../figures.ts';
import { type DearRequest, dearRequests, MEASURED_REQUESTS, requestPath } from './data-requests.ts';
import { addDearLogs, processorClock, statementOf, withSeededDatabase } from './seeded.ts';

const DEFAULT_TRANSFERS = 1_000_000;
/** How often each request is made, in turns with the others; the quickest counts, as others use the machine too. */
const ROUNDS = 12;
const LARGEST_PAGE = 500;
const SETTLE_MS = 1_000;
/** What the hundred rows cost that the price of an operation includes, to where there is no such price. */
const INCLUDED_CU = 5;
/** The specification has its price. */
const FIXED: ReadonlySet<DataOperationId> = new Set(['listChains']);
const MEASURED = (Object.keys(OPERATIONS) as DataOperationId[]).filter((id) => !FIXED.has(id));

/** Sizes of pages that an operation is measured with; undefined: the default, or no pages. */
function pagesOf(operationId: DataOperationId): (number | undefined)[] {
  const { paged, parameters } = OPERATIONS[operationId];
  if (!paged) return [undefined];
  const limit = parameters.find(({ name }) => name === 'limit');
  return [undefined, limit?.kind === 'integer' ? limit.maximum : LARGEST_PAGE];
}

/** A request that can be made time and again, and what it is answered. */
interface PreparedCase extends Omit<PricedRequest, 'databaseMs'> {
  readonly run: () => Promise<unknown>;
}

interface Case {
  readonly operationId: DataOperationId;
  readonly limit: number | undefined;
  readonly samples: Samples;
}

function prepareOperation(client: pg.Client, { operationId, limit, samples }: Case): Promise<PreparedCase> {
  const { path, query } = samplePath(operationId, samples);
  return prepare(client, {
    name: limit === undefined ? operationId : `${operationId} limit=${limit}`,
    path,
    query: limit === undefined ? query : { ...query, limit: [String(limit)] },
  });
}

/** A request for what was made to be dear: a page, the first one of a file, or one that the file continues with. */
async function prepare(client: pg.Client, { name, path, query, page }: DearRequest): Promise<PreparedCase> {
  const first = planSampled({ path, query });
  const pageSize = page === 'later' ? nextSize(await responseOf(client, first)) : undefined;
  const planned = planSampled({ path, query, ...(pageSize && { pageSize }) });
  const { price, most } = planned;
  const statement = await statementOf(client, planned);
  const run = () => client.query(statement);
  const read = await responseOf(client, planned);
  const { rows, bytes } = read;
  const cu = computeUnitsOf(price, { rows: Math.min(rows, most.rows), bytes: Math.min(bytes, most.bytes) });
  // What a file continues with is paid for by its rows alone.
  return { name, cu: page === 'later' ? cu + INCLUDED_CU - price.computeUnits : cu, bytes, run };
}

async function responseOf(client: pg.Client, request: PlannedRequest) {
  const { plan, dataset, after, file } = request;
  const { rows } = await client.query<DatabaseRow>(await statementOf(client, request));
  const about = { plan, dataset, after };
  const response = file === undefined ? readResponse(rows, about) : readPacked(rows, about);
  if (!response.ok) throw new Error(response.failure.message);
  return { ...response, packs: 'packs' in response ? response.packs : [] };
}

/** Times cases in turns, each less what a statement takes that reads nothing. */
async function measure(client: pg.Client, cases: readonly PreparedCase[]): Promise<readonly PricedRequest[]> {
  const spentMs = await processorClock(client);
  const runs = [() => client.query('SELECT 1'), ...cases.map(({ run }) => run)];
  const quickest = runs.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round += 1)
    for (const [index, run] of runs.entries()) {
      const before = spentMs();
      await run();
      quickest[index] = Math.min(quickest[index] ?? 0, spentMs() - before);
    }
  const [idleMs = 0, ...times] = quickest;
  return cases.map(({ run: _, ...request }, index) => ({
    ...request,
    databaseMs: Math.max((times[index] ?? 0) - idleMs, 0),
  }));
}

/** What a CU of each request costs beside the median, the dearest first. */
function figuresOf(requests: readonly PricedRequest[]): Figure[] {
  const judged = judgePrices(requests);
  const middle = median(judged.map(({ msPerCu }) => msPerCu));
  return judged.map(({ name, cu, bytes, msPerCu }) => ({
    name: `${name}, ${cu} CU, ${bytes} bytes`,
    value: msPerCu,
    unit: 'ms/CU',
    baseline: { name: 'median', value: middle },
    mostRatio: MAX_PRICE_RATIO,
  }));
}

await runBenchmark({ transfers: DEFAULT_TRANSFERS }, async (show, { transfers }) => {
  const figures = await withSeededDatabase(transfers, async (_, { client, samples }) => {
    await addDearLogs(client, transfers);
    await sleep(SETTLE_MS);
    const cases: PreparedCase[] = [];
    for (const operationId of MEASURED)
      for (const limit of pagesOf(operationId))
        cases.push(await prepareOperation(client, { operationId, limit, samples }));
    for (const request of dearRequests(transfers)) cases.push(await prepare(client, request));
    for (const request of MEASURED_REQUESTS.filter(({ of }) => of !== undefined))
      cases.push(await prepare(client, { name: request.name, ...requestPath(request, samples) }));
    return figuresOf(await measure(client, cases));
  });
  show(`A CU over ${transfers.toLocaleString('en')} transfers, processor time of the database`, figures);
});
