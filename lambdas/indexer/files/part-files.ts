import { createHash } from 'node:crypto';
import type { ReadableFile } from '../../shared/parquet/parquet-groups.ts';
import { FileRefusedError, type PartFile } from './manifest.ts';

/** Bytes that are read at a time to hash a file. */
const HASHED_BYTES = 8 * 1024 * 1024;

/** Where the files of parts are. */
export interface PartFiles {
  /**
   * Opens a file; its length may be another than its part says.
   * @throws {FileRefusedError} if it is not there
   */
  open(file: PartFile): Promise<ReadableFile>;
}

/**
 * Opens a file after making sure that its bytes are those that its part names.
 * @throws {FileRefusedError} for a file that is cut, or is another one
 */
export async function openHashed(files: PartFiles, file: PartFile): Promise<ReadableFile> {
  const opened = await files.open(file);
  if (opened.byteLength !== file.bytes)
    throw new FileRefusedError(
      file.name,
      `it has ${opened.byteLength} bytes, and its manifest says ${file.bytes}`,
    );
  const hash = createHash('sha256');
  for (let at = 0; at < file.bytes; at += HASHED_BYTES)
    hash.update(new Uint8Array(await opened.slice(at, Math.min(at + HASHED_BYTES, file.bytes))));
  if (hash.digest('hex') !== file.sha256)
    throw new FileRefusedError(file.name, 'its SHA-256 is not that of its manifest');
  return opened;
}
