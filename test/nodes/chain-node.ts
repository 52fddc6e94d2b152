import { type Clock, systemClock } from '../../lambdas/shared/runtime/clock.ts';
import { openChainUpstreams } from '../../lambdas/shared/upstream/chain-upstreams.ts';
import type { NodeConnection } from '../../lambdas/shared/upstream/connection/node-connection.ts';
import { type ChainClient, createChainClient } from '../../lambdas/shared/upstream/routing/chain-client.ts';

/** The node of a chain that has one upstream. */
export function singleNode(connection: NodeConnection, clock: Clock = systemClock): ChainClient {
  const { maxResponseBytes } = connection;
  return createChainClient(openChainUpstreams([{ name: 'only', connection }], { clock, maxResponseBytes }));
}
