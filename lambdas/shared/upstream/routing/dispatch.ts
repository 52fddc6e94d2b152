import type { HeldBodies } from '../../http/large-bodies.ts';
import { type Call, MAX_BATCH_CALLS, type UpstreamResponse } from '../../jsonrpc/calls.ts';
import type { CataloguedError } from '../../jsonrpc/error-catalogue.ts';
import { blocksOfLogs, countOf } from '../../jsonrpc/log-parts.ts';
import { failed, normaliseNotFound } from '../../jsonrpc/match-responses.ts';
import type { RequiredBlock } from '../../jsonrpc/required-block.ts';
import { slowestClassOf, timeoutOf } from '../../methods/method-facts.ts';
import { LOGS_METHOD, SYNC_METHOD } from '../../methods/method-table.ts';
import { type Soon, whenThere } from '../../runtime/soon.ts';
import { isOfPool } from '../agreement/pinned-call.ts';
import {
  dependsOnHead,
  leastBlock,
  minBlockNotReached,
  monotonicHead,
  reportedHead,
} from '../head/answered-head.ts';
import { MAX_LAG_BLOCKS } from '../head/head-claim.ts';
import type { HeadReports } from '../head/head-reports.ts';
import { RESERVED_FOR_FAILURES } from '../health/refused-words.ts';
import type { Upstream } from '../upstream.ts';
import { ableUpstreams, holdersFirst, LIMITED_RULE, limitedError, refusedByAll } from './able-upstreams.ts';
import { ROUGH_HEAD_MAX_AGE_MS } from './ask-head.ts';
import { type AttemptTime, askFurther, NO_ROOM_RULE } from './attempt.ts';
import type { ChainClient } from './chain-client.ts';
import { mayBeAbsent, SENT_CODES, saysAbsent } from './classify-response.ts';
import { type CallSender, limitBytes, mergeEqualCalls, PendingCall } from './pending-call.ts';
import {
  acceptKnown,
  isMissing,
  lacksReceipts,
  mayBeEmpty,
  ofSilentSend,
  recover,
  syncingError,
  withinTime,
} from './recoveries.ts';
import type { PayAgain } from './serve-calls.ts';
import { serveByOthers, serveCalls, type Terms } from './serve-calls.ts';
import { splitLogs } from './split-logs.ts';
import { compareResponses, witnessesFor } from './witness.ts';

/** A request with less time than this is not begun, in milliseconds. */
const MIN_TIME_MS = 10;
/** Longest time that is waited for a block that the key got, in milliseconds. */
const MAX_BLOCK_WAIT_MS = 500;

/** So many attempts of the chain, or fewer, can be gone before a second upstream is asked. */
const SCARCE = RESERVED_FOR_FAILURES + 10;

/** The highest block that a key got. */
export interface GivenBlock {
  readonly number: bigint;
  /**
   * The block that its newest state is of, at least: that one once a second upstream has it or a block time has passed, because
   * before that one alone would get all calls; else one that the key was shown something of, if any.
   */
  readonly state: bigint | undefined;
}

/** What it took to get calls answered. */
export interface Served {
  /** Calls that upstreams were sent, the gateway's own questions aside. */
  readonly attempts: number;
  /** Names of the upstreams whose responses are returned. */
  readonly upstreams: readonly string[];
}

/** The customer of calls. */
export interface Sender {
  /** Called before calls are sent again because their results were too large together. @default none pays */
  readonly payAgain?: PayAgain | undefined;
  /** Called with what it took. @default not called */
  readonly onServed?: ((served: Served) => void) | undefined;
  /** The key that sent the calls, and its account. @default the gateway itself */
  readonly keyId?: string;
  readonly account?: string;
  /** Responses are judged once it is settled; it never rejects. @default at once */
  readonly known?: Promise<unknown>;
  /** Called with calls about something that an upstream says there is not, before that is believed. @default it is believed */
  readonly learn?: AttemptTime['learn'];
  /** Name of the upstream that took the key's latest transaction: it is asked first for what is in no block yet. @default any */
  readonly takenBy?: string | undefined;
  /** What its request holds of large responses. @default nothing */
  readonly held?: HeldBodies | undefined;
  /** The highest block that the key got, as far as this instance knows. @default none */
  readonly given?: GivenBlock | undefined;
  /** The block that upstreams must have whose answers are about the newest one, or that there is no such thing. @default none */
  readonly minBlock?: bigint | undefined;
}

