import { randomUUID } from 'node:crypto';
import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  FileRefusedError,
  type Manifest,
  manifestName,
  type PartFile,
  parseManifest,
} from '../../../lambdas/indexer/files/manifest.ts';
import type { OpenSink } from '../../../lambdas/indexer/files/write-part.ts';
import type { ReadableFile } from '../../../lambdas/shared/parquet/parquet-groups.ts';

const MANIFESTS = 'manifests';
/** `manifests/000000000000-000000000999.json`; what is being written has another name. */
const MANIFEST = /^\d{12}-\d{12}\.json$/;
/** Most parts of a folder. */
const MAX_PARTS = 1_000_000;

/** The files of parts in a folder of this machine, which a failure to read leaves closed. */
export function folderFiles(folder: string) {
  return {
    async open({ name }: Pick<PartFile, 'name'>): Promise<ReadableFile> {
      const path = join(folder, name);
      const { size } = await stat(path).catch((error: NodeJS.ErrnoException) => {
        throw error.code === 'ENOENT' ? new FileRefusedError(name, 'it is not there') : error;
      });
      return { byteLength: size, slice: (from, to = size) => readBytes(path, from, to) };
    },
  };
}

async function readBytes(path: string, from: number, to: number): Promise<ArrayBuffer> {
  const file = await open(path);
  try {
    const bytes = new Uint8Array(to - from);
    const { bytesRead } = await file.read(bytes, 0, bytes.length, from);
    return bytes.buffer.slice(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Opens files beside their places: under its name is a whole file, or none. */
export function folderSink(folder: string): OpenSink {
  return async (table) => {
    const unfinished = join(folder, `${table}-${randomUUID()}.unfinished`);
    await mkdir(folder, { recursive: true });
    const file: FileHandle = await open(unfinished, 'wx');
    return {
      write: async (piece) => void (await file.writeFile(piece)),
      async close(name) {
        await file.sync();
        await file.close();
        await mkdir(dirname(join(folder, name)), { recursive: true });
        await rename(unfinished, join(folder, name));
      },
      async abandon() {
        await file.close().catch(() => undefined);
        await rm(unfinished, { force: true });
      },
    };
  };
}

/** Writes the manifest of a part, after all of its files: with it the part is there. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const path = join(folder, manifestName({ from: manifest.from_block, to: manifest.to_block }));
  await mkdir(dirname(path), { recursive: true });
  await writeFile(`${path}.unfinished`, `${JSON.stringify(manifest, undefined, 2)}\n`);
  await rename(`${path}.unfinished`, path);
}

/**
 * The parts of a folder in the order of their blocks; none if there is no such folder.
 * @throws {FileRefusedError} for a manifest that is none
 */
export async function readManifests(folder: string): Promise<readonly Manifest[]> {
  const names = await readdir(join(folder, MANIFESTS)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  const found = names.filter((name) => MANIFEST.test(name)).sort();
  if (found.length > MAX_PARTS) throw new Error(`${folder} has more than ${MAX_PARTS} parts`);
  const manifests: Manifest[] = [];
  for (const name of found) {
    const path = `${MANIFESTS}/${name}`;
    const manifest = parseManifest(path, await readFile(join(folder, path), 'utf8'));
    if (path !== manifestName({ from: manifest.from_block, to: manifest.to_block }))
      throw new FileRefusedError(path, 'its name is not that of its blocks');
    manifests.push(manifest);
  }
  return manifests;
}
