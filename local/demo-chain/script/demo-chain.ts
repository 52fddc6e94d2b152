import type { Address, Hex } from 'viem';
import type { DexProtocol } from '../../../lambdas/shared/runtime/settings.ts';
import type { Contracts } from './contracts.ts';

/**
 * What is true of the demo chain: computed from its plan alone, without asking a node. Addresses are lower-case,
 * amounts raw, times in seconds since the epoch.
 */
export interface DemoChain {
  readonly seed: number;
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
export type TokenBehaviour =
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

export interface DemoToken {
  readonly address: Address;
  readonly behaviour: TokenBehaviour;
  /** The bytes that `name` and `symbol` answer with; null where a token has no metadata. */
  readonly name: Hex | null;
  readonly symbol: Hex | null;
  readonly decimals: number | null;
  readonly totalSupply: bigint;
  /** Non-zero balances by holder. */
  readonly balances: ReadonlyMap<Address, bigint>;
}

export interface DemoTransfer {
  readonly blockNumber: number;
  readonly timestamp: number;
  readonly standard: 'erc20' | 'erc721' | 'erc1155';
  readonly token: Address;
  readonly from: Address;
  readonly to: Address;
  /** As the event says; 1 for ERC-721. */
  readonly amount: bigint;
  /** Absent for ERC-20. */
  readonly tokenId?: bigint;
}

export interface DemoWrap {
  readonly blockNumber: number;
  readonly kind: 'deposit' | 'withdrawal';
  readonly account: Address;
  readonly amount: bigint;
}

export interface DemoSale {
  readonly blockNumber: number;
  readonly tokenId: bigint;
  readonly seller: Address;
  readonly buyer: Address;
  /** In wei. */
  readonly price: bigint;
}

export interface DemoItemBalance {
  readonly holder: Address;
  readonly id: bigint;
  readonly amount: bigint;
}

export interface DemoPool {
  readonly protocol: DexProtocol;
  /** Address of a V2 pair or V3 pool, 32-byte id of a V4 pool. */
  readonly id: Hex;
  /** The zero address is the native token. */
  readonly token0: Address;
  readonly token1: Address;
  readonly feePips: number;
  /** For V2 the reserves of the pair; for V3 and V4 those of a V2 pair with the same price and liquidity. */
  readonly reserve0: bigint;
  readonly reserve1: bigint;
  /** V3 and V4 only. */
  readonly sqrtPriceX96?: bigint;
  readonly liquidity?: bigint;
}

export interface DemoSwap {
  readonly blockNumber: number;
  readonly timestamp: number;
  readonly protocol: DexProtocol;
  readonly pool: Hex;
  /** Account that sent the transaction. */
  readonly trader: Address;
  /** From the pool's view: positive into the pool, negative out of it. */
  readonly amount0: bigint;
  readonly amount1: bigint;
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

/** A multiplier that was announced. */
export interface DemoAnnouncement {
  readonly blockNumber: number;
  readonly oldMultiplier: bigint;
  readonly newMultiplier: bigint;
  readonly setAt: number;
  readonly effectiveAt: number;
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

export interface DemoOddLog {
  readonly blockNumber: number;
  readonly kind: OddLogKind;
}

export type OddLogKind =
  | 'transfer without indexed fields'
  | 'transfer with two topics'
  | 'transfer without an amount'
  | 'batch of unequal arrays'
  | 'empty batch'
  | 'no topics'
  | '64 KB of data';
