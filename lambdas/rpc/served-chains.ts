import type { StageSettings } from '../shared/runtime/settings.ts';
import type { ReadSecret } from '../shared/upstream/connect-chain.ts';
import { WaitingBudget } from '../shared/upstream/health/waiting-budget.ts';
import type { WaitingStore } from '../shared/upstream/health/waiting-room.ts';
import { type ChainObserver, serveChain } from '../shared/upstream/routing/serve-chain.ts';
import { UnbilledErrors } from './billing/unbilled-errors.ts';
import type { ServedChain } from './rpc-request.ts';

/**
 * The chains of a stage by name. Nothing is connected before the first request.
 * `waiting`: where all instances count who waits
 */
export function serveChains(
  settings: StageSettings,
  observer: ChainObserver,
  readSecret: ReadSecret,
  waiting: WaitingStore,
): ReadonlyMap<string, ServedChain> {
  const { clock } = observer;
  const budget = new WaitingBudget({
    store: waiting,
    clock,
    random: Math.random,
    concurrency: settings.rpcConcurrency,
    chains: settings.chains.length,
  });
  return new Map(
    settings.chains.map((chain) => {
      const node = serveChain(chain, observer, readSecret, budget);
      return [
        chain.chain,
        { settings: chain, node, head: node.head, unbilledErrors: new UnbilledErrors(clock) },
      ];
    }),
  );
}
