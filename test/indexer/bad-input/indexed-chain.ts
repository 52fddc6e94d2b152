import { decodeBlock } from '../../../lambdas/chain-data/decode/decode-block.ts';
import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import type { NodePost } from '../../../lambdas/indexer/fetch/send-batch.ts';
import {
  type FollowParts,
  followStep,
  type StepOutcome,
} from '../../../lambdas/indexer/follow/follow-step.ts';
import { createNodeReader } from '../../../lambdas/indexer/follow/node-reader.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { systemClock } from '../../../lambdas/shared/runtime/clock.ts';
import { PLAIN } from '../../chain-data/decode/raw-blocks.ts';
import { newSchema } from '../../database/empty-schemas.ts';
import type { MigratedDatabase } from '../../database/migrated-database.ts';

const MAX_STEPS = 20;
const STEP_MS = 120_000;

export const decode = (block: RawBlock) => decodeBlock(block, PLAIN);
export const inTime = () => ({ deadline: Date.now() + STEP_MS });

/** What follows a node, and where it stores the chain. Where it waits for the node, its clock continues by itself. `known`: the chain to go on with. @default an empty one */
export async function followerOf(node: NodePost, database: MigratedDatabase, known?: string) {
  const schema = known ?? (await newSchema(database));
  const index = openChainIndex(connectionTo(database.writer, schema));
  let waitedMs = 0;
  const clock = { now: () => systemClock.now() + waitedMs };
  const pause = async (durationMs: number) => {
    waitedMs += durationMs;
  };
  return { schema, index, reader: createNodeReader(node, clock, { traces: true }, pause), decode };
}

/** Steps until there is nothing to do; returns what the steps did. Rejects with what a step fails with. */
export async function followAll(parts: FollowParts): Promise<StepOutcome['kind'][]> {
  const kinds: StepOutcome['kind'][] = [];
  while (kinds.length < MAX_STEPS) {
    const { kind } = await followStep(parts, inTime());
    kinds.push(kind);
    if (kind === 'idle' || kind === 'behind' || kind === 'halted') return kinds;
  }
  throw new Error('the index does not come to rest');
}
