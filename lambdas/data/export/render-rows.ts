import type { ColumnKind, ColumnKinds } from './column.ts';
import { LINE_ENDS, type TextFormat } from './format.ts';
import { fieldsOf, linesOf, unquoted } from './packed-records.ts';

/** Rows as they come packed: lines that PostgreSQL has written of records. */
interface PackedRows {
  /** Names of the fields, in their order. */
  readonly names: readonly string[];
  /** Each some lines, without the end of the last one. */
  readonly packs: readonly string[];
  /** What fields are that are no texts. */
  readonly kinds: ColumnKinds;
  /** Whether the lines are objects of JSON instead. */
  readonly isJson: boolean;
}

/** What stands in a record without quotes and must not in JSON. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these it is about.
const CONTROL = /[\u0001-\u0009\u000b-\u001f]/;

/** How a number begins that is a string of JSON, because clients would round it: PostgreSQL quotes its quotes. */
const LONG_NUMBER = '"""';

/** What makes quotes necessary around a field of CSV; readers that take our last line for a comment take any `#` for one. */
const QUOTED_IN_CSV = /[",\r\n#]/;

/**
 * Lines of a file. A record is already CSV but for its brackets, its booleans and that a backslash is written twice: PostgreSQL quotes
 * what has a quote, a backslash, a comma, a bracket or white space, and what is empty; null is nothing at all.
 * @param isFirst whether the line with the names of the fields comes before
 */
export function renderRows(format: TextFormat, rows: PackedRows, isFirst: boolean): string {
  const jsonLinesOf = rows.isJson
    ? (pack: string) => pack + LINE_ENDS.ndjson
    : (pack: string) => jsonLines(pack, rows);
  if (format === 'ndjson') return rows.packs.map(jsonLinesOf).join('');
  const names = isFirst && rows.names.length > 0 ? `${rows.names.join(',')}${LINE_ENDS.csv}` : '';
  const csvOf = rows.isJson ? csvLinesOfJson : (pack: string) => csvLines(pack, rows);
  return names + rows.packs.map(csvOf).join('');
}

function csvLinesOfJson(pack: string): string {
  const lines = pack.split('\n').map((line) => Object.values(JSON.parse(line) as object).map(csvField));
  return lines.map((fields) => fields.join(',') + LINE_ENDS.csv).join('');
}

function csvField(value: unknown): string {
  if (value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  return text === '' || QUOTED_IN_CSV.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvLines(pack: string, { names, kinds }: PackedRows): string {
  const isFieldwise =
    pack.includes(LONG_NUMBER) || pack.includes('#') || names.some((name) => kinds[name] === 'boolean');
  if (!isFieldwise && !pack.includes('"'))
    return `${pack.slice(1, -1).replaceAll(')\n(', LINE_ENDS.csv)}${LINE_ENDS.csv}`;
  return linesOf(pack)
    .map((line) => (isFieldwise ? fieldByField(line, names, kinds) : line.slice(1, -1)))
    .map((line) => `${line.replaceAll('\\\\', '\\')}${LINE_ENDS.csv}`)
    .join('');
}

function fieldByField(line: string, names: PackedRows['names'], kinds: PackedRows['kinds']): string {
  return fieldsOf(line)
    .map((field, index) => {
      const kind = kinds[names[index] ?? ''];
      if (kind === 'boolean') return booleanOf(field);
      if (kind === 'integer') return field.replaceAll('"', '');
      return field.includes('#') && !field.startsWith('"') ? `"${field}"` : field;
    })
    .join(',');
}

function jsonLines(pack: string, { names, kinds }: PackedRows): string {
  const isPlain = !CONTROL.test(pack);
  const members = names.map((name, index) => ({
    start: `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    kind: kinds[name],
  }));
  return linesOf(pack)
    .map((line) => {
      const fields = fieldsOf(line);
      // Made for each field of each row: what an iterator or an array would take here is a third of the time.
      let text = '';
      for (let index = 0; index < members.length; index += 1) {
        const member = members[index];
        if (member !== undefined) text += member.start + jsonOf(fields[index] ?? '', member.kind, isPlain);
      }
      return `${text}}${LINE_ENDS.ndjson}`;
    })
    .join('');
}

function jsonOf(field: string, kind: ColumnKind | undefined, isPlain: boolean): string {
  if (field === '') return 'null';
  if (kind === 'integer') return field.startsWith(LONG_NUMBER) ? unquoted(field) : field;
  if (kind === 'boolean') return booleanOf(field);
  // Between the members of a list or an object, PostgreSQL may break the line; within a text it never does.
  if (kind === 'json') return unquoted(field).replaceAll('\n', ' ');
  return isPlain && !field.startsWith('"') ? `"${field}"` : JSON.stringify(unquoted(field));
}

function booleanOf(field: string): string {
  return field === '' ? '' : String(field === 't');
}
