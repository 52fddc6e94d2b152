import type { Context } from '../../bin/operator/context/command.ts';
import { BARE_CONTEXT } from './bare-context.ts';
import { capturedRun } from './captured-run.ts';

/** A gateway whose stage has one chain; its database may have tables of others, which it had before. */
const context: Context = {
  ...BARE_CONTEXT,
  cache: { ...BARE_CONTEXT.cache, chains: ['kept'] },
  openIndexing: async () => {
    throw new Error('the database was opened');
  },
};

const backfill = (...argv: string[]) => capturedRun(['backfill', ...argv, '--local'], context);

test.each([[[]], [['--start']], [['--start', '--bulk']], [['--drop-bulk']], [['--from-files', 'files']]])(
  'nothing is queued for a chain that the stage no longer has: %j',
  async (flags) => {
    expect(await backfill('removed', ...flags)).toEqual({
      exitCode: 2,
      stdout: '',
      stderr: 'operator: unknown chain removed\n',
    });
  },
);

test('a chain of the stage is looked up', async () => {
  expect(await backfill('kept')).toMatchObject({
    exitCode: 1,
    stderr: 'operator: the database was opened\n',
  });
});
