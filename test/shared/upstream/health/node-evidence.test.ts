/** A refusal counts against a node for a second account, or while the gateway's own question fails. */
import { NodeEvidence } from '../../../../lambdas/shared/upstream/health/holds.ts';

let now: number;
let evidence: NodeEvidence;

beforeEach(() => {
  now = 1_000_000_000_000;
  evidence = new NodeEvidence({ now: () => now });
});

test('the same refusal to a second account within a minute does, and another refusal does not', () => {
  evidence.counts('status 503', 'one');
  expect(evidence.counts('status 500', 'two')).toBe(false);
  now += 60_000;
  expect(evidence.counts('status 503', 'two')).toBe(true);
  expect(evidence.counts('status 503', 'one')).toBe(true);
  now += 60_001;
  expect(evidence.counts('status 503', 'one')).toBe(false);
});

test("so does the gateway's own question, as long as it fails", () => {
  expect(evidence.counts('status 503', undefined)).toBe(true);
  evidence.asked(false);
  expect(evidence.counts('status 503', 'one')).toBe(true);
  evidence.asked(true);
  expect(evidence.counts('status 503', 'one')).toBe(false);
});

test('refusals lead to one question a second', () => {
  expect([evidence.isDue(), evidence.isDue()]).toEqual([true, false]);
  now += 1_000;
  expect(evidence.isDue()).toBe(true);
});
