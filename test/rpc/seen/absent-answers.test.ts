/** What a key got is there when it is asked for by its hash, whatever instance and node are asked. */
import type { RawResponse, ReceivedCall } from '../../nodes/replies.ts';
import { blockOfValue, hex, transactionOf } from '../../nodes/simulated-chain.ts';
import { type SharedNode, SimulatedProcesses } from '../../nodes/simulated-processes.ts';
import { Random } from '../../simulation/random.ts';
import { repetitions } from '../../support/at-length.ts';
import { apart, BY_HASH, batched, isNothing, newestOf, nobodys } from './absent-answers.ts';

const BLOCK_MS = 1_000;
/** How long another process may not know what a key was shown, in milliseconds, and the share of calls that are older by that. */
const READ_INTERVAL_MS = 200;
const MAX_OLDER = 0.1;
/** Units that one item gives in a second for a key with many processes. */
const MAX_READS = 1_000;
const MAX_WRITES = 200;

test.each(BY_HASH)(
  'of two URLs one stands for nodes that alternate: blocks are there, and 19 of 20 transactions: %s',
  async (method, params) => {
    let wrong = 0;
    const rounds = repetitions(180);
    const nodes = apart(2);
    const several = nodes[1] as SharedNode;
    let asked = 0;
    several.fate = () => {
      several.lag = [0, 2, 2, 0, 2][asked++ % 5] as number;
      return { kind: 'answer' };
    };
    const world = new SimulatedProcesses(nodes, { processes: 3, blockMs: BLOCK_MS });
    for (let round = 0; round < rounds; round++) {
      const block = await newestOf(world, round % 3);
      if (isNothing(await world.asked((round * 7 + 1) % 3, method, params(block)))) wrong += 1;
      await world.clock.pass(400 + (round % 7) * 130);
    }
    expect(wrong).toBeLessThanOrEqual(method.startsWith('eth_getTransaction') ? rounds / 20 : 0);
  },
);

describe('what there is not', () => {
  test.each(BY_HASH)('is given as it is while one of two nodes is down: %s', async (method, params) => {
    const nodes = apart(2);
    const world = new SimulatedProcesses(nodes, { processes: 2, blockMs: BLOCK_MS });
    for (let asked = 0; asked < 4; asked++) await newestOf(world, asked % 2);
    Object.assign(nodes[1] as object, {
      fate: () => ({ kind: 'failure', error: 'unreachable', sent: false }),
    });
    for (let asked = 0; asked < 30; asked++) {
      const answer = await world.asked(
        asked % 2,
        method,
        params({ number: hex(99_999), hash: nobodys(asked) }),
      );
      expect(answer.body.error).toBeUndefined();
      expect(isNothing(answer)).toBe(true);
      await world.clock.pass(300);
    }
  });

  test('costs a key that asks for nothing else little more than its own calls', async () => {
    const world = new SimulatedProcesses(apart(2, 1), { blockMs: BLOCK_MS });
    await newestOf(world);
    const before = world.nodeCalls;
    const reads = world.given.reads;
    const count = 500;
    const startedAt = world.clock.now();
    for (let asked = 0; asked < count; asked++) {
      const [method, params] = BY_HASH[asked % BY_HASH.length] as (typeof BY_HASH)[number];
      await world.asked(0, method, params({ number: hex(99_999 + asked), hash: nobodys(asked) }));
    }
    const seconds = (world.clock.now() - startedAt) / 1_000;
    expect((world.nodeCalls - before - seconds * 2) / count).toBeLessThanOrEqual(1.2);
    expect((world.given.reads - reads) / seconds).toBeLessThanOrEqual(6);
  });

  test('a node that refuses a hash as not canonical does not speak for the others', async () => {
    const refusing = ({ method }: ReceivedCall): RawResponse | undefined =>
      method === 'eth_call'
        ? { error: '{"code":-32000,"message":"hash 0xab is not currently canonical"}' }
        : undefined;
    const answering = ({ method }: ReceivedCall) =>
      method === 'eth_call' ? { result: '"0x2a"' } : undefined;
    const [one, other] = apart(2);
    const world = new SimulatedProcesses(
      [
        { ...one, respond: refusing },
        { ...other, respond: answering },
      ],
      { blockMs: BLOCK_MS },
    );
    const { hash } = await newestOf(world);
    for (let asked = 0; asked < 20; asked++) {
      const block = { blockHash: hash, requireCanonical: true };
      const { body } = await world.asked(0, 'eth_call', [{ to: nobodys(asked).slice(0, 42) }, block]);
      expect(body.result).toBe('0x2a');
    }
  });
});

