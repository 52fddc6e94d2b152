import type { CataloguedError } from '../../jsonrpc/error-catalogue.ts';
import type { RequiredBlock } from '../../jsonrpc/required-block.ts';
import { isMethodServed, methodFacts, readsState } from '../../methods/method-facts.ts';
import { type ChainUpstreams, PRIVATE_MEMPOOL } from '../chain-upstreams.ts';
import { dependsOnHead, minBlockNotReached } from '../head/answered-head.ts';
import type { HeadReports } from '../head/head-reports.ts';
import type { Upstream } from '../upstream.ts';
import type { PendingCall } from './pending-call.ts';

/** How sharply errors turn calls away: at 5 % errors an upstream gets 60 % of its share, at 30 % less than 3 %. */
const ERROR_AVERSION = 10;
/** Least part of its share that errors and latency leave to an upstream. */
const MIN_QUALITY = 1e-4;
/** Latencies below this one are all the same, in milliseconds. */
const FASTEST_MS = 1;

/** What the choice looks at; an `Upstream` has it. */
export type Choosable = Pick<Upstream, 'priority' | 'weight'> & {
  readonly health: Pick<Upstream['health'], 'errorRate' | 'p50Ms'>;
};

/**
 * Chooses among upstreams that would all do: one of the best priority, at random by weight and quality.
 * `random`: from 0 to 1. Undefined if it is absent.
 */
export function chooseUpstream<T extends Choosable>(candidates: readonly T[], random: number): T | undefined {
  if (candidates.length <= 1) return candidates[0];
  const priority = Math.min(...candidates.map((one) => one.priority));
  const best = candidates.filter((one) => one.priority === priority);
  if (best.length <= 1) return best[0];
  const fastestMs = Math.min(...best.map(({ health }) => health.p50Ms ?? Number.POSITIVE_INFINITY));
  const shares = best.map((one) => one.weight * qualityOf(one, Math.max(fastestMs, FASTEST_MS)));
  let left = random * shares.reduce((sum, share) => sum + share, 0);
  for (const [index, share] of shares.entries()) {
    left -= share;
    if (left < 0) return best[index];
  }
  return best[best.length - 1];
}

/** Chooses as many of them as there are, at most, as {@link chooseUpstream} does. */
export function chooseSome<T extends Choosable>(
  candidates: readonly T[],
  most: number,
  random: () => number,
): readonly T[] {
  const chosen = most < 1 ? undefined : chooseUpstream(candidates, random());
  if (chosen === undefined) return [];
  const others = candidates.filter((one) => one !== chosen);
  return [chosen, ...chooseSome(others, most - 1, random)];
}

/** From 0 to 1, 1 being the fastest without an error. One that nothing is known of is taken for the fastest. */
function qualityOf({ health }: Choosable, fastestMs: number): number {
  const speed = health.p50Ms === undefined ? 1 : fastestMs / Math.max(health.p50Ms, fastestMs);
  return Math.max(MIN_QUALITY, (1 - health.errorRate) ** ERROR_AVERSION * speed);
}

/** Why calls are refused whose upstreams are limited; returned as `error.data.rule`. */
export const LIMITED_RULE = 'upstreams_limited';

/** What matters about a call beside the block that it needs. */
interface CallTraits {
  /** Of what acts, a node knows best whether it takes it, also where none is in step. @default false */
  readonly acts?: boolean;
  /** @default any that no upstream lacks */
  readonly method?: string;
  /** Which upstreams can answer it by what else is known. @default all */
  readonly isWanted?: (upstream: Upstream) => boolean;
}

/** Whether nothing keeps calls of a method, or without one calls of any, from an upstream: no hold, and not its pace. */
function isUsable({ health, pace }: Upstream, method?: string): boolean {
  return health.isUsable(method) && pace?.pausedUntil === undefined;
}

/**
 * Upstreams that can answer a call correctly, best first; those in one list are equally good. Upstreams with an open
 * breaker come last, and only if they answered lately while others are in use; those that lack the method only where all
 * do. Empty if every candidate lags, is left alone for a limit of its own, or is held by an operator.
 */
