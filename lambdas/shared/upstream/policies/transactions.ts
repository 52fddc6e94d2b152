import { type Call, ownCall, type UpstreamResponse } from '../../jsonrpc/calls.ts';
import { messageOf } from '../../jsonrpc/error-message.ts';
import { jsonOf, quantityJson, quantityOfJson } from '../../jsonrpc/json-values.ts';
import { failed } from '../../jsonrpc/match-responses.ts';
import { elementAt } from '../../jsonrpc/required-block.ts';
import { isNull } from '../../jsonrpc/scan-json.ts';
import { isIdempotent } from '../../methods/method-facts.ts';
import { SYNC_METHOD } from '../../methods/method-table.ts';
import { COUNT_METHOD, isOfPool, withElement } from '../agreement/pinned-call.ts';
import { SENT_CODES } from '../routing/classify-response.ts';
import {
  acceptKnown,
  hashResult,
  SEND_METHOD,
  saysKnown,
  transactionHash,
} from '../routing/own-transactions.ts';
import { PendingCall } from '../routing/pending-call.ts';
import type { Policy, Rounds, Terms } from '../routing/terms.ts';

/** What of the time of a synchronous send is left for the way back, in milliseconds. */
const WAY_BACK_MS = 1_000;
/** A time-out as nodes read one: a number, or one as a text, also in hexadecimal. */
const TIMEOUT = /^(?:\d{1,15}|"\d{1,15}"|"0x[0-9a-f]{1,12}")$/i;
/** What they say of one that is in a block already, and of any other that comes too late. */
const NONCE_TOO_LOW = /nonce too low|nonce is too low|oldnonce|invalid nonce/i;

/** Transactions that are sent, and the count of those that are in no block yet. */
export const transactions: Policy = {
  appliesTo: (method) => !isIdempotent(method) || method === COUNT_METHOD,
  prepare(one, { node, given, takenBy, deadline }) {
    one.call = withinTime(one.call, deadline - node.clock.now());
    if (takenBy === undefined || !isOfPool(one.call)) return;
    one.takenBy = node.upstreams.find(({ name }) => name === takenBy);
    one.given = given?.number;
  },
  async *again(calls, terms) {
    yield* findKnown(calls, terms);
    yield* raiseCounts(calls, terms);
    yield* awaitReceipts(calls, terms);
  },
  judge({ call, answeredBy }, response) {
    if (call.method !== SYNC_METHOD) return acceptKnown(call, response);
    if (response.kind === 'error' && SENT_CODES.has(response.code))
      return { ...response, from: answeredBy?.index };
    return ofSilentSend(call, response);
  },
};

