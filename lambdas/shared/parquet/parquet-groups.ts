import { zstdDecompressSync } from 'node:zlib';
import { type AsyncBuffer, type Compressors, parquetMetadataAsync, parquetReadObjects } from 'hyparquet';

/** Bytes of a row group as it is unpacked, and its rows: what is held in memory of one file. */
const MAX_GROUP_BYTES = 128 * 1024 * 1024;
const MAX_GROUP_ROWS = 300_000;

/** A file that can be read in parts. */
export type ReadableFile = AsyncBuffer;

/** A row as the file has it: bytes as `Uint8Array`, 64-bit numbers as `bigint`. */
export type ParquetRow = Readonly<Record<string, unknown>>;

const COMPRESSORS: Compressors = {
  ZSTD: (bytes) => zstdDecompressSync(bytes, { maxOutputLength: MAX_GROUP_BYTES }),
};

/** What a file says of itself before any row of it is read. */
interface ParquetFooter {
  readonly rows: number;
  readonly columns: readonly string[];
  /** Its rows, group by group. One group is held at a time. */
  groups(columns: readonly string[]): AsyncGenerator<readonly ParquetRow[], void>;
}

/**
 * Opens a file of Parquet. What it throws says what is wrong with the file, or is the failure to read it.
 */
export async function openParquet(file: ReadableFile): Promise<ParquetFooter> {
  const metadata = await parquetMetadataAsync(file);
  const columns = metadata.schema.slice(1).map(({ name }) => name);
  for (const { num_rows, total_byte_size } of metadata.row_groups)
    if (num_rows > MAX_GROUP_ROWS || total_byte_size > MAX_GROUP_BYTES)
      throw new Error(
        `a row group of ${num_rows} rows and ${total_byte_size} bytes: at most ${MAX_GROUP_ROWS} and ${MAX_GROUP_BYTES} are read`,
      );
  return {
    rows: Number(metadata.num_rows),
    columns,
    async *groups(wanted) {
      let rowStart = 0;
      for (const { num_rows } of metadata.row_groups) {
        const rowEnd = rowStart + Number(num_rows);
        yield await parquetReadObjects({
          file,
          metadata,
          columns: [...wanted],
          rowStart,
          rowEnd,
          compressors: COMPRESSORS,
          utf8: false,
        });
        rowStart = rowEnd;
      }
    },
  };
}
