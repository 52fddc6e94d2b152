import type { BlockProof, RawBlock } from '../../chain-data/decode/raw-block.ts';
import type { ChainProof } from '../../shared/verify/chain-proof.ts';
import { differenceOf } from '../blocks/compare-blocks.ts';
import { blockPages } from '../follow/block-pages.ts';
import type { ChainReader, ReadDeadline } from '../follow/chain-reader.ts';
import { asCryoTells } from './cryo.ts';
import { FileRefusedError, isOwn, type Manifest, openHashed, type PartFiles, rangeName } from './manifest.ts';
import { type PartForm, readPart } from './read-part.ts';
import { filedBlockVerifier } from './verify-filed.ts';

/** One block in so many is compared with the node, and at least one of a part; the last one always is. */
const COMPARED_SHARE = 1_000;

interface FilesParts extends Omit<PartForm, 'verify'> {
  /** What blocks are verified by. @default they are not */
  readonly proof?: ChainProof | undefined;
  /** The chain as its node has it. */
  readonly reader: ChainReader;
  readonly files: PartFiles;
  readonly manifest: Manifest;
  /** A number from 0 up to 1, which nobody who writes files can foresee. */
  readonly random: () => number;
}

/**
 * A reader that has the blocks of a part from its files, and all others from the node. Before it gives the first block, the
 * part was read to its end: every check of {@link readPart} held, each block came out by the form of the chain, and the last and some
 * others were the same as the node's, with all that the files cannot prove.
 */
export function withFiles(parts: FilesParts): ChainReader {
  const { reader, manifest } = parts;
  let opened: Promise<Verified> | undefined;

  const verified = (options: ReadDeadline): Promise<Verified> => {
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
      const { files, proofs } = await verified(options);
      const known = async ({ block }: { readonly block: { readonly number: number } }) =>
        proofs.get(block.number);
      yield* blockPages(between(readPart(files, manifest, { ...parts, verify: known }), from, to));
    },
  };
}

/** The files of a part as they were found to be, and what is proven of its blocks, by their numbers. */
interface Verified {
  readonly files: PartFiles;
  readonly proofs: ReadonlyMap<number, BlockProof>;
}

/** Reads all of a part once. */
async function verify(parts: FilesParts, options: ReadDeadline): Promise<Verified> {
  const { files, manifest, random, proof } = parts;
  const proofs = new Map<number, BlockProof>();
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
  const form = { ...parts, verify: proof && filedBlockVerifier(proof) };
  const isProvable = (number: number) => proof !== undefined && number >= proof.from && isOwn(manifest);
  const compared = async function* (): AsyncGenerator<RawBlock, void> {
    for await (const block of readPart(same, manifest, form)) {
      // Of the last one's hash all others follow, each by the parent of the next: nothing else binds the last one itself.
      const isBinding = block.number === to_block;
      const isCompared = isBinding || block.number === chosen || random() * COMPARED_SHARE < 1;
      if (block.proof !== undefined) proofs.set(block.number, block.proof);
      const isUnproven = block.proof === undefined && isProvable(block.number);
      if (isCompared || isUnproven) yield block;
    }
  };
  for await (const page of blockPages(compared()))
    for (const run of runsOf(page)) await compare(parts, run, options);
  return { files: same, proofs };
}

/** Blocks that follow each other, together: the node is asked once for each such run. */
function runsOf(page: readonly RawBlock[]): RawBlock[][] {
  const runs: RawBlock[][] = [];
  for (const block of page) {
    const run = runs.at(-1);
    if (run?.at(-1)?.number === block.number - 1) run.push(block);
    else runs.push([block]);
  }
  return runs;
}

/** Compares neighbouring blocks with those of the node. */
async function compare({ reader, manifest }: FilesParts, run: readonly RawBlock[], options: ReadDeadline) {
  const [first, last] = [run[0]?.number ?? 0, run.at(-1)?.number ?? 0];
  for await (const page of reader.pages(first, last, options)) {
    for (const told of page) {
      const block = run[told.number - first];
      if (block === undefined) continue;
      const comparable = isOwn(manifest) ? told : asCryoTells(told, block);
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
