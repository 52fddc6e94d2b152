import { constants, zstdCompressSync } from 'node:zlib';
import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { Column, ColumnKind } from './column.ts';
import type { ExportEnd, FileWriter } from './format.ts';
import { fieldsOf, linesOf, unquoted } from './packed-records.ts';

/** Rows of a row group. The last one has fewer. */
const GROUP_ROWS = 5_000;
/** Characters of rows after which a group ends with fewer rows: it is held in memory, and what is kept back is sent beyond the file's bound. */
const MAX_GROUP_CHARS = 4_000_000;
/** Fast, and a third smaller than Snappy: a function sends two megabytes a second. */
const ZSTD = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };
const CREATED_BY = 'blockchain-data-gateway';

type Value = string | bigint | boolean | Date | null;

/** What is stored of a column: `digits` are a whole number that may exceed 64 bits. */
type StoredKind = ColumnKind | 'digits' | 'text';

/** How each kind is stored. Whole numbers of 256 bits are texts: no type that readers agree on holds them. */
const TYPES: { readonly [Kind in StoredKind]: Omit<SchemaElement, 'name'> } = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  json: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  digits: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  integer: { type: 'INT64' },
  boolean: { type: 'BOOLEAN' },
  day: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
  time: {
    type: 'INT64',
    converted_type: 'TIMESTAMP_MILLIS',
    logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
  },
};

/**
 * A file of Parquet: row groups as rows come, and a footer without which nothing opens it. Its metadata has what the last line of a
 * text has. At most a page and a row group of rows are kept.
 * @param columns of the list as its description has them; the rows say which of them they have, and in which order
 * @param isJson whether rows come as JSON, else as records
 */
export function parquetFile(columns: readonly Column[], isJson = false): FileWriter {
  const sink = new ByteWriter();
  const described = new Map(columns.map((column) => [column.name, column]));
  let file: ParquetWriter | undefined;
  let written: readonly Column[] = [];
  let buffered: Value[][] = [];
  let bufferedChars = 0;

  /** The writer of the file, whose first bytes it writes as it is made. */
  const begin = (names: readonly string[]) => {
    written = names.map((name) => described.get(name) ?? { name });
    buffered = written.map(() => []);
    return new ParquetWriter({
      writer: sink,
      schema: schemaOf(written),
      codec: 'ZSTD',
      compressors: { ZSTD: (bytes) => zstdCompressSync(bytes, ZSTD) },
      createdBy: CREATED_BY,
    });
  };
  const keptRows = () => buffered[0]?.length ?? 0;
  const keep = (line: string) => {
    const values = isJson ? valuesOfJson(line, written) : valuesOfRecord(line, written);
    for (const [index, value] of values.entries()) buffered[index]?.push(value);
    bufferedChars += line.length;
  };
  const writeGroup = () => {
    const columnData = written.map(({ name }, index) => ({
      name,
      data: buffered[index] ?? [],
      // Pages are as large as their group: there is nothing to find within it.
      offsetIndex: false,
    }));
    file?.write({ columnData, rowGroupSize: GROUP_ROWS });
    buffered = written.map(() => []);
    bufferedChars = 0;
  };
  const taken = () => {
    const bytes = sink.getBytes().slice();
    sink.index = 0;
    return bytes;
  };
  return {
    rows(names, packs) {
      if (names.length > 0) file ??= begin(names);
      for (const line of packs.flatMap((pack) => (isJson ? pack.split('\n') : linesOf(pack)))) {
        keep(line);
        if (keptRows() >= GROUP_ROWS || bufferedChars >= MAX_GROUP_CHARS) writeGroup();
      }
      return taken();
    },
    end(end) {
      file ??= begin(columns.map(({ name }) => name));
      if (keptRows() > 0) writeGroup();
      file.kvMetadata = metadataOf(end);
      file.finish();
      return taken();
    },
  };
}

function schemaOf(columns: readonly Column[]): SchemaElement[] {
  const elements = columns.map(
    (column): SchemaElement => ({
      name: column.name,
      repetition_type: 'OPTIONAL',
      ...TYPES[storedKind(column)],
    }),
  );
  return [{ name: 'root', num_children: columns.length }, ...elements];
}

/** What the last line of a text tells, member by member, as texts. */
function metadataOf({ meta, error, ...end }: ExportEnd): { key: string; value: string }[] {
  const members = { ...end, ...(error !== undefined && { error: JSON.stringify(error) }), ...meta };
  return Object.entries(members).map(([key, value]) => ({ key, value: String(value) }));
}

function storedKind({ kind, isWide = false }: Column): StoredKind {
  return isWide ? 'digits' : (kind ?? 'text');
}

function valuesOfRecord(line: string, columns: readonly Column[]): readonly Value[] {
  const fields = fieldsOf(line);
  return columns.map((column, index) => {
    const field = fields[index] ?? '';
    if (field === '') return null;
    const kind = storedKind(column);
    return kind === 'boolean' ? field === 't' : typedValue(unquoted(field), kind);
  });
}

function valuesOfJson(line: string, columns: readonly Column[]): readonly Value[] {
  const row = JSON.parse(line) as Readonly<Record<string, unknown>>;
  return columns.map((column) => {
    const value = row[column.name] ?? null;
    if (value === null || typeof value === 'boolean') return value;
    return typedValue(typeof value === 'object' ? JSON.stringify(value) : String(value), storedKind(column));
  });
}

function typedValue(text: string, kind: StoredKind): Value {
  if (kind === 'time' || kind === 'day') return new Date(text);
  // One that clients would round is a string of JSON.
  if (kind === 'digits') return text.replaceAll('"', '');
  return kind === 'integer' ? BigInt(text.replaceAll('"', '')) : text;
}
