import type { Address } from 'viem';
import type { StockMultiplier } from './activity/stock-activity.ts';
import { stockDays } from './activity/stock-days.ts';
import { STOCKS } from './activity/stock-listings.ts';
import { tokenDetails } from './deployment.ts';
import type { DemoMarket } from './pools/market.ts';
import type { DemoChain, DemoPool, DemoStock, DemoToken, TokenBehaviour } from './script/demo-chain.ts';
import type { World } from './script/world.ts';

/** Name, symbol and decimals of a V2 pair's shares. */
const SHARE_DETAILS = { name: '0x556e6973776170205632', symbol: '0x554e492d5632', decimals: 18 } as const;

/** Sums up a world whose plan is complete. */
export function describeChain(plan: {
  readonly seed: number;
  readonly world: World;
  readonly markets: readonly DemoMarket[];
  readonly multipliers: readonly [StockMultiplier, StockMultiplier];
  readonly accounts: readonly Address[];
  readonly end: number;
}): DemoChain {
  const { seed, world, markets, multipliers, accounts, end } = plan;
  const { script, ledger, contracts, receivers } = world;
  const pools = markets.map((market) => market.describe());
  const transactions = script.blocks.flatMap((block) => block.transactions);
  return {
    seed,
    firstBlock: 1,
    lastBlock: script.blocks.length,
    transactionCount: transactions.length,
    failedTransactionCount: transactions.filter(({ fails }) => fails).length,
    emptyBlockCount: script.blocks.filter((block) => block.transactions.length === 0).length,
    contracts,
    accounts,
    receivers,
    tokens: describeTokens(world, pools),
    transfers: ledger.transfers,
    wraps: ledger.wraps,
    nftOwners: ledger.nftOwners,
    nftSales: ledger.sales,
    itemBalances: ledger.itemBalances(),
    pools,
    swaps: ledger.swaps,
    stocks: [
      describeStock(world, pools, { index: 0, multiplier: multipliers[0] }, end),
      describeStock(world, pools, { index: 1, multiplier: multipliers[1] }, end),
    ],
    oddLogs: ledger.oddLogs,
  };
}

function describeTokens({ ledger, contracts }: World, pools: readonly DemoPool[]): DemoToken[] {
  const pairs = pools.filter(({ protocol }) => protocol === 'uniswap_v2').map(({ id }) => id);
  const details = [...tokenDetails(contracts), ...pairs.map((pair) => [pair, SHARE_DETAILS] as const)];
  return details.map(([address, known]) => ({
    address,
    behaviour: pairs.includes(address) ? 'pair_share' : behaviourOf(contracts, address),
    ...known,
    totalSupply: ledger.totalSupply(address),
    balances: ledger.balancesOf(address),
  }));
}

function behaviourOf({ wrappedNative, odd }: World['contracts'], token: Address): TokenBehaviour {
  switch (token) {
    case wrappedNative:
      return 'wrapped_native';
    case odd.feeOnTransfer:
      return 'fee_on_transfer';
    case odd.rebasing:
      return 'rebasing';
    case odd.unreadable:
      return 'unreadable';
    default:
      return 'standard';
  }
}

function describeStock(
  { ledger, contracts }: World,
  pools: readonly DemoPool[],
  { index, multiplier }: { readonly index: 0 | 1; readonly multiplier: StockMultiplier },
  end: number,
): DemoStock {
  const token = contracts.stocks[index];
  return {
    token,
    ...STOCKS[index],
    announcements: multiplier.announcements,
    multiplier: multiplier.inForce(end),
    days: stockDays(token, ledger.transfers, ledger.swaps, pools),
  };
}
