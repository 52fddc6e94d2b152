/** What was cached of a chain ends with its version: after a deep reorganisation, or by an operator. */
import { cacheClear } from '../../../bin/operator/commands/chain.ts';
import { VERSION_MAX_AGE_MS, VIEW_MAX_AGE_MS } from '../../../lambdas/rpc/cache/response-cache.ts';
import { FINALITY_BLOCKS } from '../../../lambdas/shared/runtime/finality.ts';
import { BARE_CONTEXT } from '../../operator/bare-context.ts';
import { RecordedTelemetry } from '../../support/recorded-telemetry.ts';
import { type AskedCall, type CacheInstance, CacheWorld, quantity } from './cache-world.ts';

const HEAD = 100_000n;
const FINAL = HEAD - BigInt(FINALITY_BLOCKS);
const BLOCK: AskedCall = ['eth_getBlockByNumber', quantity(FINAL), false];

let world: CacheWorld;
/** What the node's blocks are of. */
let fork: string;
beforeEach(() => {
  world = new CacheWorld();
  fork = 'old';
  world.head = HEAD;
  world.node = (_method, [number]) => ({ number, fork });
});

const answerOf = (cached: boolean) => [{ response: { number: quantity(FINAL), fork }, cached }];

/** An instance that has the block, and has shared it. */
async function warmed(): Promise<CacheInstance> {
  const instance = world.open();
  expect(await instance.ask(BLOCK)).toEqual(answerOf(false));
  expect(await instance.ask(BLOCK)).toEqual(answerOf(true));
  return instance;
}

async function clear(chain: string): Promise<unknown> {
  const context = {
    ...BARE_CONTEXT,
    clock: { now: () => world.now },
    cache: { ...BARE_CONTEXT.cache, store: world.store, chains: [world.settings.chain] },
  };
  const outcome = await cacheClear.run(context, { chain }, new RecordedTelemetry());
  return 'json' in outcome ? outcome.json : undefined;
}

describe('a chain that went back below its finalized block', () => {
  test('begins one version, in which what is final of it is kept', async () => {
    const instance = await warmed();
    world.head = FINAL - 300n;
    const older: AskedCall = ['eth_getBlockByNumber', quantity(FINAL - 1_000n), false];
    for (const cached of [false, false, true]) expect(await instance.ask(older)).toMatchObject([{ cached }]);
  });

  test.each([1n, 44n, 300n])('by %s blocks: nothing is answered from what was kept of it', async (blocks) => {
    const instance = await warmed();
    const other = world.open();
    expect(await other.ask(BLOCK)).toEqual(answerOf(true));
    fork = 'new';
    world.head = FINAL - blocks;
    expect(await instance.ask(BLOCK)).toEqual(answerOf(false));
    // The other hears of it by its own poll, or by the version that the first has written.
    expect(await other.ask(BLOCK)).toEqual(answerOf(false));
    // No instance keeps the block again before it is final once more.
    expect(await instance.ask(BLOCK)).toEqual(answerOf(false));
    world.head = HEAD + 10n;
    world.now += VIEW_MAX_AGE_MS;
    expect(await instance.ask(BLOCK)).toEqual(answerOf(false));
    // Both had started a version: the one that was written last holds.
    await instance.ask(BLOCK);
    expect(await instance.ask(BLOCK)).toEqual(answerOf(true));
  });

  test('is told to an instance that has slept meanwhile', async () => {
    const instance = await warmed();
    const asleep = world.open();
    expect(await asleep.ask(BLOCK)).toEqual(answerOf(true));
    fork = 'new';
    world.head = FINAL - 10n;
    await instance.ask(BLOCK);
    world.head = HEAD;
    world.now += VERSION_MAX_AGE_MS;
    expect(await asleep.ask(BLOCK)).toEqual(answerOf(false));
  });

  test('is remembered while the table takes nothing', async () => {
    const instance = await warmed();
    world.store.failure = new Error('down');
    fork = 'new';
    world.head = FINAL - 10n;
    expect(await instance.ask(BLOCK)).toEqual(answerOf(false));
    world.store.failure = undefined;
    world.now += VERSION_MAX_AGE_MS;
    expect(await instance.ask(BLOCK)).toEqual(answerOf(false));
    expect(await world.open().ask(BLOCK)).toEqual(answerOf(false));
  });
});

describe('an operator clears the cache of a chain', () => {
  test('which every instance hears of with the next reading of the version', async () => {
    const instance = await warmed();
    fork = 'corrected';
    expect(await clear(world.settings.chain)).toMatchObject({ cleared: true });
    world.now += VERSION_MAX_AGE_MS;
    expect(await instance.ask(BLOCK)).toEqual(answerOf(false));
    expect(await instance.ask(BLOCK)).toEqual(answerOf(true));
    const [first, second] = [world.open(), world.open()];
    await first.ask(BLOCK);
    expect(await second.ask(BLOCK)).toEqual(answerOf(false));
    expect(await second.ask(BLOCK)).toEqual(answerOf(true));
  });

  test('and another chain does not', async () => {
    const instance = await warmed();
    await expect(clear('other')).rejects.toThrow('unknown chain other');
    world.now += VERSION_MAX_AGE_MS;
    expect(await instance.ask(BLOCK)).toEqual(answerOf(true));
  });
});

test('the version is read with the responses, and beside them once in ten seconds', async () => {
  const instance = await warmed();
  const before = world.store.reads.length;
  for (let second = 0; second < 30; second++) {
    world.now += 1_000;
    expect(await instance.ask(BLOCK)).toEqual(answerOf(true));
  }
  expect(world.store.reads.length - before).toBe(3);
});

test('while the table is down, the memory answers', async () => {
  const instance = await warmed();
  world.store.failure = new Error('down');
  world.now += 2 * VERSION_MAX_AGE_MS;
  expect(await instance.ask(BLOCK)).toEqual(answerOf(true));
});
