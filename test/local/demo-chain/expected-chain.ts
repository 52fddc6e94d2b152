import { type Address, type Hex, stringToHex } from 'viem';
import { type DemoPlan, planDemoChain } from '../../../local/demo-chain/plan.ts';
import type { Contracts } from '../../../local/demo-chain/script/contracts.ts';
import type {
  DemoItemBalance,
  DemoMultiplier,
  DemoOddLog,
  DemoPool,
  DemoSale,
  DemoSwap,
  DemoTransfer,
  DemoWrap,
} from '../../../local/demo-chain/script/records.ts';
import type { PlannedBlock } from '../../../local/demo-chain/script/script.ts';
import type { World } from '../../../local/demo-chain/script/world.ts';
import { stockDays } from './stock-days.ts';

/**
 * What is true of the demo chain: computed from its plan alone, without asking a node. Addresses are lower-case,
 * amounts raw, times in seconds since the epoch.
 */
export interface DemoChain {
  /** The plan's first block; block 0 is the node's own. */
  readonly firstBlock: number;
  readonly lastBlock: number;
  readonly transactionCount: number;
  /** Transactions of `transactionCount` that were mined and failed. */
  readonly failedTransactionCount: number;
  readonly emptyBlockCount: number;
  readonly contracts: Contracts;
  /** Accounts that send transactions; the first is the issuer of everything. */
  readonly accounts: readonly Address[];
  /** Accounts that only receive, with what they got of the native token, in wei. */
  readonly receivers: ReadonlyMap<Address, bigint>;
  /** Fungible tokens, the shares of V2 pairs included. */
  readonly tokens: readonly DemoToken[];
  /** Every transfer that an event announces, in the order of the chain. */
  readonly transfers: readonly DemoTransfer[];
  /** Deposits to and withdrawals from the wrapped native token, which no Transfer announces. */
  readonly wraps: readonly DemoWrap[];
  /** Owners of the tokens of `contracts.nft`. */
  readonly nftOwners: ReadonlyMap<bigint, Address>;
  readonly nftSales: readonly DemoSale[];
  /** Non-zero balances in `contracts.items`. */
  readonly itemBalances: readonly DemoItemBalance[];
  readonly pools: readonly DemoPool[];
  readonly swaps: readonly DemoSwap[];
  readonly stocks: readonly DemoStock[];
  /** Logs that look like transfers and are none, or are as large as logs get. */
  readonly oddLogs: readonly DemoOddLog[];
}

/** How a token departs from the standard. */
type TokenBehaviour =
  | 'standard'
  /** Transfers announce more than the receiver gets. */
  | 'fee_on_transfer'
  /** Balances move without an event. */
  | 'rebasing'
  /** `balanceOf` reverts; the balances here can only be had from the transfers. */
  | 'unreadable'
  /** Deposits and withdrawals are no transfers. */
  | 'wrapped_native'
  /** A share of a V2 pair: the first ones belong to the zero address. */
  | 'pair_share';

interface TokenDetails {
  /** The bytes that `name` and `symbol` answer with; null where a token has no metadata. */
  readonly name: Hex | null;
  readonly symbol: Hex | null;
  readonly decimals: number | null;
}

interface DemoToken extends TokenDetails {
  readonly address: Address;
  readonly behaviour: TokenBehaviour;
  readonly totalSupply: bigint;
  /** Non-zero balances by holder. */
  readonly balances: ReadonlyMap<Address, bigint>;
}

interface DemoAnnouncement extends Omit<DemoMultiplier, 'token'> {
  /** In force when the new one was set. */
  readonly oldMultiplier: bigint;
}

export interface DemoStock {
  readonly token: Address;
  readonly uid: Hex;
  readonly name: string;
  readonly symbol: string;
  /** Multipliers have 18 decimals. No event announces the first one. */
  readonly initialMultiplier: bigint;
  readonly announcements: readonly DemoAnnouncement[];
  /** In force at the last block. */
  readonly multiplier: bigint;
  readonly days: readonly DemoStockDay[];
}

/** Figures of a stock token for one day (UTC); days on which nothing moved are left out. */
export interface DemoStockDay {
  /** `YYYY-MM-DD` */
  readonly day: string;
  /** Transfers of any kind, mints and burns included. */
  readonly transfers: number;
  readonly minted: bigint;
  readonly burned: bigint;
  /** Holders of more than nothing at the end of the day. */
  readonly holders: number;
  readonly swaps: number;
  /** Raw amount of the stock that moved through pools in swaps. */
  readonly swapVolume: bigint;
}

