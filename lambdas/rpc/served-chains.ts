import type { Clock } from '../clock.ts';
import type { StageSettings } from '../settings.ts';
import type { ReadSecret } from '../upstream/connect-chain.ts';
import { OwnWords } from './own-words.ts';
import type { ServedChain } from './rpc-request.ts';
import { serveChain } from './serve-chain.ts';

/** The chains of a stage by name. Nothing is connected before the first request. */
export function serveChains(
  settings: StageSettings,
  clock: Clock,
  readSecret: ReadSecret,
): ReadonlyMap<string, ServedChain> {
  return new Map(
    settings.chains.map((chain) => {
      const node = serveChain(chain, clock, readSecret);
      return [chain.chain, { settings: chain, node, head: node.head, ownWords: new OwnWords(clock) }];
    }),
  );
}
