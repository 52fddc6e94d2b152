/**
 * `X-Min-Block`: answers at a tag, and that there is no such thing, are of a node that has the block. What no node has is refused
 * unbilled and at once, whoever asks for it how often.
 */
import type * as zlib from 'node:zlib';
import { UnbilledErrors } from '../../../lambdas/rpc/billing/call-usage.ts';
import { ResponseCache } from '../../../lambdas/rpc/cache/response-cache.ts';
import type { RequestMeter } from '../../../lambdas/rpc/handle-request.ts';
import { handleRequest } from '../../../lambdas/rpc/handle-request.ts';
import type { HeadTracker } from '../../../lambdas/shared/upstream/routing/head-tracker.ts';
import { blockOfValue, hex, transactionOf } from '../../nodes/simulated-chain.ts';
import { SimulatedGateway } from '../../nodes/simulated-gateway.ts';
import { SimulatedProcesses } from '../../nodes/simulated-processes.ts';
import { Random } from '../../simulation/random.ts';
import { admittingMeter } from '../../support/admitting-meter.ts';
import { repetitions } from '../../support/at-length.ts';
import { stillHead } from '../../support/still-head.ts';
import { CHAIN } from '../cache/cache-world.ts';
import { MemoryCacheStore } from '../cache/memory-cache-store.ts';
import { apart, BY_HASH, batched, isNothing, newestOf, nobodys } from './absent-answers.ts';

// Virtual time must not go on while a thread of the host compresses what processes share.
jest.mock('node:zlib', () => {
  const actual = jest.requireActual<typeof zlib>('node:zlib');
  return {
    ...actual,
    zstdCompress: (bytes: Buffer, done: zlib.CompressCallback) => done(null, actual.zstdCompressSync(bytes)),
    zstdDecompress: (bytes: Buffer, options: zlib.ZstdOptions, done: zlib.CompressCallback) =>
      done(null, actual.zstdDecompressSync(bytes, options)),
  };
});

const BLOCK_MS = 1_000;
const ACCOUNT = `0x${'1'.padStart(40, '0')}`;
/** Calls at a tag, and the block that their answers are of. */
const AT_TAGS = [
  ['eth_blockNumber', [], (result: unknown) => Number(result)],
  [
    'eth_getBlockByNumber',
    ['latest', false],
    (result: unknown) => Number((result as { number: string }).number),
  ],
  [
    'eth_getBalance',
    [ACCOUNT, 'latest'],
    (result: unknown) => Number.parseInt(String(result).slice(2, -8), 16),
  ],
] as const;

function asked(
  world: SimulatedProcesses,
  process: number,
  method: string,
  params: readonly unknown[],
  min: number,
  keyId = 'key',
) {
  return world.clock.until(world.post(process, batched(method, params, 1), keyId, String(min)));
}

describe.each(AT_TAGS)('%s', (method, params, blockOf) => {
  test('is of a node that has the block, though a node that lacks it is the faster one', async () => {
    const world = new SimulatedProcesses([{ latencyMs: 100 }, { latencyMs: 5, lag: 2 }], {
      blockMs: BLOCK_MS,
    });
    for (let round = 0; round < repetitions(60); round++) {
      const { number } = await newestOf(world);
      const { body } = await asked(world, 0, method, params, Number(number), 'another');
      expect(body.error).toBeUndefined();
      expect(blockOf(body.result)).toBeGreaterThanOrEqual(Number(number));
      await world.clock.pass(370);
    }
  });

  test('of a block that no node has is refused at once, with the head, and no node is asked', async () => {
    const world = new SimulatedProcesses(apart(2), { blockMs: 60_000 });
    await newestOf(world);
    const { nodeCalls } = world;
    const { body, ms, headers } = await asked(world, 0, method, params, world.chain.head + 1);
    expect(body.error).toMatchObject({
      code: -32_000,
      message: 'block not found',
      data: { reason: 'min_block_not_reached', retryable: true, head: world.chain.head },
    });
    expect(headers).toMatchObject({ 'X-CU-Billed': '0', 'X-Chain-Head': String(world.chain.head) });
    expect(ms).toBeLessThanOrEqual(world.views.latencyMs + world.given.latencyMs);
    expect(world.nodeCalls).toBe(nodeCalls);
  });
});

