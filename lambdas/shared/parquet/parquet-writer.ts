import { constants, zstdCompressSync } from 'node:zlib';
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';

/** Fast, and a third smaller than Snappy. */
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const CREATED_BY = 'blockchain-data-gateway';

/** How a value is stored. */
export type StoredType = Omit<SchemaElement, 'name' | 'repetition_type' | 'num_children'>;

export const STORED_TYPES = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  bytes: { type: 'BYTE_ARRAY' },
  integer: { type: 'INT64' },
  boolean: { type: 'BOOLEAN' },
  day: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
} as const satisfies Readonly<Record<string, StoredType>>;

export interface StoredColumn {
  readonly name: string;
  readonly type: StoredType;
  /** Whether no value is null. */
  readonly isRequired?: boolean;
}

export type StoredValue = string | bigint | boolean | Date | Uint8Array | null;

/** A file of Parquet that is written group by group. It is not open to any reader before it is finished. */
export interface ParquetPieces {
  /** Writes rows. `columns`: the values of each column, in the order of the columns. */
  group(columns: readonly (readonly StoredValue[])[]): void;
  /** Ends the file, with what its footer tells beside the columns. */
  finish(metadata: Readonly<Record<string, string>>): void;
  /** What was written since this was last called. */
  taken(): Uint8Array;
}

/** Begins a file, compressed with zstd. Pages are as large as their group: there is nothing to find within it. */
export function parquetPieces(columns: readonly StoredColumn[]): ParquetPieces {
  const sink = new ByteWriter();
  const file = new ParquetWriter({
    writer: sink,
    schema: [
      { name: 'root', num_children: columns.length },
      ...columns.map(
        ({ name, type, isRequired = false }): SchemaElement => ({
          name,
          repetition_type: isRequired ? 'REQUIRED' : 'OPTIONAL',
          ...type,
        }),
      ),
    ],
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes) => zstdCompressSync(bytes, ZSTD) },
    createdBy: CREATED_BY,
  });
  return {
    group(values) {
      const columnData = columns.map(({ name }, index) => ({
        name,
        data: [...(values[index] ?? [])],
        offsetIndex: false,
      }));
      file.write({ columnData, rowGroupSize: Math.max(values[0]?.length ?? 0, 1) });
    },
    finish(metadata) {
      file.kvMetadata = Object.entries(metadata).map(([key, value]) => ({ key, value }));
      file.finish();
    },
    taken() {
      const bytes = sink.getBytes().slice();
      sink.index = 0;
      return bytes;
    },
  };
}
