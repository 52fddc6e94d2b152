import type { RequiredBlock } from '../../jsonrpc/required-block.ts';
import type { ChainUpstreams } from '../chain-upstreams.ts';
import type { Upstream } from '../upstream.ts';

/**
 * Upstreams that can answer a call correctly, best first; those in one list are equally good. Upstreams with an open
 * breaker come last, and only if they answered lately while others are in use. Empty if every candidate lags.
 */
export function eligibleUpstreams(
  node: ChainUpstreams,
  need: RequiredBlock,
): readonly (readonly Upstream[])[] {
  const tiers = tiersFor(node, need);
  const anyUsable = node.upstreams.some(({ health }) => health.usable);
  const usable = tiers.map((tier) => tier.filter(({ health }) => health.usable));
  const spare = tiers.map((tier) =>
    tier.filter(({ health }) => !health.usable && (!anyUsable || health.alive)),
  );
  return [...usable, ...spare].filter((tier) => tier.length > 0);
}

/** Whether there is an upstream for calls that depend on the newest block. */
export function canServeHead(node: ChainUpstreams): boolean {
  return eligibleUpstreams(node, { kind: 'head' }).length > 0;
}

function tiersFor(
  { upstreams, view }: ChainUpstreams,
  need: RequiredBlock,
): readonly (readonly Upstream[])[] {
  const inStep = upstreams.filter(({ index }) => !view.isBehind(index));
  const behind = upstreams.filter((upstream) => !inStep.includes(upstream));
  const has = (number: bigint) => (upstream: Upstream) => (view.headOf(upstream.index) ?? -1n) >= number;
  switch (need.kind) {
    case 'none':
      return [upstreams];
    case 'head':
      return [inStep];
    case 'hash':
      return [inStep, behind];
    case 'block':
      return [[...inStep, ...behind.filter(has(need.number))]];
    case 'logs':
      return [upstreams.filter(has(need.to)), inStep.filter((upstream) => !has(need.to)(upstream))];
  }
}
