import { ZERO_ADDRESS } from '../../shared/chain-database/hex.ts';
import { EventReader } from './event-reader.ts';
import type { DecodeLog } from './pool-events.ts';
import type { Erc20TransferRow } from './rows.ts';

/**
 * Decodes an event of a wrapped native token: `Deposit` mints to the address that it names (`wrap`), `Withdrawal` burns
 * of it (`unwrap`).
 */
export function wrappingDecoder(kind: 'wrap' | 'unwrap'): DecodeLog {
  return (log, site, rows) => {
    const event = new EventReader(log, 2);
    const account = event.topicAddress(1);
    const [from_address, to_address] = kind === 'wrap' ? [ZERO_ADDRESS, account] : [account, ZERO_ADDRESS];
    rows.erc20_transfers.push({
      ...site,
      token: log.address,
      from_address,
      to_address,
      amount: event.uint(0),
      kind,
    });
  };
}

/**
 * The transfers of a block, each wrapping once: some wrapped tokens log a `Transfer` from or to the zero
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
