import {
  type Address,
  encodePacked,
  type GetBlockReturnType,
  type Hex,
  hexToBigInt,
  keccak256,
  type PublicClient,
  parseAbi,
  parseAbiItem,
  zeroAddress,
} from 'viem';
import { erc20Abi, poolV3Abi, stockAbi } from '../../../local/demo-chain/script/abis.ts';
import { lowerCase } from '../../../local/demo-chain/script/script.ts';
import type { DemoChain, DemoStock } from './expected-chain.ts';
import type { PlayedChain } from './played-chain.ts';

/** Slot of the pools in a V4 pool manager, and of the liquidity in the state of a pool. */
const V4_POOLS_SLOT = 6n;
const V4_LIQUIDITY_OFFSET = 3n;
const PRICE_MASK = 2n ** 160n - 1n;
const PAIR_V2_ABI = parseAbi(['function getReserves() view returns (uint112, uint112, uint32)']);
const LEAST_SWAPS = 50;
const LEAST_DAYS = 5;

/** Tests of the pools and stock tokens of a chain that is there once the tests run: it takes seconds to play one. */
export function testMarkets(played: () => PlayedChain): void {
  let expected: DemoChain;
  let reader: PublicClient;
  let blocks: readonly GetBlockReturnType[];
  const range = { fromBlock: 0n, toBlock: 'latest', strict: true } as const;

  beforeAll(async () => {
    ({ expected, reader } = played());
    const numbers = Array.from({ length: expected.lastBlock }, (_, index) => BigInt(index + 1));
    blocks = await Promise.all(numbers.map((blockNumber) => reader.getBlock({ blockNumber })));
  });

  test('state of the pools', async () => {
    for (const { protocol, id, ...pool } of expected.pools) {
      if (protocol === 'uniswap_v2') {
        const [reserve0, reserve1] = await reader.readContract({
          address: id,
          abi: PAIR_V2_ABI,
          functionName: 'getReserves',
        });
        expect([reserve0, reserve1]).toEqual([pool.reserve0, pool.reserve1]);
      } else {
        const state = protocol === 'uniswap_v3' ? readV3(id) : readV4(expected.contracts.poolManagerV4, id);
        expect([id, await state]).toEqual([id, [pool.sqrtPriceX96, pool.liquidity]]);
      }
    }
  });

  async function readV3(address: Address): Promise<readonly bigint[]> {
    const contract = { address, abi: poolV3Abi } as const;
    const [sqrtPrice] = await reader.readContract({ ...contract, functionName: 'slot0' });
    return [sqrtPrice, await reader.readContract({ ...contract, functionName: 'liquidity' })];
  }

  async function readV4(address: Address, id: Hex): Promise<readonly bigint[]> {
    const slot = hexToBigInt(keccak256(encodePacked(['bytes32', 'uint256'], [id, V4_POOLS_SLOT])));
    const at = async (offset: bigint) =>
      hexToBigInt(
        (await reader.getStorageAt({ address, slot: `0x${(slot + offset).toString(16)}` })) ?? '0x0',
      );
    return [(await at(0n)) & PRICE_MASK, await at(V4_LIQUIDITY_OFFSET)];
  }

  test('every swap, in order', async () => {
    const v2 = parseAbiItem(
      'event Swap(address indexed sender, uint256 amount0In, uint256 amount1In, uint256 amount0Out, uint256 amount1Out, address indexed to)',
    );
    const v3 = parseAbiItem(
      'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
    );
    const v4 = parseAbiItem(
      'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
    );
    const [ofV2, ofV3, ofV4] = await Promise.all([
      reader.getLogs({ ...range, event: v2 }),
      reader.getLogs({ ...range, event: v3 }),
      reader.getLogs({ ...range, event: v4 }),
    ]);
    const found = [
      ...ofV2.map(({ args: { amount0In, amount0Out, amount1In, amount1Out }, ...log }) => ({
        ...log,
        swap: [lowerCase(log.address), amount0In - amount0Out, amount1In - amount1Out],
      })),
      ...ofV3.map(({ args, ...log }) => ({
        ...log,
        swap: [lowerCase(log.address), args.amount0, args.amount1],
      })),
      ...ofV4.map(({ args, ...log }) => ({ ...log, swap: [args.id, -args.amount0, -args.amount1] })),
    ].sort((one, other) => Number(one.blockNumber - other.blockNumber) || one.logIndex - other.logIndex);
    expect(found.map(({ blockNumber, swap }) => [Number(blockNumber), ...swap])).toEqual(
      expected.swaps.map(({ blockNumber, pool, amount0, amount1 }) => [blockNumber, pool, amount0, amount1]),
    );
    expect(Math.min(ofV2.length, ofV3.length, ofV4.length)).toBeGreaterThan(LEAST_SWAPS);
  });

  test('announced multipliers, and the one in force at every block of a stock', async () => {
    const event = parseAbiItem(
      'event UIMultiplierUpdated(uint256 oldMultiplier, uint256 newMultiplier, uint256 setAt, uint256 effectiveAt)',
    );
    for (const stock of expected.stocks) {
      const logs = await reader.getLogs({ ...range, address: stock.token, event });
      expect(
        logs.map(({ blockNumber, args: { oldMultiplier, newMultiplier, setAt, effectiveAt } }) => ({
          blockNumber: Number(blockNumber),
          oldMultiplier,
          newMultiplier,
          setAt: Number(setAt),
          effectiveAt: Number(effectiveAt),
        })),
      ).toEqual(stock.announcements);
      const first = expected.transfers.find(({ token }) => token === stock.token)?.blockNumber ?? 0;
      const later = blocks.filter(({ number }) => Number(number) >= first);
      const contract = { address: stock.token, abi: stockAbi, functionName: 'uiMultiplier' } as const;
      const found = await Promise.all(
        later.map(({ number: blockNumber }) => reader.readContract({ ...contract, blockNumber })),
      );
      const inForce = later.map(({ number, timestamp }) =>
        multiplierAt(stock, Number(number), Number(timestamp)),
      );
      expect(found).toEqual(inForce);
      expect(found.at(-1)).toBe(stock.multiplier);
      expect(new Set(found).size).toBeGreaterThan(1);
    }
  });

  /** The newest announcement up to a block that is in force at its time. */
  function multiplierAt(stock: DemoStock, block: number, time: number): bigint {
    const known = stock.announcements.filter(({ blockNumber }) => blockNumber <= block);
    const newest = known.at(-1);
    if (newest === undefined) return stock.initialMultiplier;
    return time >= newest.effectiveAt ? newest.newMultiplier : newest.oldMultiplier;
  }

  test('daily figures of the stocks', async () => {
    for (const { token: address, days } of expected.stocks) {
      const token = { address, abi: erc20Abi } as const;
      const holders = new Set(expected.transfers.filter((row) => row.token === address).map(({ to }) => to));
      holders.delete(zeroAddress);
      let supply = 0n;
      for (const { day, minted, burned, holders: count } of days) {
        const end = blocks.findLast((block) => timeOf(block).startsWith(day))?.number ?? 0n;
        const balances = await Promise.all(
          [...holders].map((holder) =>
            reader.readContract({ ...token, functionName: 'balanceOf', args: [holder], blockNumber: end }),
          ),
        );
        supply += minted - burned;
        expect([day, balances.filter((balance) => balance > 0n).length]).toEqual([day, count]);
        expect(await reader.readContract({ ...token, functionName: 'totalSupply', blockNumber: end })).toBe(
          supply,
        );
      }
      expect(days.length).toBeGreaterThanOrEqual(LEAST_DAYS);
    }
  });

  function timeOf({ timestamp }: { readonly timestamp: bigint }): string {
    return new Date(Number(timestamp) * 1_000).toISOString();
  }
}
