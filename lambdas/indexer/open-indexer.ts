import { openChainDatabase } from '../chain-data/open-chain-database.ts';
import { systemClock } from '../clock.ts';
import { log } from '../log.ts';
import type { ChainSettings } from '../settings.ts';
import { connectChain, type ReadSecret } from '../upstream/connect-chain.ts';
import type { ChainReader } from './follow/chain-reader.ts';
import { createNodeReader } from './follow/node-reader.ts';
import { type ChainIndex, openChainIndex } from './store/chain-index.ts';

/** Longest time that a database which wakes from its pause is waited for, in milliseconds. */
const RESUME_WAIT_MS = 40_000;

/** The node and the index of one chain, as a function of the indexer works with them. */
export interface Indexer {
  readonly reader: ChainReader;
  readonly index: ChainIndex;
}

/** Opens what indexes a chain, once per instance. The first upstream of the stage file is the one that is read. */
export function openIndexer(chain: ChainSettings, readSecret: ReadSecret): Indexer {
  const { upstreams } = connectChain(chain, {
    clock: systemClock,
    readSecret,
    onFailure: (upstream, error) =>
      log('warn', 'upstream_failed', {
        chain: chain.chain,
        upstream,
        reason: error.kind,
        error: error.message,
      }),
  });
  const [upstream] = upstreams;
  if (upstream === undefined) throw new Error('a chain has no upstream');
  return {
    reader: createNodeReader(upstream.connection, systemClock, true),
    index: openChainIndex(openChainDatabase({ resumeWaitMs: RESUME_WAIT_MS }), chain.chain),
  };
}

/** The chain that this function indexes. */
export function chainNamed(chains: readonly ChainSettings[], name: string): ChainSettings {
  const chain = chains.find((candidate) => candidate.chain === name);
  if (chain === undefined) throw new Error(`there is no chain ${name}`);
  return chain;
}
