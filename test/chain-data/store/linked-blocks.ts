import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import type { Cursor } from '../../../lambdas/chain-data/store/cursor.ts';
import type { ChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import { decode } from '../../indexer/bad-input/indexed-chain.ts';
import { blockOfLogs, type LogContents, TIMESTAMP, word } from '../decode/raw-blocks.ts';

/** Hashes of a branch are apart from those of the others by this. */
const BRANCH = 0x1_0000_0000n;

/** A block of a branch with one transaction of these logs; the block below it is of the branch `below`. */
export function linkedBlock(
  number: number,
  logs: readonly LogContents[],
  branch = 0,
  below = branch,
): RawBlock {
  const block = blockOfLogs(logs);
  const transactions = block.transactions.map((transaction) => ({
    ...transaction,
    hash: hashOf(number + 0x7000_0000, branch),
  }));
  return {
    ...block,
    transactions,
    number,
    hash: hashOf(number, branch),
    parentHash: hashOf(number - 1, below),
    timestamp: TIMESTAMP + number,
  };
}

function hashOf(number: number, branch: number) {
  return word(BigInt(branch) * BRANCH + BigInt(number) + 1n);
}

/** Appends blocks as one page to wherever the index is. */
export async function append(
  index: ChainIndex,
  blocks: readonly RawBlock[],
  decodeWith = decode,
): Promise<void> {
  const head = blocks.at(-1);
  if (head === undefined) throw new Error('no blocks');
  await index.append(await cursorOf(index), { ids: blocks, rows: blocks.map(decodeWith), head });
}

export async function fill(index: ChainIndex, blocks: readonly RawBlock[]): Promise<void> {
  await index.fill(blocks, blocks.map(decode));
}

export async function cursorOf(index: ChainIndex): Promise<Cursor> {
  const cursor = await index.cursor();
  if (cursor === undefined) throw new Error('the index has not begun');
  return cursor;
}
