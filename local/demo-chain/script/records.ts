import type { Address, Hex } from 'viem';
import type { DexProtocol } from '../../../lambdas/shared/runtime/settings.ts';

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

/** A multiplier of a stock that was announced. */
export interface DemoMultiplier {
  readonly blockNumber: number;
  readonly token: Address;
  /** 18 decimals. */
  readonly newMultiplier: bigint;
  readonly setAt: number;
  readonly effectiveAt: number;
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
