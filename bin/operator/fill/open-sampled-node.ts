import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { createNodeReader, type NodeReader } from '../../../lambdas/indexer/follow/node-reader.ts';
import type { Clock } from '../../../lambdas/shared/runtime/clock.ts';
import { connectNode } from '../../../lambdas/shared/upstream/connection/node-connection.ts';
import { createNodeLessons } from '../../../lambdas/shared/upstream/health/node-lessons.ts';

/** As the index has it by default, in bytes. */
const MAX_RESPONSE_BYTES = 32 * 2 ** 20;

/** A node that a chain is sampled from. */
export interface SampledNode {
  readonly reader: NodeReader;
  /** Calls that it was sent so far. */
  readonly callsSent: () => number;
  close(): void;
}

/**
 * Connects to the node that a URL names.
 * @throws {InputError} for a URL of another kind; its text does not hold the URL
 */
export function openSampledNode(url: string, clock: Clock, traces: boolean): SampledNode {
  if (!/^https?:$/.test(URL.parse(url)?.protocol ?? ''))
    throw new InputError('--node must be an http or https URL');
  const connection = connectNode({ url, clock, maxResponseBytes: MAX_RESPONSE_BYTES });
  let calls = 0;
  const node = {
    lessons: createNodeLessons(clock, {}),
    reserveIds(count: number) {
      calls += count;
      return connection.reserveIds(count);
    },
    post: connection.post,
  };
  return {
    reader: createNodeReader(node, clock, { traces }),
    callsSent: () => calls,
    close: () => connection.close(),
  };
}
