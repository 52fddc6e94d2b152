/** A node that lies is named, and the next is asked; on the day of a fork no block is missed (each lie: altered-members.test.ts). */
import { BlockError } from '../../../lambdas/indexer/blocks/block-error.ts';
import { hex, type Json } from '../../shared/verify/made-block.ts';
import { type Lie, provenChain, provingWorld, strangers } from './proving-world.ts';

const TRUTH = provenChain(41);
const LIES_FROM = 20;

/** Its receipt says that the second transaction failed. */
const lie: Lie = (sent, number) => {
  if (number >= LIES_FROM) Object.assign(sent.receipts[1] as Json, { status: '0x0' });
  return sent;
};

test('one of three nodes that alters blocks is named, in the log and by a figure', async () => {
  const world = provingWorld([{ chain: TRUTH, lie }, { chain: TRUTH }, { chain: TRUTH }]);
  await world.follow(6);
  expect(strangers(world.stored, TRUTH)).toEqual([]);
  expect(world.stored).toHaveLength(41);
  expect(world.sum('WrongAnswers')).toBeGreaterThan(0);
  const [line] = world.telemetry.logged.filter(({ event }) => event === 'wrong_answer');
  expect(line?.reason).toMatch(/^block [23]\d: .* of node-0 is wrong$/);
  expect(world.telemetry.emitted[0]?.breakdown).toMatchObject({ by: { Upstream: 'node-0' } });
});

test('of the only node nothing is stored from its lie on, and a slot of that halts the chain', async () => {
  const world = provingWorld([{ chain: TRUTH, lie }]);
  const failures = await world.follow(8);
  expect(world.stored.map(({ number }) => number)).toEqual(
    Array.from({ length: LIES_FROM }, (_, number) => number),
  );
  expect(failures.at(-1)).toBeInstanceOf(BlockError);
  expect(failures.at(-1)).toMatchObject({ kind: 'wrong_answer', blockNumber: LIES_FROM, isLasting: true });
});

test('all three lie: 0 altered blocks are stored, and all three are named', async () => {
  const world = provingWorld([0, 1, 2].map(() => ({ chain: TRUTH, lie })));
  await world.follow(8);
  expect(world.stored).toHaveLength(LIES_FROM);
  expect(world.blamed().toSorted()).toEqual(['node-0', 'node-1', 'node-2']);
});

test('a chain without a form is stored as its node tells it, as ever', async () => {
  const world = provingWorld([{ chain: TRUTH, lie }], 'none');
  await world.follow(4);
  expect(world.stored).toHaveLength(41);
  expect(world.telemetry.emitted).toEqual([]);
});

describe('on the day of a fork', () => {
  const forked = provenChain(41, {
    onto: TRUTH.slice(0, LIES_FROM),
    change: (sent) => ({ ...sent, block: { ...sent.block, slotNumber: hex(9) } }),
  });

  test('a new member of all headers: 0 blocks are missed, and a ticket says that they were compared', async () => {
    const world = provingWorld([{ chain: forked }, { chain: forked }]);
    expect(await world.follow(6)).toEqual([]);
    expect(strangers(world.stored, forked)).toEqual([]);
    expect(world.stored).toHaveLength(41);
    expect([world.sum('ProofLost'), world.sum('UnprovenBlocks'), world.sum('WrongAnswers')]).toEqual([
      21, 0, 0,
    ]);
  });

  test('of the only node they are stored, and a page says that nobody else was asked', async () => {
    const world = provingWorld([{ chain: forked }, { chain: TRUTH, operator: 'node-0' }]);
    expect(await world.follow(6)).toEqual([]);
    expect(strangers(world.stored, forked)).toEqual([]);
    expect(world.sum('UnprovenBlocks')).toBe(21);
    const [line] = world.telemetry.logged.filter(({ event }) => event === 'block_unproven');
    expect(line?.reason).toContain('has no slotNumber');
  });

  test('where proof is required they wait, until an independent node has the same', async () => {
    const nodes = [{ chain: forked }, { chain: forked, isSilent: true }];
    const world = provingWorld(nodes, 'ethereum', { required: true });
    const failures = await world.follow(6);
    expect(world.stored).toHaveLength(LIES_FROM);
    expect(failures).toContainEqual(expect.objectContaining({ blockNumber: LIES_FROM, isLasting: false }));
    (nodes[1] as { isSilent?: boolean }).isSilent = false;
    await world.wait(60_000);
    await world.follow(6);
    expect(world.stored).toHaveLength(41);
    expect(world.sum('UnprovenBlocks')).toBe(0);
  });

  test('a second node that is down stops nothing', async () => {
    const world = provingWorld([{ chain: forked }, { chain: forked, isSilent: true }]);
    await world.follow(6);
    expect(world.stored).toHaveLength(41);
    expect(world.sum('UnprovenBlocks')).toBe(21);
  });
});