/** A synchronous send with a time-out that the gateway has the time for, in the form in which the client wrote its own. */
function withinTime(call: Call, leftMs: number): Call {
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

/** A synchronous send without a response may have arrived: the client is to ask for its receipt. */
function ofSilentSend(call: Call, response: UpstreamResponse): UpstreamResponse {
  if (response.kind !== 'failed' || response.error.reason !== 'no_upstream_response') return response;
  const hash = transactionHash(call);
  if (hash === undefined) return response;
  const details = { transaction_hash: hash, retryable: false };
  return { kind: 'failed', error: { reason: 'no_upstream_response', details } };
}

/** A transaction that a node has refused, and that may have arrived before. */
interface Refused {
  readonly one: PendingCall;
  readonly hash: string;
  /** The node says that it has it. */
  readonly isKnown: boolean;
}

function refusedOf(calls: readonly PendingCall[], method: string): readonly Refused[] {
  return calls.flatMap((one) => {
    const { call, response } = one;
    if (call.method !== method || response?.kind !== 'error') return [];
    const isKnown = saysKnown(response);
    const hash = isKnown || NONCE_TOO_LOW.test(messageOf(response)) ? transactionHash(call) : undefined;
    return hash === undefined ? [] : { one, hash, isKnown };
  });
}

/**
 * Accepts transactions that a node refuses for their nonce because they are in a block already: it is asked for them by
 * their hash, and so is the one that took them. Without a response the refusal stays.
 */
async function* findKnown(calls: readonly PendingCall[], { node, learn, deadline }: Terms): Rounds {
  const questions = refusedOf(calls, SEND_METHOD)
    .filter(({ isKnown }) => !isKnown)
    .map(({ one, hash }) => ({
      about: one,
      call: new PendingCall(ownCall('eth_getTransactionByHash', [hash]), one.sender),
      of: one.answeredBy,
      hash,
    }));
  yield questions;
  const unfound = questions.filter(({ call }) => !isFound(call));
  const learnt =
    unfound.length === 0 || node.upstreams.length === 1
      ? undefined
      : await learn?.(
          unfound.map(({ call }) => call.call),
          deadline,
        );
  const again = unfound.flatMap((question) => {
    const { call, about } = question;
    const taker = learnt?.takers.get(call.call);
    const of = node.upstreams.find((upstream) => upstream.name === taker && upstream !== question.of);
    // A call of its own: that there is none can have been believed of the other.
    return of === undefined ? [] : { ...question, call: new PendingCall(call.call, about.sender), of };
  });
  yield again;
  for (const { about, call, hash, of } of [...questions, ...again])
    if (isFound(call)) about.settle(hashResult(hash), of);
}

function isFound({ response }: PendingCall): boolean {
  return response?.kind === 'result' && !isNull(response.result, 0);
}

/** Whether a count of transactions can be below that of the newest block: the upstream that took them is not as far. */
function mayBeLow(
  { call, takenBy, answeredBy, response, given = 0n }: PendingCall,
  { node }: Terms,
): boolean {
  if (takenBy === undefined || takenBy !== answeredBy || response?.kind !== 'result') return false;
  const { head = 0n } = node.view;
  return call.method === COUNT_METHOD && !node.view.has(takenBy.index, head > given ? head : given);
}

/** Raises counts of transactions to those of the newest block, of an upstream that has it. */
async function* raiseCounts(calls: readonly PendingCall[], terms: Terms): Rounds {
  const questions = calls
    .filter((one) => mayBeLow(one, terms))
    .map((one) => {
      const params = Buffer.from(`[${elementAt(one.call.params, 0)},"latest"]`);
      const call = new PendingCall({ ...one.call, params }, one.sender);
      call.given = terms.node.view.head;
      return { call, about: one };
    });
  yield questions;
  for (const { call, about } of questions) {
    const [low, high] = [numberOf(about), numberOf(call)];
    if (low !== undefined && high !== undefined && low < high)
      about.settle({ kind: 'result', result: Buffer.from(quantityJson(high)) });
  }
}

function numberOf({ response }: PendingCall): bigint | undefined {
  return response?.kind === 'result' ? quantityOfJson(jsonOf(response.result)) : undefined;
}

/**
 * Waits for the receipts of transactions that a synchronous send found at its node: at once, after a block time, and at the end.
 * One that was refused for its nonce may be another, and is asked for once.
 */
async function* awaitReceipts(calls: readonly PendingCall[], { node, deadline, signal }: Terms): Rounds {
  const { clock, view } = node;
  const most = deadline - WAY_BACK_MS;
  const sent = refusedOf(calls, SYNC_METHOD).map((one) => {
    const json = elementAt(one.one.call.params, 1) ?? '';
    return { ...one, end: TIMEOUT.test(json) ? Math.min(most, clock.now() + timeoutOf(json)) : most };
  });
  let open = sent;
  for (const pauseMs of [0, view.blockMs ?? WAY_BACK_MS, Number.POSITIVE_INFINITY]) {
    if (open.length === 0 || signal.aborted) break;
    const ms = Math.min(pauseMs, Math.max(...open.map(({ end }) => end)) - clock.now());
    if (ms > 0) await node.wait(ms, signal);
    const questions = open.map(({ one, hash }) => ({
      call: new PendingCall(ownCall('eth_getTransactionReceipt', [hash]), one.sender),
      about: one,
      of: one.answeredBy,
    }));
    yield questions;
    for (const { call, about, of } of questions)
      if (call.response !== undefined && isFound(call)) about.settle(call.response, of);
    open = open.filter(({ one, isKnown }) => isKnown && one.response?.kind === 'error' && !one.exhausted);
  }
  for (const { one, isKnown } of sent)
    if (isKnown && one.response?.kind === 'error') one.settle(failed('no_upstream_response'));
}
