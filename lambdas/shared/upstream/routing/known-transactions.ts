import { keccak_256 } from '@noble/hashes/sha3';
import { type Call, NULL_ID, type UpstreamResponse } from '../../jsonrpc/calls.ts';
import { messageOf } from '../../jsonrpc/error-message.ts';
import { quantityJson, quantityOfJson } from '../../jsonrpc/json-values.ts';
import { failed } from '../../jsonrpc/match-responses.ts';
import { elementAt } from '../../jsonrpc/required-block.ts';
import { methodFacts } from '../../methods/method-facts.ts';
import { SYNC_METHOD } from '../../methods/method-table.ts';
import { isPending, withElement } from '../agreement/pinned-call.ts';
import { RESERVED_FOR_FAILURES } from '../health/refused-words.ts';
import { attempt } from './attempt.ts';
import type { ChainClient } from './chain-client.ts';
import { PendingCall } from './pending-call.ts';
import { serveCalls, type Terms } from './serve-calls.ts';

/** Longest time to ask an upstream whether it has a transaction, in milliseconds. */
const MAX_ASK_MS = 2_000;
/** A question that has less time than this is not asked, in milliseconds. */
const MIN_ASK_MS = 10;
const RAW_TRANSACTION = /^0x(?:[0-9a-f]{2})+$/i;
/** Type of a transaction with blobs. */
const BLOB_TYPE = 3;
/** In RLP, the first byte of a short list, the last one, and the longest length of a length that a body can have, in bytes. */
const SHORT_LIST = 0xc0;
const LAST_SHORT_LIST = 0xf7;
const MAX_LENGTH_BYTES = 4;
/** What nodes say of a transaction that they have already. */
const ALREADY_KNOWN = /already ?known|\bknown transaction|already[ _](?:imported|exists|in )/i;
/** What they say of one that is in a block already, and of any other that comes too late. */
const NONCE_TOO_LOW = /nonce too low|nonce is too low|oldnonce|invalid nonce/i;
const COUNT_METHOD = 'eth_getTransactionCount';
const SEND_METHOD = 'eth_sendRawTransaction';
/** What of the time of a synchronous send is left for the way back, in milliseconds. */
const WAY_BACK_MS = 1_000;
/** A time-out as nodes read one: a number, a quantity, or a number as a text. */
const TIMEOUT = /^(?:\d{1,15}|"\d{1,15}"|"0x[0-9a-f]{1,12}")$/i;
const NULL = Buffer.from('null');

/** Whether a call sends a transaction, or counts those that are in no block yet: nodes differ in what they have. */
export function isOfPool(call: Call): boolean {
  return methodFacts(call.method).class === 'send' || (call.method === COUNT_METHOD && isPending(call));
}

/**
 * The response to a transaction: its hash, if the node says that it has it already, sent by any client. A client that
 * sends the same bytes again wants to know that they have arrived.
 */
