import type { CataloguedError } from '../../jsonrpc/error-catalogue.ts';
import { isMethodServed } from '../../methods/chain-methods.ts';
import { methodFacts, readsState } from '../../methods/method-facts.ts';
import { type ChainUpstreams, PRIVATE_MEMPOOL } from '../chain-upstreams.ts';
import type { HeadReports } from '../head/head-reports.ts';
import { dependsOnHead, minBlockNotReached } from '../head/min-block.ts';
import type { Upstream } from '../upstream.ts';
import { eligibleUpstreams } from './eligible-upstreams.ts';
import type { PendingCall } from './pending-call.ts';

type Tiers = readonly (readonly Upstream[])[];

/**
 * Upstreams that can answer a call, best first, as `eligibleUpstreams`; those that have its method and its blocks by the
 * stage file, and of them those that were not heard to lack the method, nor lately lacked what its key asked for with it, unless
 * all did. None that is asked for its twins.
 */
export function ableUpstreams(node: ChainUpstreams, call: PendingCall): Tiers {
  const { need, twins, idempotent } = call;
  const eligible = eligibleUpstreams(node, need, { acts: !idempotent });
  const free =
    twins.length === 0
      ? eligible
      : filterTiers(eligible, (upstream) => !twins.some(({ verdicts }) => verdicts.has(upstream)));
  const having = filterTiers(free, (upstream) => has(upstream, call, node) && isAsFar(upstream, call, node));
  const { method } = call.call;
  const { keyId } = call.sender;
  const untold = filterTiers(having, ({ lessons }) => !lessons.lacksMethod(method));
  // What was learnt may be out of date; what the stage file says is not.
  const left = untold.length > 0 ? untold : having;
  if (keyId === undefined || node.refusedWords.isEmpty) return left;
  const preferred = filterTiers(left, (upstream) => !node.refusedWords.isAvoided(upstream, keyId, method));
  return preferred.length > 0 ? preferred : left;
}

/** Of able upstreams those that take logs of as many blocks as the call asks for. */
export function wideUpstreams(tiers: Tiers, { span }: PendingCall): Tiers {
  return span === undefined ? tiers : filterTiers(tiers, ({ lessons }) => lessons.maxRange >= span);
}

/** Of able upstreams first the one that took the call's transaction, or those that have the block that its key got. */
export function holdersFirst(
  tiers: Tiers,
  { given, takenBy, verdicts }: PendingCall,
  view: HeadReports,
): Tiers {
  const taker = takenBy === undefined || verdicts.has(takenBy) ? undefined : takenBy;
  if (taker === undefined && given === undefined) return tiers;
  const holds = (upstream: Upstream) =>
    taker === undefined ? (view.headOf(upstream.index) ?? -1n) >= (given ?? 0n) : upstream === taker;
  return tiers
    .flatMap((tier) => [tier.filter(holds), tier.filter((upstream) => !holds(upstream))])
    .filter((tier) => tier.length > 0);
}

/** Of able upstreams those that are as far as a call needs them to be: only they can tell whether a refusal is final. */
export function asFarAsNeeded(tiers: Tiers, { need }: PendingCall, view: HeadReports): Tiers {
  const needed = need.kind === 'block' ? need.number : need.kind === 'logs' ? need.to : undefined;
  return filterTiers(
    tiers,
    ({ index }) =>
      !view.isBehind(index) && (needed === undefined || (view.headOf(index) ?? needed) >= needed),
  );
}

/** The error for a call that no upstream of a chain has the method or the blocks for: by the stage file, as its request wants them, or by an operator. */
export function refusedByAll(node: ChainUpstreams, call: PendingCall): CataloguedError | undefined {
  if (node.upstreams.every(({ health }) => health.isHeld)) return { reason: 'upstream_unavailable' };
  if (node.upstreams.some((upstream) => has(upstream, call, node))) {
    const isReached = node.upstreams.some((upstream) => isAsFar(upstream, call, node));
    return isReached ? undefined : minBlockNotReached(node.view.head);
  }
  const { method } = call.call;
  const serving = node.upstreams.filter((upstream) => hasMethod(upstream, method));
  if (serving.length === 0)
    return { reason: 'method_not_allowed', parameters: { method: method.toWellFormed() } };
  const max = Math.max(...serving.map((upstream) => depthOf(upstream, method) ?? 0));
  return { reason: 'state_not_available', parameters: { max }, details: { max_blocks: max } };
}

function has(upstream: Upstream, pending: PendingCall, { view, upstreams }: ChainUpstreams): boolean {
  const { method, askedOf } = pending.call;
  if (askedOf?.has(upstream.index) === false) return false;
  if (!hasMethod(upstream, method) || isShownBy(upstream, pending, upstreams)) return false;
  const oldest = oldestBlock(pending);
  if (oldest === undefined || view.head === undefined) return true;
  const depth = depthOf(upstream, method);
  return depth === undefined || oldest > view.head - BigInt(depth);
}

/** Whether an upstream has the block that every answer to a call must be of; where only an absent one must, it is looked at then. */
function isAsFar({ index }: Upstream, { call, need, least }: PendingCall, { view }: ChainUpstreams): boolean {
  return least === undefined || !dependsOnHead(call, need) || (view.headOf(index) ?? -1n) >= least;
}

/** Whether an upstream would show a transaction that another keeps to itself: where one does, it gets all of them. */
function isShownBy(
  upstream: Upstream,
  { idempotent, call }: PendingCall,
  upstreams: readonly Upstream[],
): boolean {
  if (idempotent || upstream.abilities.mempool === PRIVATE_MEMPOOL) return false;
  return upstreams.some((one) => one.abilities.mempool === PRIVATE_MEMPOOL && hasMethod(one, call.method));
}

/** Whether an upstream has a method by the stage file. */
export function hasMethod({ abilities: { methods } }: Upstream, method: string): boolean {
  return methods === undefined || isMethodServed(method, methods);
}

/** How many of the newest blocks an upstream has, of their state or of themselves; undefined if it has all. */
function depthOf({ abilities }: Upstream, method: string): number | undefined {
  return readsState(method) ? abilities.stateBlocks : abilities.historyBlocks;
}

/** The oldest block that a call needs, where it is known. */
function oldestBlock({ call, need, span }: PendingCall): bigint | undefined {
  if (need.kind === 'block') return need.number;
  if (need.kind !== 'logs' || span === undefined || methodFacts(call.method).needs !== 'logs')
    return undefined;
  return need.to - BigInt(span) + 1n;
}

function filterTiers(tiers: Tiers, isWanted: (upstream: Upstream) => boolean): Tiers {
  return tiers.map((tier) => tier.filter(isWanted)).filter((tier) => tier.length > 0);
}
