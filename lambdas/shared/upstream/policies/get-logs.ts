import { ownCall, type UpstreamResponse } from '../../jsonrpc/calls.ts';
import { wordsOf } from '../../jsonrpc/error-message.ts';
import { hexNumber } from '../../jsonrpc/json-values.ts';
import {
  blocksOfLogs,
  countOf,
  joinLists,
  type LogBlocks,
  partsOf,
  withBlocks,
} from '../../jsonrpc/log-parts.ts';
import { failed } from '../../jsonrpc/match-responses.ts';
import { readFacts } from '../../jsonrpc/response-facts.ts';
import { cautiousBlocks, suggestedBlocks, toldBlocks } from '../../jsonrpc/told-range.ts';
import { LOGS_METHOD } from '../../methods/method-table.ts';
import { FINALITY_BLOCKS } from '../../runtime/finality.ts';
import { ableUpstreams } from '../routing/able-upstreams.ts';
import type { ChainClient } from '../routing/chain-client.ts';
import { factsOf } from '../routing/classify-response.ts';
import { PendingCall } from '../routing/pending-call.ts';
import type { FurtherCall, Policy, Rounds, Terms } from '../routing/terms.ts';
import type { Upstream } from '../upstream.ts';

/** Most parts that one call is sent in, with those that are split again. */
export const MAX_PARTS = 16;
/** Parts that are on their way at once. */
const PARTS_AT_ONCE = 2;
/** Times that a call is sent in parts while its newest block is replaced meanwhile. */
const MAX_ROUNDS = 2;

/** Logs of more blocks, or more logs, than an upstream gives at once. */
export const getLogs: Policy = {
  appliesTo: (method) => method === LOGS_METHOD,
  prepare(one, { node }) {
    const blocks = blocksOf(one, node);
    one.span = blocks === undefined ? undefined : countOf(blocks);
  },
  again: splitLogs,
};

/**
 * Calls for logs that every upstream refused for asking too much at once, and those that all are known to refuse, are asked for in
 * parts of the size that one upstream takes, all from that one.
 */
export async function* splitLogs(calls: readonly PendingCall[], terms: Terms): Rounds {
  for (const pending of calls) {
    if (terms.signal.aborted || !isRefusedForSize(pending, terms.node)) continue;
    const blocks = blocksOf(pending, terms.node);
    if (blocks !== undefined && countOf(blocks) > 1) yield* splitCall(pending, blocks, terms);
  }
}

/** Also where an upstream was not asked because of a size that was learnt: that is no reason to do without it. */
function isRefusedForSize(pending: PendingCall, node: ChainClient): boolean {
  const { settled, answeredBy, verdicts, span } = pending;
  if (settled) return false;
  if (answeredBy !== undefined && isTooMuch(pending, answeredBy)) return true;
  const isLeftOut = (upstream: Upstream) =>
    !verdicts.has(upstream) && upstream.lessons.maxRange < (span ?? 0);
  return ableUpstreams(node, pending).flat().some(isLeftOut);
}

/** Whether an upstream refused a call for the number of logs, or of their blocks. */
function isTooMuch({ verdicts }: PendingCall, upstream: Upstream): boolean {
  const verdict = verdicts.get(upstream);
  return verdict !== undefined && factsOf(verdict).isTooMuch === true;
}

function blocksOf({ call }: PendingCall, { view }: ChainClient): LogBlocks | undefined {
  if (call.method !== LOGS_METHOD) return undefined;
  const latest = view.head === undefined ? undefined : Number(view.head);
  return blocksOfLogs(call.params, { latest });
}

/** One call on its way in parts. */
interface Split {
  readonly pending: PendingCall;
  readonly upstream: Upstream;
  readonly terms: Terms;
  /** Blocks that the call asks for. */
  readonly asked: number;
  /** Parts that were sent, of all rounds. */
  sent: number;
  /** Blocks of the smallest parts so far: larger ones were refused. */
  size: number;
}

