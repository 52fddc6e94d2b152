import type { CataloguedError } from '../../jsonrpc/error-catalogue.ts';
import type { RequiredBlock } from '../../jsonrpc/required-block.ts';
import type { ChainUpstreams } from '../chain-upstreams.ts';
import type { Upstream } from '../upstream.ts';

/** Why calls are refused whose upstreams are limited; returned as `error.data.rule`. */
export const LIMITED_RULE = 'upstreams_limited';

/** What matters about a call beside the block that it needs. */
interface CallTraits {
  /** Of what acts, a node knows best whether it takes it, also where none is in step. @default false */
  readonly acts?: boolean;
}

/**
 * Upstreams that can answer a call correctly, best first; those in one list are equally good. Upstreams with an open
 * breaker come last, and only if they answered lately while others are in use. Empty if every candidate lags, is
 * left alone for a limit of its own, or is held by an operator.
 */
export function eligibleUpstreams(
  node: ChainUpstreams,
  need: RequiredBlock,
  { acts = false }: CallTraits = {},
): readonly (readonly Upstream[])[] {
  const all = tiersFor(node, need, acts);
  // The usual case: none is to be distinguished.
  if (node.upstreams.every(({ health, pace }) => health.usable && pace.pausedUntil === undefined))
    return all.filter((tier) => tier.length > 0);
  const tiers = all.map((tier) => tier.filter((upstream) => leftAloneUntil(upstream) === undefined));
  const anyUsable = node.upstreams.some(({ health }) => health.usable);
  const usable = tiers.map((tier) => tier.filter(({ health }) => health.usable));
  const spare = tiers.map((tier) =>
    tier.filter(({ health }) => !health.usable && (!anyUsable || health.alive)),
  );
  return [...usable, ...spare].filter((tier) => tier.length > 0);
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

/** Until when an upstream is left alone for a limit of its own, told by it or by the stage file. */
function leftAloneUntil({ health, pace }: Upstream): number | undefined {
  return health.limitedUntil ?? pace.pausedUntil;
}

function tiersFor(
  { upstreams: all, view }: ChainUpstreams,
  need: RequiredBlock,
  acts: boolean,
): readonly (readonly Upstream[])[] {
  const upstreams = all.filter(({ health }) => !health.isHeld);
  const inStep = upstreams.filter(({ index }) => !view.isBehind(index));
  const behind = upstreams.filter((upstream) => !inStep.includes(upstream));
  const has = (number: bigint) => (upstream: Upstream) => (view.headOf(upstream.index) ?? -1n) >= number;
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
