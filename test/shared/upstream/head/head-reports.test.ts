/** The head is the highest that upstreams stand by and block time allows; it goes back with the chain alone. */
import fc from 'fast-check';
import { MAX_CLOCK_SKEW_MS, MAX_LAG_BLOCKS } from '../../../../lambdas/shared/upstream/head/head-claim.ts';
import {
  HeadReports,
  MIN_STAND_MS,
  REPORTS_OF_A_DROP,
} from '../../../../lambdas/shared/upstream/head/head-reports.ts';

const NOW = Date.UTC(2026, 0, 1);
/** More than any chain has. */
const ABSURD = 2n ** 52n;
/** Report of a liar that knows how long chains are. */
const LIE = 1_000_000n;
const POLL_MS = 1_000;

/** Reports of upstreams, each of a block that is shown with its time. */
class Told {
  readonly view: HeadReports;
  now = NOW;

  constructor(upstreams: number) {
    this.view = new HeadReports(upstreams);
  }

  /** `ageMs`: of the block when it is reported. */
  tell(upstream: number, number: bigint | number, ageMs = 0): bigint | undefined {
    this.view.report(upstream, { number: BigInt(number), timeMs: this.now - ageMs }, this.now);
    return this.view.head;
  }

  /** A number without its block. */
  number(upstream: number, number: bigint | number): bigint | undefined {
    this.view.report(upstream, { number: BigInt(number) }, this.now);
    return this.view.head;
  }

  wait(ms: number): this {
    this.now += ms;
    return this;
  }
}

describe('the head', () => {
  test('is the highest of all that upstreams stand by, and does not go back because another lags', () => {
    const lags = fc.array(fc.tuple(fc.nat(2), fc.nat(200)), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(lags, (tellings) => {
        const told = new Told(4);
        for (let second = 0, head = 1_000; second < tellings.length; second++, head += 4) {
          const [upstream, lag] = tellings[second] as readonly [number, number];
          told.wait(POLL_MS).tell(3, head);
          expect(told.tell(upstream, head - lag, lag * 250)).toBeGreaterThanOrEqual(BigInt(head - 4));
          expect(told.tell(3, head)).toBe(BigInt(head));
        }
      }),
    );
  });

  test('goes back as soon as the upstream that told it tells less, time and again', () => {
    const told = new Told(2);
    told.tell(0, 1_000);
    told.tell(1, 998, 500);
    told.view.serve(1_000n);
    for (let telling = 1; telling < REPORTS_OF_A_DROP; telling++) {
      expect(told.tell(0, 900)).toBe(1_000n);
      expect(told.view.isDoubted(0)).toBe(true);
    }
    expect(told.tell(0, 900)).toBe(998n);
    expect([told.view.served, told.view.isDoubted(0), told.view.headOf(0)]).toEqual([998n, false, 900n]);
  });

  test.each([1, 50, 256, 300, 999])('goes back by %i blocks with the only upstream', (blocks) => {
    const told = new Told(1);
    told.tell(0, 1_000);
    for (let telling = 0; telling < REPORTS_OF_A_DROP; telling++) told.tell(0, 1_000 - blocks);
    expect([told.view.head, told.view.isBehind(0)]).toEqual([1_000n - BigInt(blocks), false]);
  });

  test('stays while one of several nodes behind a URL lags', () => {
    const told = new Told(1);
    told.tell(0, 1_000);
    for (let telling = 0; telling < 100; telling++) {
      expect(told.tell(0, 950)).toBe(1_000n);
      expect(told.wait(100).tell(0, 1_000)).toBe(1_000n);
      // Once it is known for that, it need not be asked again.
      told.tell(0, 950);
      expect(told.view.isDoubted(0)).toBe(false);
    }
  });

  test('goes back for several nodes behind a URL when none has it for a few block times', () => {
    const told = new Told(1);
    told.tell(0, 1_000);
    told.tell(0, 950);
    told.tell(0, 1_000);
    for (let waited = POLL_MS; waited < MIN_STAND_MS; waited += POLL_MS) {
      expect(told.wait(POLL_MS).tell(0, 900)).toBe(1_000n);
    }
    expect(told.wait(POLL_MS).tell(0, 900)).toBe(900n);
  });

  test('stands a few block times while its upstream is not heard of', () => {
    const told = new Told(2);
    told.tell(0, 1_000);
    told.tell(1, 990, 2_000);
    for (let waited = POLL_MS; waited < MIN_STAND_MS; waited += POLL_MS) {
      expect(told.wait(POLL_MS).tell(1, 990, 2_000)).toBe(1_000n);
    }
    expect(told.wait(POLL_MS).tell(1, 991)).toBe(991n);
  });

  test('stands while no upstream is asked', () => {
    const told = new Told(2);
    told.tell(0, 1_000);
    told.tell(1, 990, 2_000);
    expect(told.wait(25_000).tell(1, 990, 27_000)).toBe(1_000n);
  });

  test('stands longer where blocks take longer', () => {
    const told = new Told(2);
    told.tell(0, 1_000, 12_000);
    told.wait(12_000).tell(0, 1_001, 12_000);
    for (let waited = POLL_MS; waited < 36_000; waited += POLL_MS) {
      expect(told.wait(POLL_MS).tell(1, 999, 30_000)).toBe(1_001n);
    }
    expect(told.wait(POLL_MS).tell(1, 999, 30_000)).toBe(999n);
  });

  test('does not go back by a response that another has overtaken', () => {
    const told = new Told(1);
    told.tell(0, 1_000);
    for (let response = 0; response < 10; response++)
      told.view.report(0, { number: 999n }, NOW + 50, NOW - 50);
    expect([told.view.head, told.view.isDoubted(0)]).toEqual([1_000n, false]);
  });

  test('is confirmed only by an upstream that is in step', () => {
    const told = new Told(2);
    told.tell(0, 1_000);
    told.wait(5_000).tell(1, 10, 60_000);
    expect(told.view.confirmedAt).toBe(NOW);
    told.wait(1_000).tell(1, 1_000);
    expect(told.view.confirmedAt).toBe(NOW + 6_000);
  });
});

