import type { Hosting } from '../../lib/config/function-config.ts';
import { type SimulationResult, simulate } from './simulation.ts';

const REQUESTS = 1_000;
const RUNS: readonly (readonly [seed: number, hosting: Hosting])[] = [
  [1, 'event'],
  [2, 'event'],
  [3, 'event'],
  [1, 'instances'],
  [2, 'instances'],
];

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
