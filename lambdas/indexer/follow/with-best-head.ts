import type { Clock } from '../../shared/runtime/clock.ts';
import { readInteger, readObject } from '../blocks/json-shape.ts';
import type { HeadOptions } from '../fetch/read-blocks.ts';
import { blockCall, type NodeResponse, resultOf, sendBatch } from '../fetch/send-batch.ts';
import type { SteadyUpstream, StickyUpstream } from '../fetch/sticky-upstream.ts';
import type { ChainReader, ReadDeadline } from './chain-reader.ts';

/** Time between two questions to the other upstreams for their heads, in milliseconds, and time for their answers. */
const ASK_INTERVAL_MS = 30_000;
const ANSWER_MS = 1_000;
/**
 * How far a node may be behind another, in milliseconds: it is left if by then it does not have the block that the
 * other had. A time and not a number of blocks, of which chains make one in ten seconds, or a hundred.
 */
const MAX_BEHIND_MS = 15_000;

/** A reader, and the nodes that it can read. */
export interface OfSeveralNodes {
  readonly reader: ChainReader;
  readonly node: StickyUpstream;
  readonly clock: Clock;
}

/**
 * A reader that leaves its node for one whose head is ahead for too long: a node that stands still answers as well as a
 * good one.
 */
export function withBestHead({ reader, node, clock }: OfSeveralNodes): ChainReader {
  let askAt = -Infinity;
  let own = 0;

  const askOthers = async ({ deadline }: ReadDeadline) => {
    const seenAt = clock.now();
    const limit = Math.min(deadline, seenAt + ANSWER_MS);
    const heads = await Promise.all(
      node.others().map(async (upstream) => ({
        upstream,
        number: await headOf(upstream, limit).catch(() => -Infinity),
        seenAt,
      })),
    );
    return heads.sort((a, b) => b.number - a.number)[0];
  };

  /** What another upstream had and this one did not. */
  let ahead: Awaited<ReturnType<typeof askOthers>>;

  const readHead = async (options: HeadOptions) => {
    const head = await reader.head(options);
    own = head.number;
    if (ahead !== undefined && ahead.number <= own) ahead = undefined;
    return head;
  };

  return {
    ...reader,
    async head(options) {
      const head = await readHead(options);
      if (ahead !== undefined && clock.now() - ahead.seenAt >= MAX_BEHIND_MS) {
        const { upstream } = ahead;
        ahead = undefined;
        node.moveTo(upstream);
        return readHead(options);
      }
      if (ahead !== undefined || clock.now() < askAt) return head;
      askAt = clock.now() + ASK_INTERVAL_MS;
      const best = await askOthers(options);
      if (best !== undefined && best.number > own) ahead = best;
      return head;
    },
    blocksBehind: () => (ahead === undefined ? 0 : ahead.number - own),
  };
}

/** Number of the newest block that an upstream has. Rejects where it does not say. */
async function headOf({ connection }: SteadyUpstream, deadline: number): Promise<number> {
  const { responses } = await sendBatch(connection, [blockCall('latest')], { deadline });
  return blockNumberOf(responses[0]);
}

/** Number of the block that a node sent. @throws {NodeError} where it sent none, or ShapeError */
export function blockNumberOf(answer: NodeResponse | undefined): number {
  return readInteger(readObject(resultOf(answer), 'block').number, 'block.number');
}
