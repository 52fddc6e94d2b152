import type { UpstreamResponse } from '../../jsonrpc/calls.ts';
import { failed, normaliseNotFound } from '../../jsonrpc/match-responses.ts';
import { isNull } from '../../jsonrpc/scan-json.ts';
import { MAX_LAG_BLOCKS } from '../head/head-claim.ts';
import { RESERVED_FOR_FAILURES } from '../health/refused-words.ts';
import { ableUpstreams, holdersFirst } from '../routing/able-upstreams.ts';
import { askHead, ROUGH_HEAD_MAX_AGE_MS } from '../routing/ask-head.ts';
import type { ChainClient } from '../routing/chain-client.ts';
import { isBeyondSyncing } from '../routing/head-tracker.ts';
import type { PendingCall } from '../routing/pending-call.ts';
import type { Policy, Rounds, Terms } from '../routing/terms.ts';
import type { Upstream } from '../upstream.ts';

/** Longest time that is waited for a block that the key got, in milliseconds. */
const MAX_BLOCK_WAIT_MS = 500;
/** A question that has less time than this is not waited for, in milliseconds. */
const MIN_ASK_MS = 10;
/** Age at which it is asked again whether an upstream syncs that does not know a block or a transaction, in milliseconds. */
const SYNCING_MAX_AGE_MS = 250;
/** Longest time for that, in milliseconds. */
const MAX_LOOK_MS = 1_000;
/** So many attempts of the chain, or fewer, can be gone before a second upstream is asked. */
const SCARCE = RESERVED_FOR_FAILURES + 10;

/** Calls about a block by its number, or about something by its hash: an upstream that lacks it may be late. */
export const byBlock: Policy = {
  appliesTo: (_method, need) => need === 'block' || need === 'hash',
  prepare(one, { node, given }) {
    const { need } = one;
    const { head = -1n } = node.view;
    if (need.kind === 'block') {
      const isNew = need.number <= head && need.number > head - MAX_LAG_BLOCKS;
      if (isNew || need.number <= (given?.number ?? -1n)) one.given = need.number;
    }
    // Where no other may be asked, the first response is of one that is as far.
    else if (isSpent(one, node)) one.given = node.view.head;
  },
  async *again(calls, terms) {
    yield* askOnceMore(calls, terms);
    const missing = calls.filter(isMissing);
    if (missing.length > 0 && !terms.signal.aborted) await learnWhatIsMissing(missing, terms);
  },
  judge(one, response, { node: { head } }) {
    const { need } = one;
    const isSyncing = saysUnknown(one, response)
      ? head.isSyncing()
      : need.kind === 'block' && isMissing(one) && isBeyondSyncing(need.number, head);
    return isSyncing ? failed('node_syncing') : response;
  },
};

function isSpent({ sender: { keyId } }: PendingCall, { refusedWords, budget }: ChainClient): boolean {
  return keyId !== undefined && !(refusedWords.shareOf(keyId).hasOne() && budget.hasOne(SCARCE));
}

/**
 * A block that the key got is there, and an upstream that lacks it is late, or has several nodes behind its URL:
 * after a block time it is asked for once more. What is missing then is returned as it is.
 */
async function* askOnceMore(calls: readonly PendingCall[], { node, deadline, signal }: Terms): Rounds {
  const { view, clock } = node;
  const late = calls.filter(
    (one) =>
      one.need.kind !== 'hash' &&
      one.given !== undefined &&
      one.given <= (view.head ?? -1n) &&
      !one.settled &&
      isMissing(one),
  );
  const pauseMs = Math.min(view.blockMs ?? MAX_BLOCK_WAIT_MS, MAX_BLOCK_WAIT_MS);
  if (late.length === 0 || signal.aborted || clock.now() + pauseMs + MIN_ASK_MS > deadline) return;
  await node.wait(pauseMs, signal);
  yield late.map((call) => ({ call, of: holderOf(call, node) }));
}

/** The upstream to ask once more: one that has the block as far as is known, else the one that answered. */
function holderOf(call: PendingCall, node: ChainClient): Upstream {
  const [best = []] = holdersFirst(ableUpstreams(node, call), call, node.view);
  return best[0] ?? (call.answeredBy as Upstream);
}

/**
 * Learns whether upstreams sync that have no block or transaction of a call: a chain that syncs may lack it. An upstream that no
 * longer syncs tells the truth, so it is asked before its response is dropped.
 */
async function learnWhatIsMissing(missing: readonly PendingCall[], { node, deadline }: Terms): Promise<void> {
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

/** Whether upstreams said no more of a block or a transaction than that they have no such thing. */
function isMissing(one: PendingCall): boolean {
  const { need, answeredBy, verdicts, response } = one;
  if (response === undefined || answeredBy === undefined) return false;
  return saysUnknown(one, response) || (need.kind === 'block' && verdicts.get(answeredBy) === 'missing_data');
}

/** Whether the response is that there is no such block or transaction, and not that its state is gone. */
function saysUnknown({ call, customTracer, answeredBy }: PendingCall, response: UpstreamResponse): boolean {
  if (answeredBy === undefined) return false;
  // What code of the client has for a result is the client's own.
  if (response.kind === 'result') return isNull(response.result, 0) && !customTracer;
  return response.kind === 'error' && normaliseNotFound(call, response).kind === 'failed';
}
