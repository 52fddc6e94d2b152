import type { RawTransaction } from '../../chain-data/decode/raw-block.ts';
import { ZERO_ADDRESS } from '../../shared/chain-database/hex.ts';
import type { BlockTransaction, NodeBlock } from './parse-block.ts';
import type { NodeReceipt } from './parse-receipt.ts';

/**
 * Whether a transaction is one that a chain's consensus adds and no account signed: from the zero address to itself,
 * without gas. Polygon's state syncs are, and the receipt of a block of Celo becomes one. Nodes trace them or not, and
 * leave them out of roots and blooms or not.
 */
export function isOutside({ from, to, gas }: Pick<RawTransaction, 'from' | 'to' | 'gas'>): boolean {
  return from === ZERO_ADDRESS && to === ZERO_ADDRESS && gas === 0n;
}

/** The transaction under whose name the logs of a block's own receipt are stored: it has the hash of the block. */
export function transactionOfBlock({ hash }: NodeBlock): BlockTransaction {
  return {
    hash,
    type: 0,
    from: ZERO_ADDRESS,
    to: ZERO_ADDRESS,
    nonce: 0n,
    value: 0n,
    gas: 0n,
    gasPrice: null,
    maxFeePerGas: null,
    maxPriorityFeePerGas: null,
    input: '0x',
    requestId: null,
    extra: {},
    omitted: [],
  };
}

/** Whether a receipt is of the block itself, and of no transaction of it. */
export function isOfBlock({ transactionHash, blockHash }: NodeReceipt): boolean {
  return transactionHash === blockHash;
}
