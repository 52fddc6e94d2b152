import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import type { BlockRange } from '../../../lambdas/chain-data/store/block-range.ts';
import { readCursor } from '../../../lambdas/chain-data/store/cursor.ts';
import type { ChainReader } from '../../../lambdas/indexer/follow/chain-reader.ts';
import {
  type ChainConnection,
  type ChainQueries,
  connectionTo,
} from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { isSchemaName } from '../../../lambdas/shared/chain-database/chain-schema.ts';
import { type Arguments, type IndexingAccess, optionalText } from '../context/command.ts';

const BLOCK_NUMBER = /^\d{1,15}$/;

/** The tables of a chain; undefined if there are none. */
export async function findIndexedChain(
  { database }: Pick<IndexingAccess, 'database'>,
  chain: string,
): Promise<ChainConnection | undefined> {
  const { rows } = await database.query(
    'SELECT true AS known FROM information_schema.schemata WHERE schema_name = :chain',
    { chain },
  );
  return rows.length === 0 || !isSchemaName(chain) ? undefined : connectionTo(database, chain);
}

/** An optional block number. Throws {@link InputError} for what is none. */
export function blockArgument(args: Arguments, name: string): number | undefined {
  const text = optionalText(args, name);
  if (text === undefined) return undefined;
  if (!BLOCK_NUMBER.test(text)) throw new InputError(`--${name} must be a block number`);
  return Number(text);
}

/** Blocks of ranges that do not overlap. */
export function countBlocks(ranges: readonly BlockRange[]): number {
  return ranges.reduce((blocks, { from, to }) => blocks + to - from + 1, 0);
}

/** @throws {InputError} if the node does not have the newest block of the index */
export async function requireSameChain(
  chain: ChainQueries,
  header: (number: number) => ReturnType<ChainReader['header']>,
): Promise<void> {
  const cursor = await readCursor(chain);
  if (cursor !== undefined && cursor.number >= 0 && (await header(cursor.number))?.hash !== cursor.hash)
    throw new InputError(
      `the node does not have block ${cursor.number} as it is indexed: is it of this chain?`,
    );
}
