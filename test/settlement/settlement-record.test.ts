import fc from 'fast-check';
import { putRecord, type SettlementRecord, toRecord } from '../../lambdas/settlement/settlement-ledger.ts';
import { nextRecord } from '../../lambdas/settlement/settlement-step.ts';
import { hourSum } from '../support/hour-sum.ts';

const HOUR = '2026-11-20T11';
const NOON = Date.UTC(2026, 10, 20, 12);

test('the units of all revisions of an hour add up to the floor of its total', () => {
  const additions = fc.array(fc.bigInt({ min: 1n, max: 10n ** 15n }), { minLength: 1, maxLength: 20 });
  const property = fc.property(additions, (added) => {
    const records: SettlementRecord[] = [];
    for (const cu of added) {
      const last = records.at(-1);
      const hour = hourSum({ hour: HOUR, cu: (last?.total_cu ?? 0n) + cu, lanes: [] });
      records.push(nextRecord({ account: 'a' }, hour, last, { nowMs: NOON, salt: '2' }));
    }
    const total = added.reduce((sum, cu) => sum + cu, 0n);
    expect(records.reduce((sum, { billing_units }) => sum + billing_units, 0n)).toBe(total / 1_000n);
    expect(records.reduce((sum, { settled_cu }) => sum + settled_cu, 0n)).toBe(total);
    expect(records.at(-1)).toMatchObject({
      revision: added.length,
      total_cu: total,
      remainder_cu: total % 1_000n,
    });
    for (const record of records) expect(toRecord(putRecord(record).item)).toEqual(record);
  });
  // The last CU before a unit, in one record and in two: chance hardly meets it.
  fc.assert(property, { verbose: 1, examples: [[[1_999n]], [[999n, 1_000n]]] });
});