test('what an instance has not heard of yet it reads where others have told it, and asks no node before', async () => {
  const world = new SimulatedProcesses(apart(2), { processes: 2, blockMs: BLOCK_MS });
  await newestOf(world, 0);
  await newestOf(world, 1);
  for (let round = 0; round < 20; round++) {
    await world.clock.pass(1_700);
    const { number } = await newestOf(world, 0);
    await world.clock.pass(50);
    const { body } = await asked(world, 1, 'eth_blockNumber', [], Number(number));
    expect(Number(body.result)).toBeGreaterThanOrEqual(Number(number));
  }
});

test('state after a receipt of another process is of its block, or refused, by the head that came with the receipt', async () => {
  let known = 0;
  for (let seed = 1; seed <= repetitions(6); seed++) {
    const random = new Random(seed);
    const world = new SimulatedProcesses(apart(3, 1), { processes: 12, blockMs: BLOCK_MS, seed });
    for (let round = 0; round < 24; round++) {
      const [giving, next] = [random.integer(0, 11), random.integer(0, 11)];
      const block = world.chain.head;
      const receipt = await world.asked(giving, 'eth_getTransactionReceipt', [transactionOf(block)]);
      if (!isNothing(receipt)) {
        const head = Number(receipt.headers['X-Chain-Head']);
        expect(head).toBeGreaterThanOrEqual(block);
        const { body } = await asked(world, next, 'eth_getBalance', [ACCOUNT, 'latest'], head);
        if (body.error === undefined) known += Number(blockOfValue(String(body.result)) >= block);
        else expect(body.error.data?.reason).toBe('min_block_not_reached');
        expect(body.result === undefined || blockOfValue(String(body.result)) >= block).toBe(true);
      }
      await world.clock.pass(random.integer(1, 1_500));
    }
  }
  expect(known).toBeGreaterThan(12);
});

test('a block that is refused is there for the client that asks again', async () => {
  const world = new SimulatedProcesses(apart(1), { blockMs: BLOCK_MS });
  const { number } = await newestOf(world);
  const wanted = Number(number) + 3;
  const reasons: (string | undefined)[] = [];
  for (let round = 0; round < 50; round++) {
    const { body } = await asked(world, 0, 'eth_blockNumber', [], wanted);
    reasons.push(body.error?.data?.reason);
    if (body.error === undefined) break;
    await world.clock.pass(100);
  }
  expect(reasons.slice(0, -1)).toEqual(reasons.slice(0, -1).map(() => 'min_block_not_reached'));
  expect(reasons.at(-1)).toBeUndefined();
  expect(reasons.length).toBeLessThan(48);
});

describe.each(BY_HASH)('%s', (method, params) => {
  test('finds what there is, whatever block is wanted; that there is nothing is not said of a block that no node has', async () => {
    const world = new SimulatedProcesses(apart(2), { blockMs: 60_000 });
    const block = await newestOf(world);
    const found = await asked(world, 0, method, params(block), world.chain.head + 64);
    expect(found.body.error).toBeUndefined();
    const none = { number: hex(world.chain.head + 1_000), hash: nobodys(1) };
    const missing = await asked(world, 0, method, params(none), world.chain.head + 64);
    expect(missing.body.error?.data?.reason).toBe('min_block_not_reached');
    expect(missing.headers['X-CU-Billed']).toBe('0');
    const reached = await asked(world, 0, method, params(none), world.chain.head);
    expect(reached.body.error?.data?.reason).not.toBe('min_block_not_reached');
  });
});

