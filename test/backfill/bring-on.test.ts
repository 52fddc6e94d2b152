import { jest } from '@jest/globals';
import { bringOn } from '../../lambdas/backfill/bulk/bring-on.ts';
import type { ChainConnection } from '../../lambdas/shared/chain-database/chain-queries.ts';
import { DatabaseError } from '../../lambdas/shared/chain-database/database-error.ts';

test('a step that waits for a locked table says so', async () => {
  const row = { from_block: 1_000, to_block: 1_999, transfer_rule: '', attached: false };
  const connection: ChainConnection = {
    name: 'made',
    transaction: (work) => work(connection),
    async query(text) {
      if (text.includes('FROM {{schema}}.bulk_partitions WHERE') || text.includes('attached_at'))
        return { rows: [{ ...row, finished: false }], updated: 0 };
      throw new DatabaseError('canceling statement due to lock timeout; SQLState: 55P03', undefined);
    },
  };
  const written = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    const parts = { connection, onImported: async () => undefined, outOfTime: () => false };
    expect(await bringOn(parts, 1_000)).toBe('waits');
    expect(written.mock.calls.join()).toMatch(/bulk_step_waits.*made.*partition 1000.*lock timeout/);
  } finally {
    written.mockRestore();
  }
});
