import { appendFileSync, existsSync, readFileSync } from 'node:fs';

/** Variable with the file to which a run appends a line for each dear thing that it makes. */
export const MADE_FILE_VARIABLE = 'GATEWAY_TEST_MADE';
const COLUMN = 10;

/**
 * The most that a whole run makes of each, by name; a run with the deep tests makes more. A test that needs one more
 * raises its bound here, where it is seen, or shares one that another has.
 */
export const MOST_MADE = {
  /** Runs of `npm start` that a test waits for, seconds of a processor each. */
  gateways: { quick: 18, deep: 47 },
  /** PostgreSQL servers beside those of gateways. */
  clusters: { quick: 60, deep: 60 },
  /** DynamoDB emulators beside those of gateways. */
  emulators: { quick: 30, deep: 30 },
  /** Stage files that are synthesised beside those of gateways. */
  syntheses: { quick: 2, deep: 40 },
} as const satisfies Readonly<Record<string, { readonly quick: number; readonly deep: number }>>;

/** What a run counts of what it makes. */
export type Made = keyof typeof MOST_MADE;
export type MadeCounts = Readonly<Record<Made, number>>;

const KINDS = Object.keys(MOST_MADE) as Made[];

/** Counts what a test is about to make, if its run counts. */
export function noteMade(kind: Made, count = 1): void {
  const list = process.env[MADE_FILE_VARIABLE];
  if (list !== undefined) appendFileSync(list, `${kind}\n`.repeat(count));
}

/** How many a run has made of each. */
export function readMade(list: string): MadeCounts {
  const lines = existsSync(list) ? readFileSync(list, 'utf8').split('\n') : [];
  const counts = KINDS.map((kind) => [kind, lines.filter((line) => line === kind).length]);
  return Object.fromEntries(counts) as MadeCounts;
}

/** The counts beside their bounds, a line each. */
export function describeMade(counts: MadeCounts, isDeep: boolean): string {
  const rows = KINDS.map((kind) => {
    const line = `${String(counts[kind]).padStart(COLUMN)}  ${kind}, at most ${mostMade(kind, isDeep)}`;
    return counts[kind] > mostMade(kind, isDeep) ? `${line}: too many` : line;
  });
  return ['Made for all test files:', ...rows].join('\n');
}

/** What a run made more of than it may. */
export function madeTooMany(counts: MadeCounts, isDeep: boolean): readonly Made[] {
  return KINDS.filter((kind) => counts[kind] > mostMade(kind, isDeep));
}

const mostMade = (kind: Made, isDeep: boolean) => MOST_MADE[kind][isDeep ? 'deep' : 'quick'];
