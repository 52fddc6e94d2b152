import { concatHex, parseAbiItem, sliceHex } from 'viem';
import { type KnownPool, resolvePools } from '../../../lambdas/chain-data/decode/resolve-pools.ts';
import { V2_EVENTS, V3_EVENTS, V4_EVENTS } from './contract-events.ts';
import { ALICE, address, BOB, decodeLogs, type LogContents, logOf, PLAIN, word, ZERO } from './raw-blocks.ts';

const [TOKEN0, TOKEN1, POOL, FACTORY, ROUTER] = [1, 2, 3, 4, 5].map(address) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
];
const V4_ID = word(0x1d);
const TICK = -887_272;
const SQRT_PRICE = 2n ** 96n;

const userOperation = parseAbiItem(
  'event UserOperationEvent(bytes32 indexed hash, address indexed sender, address indexed paymaster, uint256 nonce, bool success, uint256 cost, uint256 gas)',
);

/** Decodes logs and resolves them against the pools that they create themselves. */
function resolve(...logs: LogContents[]) {
  const rows = decodeLogs(logs);
  expect(rows.undecodable_logs).toEqual([]);
  const pools = new Map<string, KnownPool>(rows.dex_pools.map((pool) => [pool.pool_id, pool]));
  return { pools: rows.dex_pools, ...resolvePools(rows, (id) => pools.get(id)) };
}

const pair = logOf(V2_EVENTS.created, FACTORY, [TOKEN0, TOKEN1, POOL, 1n]);
const pool = logOf(V3_EVENTS.created, FACTORY, [TOKEN0, TOKEN1, 500, 10, POOL]);
const v4Pool = (fee: number) =>
  logOf(V4_EVENTS.initialize, FACTORY, [V4_ID, ZERO, TOKEN1, fee, 60, BOB, SQRT_PRICE, TICK]);

test('a pool of each kind', () => {
  const created = {
    created_block: 7,
    updated_block: 7,
    created_log_index: 0,
    factory: FACTORY,
    token1: TOKEN1,
  };
  expect(resolve(pair).pools).toMatchObject([
    { ...created, protocol: 'uniswap_v2', pool_id: POOL, token0: TOKEN0, fee_pips: null, tick_spacing: null },
  ]);
  expect(resolve(pool).pools).toMatchObject([
    { ...created, protocol: 'uniswap_v3', pool_id: POOL, token0: TOKEN0, fee_pips: 500, tick_spacing: 10 },
  ]);
  expect(resolve(v4Pool(3000)).pools).toMatchObject([
    {
      ...created,
      protocol: 'uniswap_v4',
      pool_id: V4_ID,
      token0: ZERO,
      fee_pips: 3000,
      tick_spacing: 60,
      hooks: BOB,
    },
  ]);
  expect(resolve(v4Pool(0x800000)).pools).toMatchObject([{ fee_pips: null, dynamic_fee: true }]);
});

test.each([
  [
    'the first token in',
    [10n, 0n, 0n, 7n],
    { token_in: TOKEN0, amount_in: 10n, token_out: TOKEN1, amount_out: 7n },
  ],
  [
    'the second token in',
    [0n, 9n, 4n, 0n],
    { token_in: TOKEN1, amount_in: 9n, token_out: TOKEN0, amount_out: 4n },
  ],
  [
    'some of it back',
    [10n, 0n, 2n, 7n],
    { token_in: TOKEN0, amount_in: 8n, amount_out: 7n, amount0: 8n, amount1: -7n },
  ],
  [
    'both in',
    [10n, 5n, 0n, 3n],
    { token_in: TOKEN0, amount_in: 10n, amount_out: 0n, amount0: 10n, amount1: 2n },
  ],
  ['nothing at all', [0n, 0n, 0n, 0n], { amount_in: 0n, amount_out: 0n }],
])('V2: %s', (_, amounts, expected) => {
  const { dex_swaps } = resolve(pair, logOf(V2_EVENTS.swap, POOL, [BOB, ...amounts, ALICE]));
  expect(dex_swaps).toMatchObject([{ ...expected, sender: BOB, recipient: ALICE, fee_pips: null }]);
});

test("V3: the amounts are the pool's own", () => {
  const swap = logOf(V3_EVENTS.swap, POOL, [BOB, ALICE, -7n, 10n, SQRT_PRICE, 99n, TICK]);
  const expected = {
    token_in: TOKEN1,
    amount_in: 10n,
    token_out: TOKEN0,
    amount_out: 7n,
    amount0: -7n,
    amount1: 10n,
    fee_pips: 500,
    sqrt_price_x96: SQRT_PRICE,
    liquidity: 99n,
    tick: TICK,
  };
  expect(resolve(pool, swap).dex_swaps).toMatchObject([expected]);
  const pancake = logOf(V3_EVENTS.pancakeSwap, POOL, [BOB, ALICE, -7n, 10n, SQRT_PRICE, 99n, TICK, 1n, 2n]);
  expect(resolve(pool, pancake).dex_swaps).toMatchObject([expected]);
});

test("V4: the amounts are the swapper's, and the fee is the swap's", () => {
  const swap = logOf(V4_EVENTS.swap, FACTORY, [V4_ID, BOB, -10n, 7n, SQRT_PRICE, 99n, TICK, 123]);
  expect(resolve(v4Pool(3000), swap).dex_swaps).toMatchObject([
    {
      token_in: ZERO,
      amount_in: 10n,
      token_out: TOKEN1,
      amount_out: 7n,
      amount0: 10n,
      amount1: -7n,
      fee_pips: 123,
    },
  ]);
});

