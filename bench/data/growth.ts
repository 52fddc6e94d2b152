/** How much slower the statements of the Data API become when a chain has ten times the rows. */
import type pg from 'pg';
import { planSampled } from '../../test/data/plan/sampled-requests.ts';
import type { Samples } from '../../test/data/plan/seeded-rows.ts';
import { runBenchmark } from '../benchmark.ts';
import type { Figure } from '../figures.ts';
import { MEASURED_REQUESTS, requestPath } from './data-requests.ts';
import { processorClock, statementOf, withSeededDatabase } from './seeded.ts';

const DEFAULT_TRANSFERS = 10_000_000;
const SMALLER = 10;
/** How often each request is made, in turns with the others; the quickest counts, as others use the caches too. */
const ROUNDS = 40;
const MOST_GROWTH = 1.3;

/** Milliseconds of the database's processor of each request's statement, and pages of the database that it reads, by the request's name. */
interface Measured {
  readonly times: ReadonlyMap<string, number>;
  readonly pages: ReadonlyMap<string, number>;
}

function measureScale(transfers: number): Promise<Measured> {
  return withSeededDatabase(transfers, async (_, { client, samples }) => ({
    times: await measureTimes(client, samples),
    pages: await measurePages(client, samples),
  }));
}

async function measureTimes(client: pg.Client, samples: Samples): Promise<Measured['times']> {
  const times = new Map<string, number>();
  const spentMs = await processorClock(client);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const request of MEASURED_REQUESTS) {
      const query = await statementOf(client, planSampled(requestPath(request, samples)));
      const before = spentMs();
      await client.query(query);
      const taken = spentMs() - before;
      times.set(request.name, Math.min(taken, times.get(request.name) ?? taken));
    }
  }
  return times;
}

interface Explained {
  readonly 'QUERY PLAN': readonly {
    readonly Plan: { readonly 'Shared Hit Blocks': number; readonly 'Shared Read Blocks': number };
  }[];
}

/** Of addresses whose rows are as many at each size, or the same part: what others read hangs on how many they happen to have. */
async function measurePages(client: pg.Client, samples: Samples): Promise<Measured['pages']> {
  const pages = new Map<string, number>();
  for (const request of MEASURED_REQUESTS.filter(({ of }) => of !== undefined)) {
    const { text, values = [] } = await statementOf(client, planSampled(requestPath(request, samples)));
    const { rows } = await client.query<Explained>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text}`, values);
    const plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
    pages.set(request.name, (plan?.['Shared Hit Blocks'] ?? 0) + (plan?.['Shared Read Blocks'] ?? 0));
  }
  return pages;
}

/** What was measured over all rows beside the same over a tenth of them. */
function besideSmaller(
  large: ReadonlyMap<string, number>,
  small: ReadonlyMap<string, number>,
  unit: string,
): Figure[] {
  return [...large].map(([name, value]) => ({
    name,
    value,
    unit,
    baseline: { name: 'a tenth of the rows', value: small.get(name) ?? value },
    mostRatio: MOST_GROWTH,
  }));
}

await runBenchmark({ transfers: DEFAULT_TRANSFERS }, async (show, { transfers }) => {
  const small = await measureScale(Math.ceil(transfers / SMALLER));
  const large = await measureScale(transfers);
  const over = `over ${transfers.toLocaleString('en')} transfers`;
  show(
    `Statements ${over}, processor time of the database, the quickest of ${ROUNDS}`,
    besideSmaller(large.times, small.times, 'ms'),
  );
  show(`Pages of the database ${over}`, besideSmaller(large.pages, small.pages, 'pages'));
});
