import fc from 'fast-check';
import { multiplierStates } from '../../lambdas/rollups/multiplier-history.ts';
import { StockMultiplier } from '../../local/demo-chain/activity/stock-activity.ts';

const E18 = 10n ** 18n;

test('after each announcement a contract holds what the demo chain says', () => {
  const announcement = fc.record({
    gap: fc.nat(100),
    effectiveAt: fc.integer({ min: 1, max: 1_000 }),
    multiplier: fc.bigInt({ min: 1n, max: 10n * E18 }),
  });
  fc.assert(
    fc.property(fc.array(announcement, { maxLength: 8 }), (found) => {
      const model = new StockMultiplier(E18);
      let time = 1;
      const announcements = found.map(({ gap, effectiveAt, multiplier }) => {
        time += gap;
        return { announcedAt: time, effectiveAt, multiplier };
      });
      const states = multiplierStates(E18, announcements);
      expect(states).toHaveLength(announcements.length);
      for (const [index, { announcedAt, effectiveAt, multiplier }] of announcements.entries()) {
        const block = { number: index, timestamp: announcedAt } as Parameters<StockMultiplier['announce']>[0];
        model.announce(block, multiplier, effectiveAt);
        const state = states[index];
        for (const moment of [announcedAt, effectiveAt - 1, effectiveAt, effectiveAt + 1, 2_000])
          expect(state && moment >= state.effectiveAt ? state.next : state?.current).toBe(
            model.inForce(moment),
          );
      }
    }),
  );
});