/**
 * Gets calls answered by a chain's upstreams, in the order of the calls. Equal calls are sent once. Every failure of an
 * upstream becomes a response; only a defect of the gateway rejects.
 * @param until deadline in milliseconds since the epoch; the class of the calls can shorten it
 */
export async function dispatch(
  calls: readonly Call[],
  node: ChainClient,
  until: number,
  { payAgain = async () => true, keyId, ...sender }: Sender = {},
): Promise<readonly UpstreamResponse[]> {
  if (calls.length > MAX_BATCH_CALLS) throw new Error(`${calls.length} calls for one batch`);
  if (calls.length === 0) return [];
  const watched = node.head.watch();
  if (watched instanceof Promise) await watched;
  const deadline = Math.min(until, node.clock.now() + timeoutOf(calls));
  if (deadline - node.clock.now() < MIN_TIME_MS || !node.slots.take()) {
    return calls.map(() => failed('gateway_overloaded'));
  }
  try {
    const entered = node.bulkhead.enter(slowestClassOf(calls), keyId);
    const turn = entered instanceof Promise ? await entered : entered;
    if (!('signal' in turn)) return calls.map(() => ({ kind: 'failed', error: turn }));
    try {
      const { known, learn, held } = sender;
      const terms = { deadline, signal: turn.signal, known, learn, held, payAgain };
      return await serve(calls, node, terms, { ...sender, keyId });
    } finally {
      turn.leave();
    }
  } finally {
    node.slots.giveBack();
  }
}

async function serve(
  calls: readonly Call[],
  node: ChainClient,
  terms: Terms,
  {
    given,
    takenBy,
    minBlock,
    onServed,
    keyId,
    account,
  }: Pick<Sender, 'given' | 'takenBy' | 'minBlock' | 'onServed'> & CallSender,
): Promise<readonly UpstreamResponse[]> {
  const { deadline, signal } = terms;
  const { distinct, positions } = mergeEqualCalls(calls);
  const pending = distinct.map(
    (call) => new PendingCall(withinTime(call, deadline - node.clock.now()), { keyId, account }),
  );
  node.budget.earn(pending.length);
  const share = keyId === undefined ? undefined : node.refusedWords.shareOf(keyId);
  share?.earn(pending.length);
  const learning = learnHeads(pending, node, deadline);
  const isKnown = learning instanceof Promise ? await learning : learning;
  const isSpent = share !== undefined && !(share.hasOne() && node.budget.hasOne(SCARCE));
  for (const one of pending) prepare(one, node, { given, takenBy, minBlock, isSpent });
  const witnesses = node.agreement === 1 ? [] : witnessesFor(pending);
  if (witnesses.length === 0) await getResponses(pending, node, terms, isKnown);
  else
    await Promise.all([
      getResponses(pending, node, terms, isKnown),
      // What the operator wants to know twice is paid for once.
      getResponses(witnesses, node, { ...terms, payAgain: async () => true }, isKnown),
    ]);
  await recover(pending, node, terms);
  const errors =
    witnesses.length === 0
      ? undefined
      : await compareResponses(witnesses, node, terms, (witness) => ({
          kind: 'failed',
          error: limitOf(witness, node) ?? { reason: 'upstream_unavailable' },
        }));
  const responses = pending.map((one) => errors?.get(one) ?? finalResponse(one, node, signal));
  const owed = [...pending, ...witnesses].reduce((sum, one) => sum + (hasFound(one) ? 0 : one.owed), 0);
  share?.owe(owed);
  onServed?.({
    attempts: [...pending, ...witnesses].reduce((sum, one) => sum + one.attempts, 0),
    upstreams: pending.flatMap(({ answeredBy }) => answeredBy?.name ?? []),
  });
  return limitBytes(
    positions.map((position) => responses[position] as UpstreamResponse),
    node.maxResponseBytes,
  );
}

