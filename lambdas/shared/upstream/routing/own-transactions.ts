import { keccak_256 } from '@noble/hashes/sha3';
import type { Call, UpstreamResponse } from '../../jsonrpc/calls.ts';
import { messageOf } from '../../jsonrpc/error-message.ts';
import { hashOfJson, jsonOf } from '../../jsonrpc/json-values.ts';
import { elementAt } from '../../jsonrpc/required-block.ts';
import { methodFacts } from '../../methods/method-facts.ts';
import { SYNC_METHOD } from '../../methods/method-table.ts';
import type { ChainUpstreams } from '../chain-upstreams.ts';
import type { Taker } from '../sharing/given-head.ts';

const RAW_TRANSACTION = /^0x(?:[0-9a-f]{2})+$/i;
/** Type of a transaction with blobs. */
const BLOB_TYPE = 3;
/** In RLP, the first byte of a short list, the last one, and the longest length of a length that a body can have, in bytes. */
const SHORT_LIST = 0xc0;
const LAST_SHORT_LIST = 0xf7;
const MAX_LENGTH_BYTES = 4;
export const SEND_METHOD = 'eth_sendRawTransaction';
const TRANSACTION_METHODS: ReadonlySet<string> = new Set([
  'eth_getTransactionByHash',
  'eth_getRawTransactionByHash',
]);
/** What nodes say of a transaction that they have already. */
const ALREADY_KNOWN = /already ?known|\bknown transaction|already[ _](?:imported|exists|in )/i;
/** A synchronous send that is in no block in its time: the node has the transaction. */
const SENT_CODE = 4;

/** Whether a call sends a transaction. */
export function sends({ method }: Call): boolean {
  return methodFacts(method).class === 'send';
}

/** Hash of the transaction that a call sends, with `0x`; undefined if the call has none that can be computed. */
export function transactionHash({ method, params }: Call): string | undefined {
  if ((method !== SEND_METHOD && method !== SYNC_METHOD) || params === undefined) return undefined;
  const [raw] = JSON.parse(jsonOf(params)) as readonly unknown[];
  if (typeof raw !== 'string' || !RAW_TRANSACTION.test(raw)) return undefined;
  const bare = withoutBlobs(Buffer.from(raw.slice('0x'.length), 'hex'));
  return bare === undefined ? undefined : `0x${Buffer.from(keccak_256(bare)).toString('hex')}`;
}

/** What of a transaction its hash is of: one with blobs is sent as the first of a list. Undefined if it is no such list. */
function withoutBlobs(raw: Buffer): Buffer | undefined {
  if (raw[0] !== BLOB_TYPE) return raw;
  const sent = listAt(raw, 1);
  if (sent === undefined) return undefined;
  if ((raw[sent.start] ?? 0) < SHORT_LIST) return raw;
  const bare = listAt(raw, sent.start);
  return bare && Buffer.concat([raw.subarray(0, 1), raw.subarray(sent.start, bare.end)]);
}

/** Where the items of a list of RLP begin and end; undefined if it is missing, or cut. */
function listAt(raw: Buffer, at: number): { readonly start: number; readonly end: number } | undefined {
  const first = raw[at] ?? 0;
  const lengthBytes = Math.max(0, first - LAST_SHORT_LIST);
  const start = at + 1 + lengthBytes;
  if (first < SHORT_LIST || lengthBytes > MAX_LENGTH_BYTES || start > raw.length) return undefined;
  const end = start + (lengthBytes === 0 ? first - SHORT_LIST : raw.readUIntBE(at + 1, lengthBytes));
  return end > raw.length ? undefined : { start, end };
}

/** Whether a node says of a transaction that it has it already. */
export function saysKnown(response: UpstreamResponse): boolean {
  return response.kind === 'error' && ALREADY_KNOWN.test(messageOf(response));
}

/**
 * The response to a transaction: its hash, if the node says that it has it already, sent by any client. A client that
 * sends the same bytes again wants to know that they have arrived.
 */
export function acceptKnown(call: Call, response: UpstreamResponse): UpstreamResponse {
  const hash = call.method === SEND_METHOD && saysKnown(response) ? transactionHash(call) : undefined;
  return hash === undefined ? response : hashResult(hash);
}

/** What a node answers that takes a transaction. */
export function hashResult(hash: string): UpstreamResponse {
  return { kind: 'result', result: Buffer.from(`"${hash}"`) };
}

/** The hash of the transaction that a call asks for. */
export function hashOfTransaction({ method, params }: Call): string | undefined {
  return TRANSACTION_METHODS.has(method) ? hashOfJson(elementAt(params, 0)) : undefined;
}

/** Who took transactions, by their hashes. */
export function takersOf(
  calls: readonly Call[],
  responses: readonly UpstreamResponse[],
  { upstreams, clock }: Pick<ChainUpstreams, 'upstreams' | 'clock'>,
): Map<string, Taker> {
  const taken = new Map<string, Taker>();
  for (const [place, call] of calls.entries()) {
    const response = responses[place];
    const from = response === undefined || response.kind === 'failed' ? undefined : response.from;
    const by = from === undefined ? undefined : upstreams[from]?.name;
    const isTaken =
      response?.kind === 'result' || (response?.kind === 'error' && response.code === SENT_CODE);
    const hash = isTaken && by !== undefined ? transactionHash(call) : undefined;
    if (hash !== undefined && by !== undefined) taken.set(hash, { by, at: clock.now() });
  }
  return taken;
}
