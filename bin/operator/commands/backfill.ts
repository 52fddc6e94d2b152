import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import type { BlockRange } from '../../../lambdas/chain-data/store/block-range.ts';
import { missingRanges } from '../../../lambdas/chain-data/store/coverage.ts';
import { readCursor } from '../../../lambdas/chain-data/store/cursor.ts';
import { findHistoryStep } from '../../../lambdas/chain-data/store/history.ts';
import { type BackfillMessage, messagesOf } from '../../../lambdas/indexer/backfill-message.ts';
import type { ChainConnection, ChainQueries } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { inParallel } from '../../../lambdas/shared/runtime/in-parallel.ts';
import { sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import {
  type Arguments,
  CHAIN,
  type Command,
  type IndexingAccess,
  optionalText,
  requiredText,
  switchFlag,
  valueFlag,
} from '../context/command.ts';
import { formatCount, renderRecord } from '../context/text-table.ts';
import { queueFiles } from '../files/queue-files.ts';
import { type BulkState, bulkPartitions } from '../fill/bulk-partitions.ts';
import { blockArgument, countBlocks, findIndexedChain } from '../fill/indexed-chain.ts';
import { planBackfill } from '../fill/plan-backfill.ts';
import { PLAN_FLAGS, requireNoPlanFlags } from '../fill/plan-flags.ts';

/** Time over which the rate is measured, in milliseconds. */
const SAMPLE_MS = 3_000;
const MILLISECONDS_PER_SECOND = 1_000;
const MESSAGES_AT_ONCE = 16;
/** Most blocks of one call: so many messages that sending them takes minutes. */
const MAX_BLOCKS = 20_000_000;

export const backfill: Command = {
  name: 'backfill',
  summary:
    'index earlier blocks of a chain; without --start, show the progress, or with --plan what it would take',
  positionals: [CHAIN],
  flags: {
    from: valueFlag('first block (default: 0)'),
    to: valueFlag('last block (default: the last indexed one)'),
    start: switchFlag('queue the missing blocks of this range'),
    'from-files': valueFlag(
      'folder of export-range: queue the missing blocks that it has, to be stored from its files',
    ),
    bulk: switchFlag('with --start: by files and whole partitions, for long ranges'),
    'drop-bulk': switchFlag('drop what --bulk has not attached of this range'),
    ...PLAN_FLAGS,
  },
  example: 'backfill base --from 0 --to 999 --start',
  async run({ openIndexing, cache, clock }, args, { log }) {
    if (args.plan === true) return planBackfill({ openIndexing, clock }, args);
    requireNoPlanFlags(args);
    if (openIndexing === undefined) throw new InputError('this gateway indexes no chain');
    const chain = requiredText(args, 'chain');
    // Tables of a chain stay when the stage loses it: what was queued for it would become dead letters.
    if (cache?.chains.includes(chain) === false) throw new InputError(`unknown chain ${chain}`);
    const indexing = await openIndexing();
    const connection = await connectionOf(indexing, chain);
    const range = await rangeOf(connection, args);
    const missing = await missingRanges(connection, range);
    const partitions = await bulkPartitions(connection, range);
    const folder = optionalText(args, 'from-files');
    if (folder !== undefined && (args.start === true || args['drop-bulk'] === true))
      throw new InputError('either --start or --from-files, not both');
    const onPart = (reason: string) => log('info', 'part_queued', { chain, reason });
    const parts =
      folder === undefined ? 0 : await queueFiles({ indexing, connection, chain, folder, range, onPart });
    const messages = await messagesFor(connection, { chain, range, missing, partitions }, args);
    await inParallel(messages, MESSAGES_AT_ONCE, (message) => indexing.backfill.send(message));
    const before = countBlocks(missing);
    await sleep(before === 0 ? 0 : SAMPLE_MS);
    const left = countBlocks(await missingRanges(connection, range));
    const rate = ((before - left) * MILLISECONDS_PER_SECOND) / SAMPLE_MS;
    // As they are by now: what was queued may have made some, or ended them.
    const filling = await bulkPartitions(connection, range);
    const progress: BackfillProgress = {
      chain,
      ...{
        from_block: range.from,
        to_block: range.to,
        missing_blocks: left,
        queued_ranges: messages.length + parts,
      },
      blocks_per_second: Math.round(rate),
      ...(rate > 0 && { seconds_left: Math.ceil(left / rate) }),
      ...(filling.length > 0 && { bulk_partitions: filling }),
    };
    return { json: progress, text: textOf(progress) };
  },
};

interface BackfillState {
  readonly chain: string;
  readonly range: BlockRange;
  readonly missing: readonly BlockRange[];
  readonly partitions: readonly BulkState[];
}

/** What is queued, if anything is to be. */
async function messagesFor(
  connection: ChainConnection,
  { chain, range, missing, partitions }: BackfillState,
  args: Arguments,
): Promise<BackfillMessage[]> {
  if (args['drop-bulk'] === true) {
    if (args.start === true) throw new InputError('--drop-bulk and --start exclude each other');
    return [{ chain, ...range, bulk: 'drop' }];
  }
  if (args.start !== true) {
    if (args.bulk === true) throw new InputError('--bulk needs --start');
    return [];
  }
  if (args.bulk === true && missing.length > 0) return [{ chain, ...range, bulk: 'plan' }];
  const open = partitions.find(({ state }) => state === 'filling');
  if (open !== undefined)
    throw new InputError(
      `blocks ${open.from_block} to ${open.to_block} are being filled with --bulk: go on so, or --drop-bulk first`,
    );
  const gaps = missing.length > 0 ? missing : await unfinishedHistory(connection);
  return gaps.flatMap((gap) => messagesOf({ chain, ...gap }));
}

/**
 * A range that resumes what follows the last block of a backfill: events of pools whose creation was stored later than
 * they were. Empty if nothing of it is left.
 */
async function unfinishedHistory(chain: ChainQueries): Promise<BlockRange[]> {
  const step = await findHistoryStep(chain);
  return step === undefined ? [] : [{ from: step.from, to: step.from }];
}

/** The tables of a chain that has some. */
async function connectionOf(indexing: IndexingAccess, chain: string): Promise<ChainConnection> {
  const connection = await findIndexedChain(indexing, chain);
  if (connection === undefined) throw new InputError(`unknown chain ${chain}`);
  return connection;
}

async function rangeOf(chain: ChainQueries, args: Arguments): Promise<BlockRange> {
  const cursor = await readCursor(chain);
  if (cursor === undefined || cursor.number < 0) throw new InputError('no block is indexed yet');
  if (cursor.halted !== null) throw new InputError(`the index is halted: ${cursor.halted}`);
  const from = blockArgument(args, 'from') ?? 0;
  const to = blockArgument(args, 'to') ?? cursor.number;
  if (from > to) throw new InputError('--from is after --to');
  if (to > cursor.number) throw new InputError(`--to is above the last indexed block ${cursor.number}`);
  if (to - from >= MAX_BLOCKS) throw new InputError(`at most ${formatCount(MAX_BLOCKS)} blocks at once`);
  return { from, to };
}

/** Where a backfill is. */
interface BackfillProgress {
  readonly chain: string;
  readonly from_block: number;
  readonly to_block: number;
  readonly missing_blocks: number;
  readonly queued_ranges: number;
  readonly blocks_per_second: number;
  readonly seconds_left?: number;
  readonly bulk_partitions?: readonly BulkState[];
}

function textOf(progress: BackfillProgress): string {
  return renderRecord({
    chain: progress.chain,
    blocks: `${formatCount(progress.from_block)} to ${formatCount(progress.to_block)}`,
    missing: formatCount(progress.missing_blocks),
    queued: `${formatCount(progress.queued_ranges)} ranges`,
    rate: `${formatCount(progress.blocks_per_second)} blocks/s`,
    ...(progress.seconds_left !== undefined && { 'time left': `${formatCount(progress.seconds_left)} s` }),
    ...Object.fromEntries(
      (progress.bulk_partitions ?? []).map((partition) => [
        `from ${formatCount(partition.from_block)}`,
        `${partition.state}, ${formatCount(partition.imported_blocks)} of ${formatCount(partition.to_block - partition.from_block + 1)} blocks imported` +
          (partition.refused === null ? '' : `; refused: ${partition.refused}`),
      ]),
    ),
  });
}
