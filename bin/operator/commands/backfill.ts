import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import type { BlockRange } from '../../../lambdas/chain-data/store/block-range.ts';
import { missingRanges } from '../../../lambdas/chain-data/store/coverage.ts';
import { readCursor } from '../../../lambdas/chain-data/store/cursor.ts';
import { findHistoryStep } from '../../../lambdas/chain-data/store/history.ts';
import { messagesOf } from '../../../lambdas/indexer/backfill-message.ts';
import {
  type ChainConnection,
  type ChainQueries,
  connectionTo,
} from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { isSchemaName } from '../../../lambdas/shared/chain-database/chain-schema.ts';
import { inParallel } from '../../../lambdas/shared/runtime/in-parallel.ts';
import { sleep } from '../../../lambdas/shared/runtime/sleep.ts';
import {
  type Arguments,
  type Command,
  type IndexingAccess,
  optionalText,
  requiredText,
} from '../context/command.ts';
import { renderRecord } from '../context/text-table.ts';

/** Time over which the rate is measured, in milliseconds. */
const SAMPLE_MS = 3_000;
const MILLISECONDS_PER_SECOND = 1_000;
const MESSAGES_AT_ONCE = 16;
/** Most blocks of one call: so many messages that sending them takes minutes. */
const MAX_BLOCKS = 20_000_000;
const BLOCK_NUMBER = /^\d{1,15}$/;

export const backfill: Command = {
  name: 'backfill',
  summary: 'index earlier blocks of a chain; without --start, show the progress',
  positionals: [{ name: 'chain' }],
  flags: {
    from: { type: 'string', summary: 'first block (default: 0)' },
    to: { type: 'string', summary: 'last block (default: the last indexed one)' },
    start: { type: 'boolean', summary: 'queue the missing blocks of this range' },
  },
  async run({ openIndexing }, args) {
    if (openIndexing === undefined) throw new InputError('this gateway indexes no chain');
    const indexing = await openIndexing();
    const chain = requiredText(args, 'chain');
    const connection = await connectionOf(indexing, chain);
    const range = await rangeOf(connection, args);
    const missing = await missingRanges(connection, range);
    const gaps = missing.length > 0 ? missing : await unfinishedHistory(connection);
    const messages = args.start === true ? gaps.flatMap((gap) => messagesOf({ chain, ...gap })) : [];
    await inParallel(
      messages,
      MESSAGES_AT_ONCE,
      (message) => indexing.backfill.send(message),
      () => false,
    );
    const before = sizeOf(missing);
    await sleep(before === 0 ? 0 : SAMPLE_MS);
    const left = sizeOf(await missingRanges(connection, range));
    const rate = ((before - left) * MILLISECONDS_PER_SECOND) / SAMPLE_MS;
    const progress = {
      chain,
      ...{ from_block: range.from, to_block: range.to, missing_blocks: left, queued_ranges: messages.length },
      blocks_per_second: Math.round(rate),
      ...(rate > 0 && { seconds_left: Math.ceil(left / rate) }),
    };
    return { json: progress, text: textOf(progress) };
  },
};

/**
 * A range that resumes what follows the last block of a backfill: events of pools whose creation was stored later than
 * they were. Empty if nothing of it is left.
 */
async function unfinishedHistory(chain: ChainQueries): Promise<BlockRange[]> {
  const step = await findHistoryStep(chain);
  return step === undefined ? [] : [{ from: step.from, to: step.from }];
}

/** The tables of a chain that has some. */
async function connectionOf({ database }: IndexingAccess, chain: string): Promise<ChainConnection> {
  const { rows } = await database.query(
    'SELECT true AS known FROM information_schema.schemata WHERE schema_name = :chain',
    { chain },
  );
  if (rows.length === 0 || !isSchemaName(chain)) throw new InputError(`unknown chain ${chain}`);
  return connectionTo(database, chain);
}

async function rangeOf(chain: ChainQueries, args: Arguments): Promise<BlockRange> {
  const cursor = await readCursor(chain);
  if (cursor === undefined || cursor.number < 0) throw new InputError('no block is indexed yet');
  if (cursor.halted !== null) throw new InputError(`the index is halted: ${cursor.halted}`);
  const from = blockOf(args, 'from') ?? 0;
  const to = blockOf(args, 'to') ?? cursor.number;
  if (from > to) throw new InputError('--from is after --to');
  if (to > cursor.number) throw new InputError(`--to is above the last indexed block ${cursor.number}`);
  if (to - from >= MAX_BLOCKS)
    throw new InputError(`at most ${MAX_BLOCKS.toLocaleString('en-US')} blocks at once`);
  return { from, to };
}

function blockOf(args: Arguments, name: string): number | undefined {
  const text = optionalText(args, name);
  if (text === undefined) return undefined;
  if (!BLOCK_NUMBER.test(text)) throw new InputError(`--${name} must be a block number`);
  return Number(text);
}

function sizeOf(ranges: readonly BlockRange[]): number {
  return ranges.reduce((blocks, { from, to }) => blocks + to - from + 1, 0);
}

interface Progress {
  readonly chain: string;
  readonly from_block: number;
  readonly to_block: number;
  readonly missing_blocks: number;
  readonly queued_ranges: number;
  readonly blocks_per_second: number;
  readonly seconds_left?: number;
}

function textOf(progress: Progress): string {
  const number = (value: number) => value.toLocaleString('en-US');
  return renderRecord({
    chain: progress.chain,
    blocks: `${number(progress.from_block)} to ${number(progress.to_block)}`,
    missing: number(progress.missing_blocks),
    queued: `${number(progress.queued_ranges)} ranges`,
    rate: `${number(progress.blocks_per_second)} blocks/s`,
    ...(progress.seconds_left !== undefined && { 'time left': `${number(progress.seconds_left)} s` }),
  });
}
