import { openParquet, type ParquetRow, type ReadableFile } from '../../shared/parquet/parquet-groups.ts';
import { ColumnError } from './layout.ts';
import { FileRefusedError, type PartFile } from './manifest.ts';

/** Most rows of one block in a table: more than any block has, and what memory holds. */
const MAX_BLOCK_ROWS = 1_000_000;

/** How the rows of a file are made of what it has. */
export interface RowForm<Row> {
  readonly columns: readonly string[];
  /** Those that a file may lack. @default none */
  readonly optional?: readonly string[];
  /** @throws {ColumnError} */
  readonly read: (row: ParquetRow) => Row;
}

/** The rows of a file in the order of its blocks; one row group is held at a time. */
export interface TableCursor<Row> {
  /**
   * The rows of a block; none if it has none. Blocks are asked for in their order.
   * @throws {FileRefusedError} if rows of an earlier block are next
   */
  take(block: number): Promise<readonly Row[]>;
  /** @throws {FileRefusedError} if rows are left */
  end(): Promise<void>;
}

/**
 * Begins to read a file of a part.
 * @throws {FileRefusedError} if it is none, lacks columns, or has other rows than its part says
 */
export async function openTable<Row extends { readonly block_number: number }>(
  file: PartFile,
  bytes: ReadableFile,
  form: RowForm<Row>,
): Promise<TableCursor<Row>> {
  const refuse = (reason: string) => new FileRefusedError(file.name, reason);
  const { watched, reading } = watchReads(bytes, refuse);
  const opened = await reading(openParquet(watched));
  if (opened.rows !== file.rows)
    throw refuse(`it has ${opened.rows} rows, and its manifest says ${file.rows}`);
  const lacked = form.columns.filter((column) => !opened.columns.includes(column));
  if (lacked.length > 0) throw refuse(`it lacks ${lacked.join(', ')}`);
  const further = (form.optional ?? []).filter((column) => opened.columns.includes(column));
  const groups = opened.groups([...form.columns, ...further]);
  const rows = rowsOf(() => reading(groups.next()), form, refuse);
  let next: Promise<IteratorResult<Row, void>> | undefined;
  const peek = () => {
    next ??= rows.next();
    return next;
  };
  return {
    async take(block) {
      const taken: Row[] = [];
      for (let row = await peek(); row.done !== true && row.value.block_number <= block; row = await peek()) {
        const { value } = row;
        if (value.block_number < block)
          throw refuse(`rows of block ${value.block_number} are doubled, or not in the order of the blocks`);
        if (taken.length >= MAX_BLOCK_ROWS)
          throw refuse(`block ${block} has more than ${MAX_BLOCK_ROWS} rows`);
        taken.push(value);
        next = undefined;
      }
      return taken;
    },
    async end() {
      const row = await peek();
      if (row.done !== true) throw refuse(`it continues with block ${row.value.block_number}`);
    },
  };
}

type Refuse = (reason: string) => FileRefusedError;

/** Distinguishes a file that is no table from bytes that could not be fetched, which say nothing of the file. */
function watchReads(bytes: ReadableFile, refuse: Refuse) {
  let unread: { readonly error: unknown } | undefined;
  const watched: ReadableFile = {
    byteLength: bytes.byteLength,
    async slice(start, end) {
      try {
        return await bytes.slice(start, end);
      } catch (error) {
        unread = { error };
        throw error;
      }
    },
  };
  const reading = <T>(work: Promise<T>): Promise<T> =>
    work.catch((error: Error) => {
      throw unread === undefined ? refuse(`it cannot be read: ${error.message}`) : unread.error;
    });
  return { watched, reading };
}

/** The rows of a file, as they are asked for. */
async function* rowsOf<Row>(
  nextGroup: () => Promise<IteratorResult<readonly ParquetRow[], unknown>>,
  { read }: RowForm<Row>,
  refuse: Refuse,
): AsyncGenerator<Row, void> {
  for (let group = await nextGroup(); group.done !== true; group = await nextGroup())
    for (const row of group.value) {
      try {
        yield read(row);
      } catch (error) {
        throw error instanceof ColumnError ? refuse(error.message) : error;
      }
    }
}
