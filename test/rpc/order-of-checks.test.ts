/**
 * The order of checks: what is wrong with a call itself, and policy and bounds of its key, come before the balance; what
 * depends on a chain comes after it. The look at the balance draws nothing, and a store that is away changes no response.
 */
import { UnbilledErrors } from '../../lambdas/rpc/billing/call-usage.ts';
import { ResponseCache } from '../../lambdas/rpc/cache/response-cache.ts';
import { handleRequest } from '../../lambdas/rpc/handle-request.ts';
import type { ChainClient } from '../../lambdas/shared/upstream/routing/chain-client.ts';
import type { HeadTracker } from '../../lambdas/shared/upstream/routing/head-tracker.ts';
import { MeteringWorld } from '../access/metering-world.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { stillHead } from '../support/still-head.ts';
import { CHAIN } from './cache/cache-world.ts';
import { MemoryCacheStore } from './cache/memory-cache-store.ts';

const HEAD = 100_000n;
const OURS = `0x${'1'.repeat(40)}`;
const BOUNDS = { methods: ['eth_*', 'debug_*', 'zz_*'], contracts: [OURS] };
const STILL = stillHead(HEAD);
const SYNCING: HeadTracker = { ...STILL, isSyncing: () => true };
const UNREAD: HeadTracker = { ...STILL, tagged: async () => undefined };

const call = (method: string, ...params: readonly unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params });
const read = call('eth_call', { to: OURS }, 'latest');

/** What a request is refused for, whatever it costs and whoever pays: the code. */
const OF_ITSELF: readonly (readonly [name: string, body: unknown, code: number])[] = [
  ['an empty batch', [], -32_600],
  ['no call', {}, -32_600],
  ['two members of one name', call('eth_call', { to: OURS, TO: OURS }), -32_600],
  ['a blocked method', call('eth_subscribe'), -32_601],
  ['a method outside of the bounds', call('net_version'), -32_601],
  ['another contract', call('eth_call', { to: `0x${'2'.repeat(40)}` }), -32_602],
  ['a method that nobody can judge', call('debug_traceCall', { to: OURS }, 'latest', {}), -32_602],
];

/** What it is refused for because of a chain: the code. */
const OF_A_CHAIN: readonly (readonly [name: string, body: unknown, code: number, head: HeadTracker])[] = [
  ['a chain that syncs', read, -32_010, SYNCING],
  ['state that is gone', call('eth_call', { to: OURS }, '0x1'), -32_011, STILL],
  [
    'too many blocks',
    call('eth_getLogs', { address: OURS, fromBlock: '0x0', toBlock: '0xffff' }),
    -32_602,
    STILL,
  ],
  [
    'a block that no node says',
    call('eth_getLogs', { address: OURS, fromBlock: '0x0', toBlock: 'safe' }),
    -32_000,
    UNREAD,
  ],
];

let world: MeteringWorld;
beforeEach(async () => {
  world = await new MeteringWorld(new MemoryStore()).create();
});

async function ask(body: unknown, head = STILL) {
  const { clock, meter } = world;
  const response = await handleRequest(
    {
      holder: { ...world.holder, bounds: BOUNDS },
      chain: { settings: CHAIN, node: {} as ChainClient, head, unbilledErrors: new UnbilledErrors(clock) },
      body: Buffer.from(JSON.stringify(body)),
      deadline: clock.now() + 20_000,
    },
    meter,
    new ResponseCache({ clock, store: new MemoryCacheStore() }),
  );
  const answer = JSON.parse(Buffer.concat(response?.body ?? []).toString());
  return { status: response?.status, headers: response?.headers, code: answer.error?.code, answer };
}

describe.each(OF_ITSELF)('%s', (_, body, code) => {
  test('is refused before the balance is looked at', async () => {
    await world.setAccount({ granted: 0n });
    expect(await ask(body)).toMatchObject({ status: 200, code });
    expect(world.store.reads).toBe(0);
  });

  test.each(OF_A_CHAIN)(
    'beside %s, where the balance is used up, is a batch of 402',
    async (_other, other, _code, head) => {
      if (Array.isArray(body)) return;
      await world.setAccount({ granted: 0n });
      expect(await ask([body, other], head)).toMatchObject({ status: 402, code: -32_020 });
    },
  );
});

describe.each(OF_A_CHAIN)('%s', (_, body, code, head) => {
  test('is refused where there is a balance, and nothing is drawn', async () => {
    expect(await ask(body, head)).toMatchObject({
      status: 200,
      code,
      headers: { 'X-CU-Cost': '0', 'X-CU-Billed': '0' },
    });
    expect(world.store.writes).toBe(0);
  });

  test('is 402 where the balance is used up, by one look of an instance that knows nothing', async () => {
    await world.setAccount({ granted: 0n });
    expect(await ask(body, head)).toMatchObject({
      status: 402,
      code: -32_020,
      headers: { 'X-CU-Balance': '0', 'X-CU-Billed': '0' },
    });
    // A balance view, an account and its lanes.
    expect([world.store.reads, world.store.writes]).toEqual([3, 0]);
  });

  test('is refused as ever while the store is away', async () => {
    await world.setAccount({ granted: 0n });
    world.store.readFaults.push(...Array.from({ length: 10 }, () => 'throttled' as const));
    expect(await ask(body, head)).toMatchObject({ status: 200, code });
  });
});

test('a thousand requests of an account that certainly has a balance cost no look at it', async () => {
  await world.warm();
  for (let count = 0; count < 1_000; count++) await ask(read, SYNCING);
  expect([world.store.reads, world.store.writes]).toEqual([0, 0]);
});