/** Notes what is known of a call before it is sent; settles one that no upstream can answer by the stage file. */
function prepare(
  one: PendingCall,
  node: ChainClient,
  {
    given,
    takenBy,
    minBlock,
    isSpent,
  }: Pick<Sender, 'given' | 'takenBy' | 'minBlock'> & { readonly isSpent: boolean },
): void {
  one.span = spanOf(one, node);
  one.given = givenFor(one.need, given, node.view);
  // Where no other may be asked, the first response is of one that is as far.
  if (one.need.kind === 'hash' && isSpent) one.given = node.view.head;
  if (takenBy !== undefined && isOfPool(one.call)) {
    one.takenBy = node.upstreams.find(({ name }) => name === takenBy);
    one.given = given?.number;
  }
  one.least = leastBlock(one.call, one.need, minBlock);
  if (one.least !== undefined && one.least > (one.given ?? -1n)) one.given = one.least;
  const beyond = refusedByAll(node, one);
  if (beyond !== undefined) one.settle({ kind: 'failed', error: beyond });
}

/** Gets calls answered by the upstreams that are known to be right, then by others, then in parts. */
async function getResponses(
  calls: readonly PendingCall[],
  node: ChainClient,
  terms: Terms,
  isKnown: boolean,
): Promise<void> {
  await serveCalls(
    calls.filter(({ settled }) => !settled),
    node,
    terms,
  );
  if (calls.every(({ settled }) => settled)) return;
  const isChosenBlindly = ({ settled, need }: PendingCall) => !settled && (!isKnown || need.kind === 'head');
  if (node.upstreams.length > 1 && !terms.signal.aborted && calls.some(isChosenBlindly)) {
    await node.head.peek(terms.deadline);
    await serveByOthers(calls, node, terms);
  }
  await splitLogs(calls, node, terms);
  await askOnceMore(calls, node, terms);
}

/**
 * The block that an upstream should have for a call, by what its key got or what is known of the chain; undefined if
 * that says nothing.
 */
function givenFor(
  need: RequiredBlock,
  given: GivenBlock | undefined,
  { head = -1n }: Pick<HeadReports, 'head'>,
): bigint | undefined {
  if (need.kind === 'head') return given?.state;
  if (need.kind !== 'block') return undefined;
  const isNew = need.number <= head && need.number > head - MAX_LAG_BLOCKS;
  return isNew || need.number <= (given?.number ?? -1n) ? need.number : undefined;
}

/**
 * A block that the key got is there, and an upstream that lacks it is late, or has several nodes behind its URL:
 * after a block time it is asked for once more. What is missing then is returned as it is.
 */
async function askOnceMore(pending: readonly PendingCall[], node: ChainClient, terms: Terms): Promise<void> {
  const { deadline, signal } = terms;
  const { view, clock, budget } = node;
  const late = pending.filter(
    (one) =>
      one.need.kind !== 'hash' &&
      one.given !== undefined &&
      one.given <= (view.head ?? -1n) &&
      !one.settled &&
      isMissing(one),
  );
  const pauseMs = Math.min(view.blockMs ?? MAX_BLOCK_WAIT_MS, MAX_BLOCK_WAIT_MS);
  if (late.length === 0 || signal.aborted || clock.now() + pauseMs + MIN_TIME_MS > deadline) return;
  await node.wait(pauseMs, signal);
  if (signal.aborted) return;
  const payable = late.filter(({ exhausted }) => !exhausted && budget.take(1, RESERVED_FOR_FAILURES));
  const groups = Map.groupBy(payable, (one) => holderOf(one, node));
  await Promise.all([...groups].map(([upstream, group]) => askFurther(node, upstream, group, terms)));
}

/** The upstream to ask once more: one that has the block as far as is known, else the one that answered. */
function holderOf(call: PendingCall, node: ChainClient): Upstream {
  const [best = []] = holdersFirst(ableUpstreams(node, call), call, node.view);
  return best[0] ?? (call.answeredBy as Upstream);
}

/** How many blocks a call wants the logs of, as far as the present head tells. */
function spanOf({ call }: PendingCall, { view }: ChainClient): number | undefined {
  if (call.method !== LOGS_METHOD) return undefined;
  const latest = view.head === undefined ? undefined : Number(view.head);
  const blocks = blocksOfLogs(call.params, { latest });
  return blocks === undefined ? undefined : countOf(blocks);
}

/**
 * Learns the heads of several upstreams, by which the right one is chosen. They may be some seconds old, but not for logs: an
 * upstream that lacks a part of a range does not say so. Whether they are known well enough: at once where nothing is asked.
 */
