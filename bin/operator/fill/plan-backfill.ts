import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import type { BlockId } from '../../../lambdas/chain-data/decode/raw-block.ts';
import type { BlockRange } from '../../../lambdas/chain-data/store/block-range.ts';
import { missingRanges } from '../../../lambdas/chain-data/store/coverage.ts';
import type { ChainReader } from '../../../lambdas/indexer/follow/chain-reader.ts';
import type { ChainQueries } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import type { Clock } from '../../../lambdas/shared/runtime/clock.ts';
import {
  type Arguments,
  type Context,
  type Outcome,
  optionalText,
  requiredText,
} from '../context/command.ts';
import type { ChainSample } from './chain-sample.ts';
import { planFill } from './fill-plan.ts';
import { blockArgument, countBlocks, findIndexedChain, requireSameChain } from './indexed-chain.ts';
import { type GivenNode, openGivenNode } from './open-given-node.ts';
import { planOptions } from './plan-flags.ts';
import { planJson, planText } from './plan-text.ts';
import { sampleChain } from './sample-chain.ts';

/** Time for the node to give a header, in milliseconds. */
const HEADER_TIMEOUT_MS = 15_000;

/**
 * Says what the missing blocks of a chain take: rows, bytes, time, calls of the node, money, and what bounds it. The chain
 * need not be indexed yet, nor be one of the gateway.
 */
export async function planBackfill(
  { openIndexing, clock }: Pick<Context, 'openIndexing' | 'clock'>,
  args: Arguments,
): Promise<Outcome> {
  if (args.start === true) throw new InputError('either --plan or --start, not both');
  const options = planOptions(args);
  const url = optionalText(args, 'node');
  if (url === undefined) throw new InputError('--plan needs --node URL');
  const chain = requiredText(args, 'chain');
  const node = openGivenNode(url, clock, { traces: args['no-traces'] !== true });
  try {
    const head = await readHead(node, clock);
    const range = rangeOf(args, head);
    const connection = openIndexing && (await findIndexedChain(await openIndexing(), chain));
    const missing =
      connection === undefined
        ? [range]
        : await missingOf(connection, range, (number) => readHeader(node, clock, number));
    const blocks = countBlocks(missing);
    if (blocks === 0) throw new InputError('no block of this range is missing');
    const planned = { chain, range, blocks, sample: await readSample(node, clock, missing), options };
    const plan = planFill(planned.sample, { ...options, blocks });
    return { json: planJson(planned, plan), text: planText(planned, plan) };
  } finally {
    node.close();
  }
}

function rangeOf(args: Arguments, head: BlockId): BlockRange {
  const from = blockArgument(args, 'from') ?? 0;
  const to = blockArgument(args, 'to') ?? head.number;
  if (from > to) throw new InputError('--from is after --to');
  if (to > head.number) throw new InputError(`--to is above the node's newest block ${head.number}`);
  return { from, to };
}

/** The blocks that are not stored, where the index and the node are of one chain. */
async function missingOf(
  chain: ChainQueries,
  range: BlockRange,
  header: (number: number) => ReturnType<ChainReader['header']>,
): Promise<BlockRange[]> {
  await requireSameChain(chain, header);
  return missingRanges(chain, range);
}

const readHead = ({ reader }: GivenNode, clock: Clock) =>
  ofNode(reader.head({ deadline: clock.now() + HEADER_TIMEOUT_MS }));

const readHeader = ({ reader }: GivenNode, clock: Clock, number: number) =>
  ofNode(reader.header(number, { deadline: clock.now() + HEADER_TIMEOUT_MS }));

const readSample = (node: GivenNode, clock: Clock, missing: readonly BlockRange[]): Promise<ChainSample> =>
  ofNode(sampleChain({ ...node, clock, random: Math.random }, missing));

/** Says of a failure that it is the node's. */
async function ofNode<T>(reading: Promise<T>): Promise<T> {
  try {
    return await reading;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`the node cannot be sampled: ${reason}`, { cause: error });
  }
}
