import { type Address, maxUint256, parseEther, zeroAddress } from 'viem';
import { createLure } from './deployment.ts';
import type { DemoMarket } from './pools/market.ts';
import { MarketV2 } from './pools/market-v2.ts';
import { MarketV3 } from './pools/market-v3.ts';
import { MarketV4 } from './pools/market-v4.ts';
import { erc20Abi, erc721Abi, wrappedNativeAbi } from './script/abis.ts';
import { lowerCase } from './script/script.ts';
import type { World } from './script/world.ts';

const DOLLAR = 10n ** 6n;
const TOKEN = 10n ** 18n;
/** Gas limit of a mint, a deposit or an approval. */
const SMALL_GAS = 120_000n;

/** First balance of an account, in raw units. */
interface Funds {
  readonly dollars: bigint;
  readonly garnet: bigint;
  /** Shares of each stock. */
  readonly stock: bigint;
  /** Native token to be wrapped. */
  readonly wrapped: bigint;
}

const ISSUER_FUNDS: Funds = {
  dollars: 40_000_000n * DOLLAR,
  garnet: 10_000_000n * TOKEN,
  stock: 100_000n * TOKEN,
  wrapped: parseEther('3000'),
};
const TRADER_FUNDS: Funds = {
  dollars: 900_000n * DOLLAR,
  garnet: 250_000n * TOKEN,
  stock: 4_000n * TOKEN,
  wrapped: parseEther('300'),
};
/** Of each odd token, for each trader. */
const ODD_FUNDS = 10_000n * TOKEN;

/** What each account gets of the airdrop. */
const LURE = 1_000n * TOKEN;
/** An address that never does anything. */
const STRANGER = lowerCase(`0x${'5a'.repeat(20)}`);

/** Mints, wraps and approves what the issuer and the traders need; ends the block. */
export function fundAccounts(world: World): void {
  const { issuer, traders, script } = world;
  fund(world, issuer, ISSUER_FUNDS);
  for (const trader of traders) fund(world, trader, TRADER_FUNDS);
  script.endBlock();
  for (const trader of traders) fundWithOddTokens(world, trader);
  script.endBlock();
}

function fund(world: World, account: Address, funds: Funds): void {
  const { script, ledger, contracts } = world;
  const { dollar, garnet, wrappedNative, stocks, poolCaller } = contracts;
  const amounts: readonly (readonly [Address, bigint])[] = [
    [dollar, funds.dollars],
    [garnet, funds.garnet],
    [stocks[0], funds.stock],
    [stocks[1], funds.stock],
  ];
  for (const [token, amount] of amounts) mintTokens(world, token, account, amount);
  script.call(
    { from: account, to: wrappedNative, value: funds.wrapped, gas: SMALL_GAS },
    wrappedNativeAbi,
    'deposit',
    [],
  );
  ledger.wrap(wrappedNative, account, funds.wrapped);
  for (const token of [dollar, garnet, wrappedNative, ...stocks]) {
    script.call({ from: account, to: token, gas: SMALL_GAS }, erc20Abi, 'approve', [poolCaller, maxUint256]);
  }
}

function fundWithOddTokens(world: World, trader: Address): void {
  const { script, contracts } = world;
  const { logEmitter: _, ...tokens } = contracts.odd;
  for (const token of Object.values(tokens)) mintTokens(world, token, trader, ODD_FUNDS);
  script.call({ from: trader, to: contracts.nft, gas: SMALL_GAS }, erc721Abi, 'setApprovalForAll', [
    contracts.marketplace,
    true,
  ]);
}

/** The issuer mints tokens of any kind. */
function mintTokens({ script, ledger, issuer }: World, token: Address, to: Address, amount: bigint): void {
  script.call({ from: issuer, to: token, gas: SMALL_GAS }, erc20Abi, 'mint', [to, amount]);
  ledger.mint(token, to, amount);
}

/** Opens the pools, two of each protocol, at the prices that the amounts of their first liquidity say. */
export function openMarkets(world: World): DemoMarket[] {
  const { script, contracts } = world;
  const { dollar, garnet, wrappedNative, stocks } = contracts;
  const pairs = [
    new MarketV2(
      world,
      { token: garnet, amount: 600_000n * TOKEN },
      { token: wrappedNative, amount: parseEther('400') },
    ),
    new MarketV2(
      world,
      { token: stocks[0], amount: 10_000n * TOKEN },
      { token: dollar, amount: 1_800_000n * DOLLAR },
    ),
  ];
  script.endBlock();
  const pools = [
    new MarketV3(world, {
      feePips: 500,
      tickSpacing: 10,
      one: { token: wrappedNative, amount: parseEther('1000') },
      other: { token: dollar, amount: 3_000_000n * DOLLAR },
    }),
    new MarketV3(world, {
      feePips: 3_000,
      tickSpacing: 60,
      one: { token: garnet, amount: 500_000n * TOKEN },
      other: { token: dollar, amount: 1_000_000n * DOLLAR },
    }),
  ];
  script.endBlock();
  const managed = [
    new MarketV4(world, {
      feePips: 500,
      tickSpacing: 10,
      one: { token: zeroAddress, amount: parseEther('800') },
      other: { token: dollar, amount: 2_400_000n * DOLLAR },
    }),
    new MarketV4(world, {
      feePips: 3_000,
      tickSpacing: 60,
      one: { token: stocks[1], amount: 20_000n * TOKEN },
      other: { token: dollar, amount: 1_900_000n * DOLLAR },
    }),
  ];
  script.endBlock();
  return [...pairs, ...pools, ...managed];
}

/** The last trader makes a token whose name is a lure, and gives some of it to everybody. */
export function airdropLure({ script, ledger, traders, issuer }: World): void {
  const lurer = traders.at(-1) ?? issuer;
  const token = createLure(script, lurer);
  for (const to of [issuer, ...traders]) {
    script.call({ from: lurer, to: token }, erc20Abi, 'mint', [to, LURE]);
    ledger.mint(token, to, LURE);
  }
}

/** The first trader lets a stranger take all its dollars, and a part of its garnet. */
export function approveStranger({ script, ledger, contracts, traders, issuer }: World): void {
  const from = traders[0] ?? issuer;
  const { dollar, garnet } = contracts;
  const amounts = [
    [dollar, maxUint256],
    [garnet, ledger.balanceOf(garnet, from) / 2n],
  ] as const;
  for (const [to, amount] of amounts) {
    script.call({ from, to }, erc20Abi, 'approve', [STRANGER, amount]);
  }
}
