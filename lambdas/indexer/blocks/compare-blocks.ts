import { isDeepStrictEqual } from 'node:util';
import { flattenCalls } from '../../chain-data/decode/decode-traces.ts';
import type { RawBlock, RawTransaction } from '../../chain-data/decode/raw-block.ts';

/**
 * What two sources tell differently of a block: the first member, or undefined if they agree. Further members that only one
 * of them tells do not count, as releases of nodes add some, and neither do traces and nonces of deposits that only one has, and
 * signatures, which are verified.
 */
export function differenceOf(one: RawBlock, other: RawBlock): string | undefined {
  const { transactions, traces, extra, omitted, proof, readBy, ...header } = one;
  const ofHeader = differentMember(header, other);
  if (ofHeader !== undefined) return ofHeader;
  if (transactions.length !== other.transactions.length) return 'transactions';
  const further = differentExtra(extra, other.extra);
  if (further !== undefined) return further;
  for (const [index, transaction] of transactions.entries()) {
    const difference = differentTransaction(transaction, other.transactions[index] as RawTransaction);
    if (difference !== undefined) return `transaction ${index}, ${difference}`;
  }
  return isDeepStrictEqual(tracesOf(one, other), tracesOf(other, one)) ? undefined : 'traces';
}

function differentTransaction(one: RawTransaction, other: RawTransaction): string | undefined {
  const { receipt, extra, omitted, nonce, signature, ...members } = one;
  if (nonce !== other.nonce && nonce !== null && other.nonce !== null) return 'nonce';
  const { extra: receiptExtra, omitted: _, ...receiptMembers } = receipt;
  return (
    differentMember(members, other) ??
    differentMember(receiptMembers, other.receipt) ??
    differentExtra(extra, other.extra) ??
    differentExtra(receiptExtra, other.receipt.extra)
  );
}

function differentMember<Whole extends object>(one: Partial<Whole>, other: Whole): string | undefined {
  return Object.keys(one).find(
    (name) => !isDeepStrictEqual(one[name as keyof Whole], other[name as keyof Whole]),
  );
}

function differentExtra(one: RawBlock['extra'], other: RawBlock['extra']): string | undefined {
  return Object.keys(one).find((name) => name in other && !isDeepStrictEqual(one[name], other[name]));
}

/** The rows that the calls of a block become, where the other source has them too: nodes name calls in ways of their own. */
function tracesOf(block: RawBlock, other: RawBlock): unknown {
  const { traces } = block;
  if (traces.kind === 'gap' || other.traces.kind === 'gap') return undefined;
  return traces.calls.map((top, tx_index) => flattenCalls(block, { tx_index, block_time: '' }, top, []));
}
