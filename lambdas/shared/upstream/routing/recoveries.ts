import { type Call, ownCall, type UpstreamResponse } from '../../jsonrpc/calls.ts';
import type { CataloguedError } from '../../jsonrpc/error-catalogue.ts';
import { messageOf } from '../../jsonrpc/error-message.ts';
import { hashOfJson, hexNumber, jsonOf, quantityJson, quantityOfJson } from '../../jsonrpc/json-values.ts';
import { failed, isEmptyTrace, normaliseNotFound } from '../../jsonrpc/match-responses.ts';
import { elementAt } from '../../jsonrpc/required-block.ts';
import { isNull } from '../../jsonrpc/scan-json.ts';
import { methodFacts } from '../../methods/method-facts.ts';
import { SYNC_METHOD } from '../../methods/method-table.ts';
import { COUNT_METHOD, withElement } from '../agreement/pinned-call.ts';
import { RESERVED_FOR_FAILURES } from '../health/refused-words.ts';
import type { Upstream } from '../upstream.ts';
import { limitedError } from './able-upstreams.ts';
import { askHead, ROUGH_HEAD_MAX_AGE_MS } from './ask-head.ts';
import { askFurther, attempt } from './attempt.ts';
import type { ChainClient } from './chain-client.ts';
import { isBeyondSyncing } from './head-tracker.ts';
import { SEND_METHOD, transactionHash } from './own-transactions.ts';
import { PendingCall } from './pending-call.ts';
import { serveByOthers, serveCalls, type Terms } from './serve-calls.ts';

/** Longest time to ask an upstream whether it knows a transaction or a block, in milliseconds. */
const MAX_ASK_MS = 2_000;
/** A question that has less time than this is not asked, in milliseconds. */
const MIN_ASK_MS = 10;
/** Age at which it is asked again whether an upstream syncs that does not know a block or a transaction, in milliseconds. */
const SYNCING_MAX_AGE_MS = 250;
/** Longest time for that, in milliseconds. */
const MAX_LOOK_MS = 1_000;

const EMPTY_LIST = Buffer.from('[]');
const GAS_USED = /"gasUsed"\s*:\s*"0x0*[1-9a-f]/i;
const NAMED_BLOCK = /"block(?:Hash|Number)"\s*:\s*("[^"]*")/;

/** What is special of some calls once upstreams have said what they have to say. */
interface Recovery {
  /** Whether it is for a call as it is answered now. */
  readonly isFor: (one: PendingCall, node: ChainClient) => boolean;
  readonly recover: (calls: readonly PendingCall[], node: ChainClient, terms: Terms) => Promise<void>;
}

/** In the order in which they are tried. */
const RECOVERIES: readonly Recovery[] = [
  { isFor: isMissing, recover: learnWhatIsMissing },
  { isFor: mayBeKnown, recover: findKnown },
  { isFor: mayBeLow, recover: raiseCounts },
  { isFor: mayBeMined, recover: awaitReceipts },
  { isFor: mayBeEmpty, recover: findEmpty },
];

/** Gets better answers for calls whose own need not be the last word, while there is time. */
export async function recover(calls: readonly PendingCall[], node: ChainClient, terms: Terms): Promise<void> {
  for (const { isFor, recover } of RECOVERIES) {
    const some = terms.signal.aborted ? [] : calls.filter((one) => isFor(one, node));
    if (some.length > 0) await recover(some, node, terms);
  }
}

/** An empty answer, and the question whether what it is about is there, or is empty. */
interface Question {
  readonly empty: PendingCall;
  readonly asked: PendingCall;
  readonly upstream: Upstream;
}

/** Whether a call got an empty trace, whose transaction may not exist, or no receipts, of a block that may have some. */
export function mayBeEmpty({ call, response }: PendingCall): boolean {
  if (response === undefined) return false;
  return isEmptyTrace(call, response) || isWithoutReceipts(call, response);
}

