import { zstdDecompressSync } from 'node:zlib';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';

export interface ReadParquet {
  readonly rows: readonly Record<string, unknown>[];
  /** Names of the columns with their types, in their order. */
  readonly columns: readonly (readonly [string, string | undefined])[];
  /** Rows of each row group. */
  readonly groups: readonly number[];
  readonly metadata: Readonly<Record<string, string | undefined>>;
}

/** What a file of Parquet has, as a reader of another hand tells it. Rejects if the file is none. */
export async function readParquet(pieces: readonly (string | Uint8Array)[]): Promise<ReadParquet> {
  const bytes = Buffer.concat(pieces.map((piece) => Buffer.from(piece as Uint8Array)));
  const file = new Uint8Array(bytes).buffer;
  const { schema, row_groups, key_value_metadata = [] } = parquetMetadata(file);
  const compressors = { ZSTD: (input: Uint8Array) => new Uint8Array(zstdDecompressSync(input)) };
  return {
    rows: await parquetReadObjects({ file, compressors }),
    columns: schema.slice(1).map(({ name, type, converted_type }) => [name, converted_type ?? type]),
    groups: row_groups.map(({ num_rows }) => Number(num_rows)),
    metadata: Object.fromEntries(key_value_metadata.map(({ key, value }) => [key, value])),
  };
}
