/** Nothing that a node alters is stored: the next node is asked, and the one that lied is named. */
import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { BlockError } from '../../../lambdas/indexer/blocks/block-error.ts';
import { hex, type Json, type SentJson } from '../../shared/verify/made-block.ts';
import { type Lie, provenChain, provingWorld, strangers } from './proving-world.ts';

const TRUTH = provenChain(41);
const LIES_FROM = 20;

/** Alters every block from one on. */
const from =
  (alter: (sent: SentJson) => void): Lie =>
  (sent, number) => {
    if (number >= LIES_FROM) alter(sent);
    return sent;
  };
const receipt = ({ receipts }: SentJson) => receipts[1] as Json;
const transaction = ({ block }: SentJson) => block.transactions[1] as Json;

const LIES: Readonly<Record<string, Lie>> = {
  'a status flipped': from((sent) => Object.assign(receipt(sent), { status: '0x0' })),
  'the amount of a transfer': from((sent) =>
    Object.assign((receipt(sent).logs as Json[])[0] as Json, { data: `0x${'7'.repeat(64)}` }),
  ),
  'a log left out, its bloom bits another’s': from((sent) => Object.assign(receipt(sent), { logs: [] })),
  'gas used': from((sent) => Object.assign(receipt(sent), { gasUsed: hex(21_000) })),
  'the price of gas': from((sent) => Object.assign(receipt(sent), { effectiveGasPrice: '0x1' })),
  'the value of a transaction': from((sent) => Object.assign(transaction(sent), { value: hex(10n ** 20n) })),
  'who sent a transaction, and in its receipt': from((sent) => {
    const sender = { from: `0x${'66'.repeat(20)}` };
    Object.assign(receipt(sent), sender);
    return Object.assign(transaction(sent), sender);
  }),
  calldata: from((sent) => Object.assign(transaction(sent), { input: '0xcafebabe00' })),
  'the time of a block': from(({ block }) => Object.assign(block, { timestamp: '0x1' })),
  'the miner of a block': from(({ block }) => Object.assign(block, { miner: `0x${'66'.repeat(20)}` })),
  'the state root of a block': from(({ block }) =>
    Object.assign(block, { stateRoot: `0x${'66'.repeat(32)}` }),
  ),
  'a type that its form does not have': from((sent) =>
    Object.assign(transaction(sent), { type: '0x55', value: '0x7' }),
  ),
  'a member that headers do not have, beside another gas limit': from(({ block }) =>
    Object.assign(block, { gasLimit: '0x1', slotNumber: '0x1' }),
  ),
};

const storedAs = ({ stored }: { readonly stored: readonly RawBlock[] }) =>
  stored.map(({ number, hash, timestamp, miner, transactions }) => [
    ...[number, hash, timestamp, miner],
    ...transactions.map(({ from: sender, value, input, receipt: own }) => [
      sender,
      value,
      input,
      own.status,
      own.gasUsed,
      own.logs,
    ]),
  ]);

describe.each(Object.entries(LIES))('one of three nodes alters %s', (_, lie) => {
  test('0 altered blocks are stored, all right ones are, and the node is named', async () => {
    const honest = provingWorld([{ chain: TRUTH }]);
    await honest.follow(4);
    const world = provingWorld([{ chain: TRUTH, lie }, { chain: TRUTH }, { chain: TRUTH }]);
    await world.follow(6);
    expect(storedAs(world)).toHaveLength(41);
    expect(storedAs(world)).toEqual(storedAs(honest));
    expect(world.blamed()).toEqual(['node-0']);
    expect(world.sum('WrongAnswers')).toBeGreaterThan(0);
    const [line] = world.telemetry.logged.filter(({ event }) => event === 'wrong_answer');
    expect(line?.reason).toMatch(/^block [23]\d: .* of node-0 is wrong$/);
    expect(world.telemetry.emitted[0]?.breakdown).toMatchObject({ by: { Upstream: 'node-0' } });
  });

  test('the read itself goes on with the next node, as a fill of the past does it', async () => {
    const { reader } = provingWorld([{ chain: TRUTH, lie }, { chain: TRUTH }]);
    const hashes: unknown[] = [];
    for await (const page of reader.pages(0, 40, { deadline: Number.MAX_SAFE_INTEGER }))
      hashes.push(...page.map(({ hash }) => hash));
    expect(hashes).toEqual(TRUTH.map(({ block }) => block.hash));
  });
});

test('of the only node nothing is stored from its lie on, and a slot of that halts the chain', async () => {
  const world = provingWorld([{ chain: TRUTH, lie: LIES['a status flipped'] as Lie }]);
  const failures = await world.follow(8);
  expect(world.stored.map(({ number }) => number)).toEqual(
    Array.from({ length: LIES_FROM }, (_, number) => number),
  );
  expect(failures.at(-1)).toBeInstanceOf(BlockError);
  expect(failures.at(-1)).toMatchObject({ kind: 'wrong_answer', blockNumber: LIES_FROM, isLasting: true });
});

test('all three lie: 0 altered blocks are stored, and all three are named', async () => {
  const lie = LIES['the value of a transaction'] as Lie;
  const world = provingWorld([0, 1, 2].map(() => ({ chain: TRUTH, lie })));
  await world.follow(8);
  expect(world.stored).toHaveLength(LIES_FROM);
  expect(world.blamed().toSorted()).toEqual(['node-0', 'node-1', 'node-2']);
});

test('a chain without a form is stored as its node tells it, as ever', async () => {
  const lie = LIES['a status flipped'] as Lie;
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

  test('a new member of the headers of one node: 0 of its blocks are stored', async () => {
    const world = provingWorld([{ chain: forked }, { chain: TRUTH }]);
    await world.follow(6);
    expect(strangers(world.stored, TRUTH)).toEqual([]);
    expect(world.stored).toHaveLength(41);
    expect(world.blamed()).toEqual(['node-0']);
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
