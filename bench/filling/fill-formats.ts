import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { BinaryCopy } from '../../lambdas/backfill/bulk/binary-copy.ts';
import { BULK_TABLES, type BulkTable, valuesOf } from '../../lambdas/backfill/bulk/bulk-tables.ts';
import type { LoadType, LoadValue } from '../../lambdas/shared/chain-database/load-rows.ts';
import { decodePlain } from '../../test/backfill/bulk-fill.ts';
import type { Show } from '../benchmark.ts';
import type { FillServer } from './fill-server.ts';
import { filledBlock } from './filled-blocks.ts';
import { AS_AURORA } from './measure-fill.ts';

const CHAIN = 'formats';
/** Blocks of a file of 16 MiB. */
const FILE_BLOCKS = 36;
/** Times that a file is written and imported; the last ones count, when all is compiled. */
const ROUNDS = 8;
const COUNTED_ROUNDS = 4;
/** The quickest of gzip. */
const GZIP = { level: 1 };
const MILLISECONDS = 1_000;

type Row = Readonly<Record<string, LoadValue>>;

/** A form that the database can import a table's rows in. */
interface Format {
  readonly name: string;
  readonly write: (table: BulkTable, rows: readonly Row[]) => Uint8Array;
  /** Where COPY reads a file from, and how. */
  readonly from: (file: string) => string;
}

const BINARY: Format = {
  name: 'binary',
  write: ({ name, columns }, rows) => {
    const copy = new BinaryCopy(columns);
    for (const row of rows) copy.add(row);
    return copy.file(name);
  },
  from: (file) => `FROM '${file}' WITH (FORMAT binary)`,
};

const CSV: Format = {
  name: 'csv',
  write: ({ columns }, rows) => {
    const types = Object.entries(columns);
    const line = (row: Row) => types.map(([name, type]) => csvValue(type, row[name] ?? null)).join(',');
    return gzipSync(rows.map(line).join('\n'), GZIP);
  },
  from: (file) => `FROM PROGRAM 'gzip -dc ${file}' WITH (FORMAT csv)`,
};

function csvValue(type: LoadType, value: LoadValue): string {
  if (value === null) return '';
  if (type === 'bytea') return `\\x${String(value).slice(2)}`;
  return typeof value === 'string' ? `"${value.replaceAll('"', '""')}"` : String(value);
}

/** One file in both forms that the database imports: bytes, and rows a second of writing and of importing it. */
export async function measureFormats(server: FillServer, folder: string, show: Show): Promise<void> {
  await server.start({ ...AS_AURORA, shared_buffers: '1GB' });
  await server.addChain(CHAIN, folder);
  const blocks = Array.from({ length: FILE_BLOCKS }, (_, number) =>
    decodePlain(filledBlock(number, 'busy', folder)),
  );
  const tables = BULK_TABLES.filter(({ name }) => !name.startsWith('staged_')).map((table) => ({
    table,
    rows: blocks.flatMap((block) => table.rows(block).map(valuesOf)),
  }));
  const rows = tables.reduce((sum, table) => sum + table.rows.length, 0);
  const measure = async (format: Format) => {
    const into = join(folder, format.name);
    mkdirSync(into);
    const rounds: FormatRound[] = [];
    for (let round = 0; round < ROUNDS; round += 1)
      rounds.push(await writeAndImport(server, into, format, tables));
    const mean = (of: (round: FormatRound) => number) =>
      rounds.slice(-COUNTED_ROUNDS).reduce((sum, round) => sum + of(round), 0) / COUNTED_ROUNDS;
    return {
      bytes: mean(({ bytes }) => bytes),
      writeMs: mean(({ writeMs }) => writeMs),
      importMs: mean(({ importMs }) => importMs),
    };
  };
  const [binary, csv] = [await measure(BINARY), await measure(CSV)];
  const compared = (name: string, unit: string, of: (measured: FormatRound) => number) => ({
    ...{ name, unit, value: of(binary) },
    baseline: { name: 'CSV, gzip', value: of(csv) },
  });
  show(`A file of ${rows} rows in PostgreSQL's binary form`, [
    compared('bytes of a row', 'bytes', ({ bytes }) => bytes / rows),
    compared('writing, in a second of a processor', 'rows', ({ writeMs }) => (rows / writeMs) * MILLISECONDS),
    compared('importing, one at a time', 'rows/s', ({ importMs }) => (rows / importMs) * MILLISECONDS),
  ]);
}

interface FormatRound {
  readonly bytes: number;
  /** Processor time. */
  readonly writeMs: number;
  readonly importMs: number;
}

/** Into tables that were empty, without indexes. */
async function writeAndImport(
  server: FillServer,
  folder: string,
  { write, from }: Format,
  tables: readonly { readonly table: BulkTable; readonly rows: readonly Row[] }[],
): Promise<FormatRound> {
  let bytes = 0;
  let writeMs = 0;
  let importMs = 0;
  for (const { table, rows } of tables) {
    const [file, into] = [join(folder, table.name), `${CHAIN}.into_${table.name}`];
    const before = process.cpuUsage();
    const written = write(table, rows);
    const { user, system } = process.cpuUsage(before);
    writeMs += (user + system) / MILLISECONDS;
    bytes += written.length;
    writeFileSync(file, written);
    await server.query(`CREATE TABLE ${into} (LIKE ${CHAIN}.${table.name})`);
    const importedMs = performance.now();
    await server.query(`COPY ${into} (${Object.keys(table.columns).join(', ')}) ${from(file)}`);
    importMs += performance.now() - importedMs;
    await server.query(`DROP TABLE ${into}`);
  }
  return { bytes, writeMs, importMs };
}
