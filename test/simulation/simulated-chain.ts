import { UnbilledErrors } from '../../lambdas/rpc/billing/call-usage.ts';
import type { ServedChain } from '../../lambdas/rpc/rpc-request.ts';
import { stillHead } from '../support/still-head.ts';

const HEAD_NUMBER = 1_000_000n;

const SETTINGS: Omit<ServedChain['settings'], 'chain'> = {
  name: 'Simulated chain',
  chainId: 1,
  public: true,
  default: true,
  upstreams: [],
  maxLogsBlockRange: 10_000,
  stateWindowBlocks: 1_000_000,
  maxResponseBytes: 1_000_000,
};

/** Calls are answered in place of the cache: none gets as far as a node. */
const NO_NODE = {} as ServedChain['node'];

/** A chain that is well. */
export function simulatedChain(chain: string): ServedChain {
  return {
    settings: { ...SETTINGS, chain },
    node: NO_NODE,
    head: stillHead(HEAD_NUMBER),
    unbilledErrors: new UnbilledErrors({ now: () => 0 }),
  };
}
