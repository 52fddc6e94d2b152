import type { Show } from '../benchmark.ts';
import { FillCrew } from './fill-crew.ts';
import type { FillServer, ServerSettings } from './fill-server.ts';
import { AS_AURORA, fillByFiles, measureFill } from './measure-fill.ts';

/** Target where tables are ten times the memory of PostgreSQL. */
const LEAST_RATIO = 5;
const TIMES_MEMORY = 10;
const WRITERS = 2;
const PAGERS = 4;
/** Of the blocks, the last that are stored page by page: by then the tables are as large as they get. */
const LAST_SHARE = 12;
/** Sorting memory of an index, and how many are made at a time: 1/24 of the rest of the memory, as with 32 GiB. */
const SORT_MIB = 4;
const SORTS = 8;
const MIB = 2 ** 20;
/** Pages go past the memory of the operating system, as those of Aurora do. */
const PAST_CACHES: ServerSettings = { ...AS_AURORA, debug_io_direct: 'data' };

/**
 * By files beside page by page, with tables that are ten times the memory of PostgreSQL. Page by page counts for the last blocks
 * of a partition, by files for all of it: each page's time grows with the partition, until its indexes are whole.
 */
export async function measureStorage(
  server: FillServer,
  folder: string,
  blocks: number,
  show: Show,
): Promise<void> {
  await server.start({ ...PAST_CACHES, shared_buffers: '3GB' });
  const options = { server, folder, blocks, mix: 'busy' } as const;
  const pages = await FillCrew.open({ ...options, chain: 'pages', processes: PAGERS, way: 'pages' });
  const first = blocks - Math.ceil(blocks / LAST_SHARE);
  await pages.page({ from: 0, to: first - 1 });
  const [size] = await server.query(`SELECT pg_database_size(current_database()) AS bytes`);
  const memoryMib = Math.floor(Number(size?.bytes) / TIMES_MEMORY / MIB);
  await server.start({ ...PAST_CACHES, shared_buffers: `${memoryMib}MB` });
  await pages.reopen();
  const paged = await measureFill(server, 'pages', pages, () => pages.page({ from: first, to: blocks - 1 }));
  await pages.close();
  // What sorts take of it is not left for pages.
  await server.start({ ...PAST_CACHES, shared_buffers: `${Math.max(16, memoryMib - SORTS * SORT_MIB)}MB` });
  const files = { ...options, chain: 'files', processes: WRITERS, way: 'files' } as const;
  const filed = await fillByFiles(files, 1, async () => {
    const setting = `SET maintenance_work_mem = '${SORT_MIB}MB'`;
    await server.query(`ALTER FUNCTION files.bulk_build(bigint, name) ${setting}`);
  });
  show(`${blocks} busy blocks, tables ${TIMES_MEMORY} times the memory of PostgreSQL (${memoryMib} MiB)`, [
    {
      name: `by files, ${WRITERS} processes write`,
      value: filed.rowsPerSecond,
      unit: 'rows/s',
      baseline: { name: `page by page, ${PAGERS} workers`, value: paged.rowsPerSecond },
      leastRatio: LEAST_RATIO,
    },
    {
      name: 'processors for a row',
      value: filed.microsecondsPerRow,
      unit: 'us',
      baseline: { name: 'page by page', value: paged.microsecondsPerRow },
    },
    { name: 'rows by files', value: filed.rows, unit: '' },
    { name: 'rows page by page, the last', value: paged.rows, unit: '' },
  ]);
}
