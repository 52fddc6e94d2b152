import type { Show } from '../benchmark.ts';
import { type Figure, median } from '../figures.ts';
import { type CrewOptions, FillCrew, wholeTasks } from './fill-crew.ts';
import type { FillServer } from './fill-server.ts';
import type { FillWay } from './fill-worker.ts';
import { AS_AURORA, allBlocks, countRows, type FillRate, measureFill } from './measure-fill.ts';
import { StatementTimes } from './watched-connection.ts';

/** The target for tables in memory. */
const LEAST_RATIO = 2.5;
/** So many that the last, on which nothing else goes beside, is a small part. */
const PARTITIONS = 4;
const ROUNDS = 3;
const WRITERS = 2;
/** Workers of each way, of which the best is compared. */
const CREWS = [2, 4];
/** Of the traffic that is worst for files. */
const WORST_SHARE = 3;
const MIB = 2 ** 20;
const IN_MEMORY = { ...AS_AURORA, shared_buffers: '3GB' };

/** By files beside page by page, with tables in memory. */
export async function measureMemory(
  server: FillServer,
  folder: string,
  blocks: number,
  show: Show,
): Promise<void> {
  await server.start(IN_MEMORY);
  const options = { server, folder, blocks, mix: 'busy' } as const;
  show(`${blocks} busy blocks, tables in memory`, await compare(options, CREWS, ROUNDS));
  const worst = { ...options, blocks: Math.ceil(blocks / WORST_SHARE), mix: 'nfts' } as const;
  show(`${worst.blocks} blocks of NFTs, tables in memory`, await compare(worst, [WRITERS], 1));
}

type Compared = Omit<CrewOptions, 'chain' | 'processes' | 'way'>;

/** Both ways by turns, as the machine is not equally quick all the time; of each crew the median counts, of each way the best crew. */
async function compare(options: Compared, sizes: readonly number[], rounds: number): Promise<Figure[]> {
  const crews = sizes.map((processes): Crew => ({ processes, files: [], pages: [] }));
  for (let round = 0; round < rounds; round += 1) {
    for (const { processes, files, pages } of crews) {
      const chain = `${options.mix}_${round}_${processes}`;
      files.push(await byFiles({ ...options, chain: `files_${chain}`, processes, way: 'files' }));
      pages.push(await byPages({ ...options, chain: `pages_${chain}`, processes, way: 'pages' }));
    }
  }
  const { processes: writers, files: rates } = bestOf(crews, 'files');
  const { processes: workers, pages: baselines } = bestOf(crews, 'pages');
  const name = `page by page, ${workers} workers`;
  const beside = (figure: string, rate: RateName, unit: string): Figure => ({
    name: figure,
    value: medianOf(rates, rate),
    unit,
    baseline: { name, value: medianOf(baselines, rate) },
  });
  const alone = (named: string, way: FillWay) =>
    crews.map((crew) => ({
      name: `${named}, ${crew.processes} workers`,
      value: medianOf(crew[way], 'rowsPerSecond'),
      unit: 'rows/s',
    }));
  return [
    {
      ...beside(`by files, ${writers} processes write`, 'rowsPerSecond', 'rows/s'),
      ...(options.mix === 'busy' && { leastRatio: LEAST_RATIO }),
    },
    beside('processors for a row', 'microsecondsPerRow', 'us'),
    beside('those of PostgreSQL alone', 'writerMicroseconds', 'us'),
    ...alone('by files', 'files'),
    ...alone('page by page', 'pages'),
    { name: 'rows', value: medianOf(rates, 'rows'), unit: '' },
  ];
}

/** What so many processes did in each round, by either way. */
type Crew = { readonly processes: number } & Readonly<Record<FillWay, FillRate[]>>;

function bestOf(crews: readonly Crew[], way: FillWay): Crew {
  const rateOf = (crew: Crew) => medianOf(crew[way], 'rowsPerSecond');
  return crews.reduce((one, other) => (rateOf(other) > rateOf(one) ? other : one));
}

type RateName = keyof FillRate;

function medianOf(rates: readonly FillRate[], name: RateName): number {
  return median(rates.map((rate) => rate[name]));
}