describe('an upstream that is behind', () => {
  test('by more than a few blocks is known as such until it has caught up', () => {
    const told = new Told(2);
    told.tell(0, 1_000);
    told.tell(1, 1_000n - MAX_LAG_BLOCKS);
    expect(told.view.isBehind(1)).toBe(false);
    told.wait(1).tell(0, 1_001);
    for (let telling = 0; telling < REPORTS_OF_A_DROP; telling++) told.tell(1, 900, 60_000);
    expect([told.view.isBehind(0), told.view.isBehind(1)]).toEqual([false, true]);
    told.tell(1, 1_001);
    expect(told.view.isBehind(1)).toBe(false);
  });

  test('does not depend on the order of reports at one time', () => {
    const told = new Told(2);
    told.tell(1, 900, 25_000);
    told.wait(100).tell(0, 1_000);
    expect([told.view.head, told.view.isBehind(1)]).toEqual([1_000n, true]);
  });

  test('is not told by blocks that come between two reports', () => {
    const told = new Told(2);
    told.tell(1, 900);
    told.wait(25_000).tell(0, 1_000);
    expect(told.view.isBehind(1)).toBe(false);
  });
});

describe('a head that block time does not allow', () => {
  test.each([1, 2, 3, 4, 5])('is not believed of a minority, whatever it shows: %i upstreams', (count) => {
    const liars = Math.floor((count - 1) / 2);
    for (const lie of [ABSURD, LIE, 1_100n]) {
      for (const liarsFirst of [true, false]) {
        const told = new Told(count);
        const order = Array.from({ length: count }, (_, index) => (liarsFirst ? index : count - 1 - index));
        for (let poll = 0; poll < 3; poll++) {
          told.wait(200);
          for (const index of order) told.tell(index, index < liars ? lie : 1_000);
        }
        expect(told.view.head).toBe(1_000n);
        expect(order.filter((index) => told.view.isBehind(index) && index >= liars)).toEqual([]);
        expect(told.view.finalityHead(told.now)).toBe(1_000n);
      }
    }
  });

  test('is not believed of one of two that was in step before, nor of one that starts with it', () => {
    for (const lie of [ABSURD, LIE, 1_100n]) {
      const told = new Told(2);
      told.tell(0, 1_000);
      told.tell(1, 1_000);
      expect(told.wait(POLL_MS).tell(1, lie)).toBe(1_000n);
      expect([told.view.isBehind(0), told.view.isBehind(1)]).toEqual([false, true]);
      const fresh = new Told(2);
      fresh.tell(1, lie);
      expect(fresh.wait(10).tell(0, 1_000)).toBe(1_000n);
    }
  });

  test('nor is it by a low one that the other is held for a liar', () => {
    const told = new Told(2);
    told.tell(0, 1_000);
    told.tell(1, 1_000);
    for (let poll = 0; poll < 30; poll++) {
      told.wait(POLL_MS).tell(1, 10);
      expect(told.tell(0, 1_004 + 4 * poll)).toBe(BigInt(1_004 + 4 * poll));
    }
    expect([told.view.isBehind(0), told.view.isBehind(1)]).toEqual([false, true]);
  });

  test('is no lie if the others show that they are as far behind', () => {
    const told = new Told(3);
    told.tell(0, 1_000, 75_000);
    told.tell(1, 1_000, 75_000);
    expect(told.tell(2, 1_300)).toBe(1_300n);
    expect([0, 1, 2].map((index) => told.view.isBehind(index))).toEqual([true, true, false]);
  });

  test('is refused of the only upstream, and believed again as soon as it tells the truth', () => {
    for (const lie of [ABSURD, LIE]) {
      const told = new Told(1);
      told.tell(0, 1_000);
      expect(told.wait(POLL_MS).tell(0, lie)).toBe(1_000n);
      expect(told.view.isBehind(0)).toBe(true);
      expect(told.wait(POLL_MS).tell(0, 1_002)).toBe(1_002n);
      expect(told.view.isBehind(0)).toBe(false);
    }
    const first = new Told(1);
    expect(first.tell(0, ABSURD)).toBeUndefined();
    expect(first.tell(0, 5)).toBe(5n);
  });

  test('needs a look at its block: one as much later as its number says is believed, one of the future is not', () => {
    const told = new Told(1);
    told.tell(0, 1_000, 3_600_000);
    expect(told.number(0, 300_000)).toBe(1_000n);
    expect(told.view.needsLook(0)).toBe(true);
    expect(told.tell(0, 73_000)).toBe(73_000n);
    expect(told.wait(1).tell(0, 73_500, -MAX_CLOCK_SKEW_MS - 1)).toBe(73_000n);
    expect(told.view.needsLook(0)).toBe(false);
    expect(told.tell(0, 73_500, -MAX_CLOCK_SKEW_MS)).toBe(73_500n);
    expect(told.tell(0, 74_501)).toBe(73_500n);
  });

  test('does not follow from block time after a long sleep', () => {
    const told = new Told(1);
    told.tell(0, 1_000);
    expect(told.wait(3_600_000).number(0, 1_000 + 3_600 * 4)).toBe(15_400n);
  });
});

test('finality is counted from what more than half have, of two from the lower, and from none that syncs', () => {
  const told = new Told(5);
  const heads = [1_000, 1_001, 1_002, 1_003, 1_004];
  expect(heads.map((head, index) => [told.tell(index, head), told.view.finalityHead(NOW)][1])).toEqual([
    1_000n,
    1_000n,
    1_001n,
    1_001n,
    1_002n,
  ]);
  told.view.reportSyncing(0, true, 0);
  told.view.reportSyncing(1, true, 0);
  told.view.reportSyncing(2, true, 0);
  expect(told.view.finalityHead(NOW)).toBe(1_003n);
});
