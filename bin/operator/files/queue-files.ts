import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import type { BlockRange } from '../../../lambdas/chain-data/store/block-range.ts';
import { missingRanges } from '../../../lambdas/chain-data/store/coverage.ts';
import type { BackfillMessage } from '../../../lambdas/indexer/backfill-message.ts';
import { type Manifest, openHashed, rangeName } from '../../../lambdas/indexer/files/manifest.ts';
import { objectKey, sha256Of } from '../../../lambdas/indexer/files/object-files.ts';
import type { ChainQueries } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import type { IndexingAccess } from '../context/command.ts';
import { readCryoParts } from './cryo-files.ts';
import { folderFiles, readManifests } from './folder-files.ts';

interface FolderFill {
  readonly indexing: IndexingAccess;
  readonly connection: ChainQueries;
  readonly chain: string;
  readonly folder: string;
  /** Blocks that may be filled. */
  readonly range: BlockRange;
  /** Called with each part that is queued. */
  readonly onPart: (range: string) => void;
}

/**
 * Uploads the parts of a folder that have missing blocks, and queues each: it is checked and stored by the function that fills
 * chains. Returns how many were queued. It can be stopped and run again; what is stored meanwhile is not uploaded.
 * @throws {FileRefusedError} for a file that is not the one of its manifest
 * @throws {InputError} if the folder has nothing to fill
 */
export async function queueFiles(parts: FolderFill): Promise<number> {
  const { indexing, connection, chain, folder, range, onPart } = parts;
  const own = await readManifests(folder);
  const manifests = own.length > 0 ? own : await readCryoParts(folder);
  if (manifests.length === 0) throw new InputError(`${folder} has no block files`);
  let queued = 0;
  for (const manifest of manifests) {
    const part = overlapOf(range, manifest);
    if (part === undefined || (await missingRanges(connection, part)).length === 0) continue;
    const sha256 = await upload(indexing.blockFiles, parts, manifest);
    await indexing.backfill.send({ chain, ...part, manifest: sha256 } satisfies BackfillMessage);
    onPart(rangeName(part));
    queued += 1;
  }
  if (queued === 0) throw new InputError(`${folder} has no block that is missing`);
  return queued;
}

function overlapOf({ from, to }: BlockRange, { from_block, to_block }: Manifest): BlockRange | undefined {
  const overlap = { from: Math.max(from, from_block), to: Math.min(to, to_block) };
  return overlap.from > overlap.to ? undefined : overlap;
}

/** Puts what is not there yet, the manifest last. Returns the hash of the manifest. */
async function upload(
  objects: IndexingAccess['blockFiles'],
  { chain, folder }: FolderFill,
  manifest: Manifest,
): Promise<string> {
  const files = folderFiles(folder);
  for (const file of manifest.files) {
    await openHashed(files, file);
    await objects.putNew(objectKey(chain, file.sha256), await readFile(join(folder, file.name)));
  }
  const text = JSON.stringify(manifest);
  const sha256 = sha256Of(text);
  await objects.putNew(objectKey(chain, sha256), text);
  return sha256;
}
