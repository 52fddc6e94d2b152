import type { BlockRange } from '../../lambdas/chain-data/store/block-range.ts';
import { type CrewOptions, FillCrew, wholeTasks } from './fill-crew.ts';
import type { FillServer, ServerSettings } from './fill-server.ts';

/** What Aurora does not do: it writes no pages, so none whole into the log, and has no checkpoints. */
export const AS_AURORA: ServerSettings = {
  full_page_writes: 'off',
  checkpoint_timeout: '1h',
  max_wal_size: '16GB',
  // A partition has a hundredth of the rows that one of a gateway has; the sample of its statistics is a tenth.
  default_statistics_target: '10',
};

/** What a fill came to. */
export interface FillRate {
  readonly seconds: number;
  readonly rows: number;
  readonly rowsPerSecond: number;
  /** Processor time of the processes and of PostgreSQL, for a row. */
  readonly microsecondsPerRow: number;
  /** That of PostgreSQL alone. */
  readonly writerMicroseconds: number;
}

/** Measures a fill by the clock and by the processors, and counts the rows that it stored. */
export async function measureFill(
  server: FillServer,
  chain: string,
  crew: FillCrew,
  fill: () => Promise<void>,
): Promise<FillRate> {
  const rowsBefore = await countRows(server, chain);
  const [crewBefore, writerBefore] = [await crew.processorSeconds(), await server.processorSeconds()];
  const startedMs = performance.now();
  await fill();
  const seconds = (performance.now() - startedMs) / 1_000;
  const writerSeconds = (await server.processorSeconds()) - writerBefore;
  const busySeconds = (await crew.processorSeconds()) - crewBefore + writerSeconds;
  const rows = (await countRows(server, chain)) - rowsBefore;
  return {
    seconds,
    rows,
    rowsPerSecond: rows / seconds,
    microsecondsPerRow: (busySeconds * 1e6) / rows,
    writerMicroseconds: (writerSeconds * 1e6) / rows,
  };
}

/** Fills a chain by files, in so many partitions. @param prepare what is done once the chain is there */
export async function fillByFiles(
  options: CrewOptions,
  partitions: number,
  prepare: () => Promise<void> = async () => {},
): Promise<FillRate> {
  const crew = await FillCrew.open(options);
  await prepare();
  const finishing = await crew.plan(wholeTasks(options.blocks / partitions));
  const rate = await measureFill(options.server, options.chain, crew, async () => {
    await Promise.all([
      crew.write(allBlocks(options.blocks)),
      ...finishing.map((message) => crew.finish(message)),
    ]);
  });
  await crew.close();
  return rate;
}

/** Rows of a chain in its tables that are partitioned by block. */
async function countRows(server: FillServer, chain: string): Promise<number> {
  const tables = await server.query(`SELECT parent FROM "${chain}".partitioned_tables()`);
  const counts = tables.map(({ parent }) => `(SELECT count(*) FROM "${chain}"."${parent}")`);
  const [row] = await server.query(`SELECT ${counts.join(' + ')} AS rows`);
  return Number(row?.rows);
}

/** All blocks of a chain that begins at 0. */
export function allBlocks(blocks: number): BlockRange {
  return { from: 0, to: blocks - 1 };
}