test("what is no pool, or not of that kind, or does not come from the pool's manager, has no rows", () => {
  const v3Swap = (emitter: `0x${string}`) => logOf(V3_EVENTS.swap, emitter, [BOB, ALICE, 1n, -1n, 1n, 1n, 0]);
  expect(resolve(pool, v3Swap(BOB))).toMatchObject({ dex_swaps: [], strange_events: 1 });
  expect(resolve(pair, v3Swap(POOL))).toMatchObject({ dex_swaps: [], strange_events: 1 });
  const v4Swap = logOf(V4_EVENTS.swap, BOB, [V4_ID, BOB, -10n, 7n, 1n, 1n, 0, 1]);
  expect(resolve(v4Pool(1), v4Swap)).toMatchObject({ dex_swaps: [], strange_events: 1 });
  expect(resolve(logOf(V2_EVENTS.sync, POOL, [1n, 2n]))).toMatchObject({
    dex_liquidity_events: [],
    strange_events: 1,
  });
});

test('a trade at a tick that 24 bits do not hold is undecodable', () => {
  const swap = logOf(V3_EVENTS.swap, POOL, [BOB, ALICE, 1n, -1n, 1n, 1n, 0]);
  const rows = decodeLogs([{ ...swap, data: concatHex([sliceHex(swap.data, 0, 128), word(2 ** 23)]) }]);
  expect([rows.swap_events.length, rows.undecodable_logs.length]).toEqual([0, 1]);
});

test('liquidity of each kind', () => {
  const v2Rows = resolve(
    pair,
    logOf(V2_EVENTS.sync, POOL, [5n, 6n]),
    logOf(V2_EVENTS.mint, POOL, [BOB, 1n, 2n]),
    logOf(V2_EVENTS.burn, POOL, [BOB, 3n, 4n, ALICE]),
  );
  expect(v2Rows.dex_liquidity_events).toMatchObject([
    { kind: 'sync', amount0: 5n, amount1: 6n },
    { kind: 'mint', owner: BOB, amount0: 1n, amount1: 2n },
    { kind: 'burn', owner: ALICE, amount0: 3n, amount1: 4n },
  ]);
  const position = { owner: BOB, tick_lower: -20, tick_upper: 10 };
  const v3Rows = resolve(
    pool,
    logOf(V3_EVENTS.initialize, POOL, [SQRT_PRICE, TICK]),
    logOf(V3_EVENTS.mint, POOL, [ALICE, BOB, -20, 10, 100n, 1n, 2n]),
    logOf(V3_EVENTS.burn, POOL, [BOB, -20, 10, 40n, 3n, 4n]),
    logOf(V3_EVENTS.collect, POOL, [BOB, ALICE, -20, 10, 5n, 6n]),
  );
  expect(v3Rows.dex_liquidity_events).toMatchObject([
    { kind: 'initialize', sqrt_price_x96: SQRT_PRICE },
    { kind: 'mint', ...position, liquidity_delta: 100n, amount0: 1n, amount1: 2n },
    { kind: 'burn', ...position, liquidity_delta: -40n, amount0: 3n, amount1: 4n },
    { kind: 'collect', ...position, liquidity_delta: null, amount0: 5n, amount1: 6n },
  ]);
  const v4Rows = resolve(
    v4Pool(1),
    logOf(V4_EVENTS.modify, FACTORY, [V4_ID, BOB, -20, 10, -5n, word(0)]),
    logOf(V4_EVENTS.donate, FACTORY, [V4_ID, BOB, 8n, 9n]),
  );
  expect(v4Rows.dex_liquidity_events).toMatchObject([
    { kind: 'initialize', sqrt_price_x96: SQRT_PRICE },
    { kind: 'modify', ...position, liquidity_delta: -5n },
    { kind: 'donate', owner: BOB, amount0: 8n, amount1: 9n },
  ]);
  expect(v4Rows.dex_liquidity_events[0]).not.toHaveProperty('emitter');
});

test("a swap inside of a user operation is its sender's", () => {
  // 0.6 to 0.9.
  const [first, second, third, fourth] = [
    '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789',
    '0x0000000071727de22e5e9d8baf0edac6f37da032',
    '0x4337084d9e255ff0702461cf8895ce9e3b5ff108',
    '0x433709009b8330fda32311df1c2afa402ed8d009',
  ] as const;
  const swap = logOf(V2_EVENTS.swap, POOL, [ROUTER, 1n, 0n, 0n, 1n, ROUTER]);
  const operation = (emitter: `0x${string}`, sender: `0x${string}`) =>
    logOf(userOperation, emitter, [word(1), sender, ZERO, 1n, true, 1n, 1n]);
  const { dex_swaps } = resolve(
    pair,
    swap,
    operation(first, BOB),
    swap,
    operation(ROUTER, ROUTER),
    operation(second, TOKEN1),
    swap,
    operation(third, POOL),
    swap,
    operation(fourth, ROUTER),
    swap,
  );
  expect(dex_swaps.map(({ trader, trader_kind }) => [trader, trader_kind])).toEqual([
    [BOB, 'userop_sender'],
    [TOKEN1, 'userop_sender'],
    [POOL, 'userop_sender'],
    [ROUTER, 'userop_sender'],
    [ALICE, 'tx_from'],
  ]);
});

test('user operations are those of the contracts that the chain lists, in place of the usual ones', () => {
  const logs = [
    logOf(V2_EVENTS.swap, POOL, [ROUTER, 1n, 0n, 0n, 1n, ROUTER]),
    logOf(userOperation, ROUTER, [word(1), BOB, ZERO, 1n, true, 1n, 1n]),
  ];
  const tradersBy = (entryPoints?: readonly string[]) =>
    decodeLogs(logs, { ...PLAIN, entryPoints }).swap_events.map(({ trader }) => trader);
  expect([tradersBy(), tradersBy([ROUTER]), tradersBy([])]).toEqual([[ALICE], [BOB], [ALICE]]);
});
