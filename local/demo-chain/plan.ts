import type { Address } from 'viem';
import { burnItem, mintItem, mintItems, transferItem, transferItems } from './activity/item-activity.ts';
import { burnNft, mintNft, sellNft, sweepNfts, transferNft } from './activity/nft-activity.ts';
import {
  createContract,
  emitLargeLog,
  emitMixedTransfers,
  emitOddLogs,
  fail,
  rebase,
  sendLargeCalldata,
  transferOddToken,
  transferWithFee,
} from './activity/odd-activity.ts';
import {
  announceMultiplier,
  burnGarnet,
  issueStock,
  mintDollars,
  redeemStock,
  sendNative,
  transferByAllowance,
  transferCommonToken,
  transferStock,
  unwrapNative,
  wrapNative,
} from './activity/token-activity.ts';
import { deployContracts } from './deployment.ts';
import { airdropLure, approveStranger, fundAccounts, openMarkets } from './funding.ts';
import type { DemoMarket } from './pools/market.ts';
import { addLiquidity, type Dex, openDex, removeLiquidity, swapTokens } from './pools/pool-activity.ts';
import { Ledger } from './script/ledger.ts';
import { Random } from './script/random.ts';
import { type PlannedBlock, Script } from './script/script.ts';
import type { World } from './script/world.ts';

/** Gaps between blocks, in seconds, with how often each kind occurs, in percent: bursts, calm and quiet hours. */
const GAPS: readonly (readonly [
  percent: number,
  gap: { readonly minimum: number; readonly maximum: number },
])[] = [
  [72, { minimum: 1, maximum: 20 }],
  [23, { minimum: 60, maximum: 900 }],
  [5, { minimum: 3_600, maximum: 10_000 }],
];

/** Blocks of the demo chain, so many that hundreds of them are final: finality lags by 256. */
export const DEMO_BLOCKS = 960;
/** Time that the demo chain spans, in seconds: six days. */
export const DEMO_SPAN_SECONDS = 6 * 24 * 60 * 60;
const RECEIVERS = 24;
const EMPTY_BLOCK_PERCENT = 15;
const MAX_ACTIVITIES = 5;
const DAY_SECONDS = 24 * 60 * 60;
const ONE = 10n ** 18n;
const PERMILLE = 1_000;

type Activity = (world: World, exchange: Dex) => void;
type Event = readonly [permille: number, event: (world: World) => void];

/** What accounts do, and how often each of it occurs beside the others. */
const ACTIVITIES: readonly (readonly [weight: number, activity: Activity])[] = [
  [20, transferCommonToken],
  [3, transferByAllowance],
  [3, mintDollars],
  [2, burnGarnet],
  [3, wrapNative],
  [3, unwrapNative],
  [6, sendNative],
  [5, mintNft],
  [4, transferNft],
  [4, sellNft],
  [1, burnNft],
  [3, mintItem],
  [1, mintItems],
  [3, transferItem],
  [3, transferItems],
  [1, burnItem],
  [28, swapTokens],
  [4, addLiquidity],
  [3, removeLiquidity],
  [8, transferStock],
  [3, issueStock],
  [2, redeemStock],
  [5, transferOddToken],
  [3, transferWithFee],
  [1, emitMixedTransfers],
  [4, fail],
  [1, createContract],
];

/** The demo chain before it is played: its blocks, and the world and the pools as these leave them. */
export interface DemoPlan {
  readonly blocks: readonly PlannedBlock[];
  readonly world: World;
  readonly markets: readonly DemoMarket[];
}

/**
 * Plans the demo chain. Equal arguments give equal plans.
 * @param accounts that can sign, lower-case; at least three
 * @param end time of the last block, in seconds since the epoch
 * @param form how many blocks it has, and whether an airdrop is a lure and an account has let a stranger take its tokens
 */
