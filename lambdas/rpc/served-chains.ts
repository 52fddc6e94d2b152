import type { Clock } from '../clock.ts';
import type { StageSettings } from '../settings.ts';
import type { ReadSecret } from '../upstream/connect-chain.ts';
import type { WaitingStore } from '../upstream/waiting-room.ts';
import { OwnWords } from './own-words.ts';
import type { ServedChain } from './rpc-request.ts';
import { serveChain } from './serve-chain.ts';
import { WaitingBudget } from './waiting-budget.ts';

/**
 * The chains of a stage by name. Nothing is connected before the first request.
 * `waiting`: where all instances count who waits
 */
export function serveChains(
  settings: StageSettings,
  clock: Clock,
  readSecret: ReadSecret,
  waiting: WaitingStore,
): ReadonlyMap<string, ServedChain> {
  const budget = new WaitingBudget({
    store: waiting,
    clock,
    random: Math.random,
    concurrency: settings.rpcConcurrency,
    chains: settings.chains.length,
  });
  return new Map(
    settings.chains.map((chain) => {
      const node = serveChain(chain, clock, readSecret, budget);
      return [chain.chain, { settings: chain, node, head: node.head, ownWords: new OwnWords(clock) }];
    }),
  );
}