function isWithoutReceipts({ method }: Call, response: UpstreamResponse): boolean {
  return (
    method === 'eth_getBlockReceipts' && response.kind === 'result' && EMPTY_LIST.equals(response.result)
  );
}

/** Whether a call got no receipts of a block that has some: that is no answer. */
export function lacksReceipts({ call, response, hasReceipts }: PendingCall): boolean {
  return hasReceipts && response !== undefined && isWithoutReceipts(call, response);
}

/**
 * Calls that got an empty trace of a transaction that does not exist. Some nodes answer so for any hash, others for
 * transactions without a step: the upstream that gave the trace is asked which it is. One that gave no receipts is asked
 * whether the block used gas; if it did, others are asked for them. Without a response what is empty is believed.
 */
async function findEmpty(calls: readonly PendingCall[], node: ChainClient, terms: Terms): Promise<void> {
  const questions = calls.flatMap((empty) => questionOf(empty) ?? []);
  const asking = withinAsk(terms, node);
  if (questions.length === 0 || asking === undefined) return;
  const payable = questions.filter(({ empty }) => isPayable(empty, node));
  const groups = Map.groupBy(payable, ({ upstream }) => upstream);
  await Promise.all(
    [...groups].map(([upstream, group]) =>
      askFurther(
        node,
        upstream,
        group.map(({ asked }) => asked),
        asking,
      ),
    ),
  );
  const lacking = payable.filter(({ asked }) => hasUsedGas(asked)).map(({ empty }) => empty);
  for (const one of lacking) {
    one.reopen();
    one.hasReceipts = true;
  }
  if (lacking.length > 0 && !terms.signal.aborted) await serveByOthers(lacking, node, terms);
  for (const { empty, asked } of payable) empty.isUntraced = !empty.hasReceipts && saysNull(asked);
}

/** The terms of a short question; undefined where there is no time for it. */
function withinAsk(terms: Terms, { clock }: ChainClient): Terms | undefined {
  const deadline = Math.min(terms.deadline, clock.now() + MAX_ASK_MS);
  return deadline - clock.now() < MIN_ASK_MS ? undefined : { ...terms, deadline };
}

/** Of a block without receipts it is asked out of the share of the key: many blocks have none. */
function isPayable(empty: PendingCall, { budget, refusedWords }: ChainClient): boolean {
  const { keyId } = empty.sender;
  const isOwed = keyId !== undefined && methodFacts(empty.call.method).class !== 'trace';
  if (isOwed && !refusedWords.shareOf(keyId).hasOne()) return false;
  if (empty.exhausted || !budget.take(1, RESERVED_FOR_FAILURES)) return false;
  if (isOwed) empty.owed += 1;
  return true;
}

function questionOf(empty: PendingCall): Question | undefined {
  const { call, answeredBy: upstream, response, sender } = empty;
  if (upstream === undefined || response === undefined || !mayBeEmpty(empty)) return undefined;
  const named = elementAt(call.params, 0);
  const asked = isWithoutReceipts(call, response) ? blockQuestion(named) : transactionQuestion(named);
  return asked === undefined ? undefined : { empty, asked: new PendingCall(asked, sender), upstream };
}

function transactionQuestion(named: string | undefined): Call | undefined {
  const hash = hashOfJson(named);
  return hash === undefined ? undefined : ownCall('eth_getTransactionByHash', [hash]);
}

/** A tag can be of another block by now. */
function blockQuestion(named: string | undefined): Call | undefined {
  const block = NAMED_BLOCK.exec(named ?? '')?.[1] ?? named;
  const hash = hashOfJson(block);
  if (hash !== undefined) return ownCall('eth_getBlockByHash', [hash, false]);
  const number = quantityOfJson(block);
  return number === undefined ? undefined : ownCall('eth_getBlockByNumber', [hexNumber(number), false]);
}

function hasUsedGas({ call, response }: PendingCall): boolean {
  if (response?.kind !== 'result' || !call.method.startsWith('eth_getBlockBy')) return false;
  return GAS_USED.test(jsonOf(response.result, 'latin1'));
}

