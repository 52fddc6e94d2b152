const NUMBER = /^-?[\d,]+$/;
const GAP = '  ';

/** Aligned columns under their headings; columns of numbers are aligned to the right. */
export function renderTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = headings.map((heading, index) => {
    const cells = rows.map((row) => row[index] ?? '');
    const width = Math.max(heading.length, ...cells.map((cell) => cell.length));
    const numeric = cells.every((cell) => NUMBER.test(cell));
    return [heading.toUpperCase(), ...cells].map((cell) =>
      numeric ? cell.padStart(width) : cell.padEnd(width),
    );
  });
  const lines = ['heading', ...rows].map((_, line) =>
    columns
      .map((column) => column[line])
      .join(GAP)
      .trimEnd(),
  );
  return lines.join('\n');
}

/** One line per entry: its name and its value. */
export function renderRecord(record: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(record).map((name) => name.length));
  return Object.entries(record)
    .map(([name, value]) => `${name.padEnd(width)}${GAP}${value}`.trimEnd())
    .join('\n');
}
