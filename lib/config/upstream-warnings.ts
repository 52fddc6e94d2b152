import type { StageConfig } from './stage-config.ts';
import { hasEmbeddedUpstream } from './upstream-reference.ts';

/** Warnings about chains whose only node no other one contradicts. The node that a local run starts is trusted. */
export function upstreamWarnings(chains: StageConfig['chains']): string[] {
  return chains
    .filter((chain) => chain.upstreams.length === 1 && !hasEmbeddedUpstream(chain))
    .map(
      ({ chain }) =>
        `chain ${chain} has one upstream: its wrong answers are given and cached for minutes, and a limit or a failure ` +
        'of it is one of the chain; add a second one of another provider (docs/upstreams.md)',
    );
}