function learnHeads(
  pending: readonly PendingCall[],
  { upstreams, head, view }: ChainClient,
  deadline: number,
): Soon<boolean> {
  // Where none is in step none gets a call for the newest block, until one is known to be in step again.
  const isSyncing = head.isSyncing();
  const hasChoice = upstreams.length > 1 || isSyncing;
  if (!hasChoice || pending.every(({ need }) => need.kind === 'none')) return true;
  const hasAll = ({ need }: PendingCall) =>
    need.kind !== 'logs' || upstreams.some(({ index }) => view.has(index, need.to));
  const look = pending.every(hasAll) ? head.glance : head.peek;
  return whenThere(
    look(deadline, isSyncing ? undefined : ROUGH_HEAD_MAX_AGE_MS),
    (known) => known !== undefined,
  );
}

function hasFound(pending: PendingCall): boolean {
  const { response } = pending;
  return response?.kind === 'result' && !mayBeAbsent(pending, response) && !mayBeEmpty(pending);
}

/** The response that a call gets, once no further attempt is made. */
function finalResponse(
  pending: PendingCall,
  node: ChainClient,
  { aborted, reason }: AbortSignal,
): UpstreamResponse {
  const { call, response, answeredBy, attempts, verdicts, isUntraced } = pending;
  if (response === undefined && aborted) return { kind: 'failed', error: reason as CataloguedError };
  const syncing = syncingError(pending, node);
  if (syncing !== undefined) return { kind: 'failed', error: syncing };
  const { view, upstreams } = node;
  const limited = limitOf(pending, node);
  const incomplete = upstreams.some(
    (upstream) => verdicts.get(upstream) !== 'behind_served_head' && view.has(upstream.index, view.served),
  );
  const held = monotonicHead(
    call,
    { response: limited === undefined ? response : undefined, incomplete },
    node,
  );
  if (held === undefined && limited !== undefined) return { kind: 'failed', error: limited };
  // No upstream could be asked, or none had more than a response of the past.
  if (held === undefined) return failed(attempts === 0 ? 'node_syncing' : 'upstream_unavailable');
  if (lacksReceipts(pending)) return failed('upstream_unavailable');
  const accepted = acceptKnown(call, ofSilentSend(call, held));
  const given = normaliseNotFound(call, accepted, isUntraced);
  const isOwn =
    given === (accepted === held ? response : accepted) &&
    given.kind === 'result' &&
    answeredBy !== undefined;
  const asOf =
    pending.need.kind === 'head'
      ? (reportedHead(call, given)?.number ?? pending.asOf ?? pending.headBefore)
      : undefined;
  if (isBelowLeast(pending, isUntraced ? given : accepted, asOf))
    return { kind: 'failed', error: minBlockNotReached(node.view.head) };
  if (given.kind === 'error' && call.method === SYNC_METHOD && SENT_CODES.has(given.code))
    return { ...given, from: answeredBy?.index };
  if (given.kind !== 'result') return given;
  return { ...given, ...(isOwn && { from: answeredBy.index }), ...(asOf !== undefined && { asOf }) };
}

/** Whether the upstream of a response is not as far as the request wants it to be. `asOf`: a block that it shows. */
function isBelowLeast(pending: PendingCall, response: UpstreamResponse, asOf: bigint | undefined): boolean {
  const { call, need, least, headBefore = -1n } = pending;
  if (least === undefined || (asOf ?? pending.asOf ?? headBefore) >= least) return false;
  if (response.kind === 'failed') return response.error.reason === 'transaction_not_found';
  return dependsOnHead(call, need) || saysAbsent(pending, response);
}

/** The error for a call that failed because upstreams are limited; undefined if that is not why. */
function limitOf(
  { need, idempotent, response, attempts }: PendingCall,
  node: ChainClient,
): CataloguedError | undefined {
  const acts = !idempotent;
  if (response === undefined) return attempts === 0 ? limitedError(node, need, { acts }) : undefined;
  if (response.kind !== 'failed') return undefined;
  const { reason, details } = response.error;
  if (details?.rule === NO_ROOM_RULE) return undefined;
  if (reason === 'gateway_overloaded') {
    return limitedError(node, need, { acts }) ?? { reason, details: { rule: LIMITED_RULE } };
  }
  // What acts may have arrived; what is too large is so everywhere.
  if (acts || reason === 'upstream_response_too_large') return undefined;
  return limitedError(node, need);
}
