import { hash } from 'node:crypto';
import type { ObjectStore } from '../../shared/aws/object-store.ts';
import { FileRefusedError, type Manifest, type PartFiles, parseManifest } from './manifest.ts';

/** Key of an object: what it has names it, so it never changes. */
export function objectKey(chain: string, sha256: string): string {
  return `${chain}/${sha256}`;
}

/** SHA-256 in hex. */
export function sha256Of(bytes: string | Uint8Array): string {
  return hash('sha256', bytes, 'hex');
}

/** The files of parts of a chain in a bucket, which are read in parts. */
export function objectFiles(objects: Pick<ObjectStore, 'get'>, chain: string): PartFiles {
  return {
    async open({ name, sha256, bytes }) {
      return {
        byteLength: bytes,
        async slice(from, to = bytes) {
          if (to <= from) return new ArrayBuffer(0);
          const part = await objects.get(objectKey(chain, sha256), { from, bytes: to - from });
          if (part === undefined) throw new FileRefusedError(name, 'it is not in the bucket any more');
          return new Uint8Array(part).buffer;
        },
      };
    },
  };
}

/**
 * Reads the manifest of a part from a bucket.
 * @throws {FileRefusedError} if it is not there, or no manifest
 */
export async function readObjectManifest(
  objects: Pick<ObjectStore, 'get'>,
  chain: string,
  sha256: string,
): Promise<Manifest> {
  const text = await objects.get(objectKey(chain, sha256));
  if (text === undefined) throw new FileRefusedError(sha256, 'it is not in the bucket any more');
  if (sha256Of(text) !== sha256) throw new FileRefusedError(sha256, 'it is another manifest');
  return parseManifest(sha256, text.toString());
}
