import type { Show } from '../benchmark.ts';
import { type Figure, median } from '../figures.ts';
import { type CrewOptions, FillCrew } from './fill-crew.ts';
import type { FillServer } from './fill-server.ts';
import type { FillWay } from './fill-worker.ts';
import { AS_AURORA, allBlocks, type FillRate, fillByFiles, measureFill } from './measure-fill.ts';

/** Target for tables in memory. */
const LEAST_RATIO = 2.5;
/** So many that the last, on which nothing else goes beside, is a small part. */
const PARTITIONS = 4;
const ROUNDS = 3;
const WRITERS = 2;
/** Workers of each way, of which the best is compared. */
const CREWS = [2, 4];
/** Of the traffic that is worst for files. */
const WORST_SHARE = 3;
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
      files.push(
        await fillByFiles({ ...options, chain: `files_${chain}`, processes, way: 'files' }, PARTITIONS),
      );
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
