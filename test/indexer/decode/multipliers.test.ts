import fc from 'fast-check';
import {
  type MultiplierChange,
  multiplierAt,
  multiplierSteps,
  supersededChanges,
  uiAmount,
} from '../../../lambdas/indexer/decode/multipliers.ts';

const ONE = 10n ** 18n;

/** What the reference contract holds; `uiMultiplier` is asked at a time. */
class ReferenceContract {
  #current: bigint;
  #next: bigint;
  #effectiveAt = 0;

  constructor(initial: bigint) {
    this.#current = initial;
    this.#next = initial;
  }

  update({ announcedAt, effectiveAt, multiplier }: MultiplierChange): void {
    if (announcedAt > this.#effectiveAt) this.#current = this.#next;
    this.#next = multiplier;
    this.#effectiveAt = effectiveAt;
  }

  uiMultiplier(time: number): bigint {
    return time >= this.#effectiveAt ? this.#next : this.#current;
  }
}

test('at any time the multiplier is what the contract would have answered', () => {
  const change = fc.record({
    announcedAt: fc.integer({ min: 1, max: 30 }),
    effectiveAt: fc.integer({ min: 1, max: 40 }),
    multiplier: fc.bigInt({ min: 1n, max: 5n }),
  });
  const changes = fc
    .array(change, { maxLength: 6 })
    .map((all) => all.sort((a, b) => a.announcedAt - b.announcedAt));
  fc.assert(
    fc.property(changes, fc.integer({ min: 0, max: 45 }), (all, time) => {
      const contract = new ReferenceContract(3n);
      for (const one of all.filter(({ announcedAt }) => announcedAt <= time)) contract.update(one);
      expect(multiplierAt(multiplierSteps(3n, all), time)).toBe(contract.uiMultiplier(time));
    }),
    { numRuns: 2_000 },
  );
});

test('a change that another replaces before its time never was', () => {
  const changes = [
    { announcedAt: 10, effectiveAt: 100, multiplier: 4n * ONE },
    { announcedAt: 20, effectiveAt: 50, multiplier: 2n * ONE },
    { announcedAt: 60, effectiveAt: 60, multiplier: 3n * ONE },
  ];
  expect(supersededChanges(changes)).toEqual([true, false, false]);
  expect(multiplierSteps(ONE, changes).slice(1)).toEqual([
    { from: 50, multiplier: 2n * ONE },
    { from: 60, multiplier: 3n * ONE },
  ]);
});

test('amounts are rounded down', () => {
  expect(uiAmount(3n, ONE / 2n)).toBe(1n);
  expect(uiAmount(2n ** 256n - 1n, 4n * ONE)).toBe(2n ** 258n - 4n);
});
