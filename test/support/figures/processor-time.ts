import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** Variable with the file that the test files of a run append their processor time to. */
export const SECONDS_FILE_VARIABLE = 'GATEWAY_TEST_SECONDS';
/** Linux counts processor time in these, on every machine. */
const TICKS_PER_SECOND = 100;
const STATUS_FILE = '/proc/self/stat';
/** Fields after the name of the program: time of this process (user, system), then of its ended children. */
const OWN_FIELD = 11;
const CHILDREN_FIELD = 13;
const DEAREST = 20;
const COLUMN = 10;

/** Processor time of one test file: of its worker while it ran, and of the processes that ended in it. */
export interface FileSeconds {
  readonly file: string;
  readonly seconds: number;
}

/**
 * Processor time, user and system, of this process and of its children that have ended, with theirs. Without Linux's
 * `/proc` the time of children is unknown and missing from it.
 */
export function processorSeconds(): number {
  if (!existsSync(STATUS_FILE)) {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1_000_000;
  }
  return ticks(OWN_FIELD) / TICKS_PER_SECOND + endedChildrenSeconds();
}

/** Processor time of the children of this process that have ended, with theirs; 0 where there is no `/proc`. */
export function endedChildrenSeconds(): number {
  return existsSync(STATUS_FILE) ? ticks(CHILDREN_FIELD) / TICKS_PER_SECOND : 0;
}

/** Adds what a test file took to the file of this run, if it has one. */
export function noteSeconds({ file, seconds }: FileSeconds): void {
  const list = process.env[SECONDS_FILE_VARIABLE];
  if (list !== undefined) appendFileSync(list, `${seconds.toFixed(2)}\t${file}\n`);
}

/** What test files noted, the dearest first; none if none did. */
export function readSeconds(list: string): FileSeconds[] {
  if (!existsSync(list)) return [];
  return readFileSync(list, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t'))
    .map(([seconds = '', file = '']) => ({ file, seconds: Number(seconds) }))
    .sort((one, other) => other.seconds - one.seconds);
}

/**
 * The dearest files and the sum, as lines.
 * @param total processor seconds of the whole run, in which set-up and jest itself are
 */
export function describeSeconds(files: readonly FileSeconds[], total: number): string {
  const sum = files.reduce((seconds, file) => seconds + file.seconds, 0);
  return [
    'Processor seconds of the dearest test files:',
    ...files.slice(0, DEAREST).map(({ file, seconds }) => `${seconds.toFixed(1).padStart(COLUMN)}  ${file}`),
    `${sum.toFixed(1).padStart(COLUMN)}  all ${files.length} test files`,
    `${total.toFixed(1).padStart(COLUMN)}  the whole run, with jest and the set-up`,
  ].join('\n');
}

function ticks(field: number): number {
  const text = readFileSync(STATUS_FILE, 'utf8');
  // The name of the program may have spaces, and is in brackets.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return Number(fields[field]) + Number(fields[field + 1]);
}
