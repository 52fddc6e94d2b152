/** What a field of a record is without its quotes, in which a quote and a backslash are written twice. */
export function unquoted(field: string): string {
  if (!field.startsWith('"')) return field;
  return field.slice(1, -1).replaceAll('""', '"').replaceAll('\\\\', '\\');
}

/** The records of a pack: a line may end within quotes, and continues then. */
export function linesOf(pack: string): readonly string[] {
  const pieces = pack.split('\n');
  if (!pack.includes('"')) return pieces;
  const lines: string[] = [];
  let line = '';
  for (const piece of pieces) {
    line += line === '' ? piece : `\n${piece}`;
    if (isClosed(line)) {
      lines.push(line);
      line = '';
    }
  }
  return lines;
}

/** Whether each quote that opens a field is followed by one that closes it. */
function isClosed(line: string): boolean {
  return line.split('"').length % 2 === 1;
}

/** The fields of a record, with their quotes. Null is nothing at all, a text that is empty has its quotes. */
export function fieldsOf(line: string): readonly string[] {
  const text = line.slice(1, -1);
  if (!text.includes('"')) return text.split(',');
  const fields: string[] = [];
  for (let start = 0; start <= text.length; ) {
    const end = fieldEnd(text, start);
    fields.push(text.slice(start, end));
    start = end + 1;
  }
  return fields;
}

/** Where the comma behind a field is, or the end of the text. */
function fieldEnd(text: string, start: number): number {
  let from = start;
  if (text[start] === '"')
    for (from = text.indexOf('"', start + 1); text[from + 1] === '"'; from = text.indexOf('"', from + 2));
  const comma = text.indexOf(',', from);
  return comma < 0 ? text.length : comma;
}
