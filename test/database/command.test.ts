import { handleCommand, type MigrateCommand } from '../../lambdas/migrate/command.ts';

const CHAINS = ['one', 'two'];

/** What a command does, in order, and what it answers. */
async function run(command: MigrateCommand) {
  const done: string[] = [];
  const answer = await handleCommand(command, {
    chains: CHAINS,
    migrate: async (chains) => {
      done.push(`migrate ${chains.join(' ')}`);
      return ['one/001'];
    },
    forget: async (chain) => {
      done.push(`forget ${chain}`);
    },
  });
  return { done, answer };
}

beforeEach(() => {
  jest.spyOn(process.stdout, 'write').mockReturnValue(true);
});
afterEach(() => jest.restoreAllMocks());

test('an empty one migrates all chains of the stage', async () => {
  expect(await run({})).toEqual({ done: ['migrate one two'], answer: { applied: ['one/001'] } });
});

test('a rebuild forgets one chain first', async () => {
  expect((await run({ rebuild: 'two' })).done).toEqual(['forget two', 'migrate one two']);
});

test('what is not known does nothing', async () => {
  await expect(run({ rebuild: 'three' })).rejects.toThrow('the stage has no chain three');
  await expect(run({ rebuidl: 'two' } as MigrateCommand)).rejects.toThrow('unknown member: rebuidl');
});