/** Why a call is not answered in parts. */
class SplitEnd extends Error {
  readonly response: UpstreamResponse;

  constructor(response: UpstreamResponse) {
    super('not answered in parts');
    this.response = response;
  }
}

async function* splitCall(pending: PendingCall, asked: LogBlocks, terms: Terms): Rounds {
  const { node } = terms;
  const upstream = widestUpstream(pending, node);
  if (upstream === undefined) return;
  // What is above its newest block it does not have: there are no logs.
  const newest = node.view.headOf(upstream.index);
  const blocks = { ...asked, to: Math.min(asked.to, newest === undefined ? asked.to : Number(newest)) };
  const size = firstSize(pending, upstream, countOf(blocks));
  const split: Split = { pending, upstream, terms, asked: countOf(asked), sent: 0, size };
  try {
    if (Math.ceil(countOf(blocks) / size) > MAX_PARTS) throw tooMany(split);
    for (let round = 1; ; round += 1) {
      const before = yield* topHash(split, blocks.to);
      const result = yield* readParts(split, partsOf(blocks, size));
      const isSame = before === undefined || before === (yield* topHash(split, blocks.to));
      if (isSame) {
        pending.settle({ kind: 'result', result }, upstream);
        pending.asOf = newest;
        return;
      }
      if (round === MAX_ROUNDS) throw new SplitEnd(failed('upstream_unavailable'));
    }
  } catch (error) {
    if (!(error instanceof SplitEnd)) throw error;
    pending.settle(error.response, upstream);
  }
}

/** The upstream that takes the most blocks at once, as far as is known; of equals the one that answered. */
function widestUpstream(pending: PendingCall, node: ChainClient): Upstream | undefined {
  const { answeredBy, verdicts } = pending;
  const isLeft = (upstream: Upstream) => !verdicts.has(upstream) || isTooMuch(pending, upstream);
  const tier =
    ableUpstreams(node, pending)
      .find((one) => one.some(isLeft))
      ?.filter(isLeft) ?? [];
  const widest = Math.max(...tier.map(({ lessons }) => lessons.maxRange));
  const equals = tier.filter(({ lessons }) => lessons.maxRange === widest);
  return equals.find((upstream) => upstream === answeredBy) ?? equals[0];
}

function firstSize(pending: PendingCall, upstream: Upstream, blocks: number): number {
  const { response } = pending;
  const verdict = pending.verdicts.get(upstream);
  if (verdict === 'too_many_logs' && response?.kind === 'error')
    return smallerSize(suggestedBlocks(wordsOf(response)), blocks, Math.ceil(blocks / 2));
  const { maxRange, takenRange } = upstream.lessons;
  if (maxRange < blocks && maxRange === takenRange) return maxRange;
  const told =
    response?.kind === 'error' && verdict === 'too_wide' ? toldBlocks(wordsOf(response)) : undefined;
  const untold = cautiousBlocks(blocks);
  const known = Number.isFinite(maxRange) ? maxRange : untold;
  return smallerSize(told ?? known, blocks, untold);
}

/** A size that the node states, if it is smaller than what was refused. */
function smallerSize(told: number | undefined, refused: number, otherwise: number): number {
  return told !== undefined && told < refused ? told : Math.max(1, otherwise);
}

/** Reads parts, and those that are too much in parts again. @throws {SplitEnd} if one is not answered */
async function* readParts(split: Split, parts: readonly LogBlocks[]): Rounds<Uint8Array> {
  await pay(split, split.sent === 0 ? parts.length - 1 : parts.length);
  const { maxResponseBytes } = split.terms.node;
  const left = [...parts];
  const results = new Map<number, Uint8Array>();
  let bytes = 0;
  while (left.length > 0) {
    const some = left.splice(0, PARTS_AT_ONCE).map((part) => ({ part, call: partCall(split, part) }));
    split.sent += some.length;
    if (split.sent > MAX_PARTS) throw tooMany(split);
    yield some.map(({ call }) => questionOf(split, call));
    for (const { part, call } of some) {
      if (call.response?.kind === 'result') {
        results.set(part.from, call.response.result);
        bytes += call.response.result.length;
        if (bytes > maxResponseBytes) throw new SplitEnd(failed('upstream_response_too_large'));
        continue;
      }
      const smaller = partsOf(part, sizeAfter(split, part, call));
      if (split.sent + smaller.length > MAX_PARTS) throw tooMany(split);
      await pay(split, smaller.length);
      left.unshift(...smaller);
    }
  }
  const inOrder = [...results].sort(([one], [other]) => one - other).map(([, result]) => result);
  const joined = joinLists(inOrder);
  if (joined === undefined) throw new SplitEnd(failed('malformed_upstream_response'));
  return joined;
}

