import { ZERO_ADDRESS } from '../../shared/chain-database/hex.ts';
import { EventReader } from './event-reader.ts';
import type { RawLog } from './raw-block.ts';
import type { Erc20TransferRow, LogRows, LogSite } from './rows.ts';

/** `Deposit` of a wrapped native token: minted to the address that it names. */
export function decodeDeposit(log: RawLog, site: LogSite, rows: LogRows): void {
  const event = new EventReader(log, 2);
  rows.erc20_transfers.push({
    ...site,
    token: log.address,
    from_address: ZERO_ADDRESS,
    to_address: event.topicAddress(1),
    amount: event.uint(0),
    kind: 'wrap',
  });
}

/** `Withdrawal` of a wrapped native token: burnt by the address that it names. */
export function decodeWithdrawal(log: RawLog, site: LogSite, rows: LogRows): void {
  const event = new EventReader(log, 2);
  rows.erc20_transfers.push({
    ...site,
    token: log.address,
    from_address: event.topicAddress(1),
    to_address: ZERO_ADDRESS,
    amount: event.uint(0),
    kind: 'unwrap',
  });
}

/**
 * The transfers of a block, each wrapping told once: some wrapped tokens log a `Transfer` from or to the zero
 * address beside their own event. Of such a pair in one transaction the `Transfer` stays, with the other's kind.
 */
export function mergeWrappings(transfers: readonly Erc20TransferRow[]): Erc20TransferRow[] {
  if (!transfers.some(isWrapping)) return [...transfers];
  const wrappings = new Map<string, number>();
  const plain = new Map<string, number>();
  for (const row of transfers) {
    if (row.kind === 'transfer') continue;
    const counts = isWrapping(row) ? wrappings : plain;
    const key = movementKey(row);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const take = (counts: Map<string, number>, key: string): boolean => {
    const left = counts.get(key) ?? 0;
    counts.set(key, left - 1);
    return left > 0;
  };
  return transfers.flatMap((row): Erc20TransferRow[] => {
    if (row.kind === 'transfer') return [row];
    const key = movementKey(row);
    if (isWrapping(row)) return take(plain, key) ? [] : [row];
    if (!take(wrappings, key)) return [row];
    return [{ ...row, kind: row.kind === 'mint' ? 'wrap' : 'unwrap' }];
  });
}

function isWrapping({ kind }: Erc20TransferRow): boolean {
  return kind === 'wrap' || kind === 'unwrap';
}

function movementKey(row: Erc20TransferRow): string {
  return `${row.tx_index}:${row.token}:${row.from_address}:${row.to_address}:${row.amount}`;
}
