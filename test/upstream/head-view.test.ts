import fc from 'fast-check';
import { HeadView, MAX_LAG_BLOCKS, MAX_LEAD_BLOCKS } from '../../lambdas/upstream/head-view.ts';

const NOW = 1_000_000;
const LIE = 4_000_000_000n;

test('knows nothing to begin with, and holds nobody for behind', () => {
  const view = new HeadView(2);
  expect([view.head, view.served, view.isBehind(0, NOW)]).toEqual([undefined, 0n, false]);
});

test('the head is the highest of all, and never goes back', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(2), fc.nat(900)), { minLength: 1 }), (reports) => {
      const view = new HeadView(3);
      let highest = 0n;
      for (const [index, [upstream, head]] of reports.entries()) {
        view.report(upstream, BigInt(head), NOW + index * 100);
        highest = BigInt(head) > highest ? BigInt(head) : highest;
        expect(view.head).toBe(highest);
      }
    }),
  );
});

test('who is behind by more than a few blocks is known as such until it has caught up', () => {
  const view = new HeadView(2);
  view.report(0, 1_000n, NOW);
  view.report(1, 1_000n - MAX_LAG_BLOCKS, NOW);
  expect(view.isBehind(1, NOW)).toBe(false);
  view.report(1, 1_000n - MAX_LAG_BLOCKS - 1n, NOW);
  expect([view.isBehind(0, NOW), view.isBehind(1, NOW)]).toEqual([false, true]);
  view.report(1, 1_000n, NOW);
  expect(view.isBehind(1, NOW)).toBe(false);
});

test('the order of reports at one time does not matter', () => {
  const view = new HeadView(2);
  view.report(1, 900n, NOW);
  view.report(0, 1_000n, NOW + 100);
  expect(view.isBehind(1, NOW + 100)).toBe(true);
});

test('blocks that come between two reports are no lag', () => {
  const view = new HeadView(2);
  view.report(1, 900n, NOW);
  view.report(0, 1_000n, NOW + 25_000);
  expect(view.isBehind(1, NOW + 25_000)).toBe(false);
});

test('who syncs is behind, alone too', () => {
  const view = new HeadView(1);
  view.report(0, 5n, NOW);
  view.reportSyncing(0, true);
  expect(view.isBehind(0, NOW)).toBe(true);
  view.reportSyncing(0, false);
  expect(view.isBehind(0, NOW)).toBe(false);
});

test('a single upstream that goes back a little is in step, at a head that does not move', () => {
  const view = new HeadView(1);
  view.report(0, 100n, NOW);
  view.report(0, 50n, NOW);
  expect([view.head, view.isBehind(0, NOW)]).toEqual([100n, false]);
});

test.each([
  ['first', [LIE, 1_000n, 1_001n]],
  ['last', [1_000n, 1_001n, LIE]],
])('a head that two others contradict is not believed: told %s', (_name, heads) => {
  const view = new HeadView(3);
  for (const [index, head] of heads.entries()) view.report(index, head, NOW);
  expect(view.head).toBe(1_001n);
  expect(heads.map((_, index) => view.isBehind(index, NOW))).toEqual(heads.map((head) => head === LIE));
});

test('one alone does not contradict, and neither do two that do not agree', () => {
  const view = new HeadView(3);
  view.report(0, 100_000n, NOW);
  view.report(1, 10n, NOW);
  expect(view.head).toBe(100_000n);
  view.report(2, 10n + MAX_LEAD_BLOCKS + 1n, NOW);
  expect(view.head).toBe(100_000n);
});

test('a chain that was started anew is seen to be', () => {
  const view = new HeadView(1);
  view.report(0, 100_000n, NOW);
  view.serve(100_000n);
  view.report(0, 3n, NOW + 1);
  expect([view.head, view.served]).toEqual([3n, 3n]);
});

test('is confirmed by who is in step only', () => {
  const view = new HeadView(2);
  view.report(0, 1_000n, NOW);
  view.report(1, 10n, NOW + 5_000);
  expect(view.confirmedAt).toBe(NOW);
  view.report(1, 1_000n, NOW + 6_000);
  expect(view.confirmedAt).toBe(NOW + 6_000);
});
