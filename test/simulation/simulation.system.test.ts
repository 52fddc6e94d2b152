import { type SimulationResult, simulate } from './simulation.ts';

const REQUESTS = 1_000;
const SEEDS = [1, 2, 3];

function count({ counts }: SimulationResult, name: string): number {
  return new Map(counts).get(name) ?? 0;
}

test('a seed always leads to the same run, and another seed to another', async () => {
  const digests: string[] = [];
  for (const seed of SEEDS) {
    const first = await simulate({ seed, requests: REQUESTS });
    const again = await simulate({ seed, requests: REQUESTS });
    expect(again).toEqual(first);
    digests.push(first.digest);
  }
  expect(new Set(digests).size).toBe(SEEDS.length);
});

test('where nothing goes wrong, everything that is answered is charged, and no request fails', async () => {
  for (const seed of SEEDS) {
    const result = await simulate({ seed, requests: REQUESTS, clear: true });
    expect(result.violation).toBeUndefined();
    expect(count(result, 'requests')).toBe(REQUESTS);
    expect(count(result, 'CU answered')).toBeGreaterThan(0);
    expect(count(result, 'CU charged')).toBe(count(result, 'CU answered'));
    expect(count(result, 'answer: 503')).toBe(0);
    expect(count(result, 'charge: queued') + count(result, 'charge: unstored')).toBe(0);
  }
});