/** The newest state that a key gets from three processes, and what it was shown until so many milliseconds before it asked. */
async function statesAfterShown(perSecond: number, seed: number) {
  const processes = 3;
  const random = new Random(seed);
  const world = new SimulatedProcesses(apart(2, 1), { processes, blockMs: BLOCK_MS, seed });
  const shown: { readonly block: number; readonly at: number }[] = [];
  const states: { readonly block: number; readonly shown: { since(ms: number): number } }[] = [];
  const show = async (process: number) => {
    const block = world.chain.head;
    const receipt = await world.ask(process, 'eth_getTransactionReceipt', [transactionOf(block)]);
    if (!isNothing(receipt)) shown.push({ block, at: world.clock.now() });
  };
  const ask = async (process: number) => {
    const startedAt = world.clock.now();
    const { body } = await world.ask(process, 'eth_getBalance', ['0x1', 'latest']);
    const since = (ms: number) =>
      Math.max(-1, ...shown.filter(({ at }) => at <= startedAt - ms).map(({ block }) => block));
    states.push({ block: blockOfValue(String(body.result)), shown: { since } });
  };
  await newestOf(world);
  await world.clock.until(show(0));
  for (let process = 0; process < processes; process++) await world.clock.until(ask(process));
  const sent: Promise<unknown>[] = [];
  for (let count = 0; count < 12 * perSecond * processes; count++) {
    const process = random.integer(0, processes - 1);
    sent.push(random.chance(0.2) ? show(process) : ask(process));
    await world.clock.pass(1_000 / (perSecond * processes));
  }
  await world.clock.until(Promise.all(sent));
  return states;
}

describe('what a key was shown', () => {
  test.each([1, 5, 20])(
    'is in its newest state 200 ms later at any process, with %i calls a second at each',
    async (perSecond) => {
      let [late, older, asked] = [0, 0, 0];
      for (let seed = 1; seed <= repetitions(4); seed++) {
        const states = await statesAfterShown(perSecond, seed);
        asked += states.length;
        older += states.filter(({ block, shown }) => block < shown.since(0)).length;
        late += states.filter(({ block, shown }) => block < shown.since(READ_INTERVAL_MS)).length;
      }
      expect(late).toBe(0);
      // What was shown a moment ago may be missing.
      expect(older / asked).toBeLessThanOrEqual(MAX_OLDER);
    },
  );

  test('is waited for a quarter of a second while the only node that has it is silent', async () => {
    const nodes = apart(2, 1);
    const world = new SimulatedProcesses(nodes, { blockMs: 60_000 });
    await newestOf(world);
    const block = world.chain.head;
    await world.asked(0, 'eth_getTransactionReceipt', [transactionOf(block)]);
    for (let asked = 0; asked < 20; asked++) await world.asked(0, 'eth_getBalance', ['0x1', 'latest']);
    Object.assign(nodes[0] as object, {
      fate: (calls: readonly ReceivedCall[]) =>
        calls.some(({ method }) => method === 'eth_getBalance') ? { kind: 'stall' } : { kind: 'answer' },
    });
    const { body, ms } = await world.asked(0, 'eth_getBalance', ['0x1', 'latest']);
    expect(blockOfValue(String(body.result))).toBe(block - 1);
    expect(ms).toBeGreaterThanOrEqual(250);
    expect(ms).toBeLessThanOrEqual(400);
  });

  test('is in its newest state ten seconds later, where it is the first such block of the hour', async () => {
    const world = new SimulatedProcesses(apart(2, 1), { processes: 2, blockMs: 60_000 });
    await newestOf(world);
    const state = async () => {
      const { body } = await world.asked(1, 'eth_getBalance', ['0x1', 'latest']);
      return blockOfValue(String(body.result));
    };
    await state();
    const block = world.chain.head;
    expect(isNothing(await world.asked(0, 'eth_getTransactionReceipt', [transactionOf(block)]))).toBe(false);
    const shownAt = world.clock.now();
    const early: number[] = [];
    const late: number[] = [];
    while (world.clock.now() < shownAt + 20_000) {
      const isLate = world.clock.now() >= shownAt + 10_000;
      (isLate ? late : early).push(await state());
      await world.clock.pass(200);
    }
    expect(Math.min(...early)).toBeLessThan(block);
    expect(Math.min(...late)).toBe(block);
  });

  test('costs nothing where it is old, and one reading for a hundred receipts of new blocks', async () => {
    const world = new SimulatedProcesses(apart(2, 1), { blockMs: BLOCK_MS });
    await newestOf(world);
    const { reads, writes } = world.given;
    const old = Array.from({ length: 100 }, (_, id) =>
      batched('eth_getTransactionReceipt', [transactionOf(9_000 + id)], id),
    );
    await world.clock.until(world.post(0, old));
    expect([world.given.reads, world.given.writes]).toEqual([reads, writes]);
    await world.clock.pass(5_000);
    const young = Array.from({ length: 100 }, (_, id) =>
      batched('eth_getTransactionReceipt', [transactionOf(world.chain.head - (id % 4))], id),
    );
    const { body } = await world.clock.until(world.post(0, young));
    expect(body as unknown as readonly unknown[]).toHaveLength(100);
    expect(world.given.reads - reads).toBeLessThanOrEqual(2);
    expect(world.given.writes - writes).toBeLessThanOrEqual(1);
  });

  test.each([
    ['old', 0, 0],
    ['young', MAX_READS, MAX_WRITES],
  ] as const)(
    '200 processes with 10,000 receipts of %s blocks a second: at most %i reads and %i writes',
    async (age, reads, writes) => {
      const processes = 200;
      const world = new SimulatedProcesses(apart(2, 1), { processes, blockMs: 250 });
      for (let process = 0; process < processes; process++)
        await world.asked(process, 'eth_getBalance', ['0x1', 'latest'], 'another');
      await newestOf(world);
      const before = { reads: world.given.reads, writes: world.given.writes };
      const seconds = repetitions(5) / 5;
      const sent: Promise<unknown>[] = [];
      for (let at = 0; at < 100 * seconds; at++) {
        const newest = age === 'old' ? 9_500 : world.chain.head - 1;
        const calls = Array.from({ length: 100 }, (_, id) =>
          batched('eth_getTransactionReceipt', [transactionOf(newest - (id % 3))], id),
        );
        sent.push(world.post((at * 7) % processes, calls));
        await world.clock.pass(10);
      }
      await world.clock.until(Promise.all(sent));
      const bound = Math.max(1, seconds);
      expect(world.given.reads - before.reads).toBeLessThanOrEqual(reads * bound);
      expect(world.given.writes - before.writes).toBeLessThanOrEqual(writes * bound);
    },
  );
});