test('what is final is of a node that has the block, too', async () => {
  const world = new SimulatedProcesses([{ latencyMs: 100 }, { latencyMs: 5, lag: 3 }], { blockMs: 60_000 });
  await newestOf(world);
  const { head } = world.chain;
  const final = ['finalized', false] as const;
  expect((await asked(world, 0, 'eth_getBlockByNumber', final, head)).body.result).toMatchObject({});
  const { body } = await asked(world, 0, 'eth_getBalance', [ACCOUNT, 'finalized'], head + 1);
  expect(body.error?.data?.reason).toBe('min_block_not_reached');
});

test.each([
  ['a range up to it', () => ['0x1', hex(3)], 3],
  ['a range beyond it', (head: number) => [hex(head), hex(head + 1)], undefined],
])('logs are those of an upstream that has the end of their range: %s', async (_, range, count) => {
  const world = new SimulatedProcesses(apart(2), { blockMs: 60_000 });
  await newestOf(world);
  const [fromBlock, toBlock] = range(world.chain.head);
  const { body } = await asked(world, 0, 'eth_getLogs', [{ fromBlock, toBlock }], world.chain.head + 1);
  if (count === undefined) expect(body.error?.data?.reason).toBe('min_block_not_reached');
  else expect(body.result).toHaveLength(count);
});

test('a transaction is sent, and a constant is told, whatever block is wanted', async () => {
  const world = new SimulatedProcesses(apart(1), { blockMs: 60_000 });
  await newestOf(world);
  for (const [method, params] of [
    ['eth_chainId', []],
    ['eth_sendRawTransaction', ['0x02c0']],
  ] as const)
    expect((await asked(world, 0, method, params, 2 ** 40)).body.error?.data?.reason).toBeUndefined();
});

test('the same calls that want other blocks share no answer', async () => {
  const world = new SimulatedProcesses(apart(1), { blockMs: 60_000 });
  await newestOf(world);
  const { head } = world.chain;
  const answers = await world.clock.until(
    Promise.all(
      [undefined, head, head + 1].map((min) =>
        world.post(
          0,
          batched('eth_getBalance', [ACCOUNT, 'latest'], 1),
          'key',
          min === undefined ? min : String(min),
        ),
      ),
    ),
  );
  expect(answers.map(({ body }) => body.error?.data?.reason)).toEqual([
    undefined,
    undefined,
    'min_block_not_reached',
  ]);
});

test.each(['', 'latest', '-1', '0x10', '1.5', '01', ' 7', '1,2', String(2n ** 64n), '9'.repeat(40)])(
  'a value that is no block number is an invalid request, and costs nothing: %j',
  async (value) => {
    const world = new SimulatedProcesses(apart(1));
    const { body, headers } = await world.clock.until(
      world.post(0, batched('eth_chainId', [], 1), 'key', value),
    );
    expect(body.error).toMatchObject({
      code: -32_600,
      data: { reason: 'invalid_request', header: 'X-Min-Block' },
    });
    expect(headers).toMatchObject({ 'X-CU-Cost': '0', 'X-CU-Billed': '0' });
    expect(world.nodeCalls).toBe(0);
  },
);

test('the highest number is one, and a block of another chain is refused like any that is not there', async () => {
  const world = new SimulatedProcesses(apart(2), { blockMs: BLOCK_MS });
  await newestOf(world);
  for (const min of [String(2n ** 64n - 1n), '400000000']) {
    const { body } = await world.clock.until(world.post(0, batched('eth_blockNumber', [], 1), 'key', min));
    expect(body.error?.data?.reason).toBe('min_block_not_reached');
  }
  expect((await asked(world, 0, 'eth_blockNumber', [], 0)).body.error).toBeUndefined();
});

