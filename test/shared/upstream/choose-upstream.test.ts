/** Calls are shared out by priority, weight, errors and speed. */
import { type Choosable, chooseUpstream } from '../../../lambdas/shared/upstream/routing/able-upstreams.ts';
import { Random } from '../../simulation/random.ts';

const DRAWS = 20_000;

interface Named extends Choosable {
  readonly name: string;
}

function upstream(
  name: string,
  { errorRate = 0, p50Ms = 10 as number | undefined, priority = 0, weight = 1 } = {},
): Named {
  return { name, priority, weight, health: { errorRate, p50Ms } };
}

/** Share of the draws that each candidate gets. */
function shares(...candidates: readonly Named[]): Record<string, number> {
  const random = new Random(1);
  const drawn: Record<string, number> = {};
  for (let draw = 0; draw < DRAWS; draw++) {
    const name = chooseUpstream(candidates, random.fraction())?.name ?? 'none';
    drawn[name] = (drawn[name] ?? 0) + 1 / DRAWS;
  }
  return drawn;
}

test('no upstream is chosen where there is none', () => {
  expect(chooseUpstream([], 0.5)).toBeUndefined();
});

test('equals share equally, and by weight', () => {
  expect(shares(upstream('a'), upstream('b')).a).toBeCloseTo(0.5, 1);
  expect(shares(upstream('a', { weight: 3 }), upstream('b')).a).toBeCloseTo(0.75, 1);
});

test('only the best priority is asked', () => {
  expect(shares(upstream('a', { priority: 1 }), upstream('b', { priority: 2, weight: 100 }))).toEqual({
    a: expect.closeTo(1),
  });
});

test('errors turn calls away, long before the breaker opens', () => {
  expect(shares(upstream('a'), upstream('b', { errorRate: 0.3 })).b).toBeLessThan(0.03);
  expect(shares(upstream('a'), upstream('b', { errorRate: 0.01 })).b).toBeGreaterThan(0.4);
});

test('the slower gets less, and one that nothing is known of its full share', () => {
  expect(shares(upstream('a'), upstream('b', { p50Ms: 30 })).b).toBeCloseTo(0.25, 1);
  expect(shares(upstream('a'), upstream('b', { p50Ms: undefined })).b).toBeCloseTo(0.5, 1);
});

test('where all fail, all are tried', () => {
  const drawn = shares(upstream('a', { errorRate: 1 }), upstream('b', { errorRate: 1 }));
  expect(drawn.a).toBeCloseTo(0.5, 1);
});