function saysNull({ response }: PendingCall): boolean {
  return response?.kind === 'result' && isNull(response.result, 0);
}

/**
 * Learns whether upstreams sync that have no block or transaction of a call: a chain that syncs may lack it. An upstream that no
 * longer syncs tells the truth, so it is asked before its response is dropped.
 */
async function learnWhatIsMissing(
  missing: readonly PendingCall[],
  node: ChainClient,
  { deadline }: Terms,
): Promise<void> {
  const isOfNumber = missing.some(({ need }) => need.kind === 'block');
  await node.head.peek(deadline, isOfNumber ? undefined : ROUGH_HEAD_MAX_AGE_MS);
  const { view, clock } = node;
  const givers = new Set(missing.flatMap(({ answeredBy }) => answeredBy ?? []));
  const outdated = [...givers].filter(
    ({ index }) => view.isBehind(index) && clock.now() - view.syncingReportedAt(index) >= SYNCING_MAX_AGE_MS,
  );
  const until = Math.min(deadline, clock.now() + MAX_LOOK_MS);
  await Promise.all(outdated.map((upstream) => askHead(node, upstream, until)));
}

/** Whether all that came for a call about a block or a transaction is that there is none. */
export function isMissing(pending: PendingCall): boolean {
  const { need, answeredBy, verdicts } = pending;
  if (saysUnknown(pending)) return true;
  return need.kind === 'block' && answeredBy !== undefined && verdicts.get(answeredBy) === 'missing_data';
}

/** Whether the response is that there is no such block or transaction, and not that its state is gone. */
function saysUnknown({ call, need, customTracer, response, answeredBy }: PendingCall): boolean {
  if (response === undefined || answeredBy === undefined) return false;
  if (need.kind !== 'block' && need.kind !== 'hash') return false;
  // What code of the client has for a result is the client's own.
  if (response.kind === 'result') return isNull(response.result, 0) && !customTracer;
  return response.kind === 'error' && normaliseNotFound(call, response).kind === 'failed';
}

/** The error for a call about what no upstream knows while none, or not the one that answered, is in step. */
export function syncingError(pending: PendingCall, node: ChainClient): CataloguedError | undefined {
  const { need, answeredBy, settled, verdicts } = pending;
  if (answeredBy === undefined) return undefined;
  const isUnknown = verdicts.get(answeredBy) === 'unknown_behind' && !settled;
  if (isUnknown && node.view.isBehind(answeredBy.index))
    return limitedError(node, need) ?? { reason: 'node_syncing' };
  if (saysUnknown(pending)) return node.head.isSyncing() ? { reason: 'node_syncing' } : undefined;
  const isBeyond = need.kind === 'block' && isMissing(pending) && isBeyondSyncing(need.number, node.head);
  return isBeyond ? { reason: 'node_syncing' } : undefined;
}

/** What nodes say of a transaction that they have already. */
const ALREADY_KNOWN = /already ?known|\bknown transaction|already[ _](?:imported|exists|in )/i;
/** What they say of one that is in a block already, and of any other that comes too late. */
const NONCE_TOO_LOW = /nonce too low|nonce is too low|oldnonce|invalid nonce/i;
/** What of the time of a synchronous send is left for the way back, in milliseconds. */
const WAY_BACK_MS = 1_000;
/** A time-out as nodes read one: a number, a hexNumber, or a number as a text. */
const TIMEOUT = /^(?:\d{1,15}|"\d{1,15}"|"0x[0-9a-f]{1,12}")$/i;

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
function mayBeKnown({ call, response }: PendingCall): boolean {
  return call.method === SEND_METHOD && response?.kind === 'error' && NONCE_TOO_LOW.test(messageOf(response));
}

/**
 * Accepts transactions that a node refuses for their nonce because they are in a block already: it is asked for them by
 * their hash, and so is the one that took them. Without a response the refusal stays.
 */
