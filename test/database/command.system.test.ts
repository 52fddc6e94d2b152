import { listIndexedChains } from '../../lambdas/data/list-chains.ts';
import { openChainIndex } from '../../lambdas/indexer/chain-index/chain-index.ts';
import { handleCommand, type MigrateCommand } from '../../lambdas/migrate/command.ts';
import { dropChain, resumeChain } from '../../lambdas/migrate/migrate.ts';
import { connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';
import { startMigratedDatabase } from './migrated-database.ts';

const CHAINS = ['one', 'two'];
const HALTED = 'two';
const REMOVED = 'three';

/** What a command does, in order, and what it answers. */
async function run(command: MigrateCommand) {
  const done: string[] = [];
  const answer = await handleCommand(command, {
    chains: CHAINS,
    log: new RecordedTelemetry().log,
    migrate: async (chains) => {
      done.push(`migrate ${chains.join(' ')}`);
      return ['one/001'];
    },
    drop: async (chain) => {
      done.push(`drop ${chain}`);
      return chain === REMOVED;
    },
    resume: async (chain) => {
      done.push(`resume ${chain}`);
      return chain === HALTED;
    },
    rotate: async (role) => {
      done.push(`rotate ${role}`);
      return `gateway_${role}_b`;
    },
  });
  return { done, answer };
}

test('an empty one migrates all chains of the stage', async () => {
  expect(await run({})).toEqual({ done: ['migrate one two'], answer: { applied: ['one/001'] } });
});

test('a rebuild drops one chain first', async () => {
  expect((await run({ rebuild: 'two' })).done).toEqual(['drop two', 'migrate one two']);
});

test('a halted index goes on, and nothing else is done', async () => {
  expect(await run({ resume: HALTED })).toEqual({
    done: ['resume two'],
    answer: { applied: [], resumed: HALTED },
  });
  await expect(run({ resume: 'one' })).rejects.toThrow('the index of one is not halted');
});

test('a chain that the stage no longer has is dropped, and nothing else is done', async () => {
  expect(await run({ drop: REMOVED })).toEqual({
    done: ['drop three'],
    answer: { applied: [], dropped: REMOVED },
  });
  await expect(run({ drop: 'one' })).rejects.toThrow('the stage has the chain one: take it out first');
  await expect(run({ drop: 'four' })).rejects.toThrow('nothing is indexed of four');
});

test('a role gets a new password, and nothing else is done', async () => {
  expect(await run({ rotate: 'reader' })).toEqual({
    done: ['rotate reader'],
    answer: { applied: [], rotated: 'gateway_reader_b' },
  });
});

test('what is not known does nothing', async () => {
  await expect(run({ resume: 'three' })).rejects.toThrow('unknown chain three');
  await expect(run({ rebuild: 'one', resume: 'two' })).rejects.toThrow(
    'give only one of rebuild, drop, resume and rotate',
  );
  await expect(run({ rotate: 'reader', resume: 'two' })).rejects.toThrow('only one of');
  await expect(run({ rotate: 'admin' as 'reader' })).rejects.toThrow('unknown role admin');
  await expect(run({ rebuild: 'three' })).rejects.toThrow('unknown chain three');
  await expect(run({ rebuidl: 'two' } as MigrateCommand)).rejects.toThrow('unknown member: rebuidl');
});

test('the index of one chain goes on in the database, where it was halted and as fresh as before', async () => {
  const database = await startMigratedDatabase(CHAINS);
  try {
    const hash: `0x${string}` = `0x${'ab'.repeat(32)}`;
    const indexes = CHAINS.map((chain) => openChainIndex(connectionTo(database.writer, chain)));
    const refreshedAt = async () => {
      const chains = [{ chain: 'two', chainId: 1, isDefault: true }];
      return (await listIndexedChains(database.reader, chains, 0)).meta.refreshedAt;
    };
    for (const index of indexes) {
      await index.begin({ number: 41, hash, parentHash: hash, timestamp: 1_700_000_000 });
      await database.admin.query("UPDATE two.cursors SET updated_at = '2026-01-01T00:00:00Z'");
      const cursor = await index.cursor();
      if (cursor === undefined) throw new Error('the index has no cursor');
      await index.halt(cursor, 'another block 40');
    }
    expect(await refreshedAt()).toBe('2026-01-01T00:00:00Z');
    expect(() => dropChain(database.admin, 'gateway')).toThrow('is not a valid schema name');
    const haltedBy = () => Promise.all(indexes.map(async (index) => (await index.cursor())?.halted));
    expect(await resumeChain(database.admin, 'two')).toBe(true);
    expect(await haltedBy()).toEqual(['another block 40', null]);
    expect(await refreshedAt()).toBe('2026-01-01T00:00:00Z');
    expect(await indexes[1]?.cursor()).toMatchObject({ number: 41, hash, epoch: 0 });
    expect(await resumeChain(database.admin, 'two')).toBe(false);
    expect(await dropChain(database.admin, 'one')).toBe(true);
    expect(await dropChain(database.admin, 'one')).toBe(false);
    const schemas =
      'SELECT schema_name::text FROM information_schema.schemata WHERE schema_name IN (:one, :two)';
    const { rows } = await database.admin.query(schemas, { one: 'one', two: 'two' });
    expect(rows).toEqual([{ schema_name: 'two' }]);
  } finally {
    await database.close();
  }
});