export function acceptKnown(call: Call, response: UpstreamResponse): UpstreamResponse {
  if (call.method !== SEND_METHOD || response.kind !== 'error') return response;
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
 * their hash, and so is the one that took them. Without a response the refusal stays.
 */
export async function findKnown(
  calls: readonly PendingCall[],
  node: ChainClient,
  { deadline, signal, held, learn }: Terms,
): Promise<void> {
  const until = Math.min(deadline, node.clock.now() + MAX_ASK_MS);
  if (until - node.clock.now() < MIN_ASK_MS) return;
  await Promise.all(
    calls.map(async (pending) => {
      const { answeredBy: upstream, call, sender } = pending;
      const hash = mayBeKnown(pending) && call.method !== SYNC_METHOD ? transactionHash(call) : undefined;
      if (hash === undefined || upstream === undefined || pending.exhausted) return;
      if (!node.budget.take(1, RESERVED_FOR_FAILURES)) return;
      const params = Buffer.from(`["${hash}"]`);
      const asked = new PendingCall({ id: NULL_ID, method: 'eth_getTransactionByHash', params }, sender);
      await attempt(node, { upstream, calls: [asked], deadline: until, signal, held, learn });
      const { takenBy } = asked;
      if (!isFound(asked) && takenBy !== undefined && takenBy !== upstream && node.budget.take(1))
        await attempt(node, { upstream: takenBy, calls: [asked], deadline: until, signal, held });
      if (isFound(asked)) pending.settle({ kind: 'result', result: Buffer.from(`"${hash}"`) }, upstream);
    }),
  );
}

function isFound({ response }: PendingCall): boolean {
  return response?.kind === 'result' && !NULL.equals(response.result);
}

/** Whether a count of transactions can be below that of the newest block: the upstream that took them is not as far. */
export function mayBeLow(
  { call, takenBy, answeredBy, response, given = 0n }: PendingCall,
  { view }: ChainClient,
): boolean {
  if (takenBy === undefined || takenBy !== answeredBy || response?.kind !== 'result') return false;
  const newest = (view.head ?? 0n) > given ? (view.head ?? 0n) : given;
  return call.method === COUNT_METHOD && (view.headOf(takenBy.index) ?? -1n) < newest;
}

/** Raises counts of transactions to those of the newest block, of an upstream that has it. */
export async function raiseCounts(
  calls: readonly PendingCall[],
  node: ChainClient,
  terms: Terms,
): Promise<void> {
  const counts = calls.filter((one) => mayBeLow(one, node) && !one.exhausted);
  const asked = counts.map(({ call, sender }) => {
    const params = Buffer.from(`[${elementAt(call.params, 0)},"latest"]`);
    const latest = new PendingCall({ id: NULL_ID, method: COUNT_METHOD, params }, sender);
    latest.given = node.view.head;
    return latest;
  });
  const payable = asked.filter(() => node.budget.take(1, RESERVED_FOR_FAILURES));
  await serveCalls(payable, node, terms);
  for (const [place, latest] of asked.entries()) {
    const pending = counts[place] as PendingCall;
    const [low, high] = [numberOf(pending), numberOf(latest)];
    pending.attempts += latest.attempts;
    if (low !== undefined && high !== undefined && low < high)
      pending.settle({ kind: 'result', result: Buffer.from(quantityJson(high)) });
  }
}

function numberOf({ response }: PendingCall): bigint | undefined {
  return response?.kind === 'result'
    ? quantityOfJson(Buffer.from(response.result).toString('latin1'))
    : undefined;
}

/** A synchronous send with a time-out that the gateway has the time for, in the form in which the client wrote its own. */
export function withinTime(call: Call, leftMs: number): Call {
  if (call.method !== SYNC_METHOD || call.params === undefined) return call;
  const json = elementAt(call.params, 1) ?? '';
  const mostMs = Math.max(1, Math.floor(leftMs - WAY_BACK_MS));
  if (!TIMEOUT.test(json) || timeoutOf(json) <= mostMs) return call;
  const text = json.includes('0x') ? `0x${mostMs.toString(16)}` : String(mostMs);
  return { ...call, params: withElement(call.params, 1, json.startsWith('"') ? `"${text}"` : text) };
}

function timeoutOf(json: string): number {
  return Number(json.replaceAll('"', ''));
}

/** Whether a synchronous send was refused because the node has its transaction already. */
export function mayBeMined({ call, response }: PendingCall): boolean {
  if (call.method !== SYNC_METHOD || response?.kind !== 'error') return false;
  const words = messageOf(response);
  return ALREADY_KNOWN.test(words) || NONCE_TOO_LOW.test(words);
}

/**
 * Waits for the receipts of transactions that a synchronous send found at its node: at once, after a block time, and at the end.
 * One that was refused for its nonce may be another, and is asked for once.
 */
export async function awaitReceipts(
  calls: readonly PendingCall[],
  node: ChainClient,
  terms: Terms,
): Promise<void> {
  await Promise.all(calls.filter(mayBeMined).map((pending) => awaitReceipt(pending, node, terms)));
}

async function awaitReceipt(
  pending: PendingCall,
  node: ChainClient,
  { deadline, signal, held }: Terms,
): Promise<void> {
  const { call, answeredBy: upstream, response, sender } = pending;
  const hash = transactionHash(call);
  if (hash === undefined || upstream === undefined || response?.kind !== 'error') return;
  const { clock, view } = node;
  const json = elementAt(call.params, 1) ?? '';
  const most = deadline - WAY_BACK_MS;
  const end = TIMEOUT.test(json) ? Math.min(most, clock.now() + timeoutOf(json)) : most;
  const isKnown = ALREADY_KNOWN.test(messageOf(response));
  const params = Buffer.from(`["${hash}"]`);
  const receipt: Call = { id: NULL_ID, method: 'eth_getTransactionReceipt', params };
  const pauses = isKnown ? [0, view.blockMs ?? WAY_BACK_MS, Number.POSITIVE_INFINITY] : [0];
  for (const pauseMs of pauses) {
    if (pending.exhausted || signal.aborted || !node.budget.take(1, RESERVED_FOR_FAILURES)) break;
    const ms = Math.max(0, Math.min(pauseMs, end - clock.now()));
    if (ms > 0) await node.wait(ms, signal);
    pending.attempts += 1;
    const asked = new PendingCall(receipt, sender);
    await attempt(node, { upstream, calls: [asked], deadline, signal, held });
    if (isFound(asked) && asked.response !== undefined) {
      pending.settle(asked.response, upstream);
      return;
    }
  }
  if (isKnown) pending.settle(failed('no_upstream_response'), upstream);
}

/** A synchronous send without a response may have arrived: the client is to ask for its receipt. */
export function ofSilentSend(call: Call, response: UpstreamResponse): UpstreamResponse {
  if (call.method !== SYNC_METHOD || response.kind !== 'failed') return response;
  const { reason } = response.error;
  const hash = reason === 'no_upstream_response' ? transactionHash(call) : undefined;
  if (hash === undefined) return response;
  return { kind: 'failed', error: { reason, details: { transaction_hash: hash, retryable: false } } };
}

/** Hash of the transaction that a call sends, with `0x`; undefined if the call has none that can be told. */
export function transactionHash({ method, params }: Call): string | undefined {
  if ((method !== SEND_METHOD && method !== SYNC_METHOD) || params === undefined) return undefined;
  const json = Buffer.from(params.buffer, params.byteOffset, params.length).toString();
  const [raw] = JSON.parse(json) as readonly unknown[];
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