/** Draws for parts that are sent beside the first. */
async function pay({ pending, terms }: Split, parts: number): Promise<void> {
  if (parts > 0 && (await terms.payAgain?.(Array.from({ length: parts }, () => pending.call))) === false)
    throw new SplitEnd(failed('rate_limited'));
}

function partCall({ pending: { call, sender } }: Split, part: LogBlocks): PendingCall {
  const params = withBlocks(call.params ?? new Uint8Array(), part);
  const asked = new PendingCall({ ...call, params }, sender);
  asked.span = countOf(part);
  return asked;
}

/** Parts are beside the attempts at a call: their number has a bound of its own. */
function questionOf({ pending, upstream }: Split, call: PendingCall): FurtherCall {
  return { call, about: pending, of: upstream, isFree: true };
}

/** How many blocks may pass after a part that was still too much. @throws {SplitEnd} for any other response */
function sizeAfter(split: Split, part: LogBlocks, call: PendingCall): number {
  const { upstream } = split;
  const { response, verdicts } = call;
  const blocks = countOf(part);
  const verdict = verdicts.get(upstream);
  // It is the response of the node, or too large for any upstream; without a verdict there was no time left.
  if (response?.kind !== 'error' || !isTooMuch(call, upstream) || blocks === 1) {
    const isOwn = verdict === 'final' || isTooMuch(call, upstream);
    const otherwise = failed(verdict === undefined ? 'no_upstream_response' : 'upstream_unavailable');
    throw new SplitEnd(response !== undefined && isOwn ? response : otherwise);
  }
  const words = wordsOf(response);
  const told = verdict === 'too_wide' ? toldBlocks(words) : suggestedBlocks(words);
  const size = smallerSize(told, blocks, Math.ceil(blocks / 2));
  if (verdict === 'too_wide') upstream.lessons.refusedRange(blocks, size);
  split.size = Math.min(split.size, size);
  return size;
}

/** Hash of the newest block of the range, where it can still be replaced; undefined if it cannot. */
async function* topHash(split: Split, top: number): Rounds<string | undefined> {
  const { head } = split.terms.node.view;
  if (head !== undefined && BigInt(top) <= head - BigInt(FINALITY_BLOCKS)) return undefined;
  const newest = ownCall('eth_getBlockByNumber', [hexNumber(top), false]);
  const asked = new PendingCall(newest, split.pending.sender);
  yield [questionOf(split, asked)];
  const { response, verdicts } = asked;
  const hash = response?.kind === 'result' ? readFacts(response.result, 'number').hashes[0] : undefined;
  if (hash === undefined)
    throw new SplitEnd(failed(verdicts.size === 0 ? 'no_upstream_response' : 'upstream_unavailable'));
  return hash;
}

/**
 * The refusal of a range that would take more parts than a call is sent in. What passes is not known while parts are
 * still refused: it says half of the range at most, so that a client that cuts its range by it comes to an end.
 */
function tooMany({ size, asked, sent }: Split): SplitEnd {
  const max = Math.min(size * MAX_PARTS, sent === 0 ? asked : Math.ceil(asked / 2));
  return new SplitEnd({
    kind: 'failed',
    error: { reason: 'logs_range_too_large', parameters: { max }, details: { max_blocks: max } },
  });
}
