import type { Hex, RawLog, RawTransaction } from './raw-block.ts';
import { TOPICS } from './topics.ts';

/** On whose behalf a swap happened. */
export interface Trader {
  readonly trader: Hex;
  readonly trader_kind: 'tx_from' | 'userop_sender';
}

/** The ERC-4337 entry points 0.6 to 0.9, at the same addresses on every chain. */
const ENTRY_POINTS: ReadonlySet<Hex> = new Set([
  '0x5ff137d4b0fdcd49dca30c7cf57e578a026d2789',
  '0x0000000071727de22e5e9d8baf0edac6f37da032',
  '0x4337084d9e255ff0702461cf8895ce9e3b5ff108',
  '0x433709009b8330fda32311df1c2afa402ed8d009',
]);
const USER_OPERATION_TOPICS = 4;
/** Where the address begins in a topic. */
const ADDRESS_AT = 26;

/**
 * Says for each log of a transaction who the trader is: the sender of the user operation that it belongs to, or else of
 * the transaction. A user operation ends with the entry point's log.
 */
export function tradersOf(transaction: RawTransaction): (log: RawLog) => Trader {
  const operations = transaction.receipt.logs.filter(isUserOperation);
  const sender: Trader = { trader: transaction.from, trader_kind: 'tx_from' };
  return (log) => {
    const operation = operations.find((one) => one.logIndex > log.logIndex);
    const account = operation?.topics[2];
    if (account === undefined) return sender;
    return { trader: `0x${account.slice(ADDRESS_AT)}`, trader_kind: 'userop_sender' };
  };
}

function isUserOperation(log: RawLog): boolean {
  return (
    log.topics[0] === TOPICS.userOperationEvent &&
    log.topics.length === USER_OPERATION_TOPICS &&
    ENTRY_POINTS.has(log.address)
  );
}
