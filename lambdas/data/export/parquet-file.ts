import {
  type ParquetPieces,
  parquetPieces,
  STORED_TYPES,
  type StoredType,
  type StoredValue,
} from '../../shared/parquet/parquet-writer.ts';
import type { Column, ColumnKind } from './column.ts';
import type { ExportEnd, FileWriter } from './format.ts';
import { fieldsOf, linesOf, unquoted } from './packed-records.ts';

/** Rows of a row group. The last one has fewer. */
const GROUP_ROWS = 5_000;
/** Characters of rows after which a group ends with fewer rows: it is held in memory, and what is kept back is sent beyond the file's bound. */
const MAX_GROUP_CHARS = 4_000_000;
/** What is stored of a column: `digits` are a whole number that may exceed 64 bits. */
type StoredKind = ColumnKind | 'digits' | 'text';

/** How each kind is stored. Whole numbers of 256 bits are texts: no type that readers agree on holds them. */
const TYPES: { readonly [Kind in StoredKind]: StoredType } = {
  ...STORED_TYPES,
  json: STORED_TYPES.text,
  digits: STORED_TYPES.text,
};

/**
 * A file of Parquet: row groups as rows come, and a footer without which nothing opens it. Its metadata has what the last line of a
 * text has. At most a page and a row group of rows are kept.
 * @param columns of the list as its description has them; the rows say which of them they have, and in which order
 * @param isJson whether rows come as JSON, else as records
 */
export function parquetFile(columns: readonly Column[], isJson = false): FileWriter {
  const described = new Map(columns.map((column) => [column.name, column]));
  let file: ParquetPieces | undefined;
  let written: readonly Column[] = [];
  let buffered: StoredValue[][] = [];
  let bufferedChars = 0;

  /** The file, whose first bytes are written as it is made. */
  const begin = (names: readonly string[]) => {
    written = names.map((name) => described.get(name) ?? { name });
    buffered = written.map(() => []);
    return parquetPieces(written.map((column) => ({ name: column.name, type: TYPES[storedKind(column)] })));
  };
  const keptRows = () => buffered[0]?.length ?? 0;
  const keep = (line: string) => {
    const values = isJson ? valuesOfJson(line, written) : valuesOfRecord(line, written);
    for (const [index, value] of values.entries()) buffered[index]?.push(value);
    bufferedChars += line.length;
  };
  const writeGroup = () => {
    file?.group(buffered);
    buffered = written.map(() => []);
    bufferedChars = 0;
  };
  return {
    rows(names, packs) {
      if (names.length > 0) file ??= begin(names);
      for (const line of packs.flatMap((pack) => (isJson ? pack.split('\n') : linesOf(pack)))) {
        keep(line);
        if (keptRows() >= GROUP_ROWS || bufferedChars >= MAX_GROUP_CHARS) writeGroup();
      }
      return file?.taken() ?? new Uint8Array();
    },
    end(end) {
      file ??= begin(columns.map(({ name }) => name));
      if (keptRows() > 0) writeGroup();
      file.finish(metadataOf(end));
      return file.taken();
    },
  };
}

/** What the last line of a text tells, member by member, as texts. */
function metadataOf({
  meta: { proof, ...meta },
  error,
  charges,
  ...end
}: ExportEnd): Readonly<Record<string, string>> {
  const members = {
    ...end,
    charges: JSON.stringify(charges),
    ...(error !== undefined && { error: JSON.stringify(error) }),
    ...meta,
    ...(proof !== undefined && { proof: JSON.stringify(proof) }),
  };
  return Object.fromEntries(Object.entries(members).map(([key, value]) => [key, String(value)]));
}

function storedKind({ kind, isWide = false }: Column): StoredKind {
  return isWide ? 'digits' : (kind ?? 'text');
}

function valuesOfRecord(line: string, columns: readonly Column[]): readonly StoredValue[] {
  const fields = fieldsOf(line);
  return columns.map((column, index) => {
    const field = fields[index] ?? '';
    if (field === '') return null;
    const kind = storedKind(column);
    return kind === 'boolean' ? field === 't' : typedValue(unquoted(field), kind);
  });
}

function valuesOfJson(line: string, columns: readonly Column[]): readonly StoredValue[] {
  const row = JSON.parse(line) as Readonly<Record<string, unknown>>;
  return columns.map((column) => {
    const value = row[column.name] ?? null;
    if (value === null || typeof value === 'boolean') return value;
    return typedValue(typeof value === 'object' ? JSON.stringify(value) : String(value), storedKind(column));
  });
}

function typedValue(text: string, kind: StoredKind): StoredValue {
  if (kind === 'time' || kind === 'day') return new Date(text);
  // One that clients would round is a string of JSON.
  if (kind === 'digits') return text.replaceAll('"', '');
  return kind === 'integer' ? BigInt(text.replaceAll('"', '')) : text;
}
