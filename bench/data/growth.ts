/** How much slower the statements of the Data API become when a chain has ten times the rows. */
import type pg from 'pg';
import { bareQuery, planSampled } from '../../test/data/plan/sampled-requests.ts';
import type { Samples } from '../../test/data/plan/seeded-rows.ts';
import { runBenchmark } from '../benchmark.ts';
import { MEASURED_REQUESTS, requestPath } from './data-requests.ts';
import { withSeededDatabase } from './seeded.ts';

const DEFAULT_TRANSFERS = 10_000_000;
const SMALLER = 10;
/** How often each request is made, in turns with the others; the quickest counts, as others use the machine too. */
const ROUNDS = 40;
const MOST_GROWTH = 1.3;

/** Milliseconds of each request's statement, by the request's name. */
type Times = ReadonlyMap<string, number>;

function measureScale(transfers: number): Promise<Times> {
  return withSeededDatabase(transfers, (_, { client, samples }) => measure(client, samples));
}

async function measure(client: pg.Client, samples: Samples): Promise<Times> {
  const times = new Map<string, number>();
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const request of MEASURED_REQUESTS) {
      const query = bareQuery(planSampled(requestPath(request, samples)).statement());
      const startedAt = performance.now();
      await client.query(query);
      const taken = performance.now() - startedAt;
      times.set(request.name, Math.min(taken, times.get(request.name) ?? taken));
    }
  }
  return times;
}

await runBenchmark({ transfers: DEFAULT_TRANSFERS }, async (show, { transfers }) => {
  const small = await measureScale(Math.ceil(transfers / SMALLER));
  const large = await measureScale(transfers);
  show(
    `Statements over ${transfers.toLocaleString('en')} transfers, the quickest of ${ROUNDS}`,
    [...large].map(([name, value]) => ({
      name,
      value,
      unit: 'ms',
      baseline: { name: 'a tenth of the rows', value: small.get(name) ?? value },
      mostRatio: MOST_GROWTH,
    })),
  );
});
