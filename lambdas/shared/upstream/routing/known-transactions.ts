import { keccak_256 } from '@noble/hashes/sha3';
import { type Call, NULL_ID, type UpstreamResponse } from '../../jsonrpc/calls.ts';
import { messageOf } from '../../jsonrpc/error-message.ts';
import { RESERVED_FOR_FAILURES } from '../health/retry-budget.ts';
import { type AttemptTime, attempt } from './attempt.ts';
import type { ChainClient } from './chain-client.ts';
import { PendingCall } from './pending-call.ts';

/** Longest time to ask an upstream whether it has a transaction, in milliseconds. */
const MAX_ASK_MS = 2_000;
/** A question that has less time than this is not asked, in milliseconds. */
const MIN_ASK_MS = 10;
const RAW_TRANSACTION = /^0x(?:[0-9a-f]{2})+$/i;
/** With its blobs around it, a transaction has another hash than its bytes. */
const BLOB_TRANSACTION = /^0x03/;
/** What nodes say of a transaction that they have already. */
const ALREADY_KNOWN = /already ?known|\bknown transaction|already[ _](?:imported|exists|in )/i;
/** What they say of one that is in a block already, and of any other that comes too late. */
const NONCE_TOO_LOW = /nonce too low|nonce is too low|oldnonce|invalid nonce/i;
const NULL = Buffer.from('null');

/**
 * The response to a transaction: its hash, if the node says that it has it already, sent by any client. A client that
 * sends the same bytes again wants to know that they have arrived.
 */
export function acceptKnown(call: Call, response: UpstreamResponse): UpstreamResponse {
  if (call.method !== 'eth_sendRawTransaction' || response.kind !== 'error') return response;
  if (!ALREADY_KNOWN.test(messageOf(response))) return response;
  const hash = transactionHash(call);
  return hash === undefined ? response : { kind: 'result', result: Buffer.from(`"${hash}"`) };
}

/** Whether a node refuses a transaction for its nonce: it may be in a block. */
export function mayBeKnown({ response }: PendingCall): boolean {
  return response?.kind === 'error' && NONCE_TOO_LOW.test(messageOf(response));
}

/**
 * Accepts transactions that a node refuses for their nonce because they are in a block already: it is asked for them by
 * their hash. Without a response the refusal stays.
 */
export async function findKnown(
  calls: readonly PendingCall[],
  node: ChainClient,
  { deadline, signal, held }: AttemptTime,
): Promise<void> {
  const until = Math.min(deadline, node.clock.now() + MAX_ASK_MS);
  if (until - node.clock.now() < MIN_ASK_MS) return;
  await Promise.all(
    calls.map(async (pending) => {
      const { answeredBy: upstream, call, sender } = pending;
      const hash = mayBeKnown(pending) ? transactionHash(call) : undefined;
      if (hash === undefined || upstream === undefined || pending.exhausted) return;
      if (!node.budget.take(1, RESERVED_FOR_FAILURES)) return;
      const params = Buffer.from(`["${hash}"]`);
      const asked = new PendingCall({ id: NULL_ID, method: 'eth_getTransactionByHash', params }, sender);
      await attempt(node, { upstream, calls: [asked], deadline: until, signal, held });
      const found = asked.response;
      if (found?.kind !== 'result' || NULL.equals(found.result)) return;
      pending.settle({ kind: 'result', result: Buffer.from(`"${hash}"`) }, upstream);
    }),
  );
}

/** Hash of the transaction that a call sends, with `0x`; undefined if the call has none that can be told. */
function transactionHash({ method, params }: Call): string | undefined {
  if (method !== 'eth_sendRawTransaction' || params === undefined) return undefined;
  const json = Buffer.from(params.buffer, params.byteOffset, params.length).toString();
  const [raw] = JSON.parse(json) as readonly unknown[];
  if (typeof raw !== 'string' || !RAW_TRANSACTION.test(raw) || BLOB_TRANSACTION.test(raw)) return undefined;
  const hash = keccak_256(Buffer.from(raw.slice('0x'.length), 'hex'));
  return `0x${Buffer.from(hash).toString('hex')}`;
}
