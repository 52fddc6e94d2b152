/** No hash that an independent node contradicts becomes final, and a node that is silent stops nothing. */

import type { Hex, RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { judgeHash } from '../../../lambdas/indexer/proof/hash-votes.ts';
import { domainOf, operatorsOf } from '../../../lambdas/shared/upstream/operators/operators.ts';
import { hex } from '../../shared/verify/made-block.ts';
import { type Lie, provenChain, provingWorld, strangers, type WorldNode } from './proving-world.ts';

const FINALITY = 256;
const FORK = 300;
const LENGTH = 640;
const TRUTH = provenChain(LENGTH);
/** Consistent in itself: hashes and roots come out. */
const FORGED = provenChain(LENGTH, {
  onto: TRUTH.slice(0, FORK),
  change: (sent) => ({ ...sent, block: { ...sent.block, gasLimit: hex(29_000_000) } }),
});

/** Lets the heads of all nodes grow by some blocks before each step. */
async function grow(nodes: WorldNode[], blocks: number, begin: number) {
  const world = provingWorld(nodes);
  const failures: Error[] = [];
  let highestFinal = 0;
  for (let head = begin; head < LENGTH; head += blocks) {
    for (const node of nodes) node.head = head;
    failures.push(...(await world.follow(2)));
    highestFinal = Math.max(highestFinal, (world.stored.at(-1)?.number ?? 0) - FINALITY);
  }
  return { world, failures, highestFinal };
}

describe.each([
  ['near the head', 15, 250],
  ['from far behind', 400, 639],
])('followed %s', (_, blocks, begin) => {
  test('a forged branch of one of two nodes never becomes final, and both hashes are named', async () => {
    const { world, failures } = await grow([{ chain: FORGED }, { chain: TRUTH }], blocks, begin);
    const last = world.stored.at(-1)?.number ?? 0;
    expect(last - FINALITY).toBeLessThan(FORK);
    expect(world.sum('HashContradictions')).toBeGreaterThan(0);
    const [line] = world.telemetry.logged.filter(({ event }) => event === 'index_hash_contradicted');
    const [, number, own, other] =
      /^block (\d+) is (0x\w+) by node-0, and (0x\w+) by node-1$/.exec(line?.reason ?? '') ?? [];
    expect([own, other]).toEqual([FORGED, TRUTH].map((chain) => chain[Number(number)]?.block.hash));
    expect(failures.at(-1)).toMatchObject({ kind: 'contradicted', isLasting: true });
  });

  test('one of three: the index is right, and the one is named', async () => {
    const nodes = [{ chain: FORGED }, { chain: TRUTH }, { chain: TRUTH }];
    const { world } = await grow(nodes, blocks, begin);
    await world.follow(4);
    expect(strangers(world.stored, TRUTH)).toEqual([]);
    expect(world.stored).toHaveLength(((nodes[0] as WorldNode).head as number) + 1);
    expect(world.blamed()).toEqual(['node-0']);
    expect(world.sum('HashContradictions')).toBe(0);
  });

  test('one of three that is not read is named, and changes nothing', async () => {
    const { world, failures } = await grow(
      [{ chain: TRUTH }, { chain: FORGED }, { chain: TRUTH }],
      blocks,
      begin,
    );
    expect([strangers(world.stored, TRUTH), failures]).toEqual([[], []]);
    expect(world.blamed()).toEqual(['node-1']);
  });

  test('a node that is down, lags, or is of the same operator stops nothing', async () => {
    const nodes: WorldNode[] = [
      { chain: TRUTH },
      { chain: TRUTH, isSilent: true },
      { chain: TRUTH.slice(0, 20) },
      { chain: FORGED, operator: 'node-0' },
    ];
    const { world, failures } = await grow(nodes, blocks, begin);
    expect(failures).toEqual([]);
    expect(world.stored).toHaveLength(((nodes[0] as WorldNode).head as number) + 1);
    expect(world.telemetry.emitted).toEqual([]);
  });
});

test('the page names the first block that differs, found by a few headers more', async () => {
  const nodes: WorldNode[] = [{ chain: TRUTH }, { chain: FORGED }];
  const { world } = await grow(nodes, 15, 250);
  const lines = world.telemetry.logged.filter(({ event }) => event === 'index_hash_contradicted');
  const [own, other] = [TRUTH, FORGED].map((chain) => chain[FORK]?.block.hash);
  expect([...new Set(lines.map(({ reason }) => reason))]).toEqual([
    `block ${FORK} is ${own} by node-0, and ${other} by node-1`,
  ]);
});

test('a second node that is silent for ten minutes is a ticket, and one that answers ends it', async () => {
  const nodes: WorldNode[] = [{ chain: TRUTH }, { chain: TRUTH, isSilent: true }];
  const { world, failures } = await grow(nodes, 15, 250);
  expect(world.sum('SilentWitnesses')).toBe(0);
  const later = async (head: number) => {
    for (const node of nodes) node.chain = TRUTH.slice(0, head);
    for (const node of nodes) node.head = head - 1;
    await world.wait(300_000);
    await world.follow(2);
  };
  for (const head of [625, 627, 629]) await later(head);
  expect(failures).toEqual([]);
  const silent = world.sum('SilentWitnesses');
  expect(silent).toBeGreaterThan(0);
  expect(world.telemetry.logged.filter(({ event }) => event === 'index_witnesses_silent')).toHaveLength(1);
  (nodes[1] as WorldNode).isSilent = false;
  for (const head of [631, 633, 635]) await later(head);
  expect(world.sum('SilentWitnesses')).toBe(silent);
});

test('a contradiction ends by itself when the other node mends', async () => {
  const nodes: WorldNode[] = [{ chain: TRUTH }, { chain: FORGED }];
  const { world } = await grow(nodes, 15, 250);
  expect(world.stored.length).toBeLessThan(560);
  (nodes[1] as WorldNode).chain = TRUTH;
  await world.follow(12);
  expect(world.stored).toHaveLength(((nodes[0] as WorldNode).head as number) + 1);
});

test('a contradiction stands while the node that made it is silent: what it said of a block it does not take back', async () => {
  const nodes: WorldNode[] = [{ chain: TRUTH }, { chain: FORGED }];
  const { world } = await grow(nodes, 15, 250);
  const { length } = world.stored;
  (nodes[1] as WorldNode).isSilent = true;
  await world.follow(12);
  expect(world.stored).toHaveLength(length);
  nodes[1] = Object.assign(nodes[1] as WorldNode, { isSilent: false, chain: TRUTH });
  await world.follow(12);
  expect(world.stored).toHaveLength(((nodes[0] as WorldNode).head as number) + 1);
});

describe('a node that is no longer read once its page is there', () => {
  const readFrom = async (upTo: number) => {
    const nodes: WorldNode[] = [{ chain: FORGED }, { chain: TRUTH }];
    const world = provingWorld(nodes);
    const pages: RawBlock[] = [];
    for await (const page of world.reader.pages(FORK - 20, upTo, { deadline: Number.MAX_SAFE_INTEGER }))
      pages.push(...page);
    world.connection.moveOn();
    return { world, pages };
  };

  test('is no witness of what it filled', async () => {
    const { world, pages } = await readFrom(FORK + 20);
    await expect(world.parts.witnesses?.names(pages.at(-1) as RawBlock)).rejects.toMatchObject({
      kind: 'contradicted',
    });
  });

  test('is no witness of what is appended', async () => {
    const { world, pages } = await readFrom(FORK + 290);
    const stored = { ring: async () => new Map(), contradicted: async () => undefined };
    const most = await world.parts.witnesses?.highest({ number: FORK - 21 }, pages, stored);
    expect(most?.error).toMatchObject({ kind: 'contradicted' });
    expect((most?.number ?? 0) - FINALITY).toBeLessThan(FORK);
  });
});

test('a page is of one node, also if another is read before it is whole', async () => {
  const nodes: WorldNode[] = [{ chain: TRUTH }, { chain: TRUTH }];
  const world = provingWorld(nodes);
  let asked = 0;
  const lie: Lie = (sent) => {
    asked += 1;
    if (asked === 2) world.connection.moveOn();
    return sent;
  };
  Object.assign(nodes[0] as WorldNode, { lie });
  const readBy: unknown[] = [];
  for await (const page of world.reader.pages(1, 40, { deadline: Number.MAX_SAFE_INTEGER }))
    readBy.push(...page.map((block) => block.readBy));
  expect(readBy).toEqual(Array(40).fill('node-0'));
});

test('a burst of more blocks than are final beyond the other node is judged by the newest that this one has', async () => {
  const nodes: WorldNode[] = [{ chain: FORGED }, { chain: TRUTH }];
  const world = provingWorld(nodes);
  for (const node of nodes) node.head = FORK - 1;
  await world.follow(3);
  (nodes[0] as WorldNode).head = LENGTH - 1;
  (nodes[1] as WorldNode).head = FORK + 5;
  const failures = await world.follow(3);
  expect(failures.at(-1)).toMatchObject({ kind: 'contradicted', blockNumber: FORK });
  expect((world.stored.at(-1)?.number ?? 0) - FINALITY).toBeLessThan(FORK);
});

test('a page that comes while an answer is pending is not made final without a question of its own', async () => {
  const nodes: WorldNode[] = [{ chain: FORGED }, { chain: TRUTH }];
  const { parts } = provingWorld(nodes);
  const blocks = FORGED.map(({ block }, number) => ({
    ...{ number, hash: block.hash as Hex, readBy: 'node-0' },
  }));
  const stored = { ring: async () => new Map(), contradicted: async () => undefined };
  expect(await parts.witnesses?.highest({ number: -1 }, blocks.slice(0, 250), stored)).toBeUndefined();
  const most = await parts.witnesses?.highest({ number: 249 }, blocks.slice(250), stored);
  expect(most?.error).toMatchObject({ kind: 'contradicted' });
  expect((most?.number ?? Number.POSITIVE_INFINITY) - FINALITY).toBeLessThan(FORK);
});

test('a contradiction outlives a restart, also of a page that is held back as a whole, until the node takes it back', async () => {
  const nodes: WorldNode[] = [{ chain: FORGED }, { chain: TRUTH }];
  const { world } = await grow(nodes, 15, 250);
  const { length } = world.stored;
  (nodes[1] as WorldNode).isSilent = true;
  world.restart();
  const failures = await world.follow(12);
  expect(world.stored).toHaveLength(length);
  expect(failures.at(-1)).toMatchObject({ kind: 'contradicted', blockNumber: FORK });
  Object.assign(nodes[1] as WorldNode, { isSilent: false, chain: FORGED });
  await world.follow(12);
  expect(world.stored).toHaveLength(((nodes[0] as WorldNode).head as number) + 1);
});

test('a contradiction that holds back a page as a whole is stored by itself', async () => {
  const nodes: WorldNode[] = [{ chain: FORGED }, { chain: TRUTH, isSilent: true }];
  const world = provingWorld(nodes);
  const [own, other] = nodes as [WorldNode, WorldNode];
  own.head = 500;
  await world.follow(3);
  own.head = 520;
  other.isSilent = false;
  world.restart();
  expect(await world.follow(1)).toMatchObject([{ kind: 'contradicted' }]);
  expect(world.stored).toHaveLength(501);
  other.isSilent = true;
  world.restart();
  expect(await world.follow(3)).toContainEqual(expect.objectContaining({ kind: 'contradicted' }));
  expect(world.stored).toHaveLength(501);
});

test('a node that only says another hash has no vote: its header has to come out', async () => {
  const chain = TRUTH.map(({ block, receipts }, number) => ({
    receipts,
    block: number < FORK ? block : { ...block, hash: `0x${'66'.repeat(32)}` },
  }));
  const { world, failures } = await grow([{ chain: TRUTH }, { chain }], 50, 250);
  expect([failures, world.blamed()]).toEqual([[], ['node-1']]);
  expect(world.sum('HashContradictions')).toBe(0);
});

test('another node is asked for one header each 64 blocks, and a chain with one node for nothing more', async () => {
  const nodes: WorldNode[] = [{ chain: TRUTH }, { chain: TRUTH }];
  const world = provingWorld(nodes);
  for (let head = 300; head < LENGTH; head += 4) {
    for (const node of nodes) node.head = head;
    // Four blocks in 200 ms.
    await world.follow(1);
    await world.wait(-800);
  }
  const others = world.calls[1] ?? 0;
  expect(others).toBeGreaterThanOrEqual(5);
  // One each five seconds of seventeen, or each 64 of 340 blocks, and heads each half minute.
  expect(others).toBeLessThanOrEqual(10);
  const [alone, pair] = [
    provingWorld([{ chain: TRUTH }]),
    provingWorld([{ chain: TRUTH }, { chain: TRUTH }]),
  ];
  await alone.follow(4);
  await pair.follow(4);
  expect(alone.calls[0]).toBe(pair.calls[0]);
});

describe('votes', () => {
  const vote = (upstream: string, hash: string) => ({ number: 1, upstream, hash: hash as `0x${string}` });

  test.each([
    ['nobody', [], 'settled'],
    ['the same', ['0xa', '0xa'], 'settled'],
    ['one other of two', ['0xb'], 'contradicted'],
    ['one other of three', ['0xa', '0xb'], 'settled'],
    ['two others that are one', ['0xb', '0xb'], 'outvoted'],
    ['two others that differ', ['0xb', '0xc'], 'contradicted'],
    ['two of four', ['0xa', '0xb', '0xb'], 'contradicted'],
    ['three of five', ['0xa', '0xb', '0xb', '0xb'], 'outvoted'],
  ])('%s', (_, hashes, kind) => {
    expect(
      judgeHash(
        '0xa',
        hashes.map((hash, index) => vote(`${index}`, hash)),
      ).kind,
    ).toBe(kind);
  });

  test.each([
    ['https://eth-mainnet.example.com/v2/key', 'example.com'],
    ['https://rpc.example.co.uk', 'example.co.uk'],
    ['http://10.0.0.5:8545', '10.0.0.5:8545'],
    ['http://[::1]:8545/', '[::1]:8545'],
    ['http://node:8545', 'node:8545'],
    ['embedded', 'embedded'],
  ])('the operator of %s is %s', (url, operator) => {
    expect(domainOf(url)).toBe(operator);
  });

  test('the operator is what the stage file says, or the domain, also of a URL in a secret', async () => {
    const upstreams = [
      'https://a.example.com',
      { url: 'https://b.example.org', operator: 'acme' },
      { secret: 'node', name: 'third' },
    ];
    const operatorOf = operatorsOf({ upstreams }, async (name) => `https://${name}.example.com/key`);
    const names = ['upstream-1', 'upstream-2', 'third'];
    expect(await Promise.all(names.map(operatorOf))).toEqual(['example.com', 'acme', 'example.com']);
  });
});
