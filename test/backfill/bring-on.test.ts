/** How a partition is looked at again: what its steps say, and that the rest of its range is planned once. */
import { jest } from '@jest/globals';
import { bringOn } from '../../lambdas/backfill/bulk/bring-on.ts';
import { type RunBulkParts, runBulk } from '../../lambdas/backfill/bulk/run-bulk.ts';
import type { BackfillMessage } from '../../lambdas/indexer/backfill-message.ts';
import type { ChainConnection } from '../../lambdas/shared/chain-database/chain-queries.ts';
import { DatabaseError } from '../../lambdas/shared/chain-database/database-error.ts';

const PARTITION = {
  ...{ from_block: 1_000, to_block: 1_999, transfer_rule: '', attached: false, finished: false },
};

/** A database with one partition whose files are imported, and which answers to all steps after that alike. */
function partitionWhere(later: () => string): ChainConnection {
  let noted = false;
  const connection: ChainConnection = {
    name: 'made',
    transaction: (work) => work(connection),
    async query(text) {
      if (text.includes('FROM {{schema}}.bulk_partitions WHERE')) return { rows: [PARTITION], updated: 0 };
      if (text.includes('INSERT INTO {{schema}}.bulk_steps')) noted = true;
      if (text.includes('SELECT done_to'))
        return { rows: noted ? [{ done_to: PARTITION.to_block }] : [], updated: 0 };
      return { rows: text.includes('AS said') ? [{ said: later() }] : [], updated: 0 };
    },
  };
  return connection;
}

test('a step that waits for a locked table says so', async () => {
  const connection = partitionWhere(() => {
    throw new DatabaseError('canceling statement due to lock timeout; SQLState: 55P03', undefined);
  });
  const written = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  try {
    const parts = { connection, onImported: async () => undefined, outOfTime: () => false };
    expect(await bringOn(parts, 1_000)).toBe('waits');
    expect(written.mock.calls.join()).toMatch(/bulk_step_waits.*made.*partition 1000.*lock timeout/);
  } finally {
    written.mockRestore();
  }
});

test.each([
  ['the rest of the range is planned', 5_000, [{ chain: 'made', from: 2_000, to: 5_000, bulk: 'plan' }]],
  ['nothing is planned of a range that ends with it', 1_999, []],
])('once a partition is imported, however often it is looked at, %s', async (_, to, planned) => {
  const sent: BackfillMessage[] = [];
  let isDown = true;
  const queue = {
    send: async (work: unknown) => {
      if (isDown) throw new Error('no queue');
      sent.push(work as BackfillMessage);
    },
  };
  const parts = { connection: partitionWhere(() => 'running'), queue, outOfTime: () => false };
  const look = () =>
    runBulk(
      parts as unknown as RunBulkParts,
      { chain: 'made', from: 1_000, to, bulk: 'finish' },
      { deadline: 0 },
    );
  await expect(look()).rejects.toThrow('no queue');
  isDown = false;
  for (let looks = 0; looks < 3; looks += 1) await look();
  expect(sent.filter(({ bulk }) => bulk === 'plan')).toEqual(planned);
  expect(sent.filter(({ bulk }) => bulk === 'finish')).toHaveLength(3);
});
