import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hexOf, integerOf } from '../../../lambdas/indexer/files/layout.ts';
import {
  FileRefusedError,
  type Manifest,
  type PartFile,
  parseManifest,
} from '../../../lambdas/indexer/files/manifest.ts';
import { openParquet, type ParquetRow } from '../../../lambdas/shared/parquet/parquet-groups.ts';
import { folderFiles } from './folder-files.ts';

/** `ethereum__logs__00000000_to_00000999.parquet`. */
const NAME = /^[\w-]{1,64}__(blocks|transactions|logs|traces)__(\d{1,15})_to_(\d{1,15})\.parquet$/;
const LINKS = ['block_hash', 'parent_hash', 'chain_id'];
const HASH_BYTES = 32;

/**
 * The parts that files of cryo make, in the order of their blocks: as a manifest would name them.
 * @throws {FileRefusedError} for a range without its blocks, transactions or logs, and for a file that is no Parquet
 */
export async function readCryoParts(folder: string): Promise<readonly Manifest[]> {
  const ranges = new Map<string, { from: number; to: number; names: Map<PartFile['table'], string> }>();
  for (const name of await readdir(folder).catch(() => [])) {
    const [, table, from, to] = NAME.exec(name) ?? [];
    if (table === undefined) continue;
    const range = { from: Number(from), to: Number(to) };
    const known = ranges.get(`${range.from}`) ?? { ...range, names: new Map() };
    if (known.to !== range.to) throw new FileRefusedError(name, 'another file begins with its first block');
    if (known.names.has(table as PartFile['table']))
      throw new FileRefusedError(name, 'another file has the same rows');
    known.names.set(table as PartFile['table'], name);
    ranges.set(`${range.from}`, known);
  }
  const parts: Manifest[] = [];
  for (const { from, to, names } of [...ranges.values()].sort((one, other) => one.from - other.from)) {
    const files: PartFile[] = [];
    for (const [table, name] of names) files.push(await describe(folder, table, name));
    const links = await readLinks(folder, names.get('blocks') ?? '');
    const manifest = { layout: 'cryo-0.3', from_block: from, to_block: to, ...links, files };
    parts.push(parseManifest(`blocks ${from} to ${to}`, JSON.stringify(manifest)));
  }
  return parts;
}

async function describe(folder: string, table: PartFile['table'], name: string): Promise<PartFile> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const piece of createReadStream(join(folder, name)) as AsyncIterable<Buffer>) {
    hash.update(piece);
    bytes += piece.length;
  }
  const { rows } = await opened(folder, name);
  return { table, name, rows, bytes, sha256: hash.digest('hex') };
}

async function opened(folder: string, name: string) {
  const file = await folderFiles(folder).open({ name });
  return openParquet(file).catch((error: Error) => {
    throw new FileRefusedError(name, `it cannot be read: ${error.message}`);
  });
}

/** What the blocks say of their chain and its ends; nothing where there is no file of them. */
async function readLinks(folder: string, name: string): Promise<Partial<Manifest>> {
  if (name === '') return {};
  const file = await opened(folder, name);
  const lacked = LINKS.filter((column) => !file.columns.includes(column));
  if (lacked.length > 0) throw new FileRefusedError(name, `it lacks ${lacked.join(', ')}`);
  let first: ParquetRow | undefined;
  let last: ParquetRow | undefined;
  for await (const group of file.groups(LINKS)) {
    first ??= group[0];
    last = group.at(-1) ?? last;
  }
  if (first === undefined || last === undefined) throw new FileRefusedError(name, 'it has no blocks');
  return {
    chain_id: integerOf('blocks.chain_id', first.chain_id),
    first_parent: hexOf('blocks.parent_hash', first.parent_hash, HASH_BYTES),
    last_hash: hexOf('blocks.block_hash', last.block_hash, HASH_BYTES),
  };
}
