import type { StageConfig } from './stage-config.ts';
import { hasEmbeddedUpstream, isShadow } from './upstream-reference.ts';

/** Warnings about chains whose only node no other one contradicts. The node that a local run starts is trusted. */
export function upstreamWarnings(chains: StageConfig['chains']): string[] {
  return chains
    .filter(
      (chain) =>
        chain.upstreams.filter((entry) => !isShadow(entry)).length === 1 && !hasEmbeddedUpstream(chain),
    )
    .map(
      ({ chain }) =>
        `chain ${chain} has one upstream: the gateway returns its wrong answers and caches them for minutes, and a limit or a failure ` +
        'of it is one of the chain; add a second one of another provider (docs/upstreams.md)',
    );
}

/** Warnings about chains that say which tokens are money, and by no exchange's pools what others are worth. */
export function exchangeWarnings(chains: StageConfig['chains']): string[] {
  return chains
    .filter(({ quotes, exchanges = [] }) => quotes !== undefined && exchanges.length === 0)
    .map(({ chain }) => `chain ${chain} has quotes, but lists no exchanges: no pool makes a price`);
}
