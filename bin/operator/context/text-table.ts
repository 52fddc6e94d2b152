const NUMBER = /^-?[\d,]+(?:\.\d+)?$/;
const GAP = '  ';

interface Column {
  readonly width: number;
  /** Aligned to the right. */
  readonly numeric: boolean;
}

/**
 * Aligned columns under their headings; columns of numbers are aligned to the right. Lines without the last line end.
 */
export function renderTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  const columns = headings.map((heading, index): Column => {
    const cells = rows.map((row) => row[index] ?? '');
    return {
      width: cells.reduce((widest, cell) => Math.max(widest, cell.length), heading.length),
      numeric: cells.every((cell) => NUMBER.test(cell)),
    };
  });
  const upper = headings.map((heading) => heading.toUpperCase());
  return [upper, ...rows].map((cells) => line(columns, cells)).join('\n');
}

/** One line per entry: its name and its value. */
export function renderRecord(record: Readonly<Record<string, string>>): string {
  const width = Math.max(...Object.keys(record).map((name) => name.length));
  return Object.entries(record)
    .map(([name, value]) => `${name.padEnd(width)}${GAP}${value}`.trimEnd())
    .join('\n');
}

function line(columns: readonly Column[], cells: readonly string[]): string {
  return columns
    .map(({ width, numeric }, index) => {
      const cell = cells[index] ?? '';
      return numeric ? cell.padStart(width) : cell.padEnd(width);
    })
    .join(GAP)
    .trimEnd();
}

/** `1,000,000`. */
export function formatCount(count: number | bigint): string {
  return count.toLocaleString('en-US');
}