describe('in the order of checks', () => {
  const STILL = stillHead(1_000n);
  const SYNCING: HeadTracker = { ...STILL, isSyncing: () => true };
  const STATE_GONE = batched('eth_getBalance', [ACCOUNT, '0x1'], 1);

  async function ask(
    body: object,
    head: HeadTracker,
    onCharge: (cu: number) => void,
    meter: Partial<RequestMeter> = {},
  ) {
    const { node, clock } = new SimulatedGateway([{}]);
    const response = await handleRequest(
      {
        holder: { keyId: 'key', account: 'account' },
        chain: { settings: CHAIN, node, head, unbilledErrors: new UnbilledErrors(clock) },
        body: Buffer.from(JSON.stringify(body)),
        deadline: clock.now() + 20_000,
        minBlock: '2000',
      },
      { ...admittingMeter(onCharge), ...meter },
      new ResponseCache({ clock, store: new MemoryCacheStore() }),
    );
    return JSON.parse(Buffer.concat(response?.body ?? []).toString()).error;
  }

  test.each([
    ['a chain that syncs', batched('eth_blockNumber', [], 1), SYNCING, -32_010],
    ['state that is gone', STATE_GONE, STILL, -32_011],
  ])('%s comes first', async (_, body, head, code) => {
    expect(await ask(body, head, () => {})).toMatchObject({ code });
  });

  test('the bucket is drawn before, and nothing is billed', async () => {
    const charged: number[] = [];
    let drawn = 0;
    const admit: RequestMeter['admit'] = async () => {
      drawn += 1;
      return { admitted: true, balanceCu: 1_000n, limits: [] };
    };
    const world = new SimulatedProcesses(apart(1), { blockMs: 60_000 });
    await newestOf(world);
    const node = world.nodeOf(0);
    const error = await world.clock.until(
      ask(batched('eth_blockNumber', [], 1), node.head, (cu) => charged.push(cu), { admit }),
    );
    expect([error?.code, drawn, charged]).toEqual([-32_000, 1, []]);
  });
});

/** Time that twelve instances are busy while one key asks 500 times a second and others 100 times. */
async function load(seed: number, ahead: (random: Random) => number | undefined) {
  const processes = 12;
  const world = new SimulatedProcesses(apart(2), { processes, blockMs: BLOCK_MS, seed });
  const random = new Random(seed);
  for (let process = 0; process < processes; process++) await newestOf(world, process);
  let busyMs = 0;
  let refused = 0;
  const failed: unknown[] = [];
  const running: Promise<void>[] = [];
  const end = world.clock.now() + repetitions(5_000);
  for (let sent = 0; world.clock.now() < end; sent++) {
    const isOther = sent % 6 === 5;
    const more = isOther ? undefined : ahead(random);
    const min = more === undefined ? undefined : String(world.chain.head + more);
    const [method, params] = AT_TAGS[random.integer(0, AT_TAGS.length - 1)] ?? AT_TAGS[0];
    running.push(
      world
        .post(random.integer(0, processes - 1), batched(method, params, 1), isOther ? 'other' : 'key', min)
        .then(({ ms, body }) => {
          busyMs += ms;
          if (isOther && body.error !== undefined) failed.push(body.error);
          if (body.error?.data?.reason === 'min_block_not_reached') refused += 1;
        }),
    );
    if (sent % 6 === 0) await world.clock.pass(10);
  }
  await world.clock.until(Promise.all(running));
  return { busyMs, refused, failed, nodeCalls: world.nodeCalls, asked: running.length };
}

test('a key that wants the next blocks 500 times a second keeps twelve instances busy no longer than without, and no other key waits', async () => {
  const control = await load(1, () => undefined);
  const wanting = await load(1, (random) => random.integer(1, 64));
  expect(wanting.refused).toBeGreaterThan(wanting.asked / 2);
  expect([control.failed, wanting.failed]).toEqual([[], []]);
  expect(wanting.busyMs).toBeLessThanOrEqual(1.2 * control.busyMs);
  expect(wanting.nodeCalls).toBeLessThanOrEqual(1.2 * control.nodeCalls);
});
