import type { Clock } from '../../shared/runtime/clock.ts';
import type { OperatorOf } from '../../shared/upstream/operators/operators.ts';
import { independentOf } from '../../shared/upstream/operators/two-operators.ts';
import { NodeError } from './node-error.ts';
import { type BatchOptions, type NodeCall, type NodeResponse, sendBatch } from './send-batch.ts';
import type { SteadyUpstream, StickyUpstream } from './sticky-upstream.ts';

/** For how long a node that did not answer is not asked again, in milliseconds. */
const SILENT_MS = 60_000;

/** The nodes of a chain, and who runs them. */
export interface NodesByOperator {
  readonly node: StickyUpstream;
  readonly operatorOf: OperatorOf;
}

/** The upstreams of each other operator than that of one. */
export function othersThan(
  upstream: string,
  { node, operatorOf }: NodesByOperator,
): Promise<readonly (readonly SteadyUpstream[])[]> {
  return independentOf(upstream, [node.current(), ...node.others()], operatorOf);
}

/**
 * Answers of an upstream beside the one that is read, which is left out while it has no calls left.
 * @throws {NodeError}
 */
export async function askAside(
  { connection, pace }: SteadyUpstream,
  calls: readonly NodeCall[],
  options: BatchOptions,
): Promise<readonly NodeResponse[]> {
  // Unlike the node that is read, it is not waited for.
  if ((await pace?.admits(calls.length)) === false)
    throw new NodeError('rate_limited', 'no calls are left by callsPerSecond');
  return (await sendBatch(connection, calls, options)).responses;
}

/** Makes what asks nodes of other operators one after the other, and for a minute none that did not answer. */
export function createTurns(nodes: NodesByOperator & { readonly clock: Clock }) {
  const { clock } = nodes;
  const silentUntil = new Map<string, number>();
  return {
    /** The nodes to ask, each with the place of its operator. */
    async *othersThan(upstream: string) {
      for (const [operator, others] of (await othersThan(upstream, nodes)).entries())
        for (const other of others)
          if (clock.now() >= (silentUntil.get(other.name) ?? 0)) yield { other, operator };
    },
    silence({ name }: SteadyUpstream) {
      silentUntil.set(name, clock.now() + SILENT_MS);
    },
  };
}
