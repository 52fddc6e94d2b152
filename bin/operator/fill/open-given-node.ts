import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { readInteger } from '../../../lambdas/indexer/blocks/json-shape.ts';
import { createRetryingClient } from '../../../lambdas/indexer/fetch/retrying-client.ts';
import { resultOf } from '../../../lambdas/indexer/fetch/send-batch.ts';
import type { ChainReader, ReadDeadline } from '../../../lambdas/indexer/follow/chain-reader.ts';
import { type BlockForm, createNodeReader } from '../../../lambdas/indexer/follow/node-reader.ts';
import type { Clock } from '../../../lambdas/shared/runtime/clock.ts';
import { sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import { connectNode } from '../../../lambdas/shared/upstream/connection/node-connection.ts';
import { createNodeLessons } from '../../../lambdas/shared/upstream/health/node-lessons.ts';

/** As the index has it by default, in bytes. */
const MAX_RESPONSE_BYTES = 32 * 2 ** 20;

/** A node that the operator names. */
export interface GivenNode {
  readonly reader: ChainReader;
  /** Its EIP-155 chain id. */
  chainId(options: ReadDeadline): Promise<number>;
  /** Calls that it was sent so far. */
  readonly callsSent: () => number;
  close(): void;
}

/**
 * Connects to the node that a URL names.
 * @throws {InputError} for a URL of another kind; its text does not hold the URL
 */
export function openGivenNode(url: string, clock: Clock, form: BlockForm): GivenNode {
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
  const patient = createRetryingClient(node, clock, sleep);
  return {
    reader: createNodeReader(node, clock, form),
    async chainId(options) {
      const [response] = (await patient.send([{ method: 'eth_chainId', params: [] }], options)).responses;
      return readInteger(resultOf(response), 'chain id');
    },
    callsSent: () => calls,
    close: () => connection.close(),
  };
}