export function eligibleUpstreams(
  node: ChainUpstreams,
  need: RequiredBlock,
  { acts = false, method, isWanted = () => true }: CallTraits = {},
): Tiers {
  const all = filterTiers(tiersFor(node, need, acts), isWanted);
  // The usual case: none is to be distinguished.
  if (node.upstreams.every((upstream) => isUsable(upstream, method))) return all;
  const tiers = filterTiers(all, (upstream) => leftAloneUntil(upstream) === undefined);
  const anyUsable = node.upstreams.some(({ health }) => health.usable);
  const usable = filterTiers(tiers, ({ health }) => health.usable);
  const spare = filterTiers(tiers, ({ health }) => !health.usable && (!anyUsable || health.alive));
  const inUse = [...usable, ...spare];
  // What was learnt may be out of date; what the stage file says is not.
  const having = method === undefined ? inUse : filterTiers(inUse, ({ health }) => !health.lacks(method));
  return having.length > 0 ? having : inUse;
}

/** Whether there is an upstream for calls that depend on the newest block, limited or not. Where all are held, no call is refused for the chain. */
export function canServeHead(node: ChainUpstreams): boolean {
  const wanted = node.upstreams.filter(({ health }) => !health.isHeld);
  return wanted.length === 0 || wanted.some(({ index }) => !node.view.isBehind(index));
}

/**
 * The error for a call that no upstream answered while some that could are left alone for a limit of their own; undefined
 * if none of them is.
 */
export function limitedError(
  node: ChainUpstreams,
  need: RequiredBlock,
  { acts = false }: CallTraits = {},
): CataloguedError | undefined {
  const untils = tiersFor(node, need, acts)
    .flat()
    .flatMap((upstream) => leftAloneUntil(upstream) ?? []);
  if (untils.length === 0) return undefined;
  const retry_after_ms = Math.ceil(Math.min(...untils) - node.clock.now());
  return { reason: 'gateway_overloaded', details: { rule: LIMITED_RULE, retry_after_ms } };
}

/** Until when an upstream is left alone for a limit of its own, stated by it or by the stage file. */
function leftAloneUntil({ health, pace }: Upstream): number | undefined {
  return health.limitedUntil ?? pace?.pausedUntil;
}

function tiersFor(
  { upstreams: all, view }: ChainUpstreams,
  need: RequiredBlock,
  acts: boolean,
): readonly (readonly Upstream[])[] {
  const upstreams = all.filter(({ health }) => !health.isHeld);
  const inStep = upstreams.filter(({ index }) => !view.isBehind(index));
  const behind = upstreams.filter((upstream) => !inStep.includes(upstream));
  const has = (number: bigint) => (upstream: Upstream) => view.has(upstream.index, number);
  switch (need.kind) {
    case 'none':
      return [upstreams];
    case 'head':
      return acts ? [inStep, behind] : [inStep];
    case 'hash':
      return [inStep, behind];
    case 'block':
      return [[...inStep, ...behind.filter(has(need.number))]];
    case 'logs':
      return [upstreams.filter(has(need.to)), inStep.filter((upstream) => !has(need.to)(upstream))];
  }
}

type Tiers = readonly (readonly Upstream[])[];

/**
 * Upstreams that can answer a call, best first, as `eligibleUpstreams`; those that have its method and its blocks by the
 * stage file, and of them those that were not known to lack the method, nor lately lacked what its key asked for with it, unless
 * all did. None that is asked for its twins.
 */
export function ableUpstreams(node: ChainUpstreams, call: PendingCall): Tiers {
  const { need, twins, idempotent } = call;
  const { method } = call.call;
  const { keyId } = call.sender;
  const isFree = (upstream: Upstream) => !twins.some(({ verdicts }) => verdicts.has(upstream));
  const left = eligibleUpstreams(node, need, {
    acts: !idempotent,
    method,
    isWanted: (one) => isFree(one) && has(one, call, node) && isAsFar(one, call, node),
  });
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
    taker === undefined ? view.has(upstream.index, given ?? 0n) : upstream === taker;
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
  return least === undefined || !dependsOnHead(call, need) || view.has(index, least);
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