/** One that splits, and one whose multiplier grows with dividends. */
const STOCKS = [
  {
    uid: stringToHex('demo:ACRN', { size: 32 }),
    name: 'Acorn Industries',
    symbol: 'ACRN',
    initialMultiplier: 1_000_000_000_000_000_000n,
  },
  {
    uid: stringToHex('demo:BRCH', { size: 32 }),
    name: 'Birch Energy',
    symbol: 'BRCH',
    initialMultiplier: 1_000_957_500_000_000_000n,
  },
] as const;

/** Name, symbol and decimals of a V2 pair's shares. */
const SHARE_DETAILS = { name: '0x556e6973776170205632', symbol: '0x554e492d5632', decimals: 18 } as const;

/** The demo chain's plan, with what will be true of it. */
export function plannedChain(...options: Parameters<typeof planDemoChain>): {
  readonly blocks: readonly PlannedBlock[];
  readonly expected: DemoChain;
} {
  const plan = planDemoChain(...options);
  return { blocks: plan.blocks, expected: describeChain(plan) };
}

/** Sums up the world that a plan leaves. */
export function describeChain({ blocks, world, markets }: DemoPlan): DemoChain {
  const { ledger, contracts, receivers, issuer, traders } = world;
  const pools = markets.map((market) => market.describe());
  const transactions = blocks.flatMap((block) => block.transactions);
  return {
    firstBlock: 1,
    lastBlock: blocks.length,
    transactionCount: transactions.length,
    failedTransactionCount: transactions.filter(({ fails }) => fails).length,
    emptyBlockCount: blocks.filter((block) => block.transactions.length === 0).length,
    contracts,
    accounts: [issuer, ...traders],
    receivers,
    tokens: describeTokens(world, pools),
    transfers: ledger.transfers,
    wraps: ledger.wraps,
    nftOwners: ledger.nftOwners,
    nftSales: ledger.sales,
    itemBalances: ledger.itemBalances(),
    pools,
    swaps: ledger.swaps,
    stocks: STOCKS.map((listing, index) => {
      const token = contracts.stocks[index] as Address;
      const announced = ledger.multipliers.filter((multiplier) => multiplier.token === token);
      const days = stockDays(token, ledger.transfers, ledger.swaps, pools);
      const multipliers = multipliersOf(listing.initialMultiplier, announced, blocks.at(-1)?.timestamp ?? 0);
      return { token, ...listing, ...multipliers, days };
    }),
    oddLogs: ledger.oddLogs,
  };
}

/** What was announced of a stock's multiplier and what is in force at a time, after ERC-8056. */
export function multipliersOf(
  initial: bigint,
  announced: readonly Omit<DemoMultiplier, 'token'>[],
  time: number,
): Pick<DemoStock, 'announcements' | 'multiplier'> {
  let state = { former: initial, next: initial, effectiveAt: 0 };
  const inForce = (time: number) => (time >= state.effectiveAt ? state.next : state.former);
  const announcements = announced.map(({ blockNumber, newMultiplier, setAt, effectiveAt }) => {
    const oldMultiplier = inForce(setAt);
    const former = setAt > state.effectiveAt ? state.next : state.former;
    state = { former, next: newMultiplier, effectiveAt };
    return { blockNumber, oldMultiplier, newMultiplier, setAt, effectiveAt };
  });
  return { announcements, multiplier: inForce(time) };
}

/** Name, symbol and decimals of every fungible token, as its contract has them. */
function tokenDetails({ odd, ...contracts }: Contracts): [Address, TokenDetails][] {
  const named = (name: string, symbol: string, decimals = 18) => ({
    name: stringToHex(name),
    symbol: stringToHex(symbol),
    decimals,
  });
  return [
    [contracts.dollar, named('Demo Dollar', 'dUSD', 6)],
    [contracts.garnet, named('Garnet', 'GRNT')],
    [contracts.wrappedNative, named('Wrapped Ether', 'WETH')],
    [contracts.stocks[0], named(STOCKS[0].name, STOCKS[0].symbol)],
    [contracts.stocks[1], named(STOCKS[1].name, STOCKS[1].symbol)],
    [odd.bytes32Symbol, named('Old Style Token', 'OLD')],
    [
      odd.invalidUtf8Symbol,
      { name: '0x42726f6b656e20ff546578740a', symbol: '0xc328fffe42414421', decimals: 18 },
    ],
    [odd.nulSymbol, named('Nul\0Token', 'N\0U\0L', 0)],
    [odd.noMetadata, { name: null, symbol: null, decimals: null }],
    [odd.unreadable, named('Unreadable Token', 'DARK')],
    [odd.feeOnTransfer, named('Fee Token', 'FEE')],
    [odd.rebasing, named('Rebasing Token', 'RBS')],
  ];
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
