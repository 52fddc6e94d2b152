import { join } from 'node:path';
import { upstreamReference } from '../lambdas/shared/runtime/settings.ts';
import type { StageConfig } from '../lib/config/stage-config.ts';
import { hasEmbeddedUpstream, secretNames } from '../lib/config/upstream-reference.ts';
import { startAnvil } from './processes/anvil.ts';
import type { GuardedProcess } from './processes/guarded.ts';
import { LocalRunError, USAGE_EXIT_CODE } from './processes/local-run-error.ts';

const EMBEDDED = 'embedded';

/**
 * Refuses a stage file whose nodes a local run cannot reach.
 * @throws LocalRunError that names the entry
 */
export function requireLocalUpstreams(config: StageConfig, file: string): void {
  for (const [chainIndex, { upstreams }] of config.chains.entries()) {
    const index = upstreams.findIndex((upstream) => secretNames(upstream).length > 0);
    if (index === -1) continue;
    throw new LocalRunError(
      `${file}: chains[${chainIndex}].upstreams[${index}]: a local run has no secrets and needs a URL or "${EMBEDDED}"`,
      USAGE_EXIT_CODE,
    );
  }
}

interface NodesOptions {
  /** Where the nodes keep their state, one folder for each chain. */
  readonly folder: string;
  /** Called with each node as soon as it runs, also when another then does not start. */
  readonly onStarted: (node: GuardedProcess) => void;
  /** Takes a line for people about a chain that cannot go on where it ended. */
  readonly tell: (line: string) => void;
  /** How many blocks of a chain the run has made itself. */
  readonly ownBlocks: (chain: string) => number;
}

/** Starts a node for each chain with an embedded one and returns them by chain. */
export async function startNodes(
  config: StageConfig,
  { folder, onStarted, tell, ownBlocks }: NodesOptions,
): Promise<ReadonlyMap<string, GuardedProcess>> {
  const nodes = new Map<string, GuardedProcess>();
  for (const one of config.chains) {
    if (!hasEmbeddedUpstream(one)) continue;
    const { chain, chainId } = one;
    const node = await startAnvil({
      chain,
      chainId,
      folder: join(folder, chain),
      tell,
      ownBlocks: () => ownBlocks(chain),
    });
    onStarted(node);
    nodes.set(chain, node);
  }
  return nodes;
}

/** URL of the first upstream of each chain, and of the default chain's. */
export function upstreamUrls(
  config: StageConfig,
  nodes: ReadonlyMap<string, GuardedProcess>,
): { readonly upstream: string; readonly upstreams: Readonly<Record<string, string>> } {
  const urlOf = ({ chain, upstreams: [first = ''] }: StageConfig['chains'][number]) => {
    const reference = upstreamReference(first);
    return reference === EMBEDDED ? (nodes.get(chain)?.url ?? '') : reference;
  };
  const defaultChain = config.chains.find((chain) => chain.default);
  return {
    upstream: defaultChain === undefined ? '' : urlOf(defaultChain),
    upstreams: Object.fromEntries(config.chains.map((chain) => [chain.chain, urlOf(chain)])),
  };
}