export function planDemoChain(
  seed: number,
  accounts: readonly Address[],
  end: number,
  { blocks = DEMO_BLOCKS, hasRisks = false }: { readonly blocks?: number; readonly hasRisks?: boolean } = {},
): DemoPlan {
  const [issuer, ...traders] = accounts;
  if (issuer === undefined || traders.length < 2) throw new Error('the demo chain needs three accounts');
  const random = new Random(seed);
  const times = blockTimes(random, blocks, end, DEMO_SPAN_SECONDS);
  const script = new Script(times);
  const ledger = new Ledger(() => script.block);
  const receivers = new Map(Array.from({ length: RECEIVERS }, () => [random.bytes(20), 0n] as const));
  const contracts = deployContracts(script, issuer);
  const world: World = { random, script, ledger, contracts, issuer, traders, receivers };
  fundAccounts(world);
  const markets = openMarkets(world);
  const events = scheduleEvents(times, script.block.number, { contracts, hasRisks });
  const exchange = openDex(markets);
  while (script.blocksLeft > 0) {
    for (const event of events.get(script.block.number) ?? []) event(world);
    act(world, exchange);
    script.endBlock();
  }
  return { blocks: script.blocks, world, markets };
}

function act(world: World, exchange: Dex): void {
  const { random } = world;
  if (random.chance(EMPTY_BLOCK_PERCENT)) return;
  const count = random.integer(1, MAX_ACTIVITIES);
  for (let acted = 0; acted < count; acted += 1) random.weighted(ACTIVITIES)(world, exchange);
}

/**
 * What happens once, by block. The multipliers: a split; a dividend; one that is superseded before it takes effect; one
 * that is pending at the end. Two of them take effect between two blocks, where nothing tells of it, one at a block's
 * very time.
 */
function scheduleEvents(
  times: readonly number[],
  firstBlock: number,
  { contracts, hasRisks }: Pick<World, 'contracts'> & { readonly hasRisks: boolean },
): Map<number, readonly ((world: World) => void)[]> {
  const blockAt = (permille: number) =>
    firstBlock + Math.floor(((times.length - firstBlock) * permille) / PERMILLE);
  const timeOf = (block: number) => times[block - 1] ?? 0;
  const [acorn, birch] = contracts.stocks;
  const announce = (token: Address) => (next: bigint, effectiveAt: number) => (world: World) =>
    announceMultiplier(world, token, next, effectiveAt);
  const [announceAcorn, announceBirch] = [announce(acorn), announce(birch)];
  const events: readonly Event[] = [
    [50, rebase],
    [100, announceBirch(1_004_100_000_000_000_000n, timeOf(blockAt(150)))],
    [200, sweepNfts],
    [250, emitOddLogs],
    [250, announceAcorn(4n * ONE, timeOf(blockAt(400)) - 1)],
    [300, emitLargeLog],
    [350, sendLargeCalldata],
    [430, announceBirch(1_009_000_000_000_000_000n, timeOf(blockAt(600)) - 1)],
    [450, rebase],
    [500, announceBirch(1_008_300_000_000_000_000n, timeOf(blockAt(550)) - 1)],
    [520, emitMixedTransfers],
    [580, sweepNfts],
    [640, announceAcorn(2n * ONE, timeOf(times.length) + 3 * DAY_SECONDS)],
    [850, sweepNfts],
    [900, rebase],
    // Early enough to be final.
    ...(hasRisks
      ? ([
          [560, airdropLure],
          [570, approveStranger],
        ] as const)
      : []),
  ];
  const byBlock = Map.groupBy(events, ([permille]) => blockAt(permille));
  return new Map([...byBlock].map(([block, found]) => [block, found.map(([, event]) => event)]));
}

/**
 * Times of blocks that fill a span, strictly increasing; the last one is the end.
 * @param end in seconds since the epoch
 * @param span in seconds, at least one for each block
 */
export function blockTimes(random: Random, count: number, end: number, span: number): number[] {
  const gaps = Array.from({ length: count }, () => {
    const { minimum, maximum } = random.weighted(GAPS);
    return random.integer(minimum, maximum);
  });
  const total = gaps.reduce((sum, gap) => sum + gap, 0);
  // One second is kept for each block, so that rounding never makes two blocks of one time.
  const spare = span - count;
  let passed = 0;
  return gaps.map((gap, index) => {
    passed += gap;
    return end - span + index + 1 + Math.floor((passed * spare) / total);
  });
}