describe('no receipts', () => {
  const receipts =
    (list: string, gasUsed: string) =>
    (call: ReceivedCall): RawResponse | undefined => {
      if (call.method === 'eth_getBlockReceipts') return { result: list };
      const [block, whole] = call.params ?? [];
      return call.method.startsWith('eth_getBlockBy') && block !== 'latest' && whole === false
        ? { result: JSON.stringify({ number: block, gasUsed }) }
        : undefined;
    };
  const asked = async (lists: readonly string[], gasUsed: string, block = '0x5') => {
    const world = new SimulatedProcesses(
      apart(lists.length).map((node, place) => ({ ...node, respond: receipts(lists[place] ?? '', gasUsed) })),
      { blockMs: BLOCK_MS },
    );
    await newestOf(world);
    const answers = [];
    for (let at = 0; at < 6; at++) answers.push(await world.asked(0, 'eth_getBlockReceipts', [block]));
    return answers;
  };
  const RECEIPTS = '[{"blockNumber":"0x5"}]';

  test.each(['0x5', `0x${'5'.repeat(64)}`])(
    'of a block with gas used are no answer while another node has some: %s',
    async (block) => {
      for (const { body } of await asked(['[]', RECEIPTS], '0x5208', block))
        expect(body.result).toEqual([{ blockNumber: '0x5' }]);
    },
  );

  test('of a block with gas used are an error where no node has any, and are not kept', async () => {
    for (const lists of [['[]'], ['[]', '[]']])
      for (const { body, headers } of await asked(lists, '0x5208')) {
        expect(body.error?.data?.reason).toBe('upstream_unavailable');
        expect(headers['X-Cache']).toBe('miss');
      }
  });

  test('of an empty block are the answer, and are not kept', async () => {
    for (const { body, headers } of await asked(['[]', '[]'], '0x0')) {
      expect(body.result).toEqual([]);
      expect(headers['X-Cache']).toBe('miss');
    }
  });
});

describe.each(['safe', 'finalized'])('at the tag %s, whose number nodes are sent', (tag) => {
  const isNumber = (block: unknown) => typeof block === 'string' && block.startsWith('0x');
  const none = (call: ReceivedCall): RawResponse | undefined => {
    const [block, whole] = call.params ?? [];
    if (!isNumber(block)) return undefined;
    if (call.method === 'eth_getBlockReceipts') return { result: '[]' };
    // The gateway asks without transactions whether the block used gas.
    return call.method === 'eth_getBlockByNumber'
      ? { result: whole === false ? JSON.stringify({ number: block, gasUsed: '0x5208' }) : 'null' }
      : undefined;
  };

  test.each([
    ['eth_getBlockByNumber', [tag, true], { respond: none }],
    ['eth_getBlockReceipts', [tag], { respond: none }],
    ['eth_getLogs', [{ fromBlock: tag, toBlock: tag }], { lag: 300 }],
    ['eth_getBlockByNumber', [tag, true], { lag: 300 }],
  ] as const)(
    'nothing is not the answer of a node that lacks the block: %s',
    async (method, params, lacking) => {
      const world = new SimulatedProcesses(
        [{ latencyMs: 5, ...lacking }, { latencyMs: 60 }, { latencyMs: 60 }],
        {
          blockMs: BLOCK_MS,
        },
      );
      await newestOf(world);
      for (let asked = 0; asked < 12; asked++) {
        await world.clock.pass(900);
        const answer = await world.asked(0, method, params);
        expect(answer.body.error).toBeUndefined();
        expect(isNothing(answer)).toBe(false);
      }
    },
  );
});
