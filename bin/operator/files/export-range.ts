import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import type { BlockRange } from '../../../lambdas/chain-data/store/block-range.ts';
import type { IsRelaxed } from '../../../lambdas/indexer/blocks/block-error.ts';
import { FileRefusedError, type Manifest, manifestName } from '../../../lambdas/indexer/files/manifest.ts';
import { readPart } from '../../../lambdas/indexer/files/read-part.ts';
import { filedBlockVerifier } from '../../../lambdas/indexer/files/verify-filed.ts';
import { openPart } from '../../../lambdas/indexer/files/write-part.ts';
import type { ChainReader } from '../../../lambdas/indexer/follow/chain-reader.ts';
import type { Clock } from '../../../lambdas/shared/runtime/clock.ts';
import type { ChainProof } from '../../../lambdas/shared/verify/chain-proof.ts';
import { folderFiles, folderSink, readManifests, writeManifest } from './folder-files.ts';

/** Longest time that the blocks of a part are read for, in milliseconds. */
const PART_MS = 3_600_000;

interface RangeExport {
  readonly reader: Pick<ChainReader, 'pages'>;
  readonly chainId: number;
  readonly isRelaxed: IsRelaxed;
  /** What blocks are verified by. @default they are not */
  readonly proof?: ChainProof | undefined;
  readonly folder: string;
  readonly range: BlockRange;
  readonly clock: Clock;
  /** Called with each part. `known`: it was there already. */
  readonly onPart: (part: Manifest, known: boolean) => void;
}

/** The part of a range that a folder has. */
interface ExportReport {
  readonly parts: number;
  /** Parts that were not there before. */
  readonly written: number;
  readonly rows: number;
  readonly bytes: number;
}

/**
 * Writes a range of blocks to a folder, part by part; parts that are there already stay. Each is read again, with all
 * checks, before its manifest is written, so a part with a manifest can be read. It can be stopped anywhere and run again.
 * @throws {FileRefusedError} if a part that is there is of another chain, or reaches out of the range
 */
export async function exportRange(parts: RangeExport): Promise<ExportReport> {
  const { folder, range, onPart } = parts;
  const known = new Map((await readManifests(folder)).map((part) => [part.from_block, part]));
  const report = { parts: 0, written: 0, rows: 0, bytes: 0 };
  let before: Manifest | undefined;
  for (let next = range.from; next <= range.to; ) {
    const there = known.get(next);
    const following = [...known.keys()].filter((from) => from > next);
    const part =
      there ?? (await writePart(parts, next, Math.min(range.to, ...following.map((from) => from - 1))));
    requireFit(parts, part, before);
    onPart(part, there !== undefined);
    report.parts += 1;
    report.written += there === undefined ? 1 : 0;
    report.rows += sum(part.files.map(({ rows }) => rows));
    report.bytes += sum(part.files.map(({ bytes }) => bytes));
    before = part;
    next = part.to_block + 1;
  }
  return report;
}

/** Writes one part from a block on, at most up to another. */
async function writePart(parts: RangeExport, from: number, to: number): Promise<Manifest> {
  const { reader, chainId, isRelaxed, proof, folder, clock } = parts;
  const part = await openPart(chainId, folderSink(folder));
  try {
    await addBlocks(part, reader.pages(from, to, { deadline: clock.now() + PART_MS }));
    const manifest = await part.end();
    const verify = proof && filedBlockVerifier(proof);
    for await (const _ of readPart(folderFiles(folder), manifest, { chainId, isRelaxed, verify }));
    await writeManifest(folder, manifest);
    return manifest;
  } catch (error) {
    await part.abandon();
    throw error;
  }
}

async function addBlocks(
  part: Awaited<ReturnType<typeof openPart>>,
  pages: AsyncIterable<readonly RawBlock[]>,
): Promise<void> {
  for await (const page of pages) {
    for (const block of page) {
      await part.add(block);
      if (part.isFull) return;
    }
  }
}

function requireFit({ chainId, range }: RangeExport, part: Manifest, before: Manifest | undefined): void {
  const name = manifestName({ from: part.from_block, to: part.to_block });
  if (part.chain_id !== chainId)
    throw new FileRefusedError(name, `it is of the chain with id ${part.chain_id}, not ${chainId}`);
  if (part.to_block > range.to) throw new FileRefusedError(name, `it reaches beyond block ${range.to}`);
  if (before !== undefined && before.last_hash !== part.first_parent)
    throw new FileRefusedError(name, 'it does not follow the part before');
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
