import type { CacheStore } from 'gateway-access';
import type { Chains } from '../../clients/typescript/src/unmetered.ts';
import { effectiveMethods } from '../shared/methods/method-facts.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import type { ChainSettings } from '../shared/runtime/settings.ts';
import type { Telemetry } from '../shared/runtime/telemetry.ts';
import { readLackingProofs } from '../shared/upstream/sharing/lacking-proofs.ts';
import { SharedItem } from '../shared/upstream/sharing/shared-item.ts';

/** Age at which they are read again, in milliseconds: the endpoint is public. */
const MAX_AGE_MS = 10_000;

/**
 * Describes the public chains of a stage.
 * @param areIndexed whether the stage indexes its chains
 * @param proven how many blocks of chains have proofs, where nodes refused some
 */
export function describeChains(
  chains: readonly ChainSettings[],
  areIndexed: boolean,
  proven: ReadonlyMap<string, number> = new Map(),
): Chains {
  return {
    chains: chains
      .filter((chain) => chain.public)
      .map((chain) => ({
        chain: chain.chain,
        name: chain.name,
        chain_id: chain.chainId,
        jsonrpc: true,
        data: areIndexed,
        methods: effectiveMethods(chain.methods),
        max_logs_block_range: chain.maxLogsBlockRange,
        state_window_blocks: chain.stateWindowBlocks,
        proof_window_blocks: proven.get(chain.chain) ?? null,
        relaxed_checks: areIndexed ? (chain.relaxedChecks ?? []) : [],
      })),
  };
}

interface ProofWindowParts {
  /** Absent: nothing is known. */
  readonly records: Pick<CacheStore, 'read'> | undefined;
  readonly chains: readonly { readonly chain: string }[];
  readonly clock: Clock;
  readonly log: Telemetry['log'];
}

/**
 * Reads of how many newest blocks the nodes of chains prove the state, where they refused to of others. A reading that fails
 * leaves what was read before. Never rejects.
 */
export function createProofWindows({ records, chains, clock, log }: ProofWindowParts) {
  const names = chains.map(({ chain }) => chain);
  const windows = new SharedItem<ReadonlyMap<string, number>>({
    first: new Map(),
    get: async (before) => (records === undefined ? before : readLackingProofs(records, names, clock.now())),
    intervalMs: MAX_AGE_MS,
    clock,
    asking: { telemetry: { log }, event: 'lacking_proofs_unread' },
  });
  return () => windows.lately();
}
