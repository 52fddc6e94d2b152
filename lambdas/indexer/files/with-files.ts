import type { RawBlock } from '../../chain-data/decode/raw-block.ts';
import { blockPages } from '../follow/block-pages.ts';
import type { ChainReader, ReadDeadline } from '../follow/chain-reader.ts';
import { differenceOf } from './compare-blocks.ts';
import { asCryoTells } from './cryo.ts';
import { FileRefusedError, type Manifest, openHashed, type PartFiles, rangeName } from './manifest.ts';
import { type PartForm, readPart } from './read-part.ts';

/** One block in so many is compared with the node, and at least one of a part. */
const COMPARED_SHARE = 1_000;

interface FilesParts extends PartForm {
  /** The chain as its node has it. */
  readonly reader: ChainReader;
  readonly files: PartFiles;
  readonly manifest: Manifest;
  /** A number from 0 up to 1, which nobody who writes files can foresee. */
  readonly random: () => number;
}

/**
 * A reader that has the blocks of a part from its files, and all others from the node. Before it gives the first block, the
 * part was read to its end: every check of {@link readPart} held, and some blocks were the same as the node's.
 */
export function withFiles(parts: FilesParts): ChainReader {
  const { reader, manifest } = parts;
  let opened: Promise<PartFiles> | undefined;

  const verified = (options: ReadDeadline): Promise<PartFiles> => {
    opened ??= verify(parts, options).catch((error: unknown) => {
      opened = undefined;
      throw error;
    });
    return opened;
  };
  return {
    ...reader,
    async *pages(from, to, options) {
      if (from < manifest.from_block || to > manifest.to_block) {
        yield* reader.pages(from, to, options);
        return;
      }
      yield* blockPages(between(readPart(await verified(options), manifest, parts), from, to));
    },
  };
}

/** Reads all of a part once. Resolves to its files as they were found to be. */
async function verify(parts: FilesParts, options: ReadDeadline): Promise<PartFiles> {
  const { files, manifest, random } = parts;
  const found = new Map(
    await Promise.all(
      manifest.files.map(async (file) => [file.name, await openHashed(files, file)] as const),
    ),
  );
  const same: PartFiles = {
    async open({ name }) {
      const file = found.get(name);
      if (file === undefined) throw new FileRefusedError(name, 'it is not of the part');
      return file;
    },
  };
  const { from_block, to_block } = manifest;
  const chosen = from_block + Math.floor(random() * (to_block - from_block + 1));
  for await (const block of readPart(same, manifest, parts)) {
    const isCompared = block.number === chosen || random() * COMPARED_SHARE < 1;
    if (isCompared) await compare(parts, block, options);
  }
  return same;
}

async function compare({ reader, manifest }: FilesParts, block: RawBlock, options: ReadDeadline) {
  for await (const page of reader.pages(block.number, block.number, options)) {
    for (const told of page) {
      const comparable = manifest.layout === 'cryo-0.3' ? asCryoTells(told, block) : told;
      const difference = differenceOf(block, comparable);
      if (difference === undefined) continue;
      const part = rangeName({ from: manifest.from_block, to: manifest.to_block });
      throw new FileRefusedError(part, `the node has another block ${block.number} (${difference})`);
    }
  }
}

async function* between(
  blocks: AsyncIterable<RawBlock>,
  from: number,
  to: number,
): AsyncGenerator<RawBlock, void> {
  for await (const block of blocks) {
    if (block.number > to) return;
    if (block.number >= from) yield block;
  }
}
