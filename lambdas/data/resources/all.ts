import type { DataOperationId } from '../operations/operations.ts';
import type { Resources } from '../plan/resource.ts';
import { ADDRESS_RESOURCES } from './addresses.ts';
import { BALANCE_RESOURCES } from './balances.ts';
import { BATCH_RESOURCES } from './batches.ts';
import { BLOCK_RESOURCES } from './blocks.ts';
import { COVERAGE_RESOURCES } from './coverage.ts';
import { DEX_RESOURCES } from './dex.ts';
import { LOG_RESOURCES } from './logs.ts';
import { NATIVE_TRANSFER_RESOURCES } from './native-transfers.ts';
import { NFT_RESOURCES } from './nfts.ts';
import { PRICE_RESOURCES } from './prices.ts';
import { STOCK_RESOURCES } from './stocks.ts';
import { TOKEN_RESOURCES } from './tokens.ts';
import { TRACE_RESOURCES } from './traces.ts';
import { TRANSACTION_RESOURCES } from './transactions.ts';
import { TRANSFER_RESOURCES } from './transfers.ts';

/** Operations on the data of one chain: all but the list of chains. */
export type ChainOperationId = Exclude<DataOperationId, 'listChains'>;

/** How each operation finds its rows. */
export const RESOURCES: Resources<ChainOperationId> = {
  ...ADDRESS_RESOURCES,
  ...BALANCE_RESOURCES,
  ...BATCH_RESOURCES,
  ...BLOCK_RESOURCES,
  ...COVERAGE_RESOURCES,
  ...DEX_RESOURCES,
  ...LOG_RESOURCES,
  ...NATIVE_TRANSFER_RESOURCES,
  ...NFT_RESOURCES,
  ...PRICE_RESOURCES,
  ...STOCK_RESOURCES,
  ...TOKEN_RESOURCES,
  ...TRACE_RESOURCES,
  ...TRANSACTION_RESOURCES,
  ...TRANSFER_RESOURCES,
};
