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
  /** Whether texts stand in CSV as they are, formulas too. @default false */
  readonly isRaw?: boolean;
}

/** What stands in a record without quotes and must not in JSON. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these it is about.
const CONTROL = /[\u0001-\u0009\u000b-\u001f]/;

/** How a number begins that is a string of JSON, because clients would round it: PostgreSQL quotes its quotes. */
const LONG_NUMBER = '"""';

/** What makes quotes necessary around a field of CSV; readers that take our last line for a comment take any `#` for one. */
const QUOTED_IN_CSV = /[",\r\n#]/;

/**
 * Where a spreadsheet may take a sign for the begin of a formula: at the begin of a text, and behind what parts cells in countries
 * that write a comma in numbers. The signs of full width mean the same in Asian versions.
 */
const FORMULA = /((?:^"?|[;\t\r\n])[;\s]*)([=+\-@＝＋－＠])?/g;

/** The same anywhere in a pack of records, numbers apart: few have one. */
const FORMULA_IN_PACK = /[(,";\s][=+@＝＋－＠]|[";\s]-|[(,]-(?!\d+(?:\.\d+)?[,)])/;

/** A number, which no apostrophe makes a text. */
const NUMBER = /^-?\d+(?:\.\d+)?$/;

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
  const csvOf = (pack: string) => (rows.isJson ? csvLinesOfJson(pack, rows) : csvLines(pack, rows));
  return names + rows.packs.map(csvOf).join('');
}

function csvLinesOfJson(pack: string, { isRaw = false }: PackedRows): string {
  const lines = pack.split('\n').map((line) => Object.values(JSON.parse(line) as object));
  return lines
    .map((values) => values.map((value) => csvField(value, isRaw)).join(',') + LINE_ENDS.csv)
    .join('');
}

function csvField(value: unknown, isRaw: boolean): string {
  if (value === null) return '';
  const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
  const shown = isRaw || !['string', 'object'].includes(typeof value) ? text : neutral(text);
  return text === '' || QUOTED_IN_CSV.test(text) ? `"${shown.replaceAll('"', '""')}"` : shown;
}

/** A text that no spreadsheet takes for a formula. @param text with its quotes or without */
function neutral(text: string): string {
  if (NUMBER.test(text)) return text;
  return text.replaceAll(FORMULA, (all, before: string, sign?: string) =>
    sign === undefined ? all : `${before}'${sign}`,
  );
}

function csvLines(pack: string, { names, kinds, isRaw = false }: PackedRows): string {
  const isFieldwise =
    pack.includes(LONG_NUMBER) ||
    pack.includes('#') ||
    names.some((name) => kinds[name] === 'boolean') ||
    (!isRaw && FORMULA_IN_PACK.test(pack));
  if (!isFieldwise && !pack.includes('"'))
    return `${pack.slice(1, -1).replaceAll(')\n(', LINE_ENDS.csv)}${LINE_ENDS.csv}`;
  return linesOf(pack)
    .map((line) => (isFieldwise ? fieldByField(line, { names, kinds, isRaw }) : line.slice(1, -1)))
    .map((line) => `${line.replaceAll('\\\\', '\\')}${LINE_ENDS.csv}`)
    .join('');
}

function fieldByField(
  line: string,
  { names, kinds, isRaw }: Pick<PackedRows, 'names' | 'kinds' | 'isRaw'>,
): string {
  return fieldsOf(line)
    .map((field, index) => {
      const kind = kinds[names[index] ?? ''];
      if (kind === 'boolean') return booleanOf(field);
      if (kind === 'integer') return field.replaceAll('"', '');
      // The texts within a list are neutral as well: a spreadsheet may part cells there.
      const text = isRaw ? field : neutral(field);
      return field.includes('#') && !field.startsWith('"') ? `"${text}"` : text;
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
