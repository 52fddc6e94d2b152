import { type Clock, systemClock } from '../../lambdas/clock.ts';
import { type ChainNode, createChainNode } from '../../lambdas/rpc/chain-node.ts';
import { openChainUpstreams } from '../../lambdas/upstream/chain-upstreams.ts';
import type { NodeConnection } from '../../lambdas/upstream/node-connection.ts';

/** The node of a chain that has one upstream. */
export function singleNode(connection: NodeConnection, clock: Clock = systemClock): ChainNode {
  const { maxResponseBytes } = connection;
  return createChainNode(openChainUpstreams([{ name: 'only', connection }], { clock, maxResponseBytes }));
}
