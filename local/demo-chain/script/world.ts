import type { Address } from 'viem';
import type { Contracts } from './contracts.ts';
import type { Ledger } from './ledger.ts';
import type { Random } from './random.ts';
import type { Script } from './script.ts';

/** The state on which every activity of the plan works. */
export interface World {
  readonly random: Random;
  readonly script: Script;
  readonly ledger: Ledger;
  readonly contracts: Contracts;
  /** Creates the contracts, mints the tokens and provides the first liquidity. */
  readonly issuer: Address;
  readonly traders: readonly Address[];
  /** Accounts that only receive, with what they got of the native token, in wei. */
  readonly receivers: Map<Address, bigint>;
}