async function findKnown(calls: readonly PendingCall[], node: ChainClient, terms: Terms): Promise<void> {
  const asking = withinAsk(terms, node);
  if (asking === undefined) return;
  await Promise.all(
    calls.map(async (pending) => {
      const { answeredBy: upstream, call, sender } = pending;
      const hash = transactionHash(call);
      if (hash === undefined || upstream === undefined || pending.exhausted) return;
      if (!node.budget.take(1, RESERVED_FOR_FAILURES)) return;
      const asked = new PendingCall(ownCall('eth_getTransactionByHash', [hash]), sender);
      await attempt(node, { upstream, calls: [asked], ...asking, known: undefined });
      const { takenBy } = asked;
      if (!isFound(asked) && takenBy !== undefined && takenBy !== upstream && node.budget.take(1))
        await askFurther(node, takenBy, [asked], asking);
      if (isFound(asked)) pending.settle({ kind: 'result', result: Buffer.from(`"${hash}"`) }, upstream);
    }),
  );
}

function isFound({ response }: PendingCall): boolean {
  return response?.kind === 'result' && !isNull(response.result, 0);
}

/** Whether a count of transactions can be below that of the newest block: the upstream that took them is not as far. */
function mayBeLow(
  { call, takenBy, answeredBy, response, given = 0n }: PendingCall,
  { view }: ChainClient,
): boolean {
  if (takenBy === undefined || takenBy !== answeredBy || response?.kind !== 'result') return false;
  const newest = (view.head ?? 0n) > given ? (view.head ?? 0n) : given;
  return call.method === COUNT_METHOD && !view.has(takenBy.index, newest);
}

/** Raises counts of transactions to those of the newest block, of an upstream that has it. */
async function raiseCounts(calls: readonly PendingCall[], node: ChainClient, terms: Terms): Promise<void> {
  const counts = calls.filter(({ exhausted }) => !exhausted);
  const asked = counts.map(({ call, sender }) => {
    const params = Buffer.from(`[${elementAt(call.params, 0)},"latest"]`);
    const latest = new PendingCall({ ...call, params }, sender);
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
  return response?.kind === 'result' ? quantityOfJson(jsonOf(response.result)) : undefined;
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
function mayBeMined({ call, response }: PendingCall): boolean {
  if (call.method !== SYNC_METHOD || response?.kind !== 'error') return false;
  const words = messageOf(response);
  return ALREADY_KNOWN.test(words) || NONCE_TOO_LOW.test(words);
}

/**
 * Waits for the receipts of transactions that a synchronous send found at its node: at once, after a block time, and at the end.
 * One that was refused for its nonce may be another, and is asked for once.
 */
async function awaitReceipts(calls: readonly PendingCall[], node: ChainClient, terms: Terms): Promise<void> {
  await Promise.all(calls.map((pending) => awaitReceipt(pending, node, terms)));
}

async function awaitReceipt(pending: PendingCall, node: ChainClient, terms: Terms): Promise<void> {
  const { deadline, signal } = terms;
  const { call, answeredBy: upstream, response, sender } = pending;
  const hash = transactionHash(call);
  if (hash === undefined || upstream === undefined || response?.kind !== 'error') return;
  const { clock, view } = node;
  const json = elementAt(call.params, 1) ?? '';
  const most = deadline - WAY_BACK_MS;
  const end = TIMEOUT.test(json) ? Math.min(most, clock.now() + timeoutOf(json)) : most;
  const isKnown = ALREADY_KNOWN.test(messageOf(response));
  const receipt = ownCall('eth_getTransactionReceipt', [hash]);
  const pauses = isKnown ? [0, view.blockMs ?? WAY_BACK_MS, Number.POSITIVE_INFINITY] : [0];
  for (const pauseMs of pauses) {
    if (pending.exhausted || signal.aborted || !node.budget.take(1, RESERVED_FOR_FAILURES)) break;
    const ms = Math.max(0, Math.min(pauseMs, end - clock.now()));
    if (ms > 0) await node.wait(ms, signal);
    pending.attempts += 1;
    const asked = new PendingCall(receipt, sender);
    await askFurther(node, upstream, [asked], terms);
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
