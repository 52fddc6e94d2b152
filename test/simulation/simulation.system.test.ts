/** Runs of the simulation: of a seed always the same one, with every invariant, and without faults nothing is lost. */

import type { Hosting } from '../../lib/config/function-config.ts';
import { isAtLength } from '../support/at-length.ts';
import { type SimulationResult, simulate } from './simulation.ts';

const REQUESTS = isAtLength ? 1_000 : 300;
/** At least one of each hosting, and two of one. */
const QUICK_RUNS: readonly (readonly [seed: number, hosting: Hosting])[] = [
  [1, 'event'],
  [2, 'event'],
  [1, 'instances'],
];
const RUNS: typeof QUICK_RUNS = isAtLength ? [...QUICK_RUNS, [3, 'event'], [2, 'instances']] : QUICK_RUNS;

function count({ counts }: SimulationResult, name: string): number {
  return new Map(counts).get(name) ?? 0;
}

test('a seed always leads to the same run, in which every invariant holds, and another seed to another', async () => {
  const digests: string[] = [];
  for (const [seed, hosting] of RUNS) {
    const first = await simulate({ seed, hosting, requests: REQUESTS });
    const again = await simulate({ seed, hosting, requests: REQUESTS });
    expect(again).toEqual(first);
    expect(first.violation).toBeUndefined();
    expect(count(first, 'bills checked')).toBeGreaterThan(REQUESTS / 2);
    expect(count(first, 'bills that disagree')).toBe(0);
    digests.push(first.digest);
  }
  expect(new Set(digests).size).toBe(RUNS.length);
});

test('where nothing goes wrong, everything that is answered is charged, and no request fails', async () => {
  for (const [seed, hosting] of RUNS) {
    const result = await simulate({ seed, hosting, requests: REQUESTS, clear: true });
    expect(result.violation).toBeUndefined();
    expect(count(result, 'requests')).toBe(REQUESTS);
    expect(count(result, 'CU answered')).toBeGreaterThan(0);
    expect(count(result, 'CU charged')).toBe(count(result, 'CU answered'));
    expect(count(result, 'answer: 503')).toBe(0);
    expect(count(result, 'charge: queued') + count(result, 'charge: unstored')).toBe(0);
  }
});
