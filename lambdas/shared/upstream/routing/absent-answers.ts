import { type Call, NULL_ID, type UpstreamResponse } from '../../jsonrpc/calls.ts';
import type { CataloguedError } from '../../jsonrpc/error-catalogue.ts';
import { hashOfJson, quantityOfJson } from '../../jsonrpc/json-values.ts';
import { isEmptyTrace, normaliseNotFound } from '../../jsonrpc/match-responses.ts';
import { elementAt } from '../../jsonrpc/required-block.ts';
import { methodFacts } from '../../methods/method-facts.ts';
import { RESERVED_FOR_FAILURES } from '../health/refused-words.ts';
import type { Upstream } from '../upstream.ts';
import { limitedError } from './able-upstreams.ts';
import { askHead, ROUGH_HEAD_MAX_AGE_MS } from './ask-head.ts';
import { attempt } from './attempt.ts';
import type { ChainClient } from './chain-client.ts';
import { isBeyondSyncing } from './head-tracker.ts';
import { PendingCall } from './pending-call.ts';
import { serveByOthers, type Terms } from './serve-calls.ts';

/** Longest time to ask an upstream whether it knows a transaction or a block, in milliseconds. */
const MAX_ASK_MS = 2_000;
/** A question that has less time than this is not asked, in milliseconds. */
const MIN_ASK_MS = 10;
/** Age at which it is asked again whether an upstream syncs that does not know a block or a transaction, in milliseconds. */
const SYNCING_MAX_AGE_MS = 250;
/** Longest time for that, in milliseconds. */
const MAX_LOOK_MS = 1_000;
const NULL = Buffer.from('null');

const EMPTY_LIST = Buffer.from('[]');
const GAS_USED = /"gasUsed"\s*:\s*"0x0*[1-9a-f]/i;
const NAMED_BLOCK = /"block(?:Hash|Number)"\s*:\s*("[^"]*")/;

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
export async function findEmpty(
  calls: readonly PendingCall[],
  node: ChainClient,
  terms: Terms,
): Promise<ReadonlySet<PendingCall>> {
  const { deadline, signal, held } = terms;
  const questions = calls.flatMap((empty) => questionOf(empty) ?? []);
  const until = Math.min(deadline, node.clock.now() + MAX_ASK_MS);
  if (questions.length === 0 || until - node.clock.now() < MIN_ASK_MS) return new Set();
  const payable = questions.filter(({ empty }) => isPayable(empty, node));
  const groups = Map.groupBy(payable, ({ upstream }) => upstream);
  await Promise.all(
    [...groups].map(([upstream, group]) =>
      attempt(node, { upstream, calls: group.map(({ asked }) => asked), deadline: until, signal, held }),
    ),
  );
  const lacking = payable.filter(({ asked }) => hasUsedGas(asked)).map(({ empty }) => empty);
  for (const one of lacking) {
    one.reopen();
    one.hasReceipts = true;
  }
  if (lacking.length > 0 && !signal.aborted) await serveByOthers(lacking, node, terms);
  return new Set(
    payable.flatMap(({ empty, asked }) => (!empty.hasReceipts && saysNull(asked) ? [empty] : [])),
  );
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

function transactionQuestion(hash: string | undefined): Call | undefined {
  if (hashOfJson(hash) === undefined) return undefined;
  return { id: NULL_ID, method: 'eth_getTransactionByHash', params: Buffer.from(`[${hash}]`) };
}

/** A tag can be of another block by now. */
function blockQuestion(named: string | undefined): Call | undefined {
  const block = NAMED_BLOCK.exec(named ?? '')?.[1] ?? named;
  const method = hashOfJson(block) === undefined ? 'eth_getBlockByNumber' : 'eth_getBlockByHash';
  if (hashOfJson(block) === undefined && quantityOfJson(block) === undefined) return undefined;
  return { id: NULL_ID, method, params: Buffer.from(`[${block},false]`) };
}

function hasUsedGas({ call, response }: PendingCall): boolean {
  if (response?.kind !== 'result' || !call.method.startsWith('eth_getBlockBy')) return false;
  return GAS_USED.test(Buffer.from(response.result).toString('latin1'));
}

function saysNull({ response }: PendingCall): boolean {
  return response?.kind === 'result' && NULL.equals(response.result);
}

/**
 * Learns whether upstreams sync that have no block or transaction of a call: a chain that syncs may lack it. An upstream that no
 * longer syncs tells the truth, so it is asked before its response is dropped.
 */
export async function learnWhatIsMissing(
  pending: readonly PendingCall[],
  node: ChainClient,
  deadline: number,
): Promise<void> {
  const missing = pending.filter(isMissing);
  if (missing.some(({ need }) => need.kind === 'block')) await node.head.peek(deadline);
  else if (missing.length > 0) await node.head.peek(deadline, ROUGH_HEAD_MAX_AGE_MS);
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
  if (response.kind === 'result') return NULL.equals(response.result) && !customTracer;
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
