import fc from 'fast-check';
import {
  RESERVED_FOR_FAILURES,
  RetryBudget,
} from '../../../../lambdas/shared/upstream/health/refused-words.ts';

test('the first n calls have at most 0.18 n + 100 further attempts, and any n calls 0.18 n + 1,000', () => {
  const step = fc.record({
    calls: fc.integer({ min: 0, max: 100 }),
    wanted: fc.integer({ min: 0, max: 100 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400 }), fc.nat(), (steps, from) => {
      const budget = new RetryBudget();
      const start = from % (steps.length + 1);
      let all = 0;
      let further = 0;
      let calls = 0;
      let furtherSinceStart = 0;
      let callsSinceStart = 0;
      for (const [index, { calls: sent, wanted }] of steps.entries()) {
        budget.earn(sent);
        calls += sent;
        all = budget.take(wanted) ? wanted : 0;
        further += all;
        if (index >= start) {
          furtherSinceStart += all;
          callsSinceStart += sent;
        }
        expect(further).toBeLessThanOrEqual(0.18 * calls + 100 + 1e-6);
        expect(furtherSinceStart).toBeLessThanOrEqual(0.18 * callsSinceStart + 1_000 + 1e-6);
      }
    }),
  );
});

test('lets a whole batch fail over on the first request', () => {
  const budget = new RetryBudget();
  expect([budget.take(100), budget.take(1)]).toEqual([true, false]);
});

test('keeps a reserve from callers that ask for one to be kept', () => {
  const budget = new RetryBudget();
  expect(budget.take(100 - RESERVED_FOR_FAILURES + 1, RESERVED_FOR_FAILURES)).toBe(false);
  expect(budget.take(100 - RESERVED_FOR_FAILURES, RESERVED_FOR_FAILURES)).toBe(true);
  expect(budget.take(1, RESERVED_FOR_FAILURES)).toBe(false);
  expect(budget.take(RESERVED_FOR_FAILURES)).toBe(true);
});
