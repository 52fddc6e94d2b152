import type { BlockRows } from '../../chain-data/decode/rows.ts';
import type { BlockRange } from '../../chain-data/store/block-range.ts';
import { type BlockLevels, levelsOf, namedLevels } from '../../chain-data/store/proof-levels.ts';
import { FileRefusedError, rangeName } from '../../indexer/files/manifest.ts';
import type { ReadDeadline } from '../../indexer/follow/chain-reader.ts';
import { type FillParts, isPageNamed } from '../../indexer/follow/fill-range.ts';
import type { ObjectStore } from '../../shared/aws/object-store.ts';
import type { ChainConnection } from '../../shared/chain-database/chain-queries.ts';
import { sql } from '../../shared/chain-database/sql.ts';
import { BulkFileWriter, type WrittenFile } from './bulk-file.ts';
import { type BulkPartition, findPartition, noteFile, runStep, unimported, unwritten } from './manifest.ts';

/** Times that the same blocks are written: a file that is refused again is no accident. */
const MAX_ATTEMPTS = 5;
/** Bytes of a file: what is imported in a second or so. */
const FILE_BYTES = 16 * 1024 * 1024;

/** The bucket that the database imports from. */
export interface BulkBucket {
  readonly objects: Pick<ObjectStore, 'put'>;
  readonly name: string;
  readonly region: string;
}

/** What fills by files; `outOfTime` is asked before each file and each step. */
export interface BulkParts extends Omit<FillParts, 'index'> {
  readonly connection: ChainConnection;
  /** What the decoded transfers are derived by. */
  readonly transferRule: string;
  readonly bucket: BulkBucket;
  /** Bytes that a file is to have. @default 16 MiB */
  readonly fileBytes?: number;
}

/**
 * Writes what no file has of a range, which is within one partition, and has each file imported while the next is read.
 * @returns whether all of it is written; imported or being imported
 * @throws {FileRefusedError} where one was refused as often as it may be, StrangeBlocksError, and whatever node, bucket or database fail with
 */
export async function writeFiles(
  parts: BulkParts,
  range: BlockRange,
  options: ReadDeadline,
): Promise<boolean> {
  const partition = await partitionOf(parts, range);
  // Dropped meanwhile, or attached.
  if (partition === undefined || partition.attached) return true;
  for (const file of await unimported(parts.connection, range)) {
    if (parts.outOfTime()) return false;
    await importFile(parts, file);
  }
  // What was refused is written again.
  for (;;) {
    const gaps = await unwritten(parts.connection, range);
    if (gaps.length === 0) return true;
    for (const gap of gaps) {
      if (gap.attempts >= MAX_ATTEMPTS) throw new FileRefusedError(rangeName(gap), gap.reason);
      if (!(await writeGap(parts, partition, gap, options))) return false;
    }
  }
}

async function partitionOf({ connection, transferRule }: BulkParts, range: BlockRange) {
  const partition = await findPartition(connection, range.from);
  if (partition === undefined) return undefined;
  if (range.to > partition.to) throw new Error(`blocks ${range.from} to ${range.to} are of two partitions`);
  if (partition.transferRule !== transferRule)
    throw new Error(
      'the rule for transfers is another than that of the files: drop the partition and begin again',
    );
  return partition;
}

async function writeGap(
  parts: BulkParts,
  partition: BulkPartition,
  gap: BlockRange & Parameters<typeof openLane>[2],
  options: ReadDeadline,
) {
  const files = openLane(parts, partition, gap);
  for await (const page of parts.reader.pages(gap.from, gap.to, options)) {
    if (parts.outOfTime()) break;
    const rows = page.map(parts.decode);
    const levels = (await isPageNamed(parts, page)) ? namedLevels(rows) : rows.map(levelsOf);
    for (const [index, row] of rows.entries()) await files.add(row, levels[index]);
  }
  const complete = !parts.outOfTime();
  await files.end();
  return complete;
}

/** Gathers files of blocks that follow each other, and stores each while the next one is gathered. */
function openLane(parts: BulkParts, { from }: BulkPartition, { attempts }: { readonly attempts: number }) {
  const { connection, bucket, fileBytes = FILE_BYTES } = parts;
  let writer = new BulkFileWriter(connection.name);
  /** Has the memory of the file that is being stored. */
  let spare = new BulkFileWriter(connection.name);
  let storing: Promise<void> = Promise.resolve();

  /** Puts a file to the bucket and has it imported, unless others have written some of its blocks. */
  const store = async (written: WrittenFile) => {
    const { file, objects } = written;
    await Promise.all(file.parts.map(({ key }, index) => bucket.objects.put(key, objects[index] ?? '')));
    if (await noteFile(connection, from, written)) await importFile(parts, file);
  };
  const flush = async () => {
    const written = writer.finish(attempts + 1);
    await storing;
    [writer, spare] = [spare, writer];
    writer.clear();
    storing = store(written);
    // It is awaited with the next file, or at the end.
    storing.catch(() => undefined);
  };
  return {
    async add(rows: BlockRows, levels?: BlockLevels) {
      writer.add(rows, levels);
      if (writer.bytes >= fileBytes) await flush();
    },
    async end() {
      if (!writer.isEmpty) await flush();
      await storing;
    },
  };
}

/** Has the database import a file; it continues when the call times out. */
function importFile({ connection, bucket }: BulkParts, file: BlockRange) {
  return runStep(connection, sql`SELECT {{schema}}.bulk_import(:file, :bucket, :region) AS said`, {
    file: file.from,
    bucket: bucket.name,
    region: bucket.region,
  });
}
