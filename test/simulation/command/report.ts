import type { Hosting } from '../../../lib/config/function-config.ts';
import type { Mutant } from '../mutants/mutant.ts';
import type { Tally } from '../tally.ts';

const NAME_WIDTH = 18;
const MUTANT_WIDTH = 28;
const MAX_VIOLATION_LENGTH = 110;

/** Results of a run of many seeds. */
export interface RunFigures {
  readonly seeds: number;
  readonly requests: number;
  readonly firstSeed: number;
  readonly hosting: Hosting;
  readonly workers: number;
  readonly seconds: number;
  readonly counts: Tally;
  readonly failures: readonly string[];
}

/** A mutant, and the seed by which it was found; without a violation it was not. */
export interface HuntedMutant {
  readonly mutant: Mutant;
  readonly seed: number;
  readonly violation: string | undefined;
}

/** The command that repeats a run exactly. */
export function repeatCommand(
  seed: number,
  requests: number,
  { mutant, hosting }: { readonly mutant?: string; readonly hosting?: Hosting } = {},
): string {
  const hosted = hosting === undefined || hosting === 'event' ? '' : ` --hosting ${hosting}`;
  const named = mutant === undefined ? hosted : ` --mutant ${mutant}`;
  return `npm run simulate -- --seeds 1 --requests ${requests} --seed ${seed}${named}`;
}

/** Figures of all runs, for people. */
export function reportRuns(run: RunFigures): string[] {
  const { counts, failures, seeds, firstSeed, seconds } = run;
  const figure = (name: string) => thousands(counts.get(name));
  const group = (prefix: string) =>
    counts
      .entries(prefix)
      .map(([name, count]) => `${name.slice(prefix.length)} ${thousands(count)}`)
      .join(', ');
  const { user, system } = process.cpuUsage();
  const requests = counts.get('requests');
  return [
    line(
      'seeds',
      `${firstSeed} to ${firstSeed + seeds - 1}, ${thousands(run.requests)} requests each, hosting ${run.hosting}`,
    ),
    line('requests', `${thousands(requests)} in ${thousands(counts.get('virtual hours'))} virtual hours`),
    line('admission', group('admission: ')),
    line('answers', group('answer: ')),
    line('node', `answered ${figure('CU answered')} CU`),
    line('charged', `${figure('CU charged')} CU; not charged: ${group('CU not charged: ') || 'nothing'}`),
    line('bills', `${figure('bills checked')} checked, ${figure('bills that disagree')} disagree`),
    line('charges', `${group('charge: ')}; delivered by the queue ${figure('charge queue deliveries')}`),
    line('settlement', `runs ${figure('settlement runs')}, records ${figure('settlement records')}`),
    line('schedules', group('settlement fired: ')),
    line(
      'seal',
      `runs ${figure('seal runs')}, heads ${figure('signed heads')}, records whose leaves could not be kept ${figure('records whose leaves could not be kept')}`,
    ),
    line(
      'receipts',
      `signed ${figure('receipts')}, of ${figure('lanes of receipts')} lanes, ${group('receipts refused: ') || 'none refused'}; keys ${figure('keys of receipts')}; bills checked by customers ${figure('bills that customers checked')}`,
    ),
    line('audit', `runs ${figure('audit runs')}`),
    line('operators', group('operator: ')),
    line(
      'processes',
      `of the gateway ${figure('gateway processes')}, full ${figure('environments full')} times, credentials expired ${figure('credentials expired')}, died ${figure('processes died')}, of them by themselves ${figure('processes that ended by themselves')}, stood still ${figure('processes frozen')}, clocks set ${figure('clocks set')}`,
    ),
    ...faultLines(counts),
    line(
      'speed',
      `${thousands(requests / seconds)} requests/s with ${run.workers} threads, ${thousands((requests * 1e6) / (user + system))} per second of a core`,
    ),
    ...failures,
    failures.length === 0
      ? `every invariant held in all ${thousands(seeds)} runs`
      : `${failures.length} of ${thousands(seeds)} runs broke an invariant`,
  ];
}

/** One line per mutant: the seed that found it, and what it was found by. */
export function reportMutants(hunted: readonly HuntedMutant[], requests: number): string[] {
  const found = hunted.filter(({ violation }) => violation !== undefined);
  const lines = hunted.flatMap(({ mutant, seed, violation }) => [
    `${mutant.name.padEnd(MUTANT_WIDTH)} ${violation === undefined ? `NOT FOUND by seed ${seed}` : `seed ${seed}`}: ${mutant.simplification}`,
    ...(violation === undefined ? [] : [`${' '.repeat(MUTANT_WIDTH)} ${shorten(violation)}`]),
  ]);
  const [first] = found;
  return [
    ...lines,
    ...(first ? [`repeat one: ${repeatCommand(first.seed, requests, { mutant: first.mutant.name })}`] : []),
    `${found.length} of ${hunted.length} mutants were found`,
  ];
}

/** Faults by place: `fault: accounts write answer lost` stands for the place `accounts write`. */
function faultLines(counts: Tally): string[] {
  const places = ['keys', 'accounts', 'lanes', 'unsettled', 'balances', 'ledger', 'buckets', 'queue', 'node'];
  return places.map((place) => {
    const sums = new Map<string, number>();
    for (const [name, count] of counts.entries(`fault: ${place} `)) {
      const fault = name.slice(`fault: ${place} `.length).replace(/^(read|write) /, '');
      sums.set(fault, (sums.get(fault) ?? 0) + count);
    }
    const text = [...sums].map(([fault, count]) => `${fault} ${thousands(count)}`).join(', ');
    return line(`faults, ${place}`, text);
  });
}

function line(name: string, text: string): string {
  return `${name.padEnd(NAME_WIDTH)}${text}`;
}

function shorten(text: string): string {
  const [first = ''] = text.split('\n');
  return first.length > MAX_VIOLATION_LENGTH ? `${first.slice(0, MAX_VIOLATION_LENGTH)}...` : first;
}

function thousands(count: number): string {
  return Math.round(count).toLocaleString('en-US');
}
