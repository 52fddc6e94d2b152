import type { Address } from 'viem';

/** Contracts of the demo chain. Their addresses are the same for every seed, as the same account creates them first. */
export interface Contracts {
  /** Stable coin with 6 decimals, the quote of every price. */
  readonly dollar: Address;
  readonly garnet: Address;
  readonly wrappedNative: Address;
  /** ERC-721. */
  readonly nft: Address;
  /** ERC-1155. */
  readonly items: Address;
  readonly marketplace: Address;
  readonly factoryV2: Address;
  readonly factoryV3: Address;
  readonly poolManagerV4: Address;
  readonly poolCaller: Address;
  readonly stockImplementation: Address;
  readonly stockFactory: Address;
  readonly stocks: readonly [Address, Address];
  /** Where `aggregate3` answers. */
  readonly multicall: Address;
  readonly odd: OddContracts;
}

/** Contracts that an indexer must survive. */
export interface OddContracts {
  readonly bytes32Symbol: Address;
  readonly invalidUtf8Symbol: Address;
  readonly nulSymbol: Address;
  readonly noMetadata: Address;
  readonly unreadable: Address;
  readonly feeOnTransfer: Address;
  readonly rebasing: Address;
  /** Emits Transfers with three and with four topics, and logs that only look like transfers. */
  readonly logEmitter: Address;
}
