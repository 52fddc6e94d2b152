import { type EffectiveMethods, effectiveMethods } from '../shared/methods/method-facts.ts';
import type { ChainSettings } from '../shared/runtime/settings.ts';

/** Response of `GET /v1/chains`: what each public chain offers. */
export interface ChainList {
  readonly chains: readonly {
    readonly chain: string;
    readonly name: string;
    readonly chain_id: number;
    readonly jsonrpc: boolean;
    /** Whether the Data API serves the chain. */
    readonly data: boolean;
    /** Methods and patterns. A denial wins. */
    readonly methods: EffectiveMethods;
    readonly max_logs_block_range: number;
    readonly state_window_blocks: number;
    /** Checks that stored blocks of the chain need not have passed; with `from` and `to` for those of a range. */
    readonly relaxed_checks: readonly {
      readonly check: string;
      readonly from?: number | undefined;
      readonly to?: number | undefined;
    }[];
  }[];
}

/** Describes the public chains of a stage. @param areIndexed whether the stage indexes its chains */
export function describeChains(chains: readonly ChainSettings[], areIndexed: boolean): ChainList {
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
        relaxed_checks: areIndexed ? (chain.relaxedChecks ?? []) : [],
      })),
  };
}