async function byPages(options: CrewOptions): Promise<FillRate> {
  const crew = await FillCrew.open(options);
  const rate = await measureFill(options.server, options.chain, crew, () =>
    crew.page(allBlocks(options.blocks)),
  );
  await crew.close();
  return rate;
}

async function byFiles(options: CrewOptions): Promise<FillRate> {
  const crew = await FillCrew.open(options);
  const finishing = await crew.plan(wholeTasks(options.blocks / PARTITIONS));
  const rate = await measureFill(options.server, options.chain, crew, async () => {
    await Promise.all([
      crew.write(allBlocks(options.blocks), true),
      ...finishing.map((message) => crew.finish(message)),
    ]);
  });
  await crew.close();
  return rate;
}

/** Kinds of steps by what their statements call. */
const STEPS: readonly (readonly [string, RegExp])[] = [
  ['indexing', /bulk_build/],
  ['deriving', /bulk_run|BEGIN/],
  ['checking, statistics and attaching', /bulk_/],
];

/** Each step by itself, one after the other, over one partition. */
export async function measureSteps(
  server: FillServer,
  folder: string,
  blocks: number,
  show: Show,
): Promise<void> {
  await server.start(IN_MEMORY);
  const chain = 'files_steps';
  const crew = await FillCrew.open({
    server,
    folder,
    chain,
    blocks,
    mix: 'busy',
    processes: WRITERS,
    way: 'files',
  });
  const [message] = await crew.plan(blocks);
  if (message === undefined) throw new Error('nothing was planned');
  const seconds = new Map<string, number>();
  const time = async (step: string, work: () => Promise<unknown>) => {
    const startedMs = performance.now();
    await work();
    seconds.set(step, (performance.now() - startedMs) / 1_000);
  };
  await time(`writing, ${WRITERS} processes`, () => crew.write(allBlocks(blocks), false));
  const files = await server.query(`SELECT bytes FROM "${chain}".bulk_files ORDER BY from_block`);
  await time(`importing, ${WRITERS} files at a time`, () => importAll(server, chain));
  const times = new StatementTimes(
    (statement) => STEPS.find(([, pattern]) => pattern.test(statement))?.[0] ?? 'between them',
  );
  await crew.finish(message, (connection) => times.watch(connection));
  for (const [step, tookMs] of times.took) seconds.set(step, tookMs / 1_000);
  const rows = await countRows(server, chain);
  const largest = Math.max(...files.map(({ bytes }) => Number(bytes)));
  show('Steps one after the other, tables in memory', [
    ...[...seconds].map(([name, took]) => ({ name, value: rows / took, unit: 'rows/s' })),
    { name: 'bytes of a file, as they were learnt', value: largest / MIB, unit: 'MiB' },
    {
      name: 'bytes of a row in files',
      value: files.reduce((sum, { bytes }) => sum + Number(bytes), 0) / rows,
      unit: '',
    },
    {
      name: 'bytes of a transaction with all that it stores, indexes made at once',
      value: await bytesOfTransaction(server, chain),
      unit: 'bytes',
    },
  ]);
  await crew.close();
}

/** Of tables that are partitioned by block, with their indexes. */
async function bytesOfTransaction(server: FillServer, chain: string): Promise<number> {
  const [row] = await server.query(
    `SELECT (SELECT sum(pg_total_relation_size(part.relid)) FROM "${chain}".partitioned_tables() AS tables
             CROSS JOIN LATERAL pg_partition_tree(format('%I.%I', '${chain}', tables.parent)::regclass) AS part)
            / (SELECT count(*) FROM "${chain}".transactions) AS bytes`,
  );
  return Number(row?.bytes);
}

/** Has the database import all files that are written, a few at a time. */
async function importAll(server: FillServer, chain: string): Promise<void> {
  const files = await server.query(`SELECT from_block FROM "${chain}".bulk_files ORDER BY from_block`);
  const lane = async () => {
    for (let file = files.shift(); file !== undefined; file = files.shift()) {
      const statement = `SELECT "${chain}".bulk_import(${file.from_block}, 'imports', 'us-east-1') AS said`;
      const [imported] = await server.query(statement);
      if (imported?.said !== 'done') throw new Error(`a file was not imported: ${imported?.said}`);
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, lane));
}
