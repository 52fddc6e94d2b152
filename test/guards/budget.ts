/**
 * The budget of the project (`npm run budget`): what every folder has today, which no change may exceed unseen.
 * Prints what is out of bounds and fails; with `--write` it sets those rows, and the sum, to today's figures.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import {
  COLUMNS,
  type Column,
  EXCEPTIONS,
  type Figures,
  type MeasuredFile,
  measureProject,
} from './measure-project.ts';

const BUDGET_FILE = 'test/budget.json';
/** A row is at most this far above what there is, so that what was saved is not spent again. */
const SLACK = 0.02;
/** A row that is written has room for the changes of a day; exceptions have none. */
const WRITTEN_SLACK = 0.01;
const MAX_NAMED = 20;
const FAILURE_EXIT_CODE = 1;

export interface Row extends Figures {
  /** Folders, with a slash at the end, or files. The longest that fits a file is its row; the empty text fits all. */
  readonly folders: readonly string[];
}

export interface Budget {
  /** Of all rows. It is a line of its own so that whoever makes the project larger edits it, and CI prints that. */
  readonly sum: Figures;
  readonly rows: Readonly<Record<string, Row>>;
}

/** What is out of bounds, a line each. */
export function judge({ sum, rows }: Budget, files: readonly MeasuredFile[], changed: ReadonlySet<string>) {
  const actual = actualRows(rows, files);
  const sums = total(Object.values(rows));
  return [
    ...Object.entries(rows).flatMap(([name, row]) =>
      COLUMNS.flatMap((column) => {
        const figure = actual[name]?.[column] ?? 0;
        if (figure <= row[column] && row[column] <= most(figure, SLACK)) return [];
        if (figure < row[column]) return [`${name}.${column}: ${figure}, lower the row from ${row[column]}`];
        const named = files
          .filter(({ file }) => changed.has(file) && rowOf(rows, file) === name)
          .flatMap((file) => file.named.filter((text) => text.startsWith(`${column}:`)));
        return [`${name}.${column}: ${figure}, above ${row[column]}`, ...named.slice(0, MAX_NAMED)];
      }),
    ),
    ...COLUMNS.filter((column) => sums[column] !== sum[column]).map(
      (column) => `sum.${column} is ${sum[column]}, and the rows have ${sums[column]}`,
    ),
  ];
}

/** The budget with rows that are out of bounds set to what there is. */
export function rewritten({ rows }: Budget, files: readonly MeasuredFile[]): Budget {
  const actual = actualRows(rows, files);
  const written = Object.entries(rows).map(([name, row]) => {
    const figures = COLUMNS.map((column) => {
      const figure = actual[name]?.[column] ?? 0;
      const fits = figure <= row[column] && row[column] <= most(figure, SLACK);
      const isException = EXCEPTIONS.some((exception) => exception === column);
      return [column, fits ? row[column] : most(figure, isException ? 0 : WRITTEN_SLACK)];
    });
    return [name, { folders: row.folders, ...Object.fromEntries(figures) }] as const;
  });
  const next: Readonly<Record<string, Row>> = Object.fromEntries(written);
  return { sum: total(Object.values(next)), rows: next };
}

function most(figure: number, slack: number): number {
  return Math.ceil(figure * (1 + slack));
}

function actualRows(rows: Budget['rows'], files: readonly MeasuredFile[]): Readonly<Record<string, Figures>> {
  const byRow = Map.groupBy(files, ({ file }) => rowOf(rows, file));
  return Object.fromEntries(
    [...byRow].map(([name, members]) => [name, total(members.map(({ figures }) => figures))]),
  );
}

function rowOf(rows: Budget['rows'], file: string): string {
  const fitting = Object.entries(rows).flatMap(([name, { folders }]) =>
    folders.filter((folder) => file.startsWith(folder)).map((folder) => ({ name, folder })),
  );
  const [best] = fitting.sort((one, other) => other.folder.length - one.folder.length);
  if (best === undefined) throw new Error(`no row of ${BUDGET_FILE} has ${file}`);
  return best.name;
}

function total(figures: readonly Figures[]): Figures {
  const sumOf = (column: Column) => figures.reduce((sum, one) => sum + one[column], 0);
  return Object.fromEntries(COLUMNS.map((column) => [column, sumOf(column)])) as Record<Column, number>;
}

/** Files that differ from the last commit but one: those that a message names. */
function changedFiles(): ReadonlySet<string> {
  try {
    const diff = ['diff', '--name-only', 'HEAD~1'];
    const added = ['ls-files', '-o', '--exclude-standard'];
    return new Set(
      [diff, added].flatMap((list) => execFileSync('git', list, { encoding: 'utf8' }).split('\n')),
    );
  } catch {
    // A clone of one commit.
    return new Set();
  }
}

function main(write: boolean): number {
  const files = measureProject();
  const budget: Budget = JSON.parse(readFileSync(BUDGET_FILE, 'utf8'));
  if (write) writeFileSync(BUDGET_FILE, `${JSON.stringify(rewritten(budget, files), undefined, 2)}\n`);
  const complaints = write ? [] : judge(budget, files, changedFiles());
  for (const line of complaints) process.stdout.write(`${line}\n`);
  return complaints.length > 0 ? FAILURE_EXIT_CODE : 0;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  process.exitCode = main(process.argv.includes('--write'));
