import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { deserialize, serialize } from 'node:v8';
import type { RawBlock } from '../../lambdas/chain-data/decode/raw-block.ts';
import type { BlockRange } from '../../lambdas/chain-data/store/block-range.ts';
import { blockPages } from '../../lambdas/indexer/follow/block-pages.ts';
import type { ChainReader } from '../../lambdas/indexer/follow/chain-reader.ts';
import { type BlockMix, denseBlock } from '../../test/operator/fill/dense-chain.ts';

/** 200 transactions, 400 logs, 790 calls, 220 transfers of tokens and 12 of NFTs, 12 trades, 16 withdrawals. */
const BUSY: BlockMix = {
  transactions: 200,
  callsWithin: (index) => (index % 20 === 0 ? 2 : 3),
  moves: (index) => (index % 50 < 3 ? 'nft' : index % 50 < 6 ? 'swap' : 'erc20'),
  movesAgain: (index) => index % 50 >= 39,
};
/** Each transaction moves an NFT, which is what takes longest to derive. */
const NFTS: BlockMix = { ...BUSY, moves: () => 'nft', movesAgain: () => false };
const MIXES = { busy: BUSY, nfts: NFTS } as const;

/** What the blocks of a fill are made of. */
export type MixName = keyof typeof MIXES;

/**
 * A block as if a node had returned it: its texts are of one piece each, as those that are parsed.
 * @param folder where it is kept for the next process that asks: to make one takes a tenth of a second
 */
export function filledBlock(number: number, mix: MixName, folder: string): RawBlock {
  const file = join(folder, `${mix}-${number}`);
  if (!existsSync(file)) {
    writeFileSync(`${file}.${process.pid}`, serialize(denseBlock(number, MIXES[mix])));
    renameSync(`${file}.${process.pid}`, file);
  }
  return deserialize(readFileSync(file));
}

/** A chain of which some blocks were read beforehand: none is made while a fill is measured. */
export class ReadBlocks implements ChainReader {
  readonly #blocks = new Map<number, RawBlock>();

  read({ from, to }: BlockRange, mix: MixName, folder: string): void {
    for (let number = from; number <= to; number += 1)
      this.#blocks.set(number, filledBlock(number, mix, folder));
  }

  head(): Promise<never> {
    throw new Error('these blocks have no head');
  }

  header(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  pages(from: number, to: number): AsyncGenerator<readonly RawBlock[], void> {
    return blockPages(this.#blocksOf(from, to));
  }

  async *#blocksOf(from: number, to: number): AsyncGenerator<RawBlock, void> {
    for (let number = from; number <= to; number += 1) {
      const block = this.#blocks.get(number);
      if (block === undefined) throw new Error(`block ${number} was not read`);
      yield block;
    }
  }
}
