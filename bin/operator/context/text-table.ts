const NUMBER = /^-?[\d,]+(?:\.\d+)?$/;
const GAP = '  ';

interface Column {
  readonly width: number;
  /** Aligned to the right. */
  readonly numeric: boolean;
}

/**
 * Aligned columns under their headings, in as many parts as the rows come in; columns of numbers are aligned to the
 * right. A column is never narrower than in the part before; only the first part decides what is a number.
 */
export class TextTable {
  readonly #headings: readonly string[];
  #columns: readonly Column[] | undefined;

  constructor(headings: readonly string[]) {
    this.#headings = headings;
  }

  /** The next rows, the first time under the headings; lines without the last line end. */
  render(rows: readonly (readonly string[])[]): string {
    const before = this.#columns;
    const columns = this.#headings.map((heading, index) => {
      const cells = rows.map((row) => row[index] ?? '');
      const { width, numeric } = before?.[index] ?? {
        width: heading.length,
        numeric: cells.every((cell) => NUMBER.test(cell)),
      };
      return { width: cells.reduce((widest, cell) => Math.max(widest, cell.length), width), numeric };
    });
    this.#columns = columns;
    const headings = before === undefined ? [this.#headings.map((heading) => heading.toUpperCase())] : [];
    return [...headings, ...rows].map((cells) => line(columns, cells)).join('\n');
  }
}

/** A whole table. */
export function renderTable(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  return new TextTable(headings).render(rows);
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
