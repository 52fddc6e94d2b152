import { ENTRY_POINTS } from '../../shared/runtime/settings.ts';
import type { Hex, RawLog, RawTransaction } from './raw-block.ts';
import { TOPICS } from './topics.ts';

/** On whose behalf a swap happened. */
export interface Trader {
  readonly trader: Hex;
  readonly trader_kind: 'tx_from' | 'userop_sender';
}

const USER_OPERATION_TOPICS = 4;
/** Where the address begins in a topic. */
const ADDRESS_AT = 26;

/**
 * Says for each log of a transaction who the trader is: the sender of the user operation that it belongs to, or else of
 * the transaction. A user operation ends with the entry point's log.
 */
export function tradersOf(
  transaction: RawTransaction,
  entryPoints: readonly string[] = ENTRY_POINTS,
): (log: RawLog) => Trader {
  const operations = transaction.receipt.logs.filter((log) => isUserOperation(log, entryPoints));
  const sender: Trader = { trader: transaction.from, trader_kind: 'tx_from' };
  return (log) => {
    const operation = operations.find((one) => one.logIndex > log.logIndex);
    const account = operation?.topics[2];
    if (account === undefined) return sender;
    return { trader: `0x${account.slice(ADDRESS_AT)}`, trader_kind: 'userop_sender' };
  };
}

function isUserOperation(log: RawLog, entryPoints: readonly string[]): boolean {
  return (
    log.topics[0] === TOPICS.userOperationEvent &&
    log.topics.length === USER_OPERATION_TOPICS &&
    entryPoints.includes(log.address)
  );
}
