import { access, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { LocalRunError } from './processes/local-run-error.ts';

const MEBIBYTE = 2 ** 20;
/** With less, a step of a start that failed is taken to have failed for want of room. */
const LEAST_FREE_BYTES = 64 * MEBIBYTE;

/** What a file system has left for a user without rights of its own. */
interface Room {
  readonly bytes: number;
  /** Files that can still be made; undefined where the file system has no fixed number of them. */
  readonly files: number | undefined;
}

/** Codes of the operating system that an operator can mend. */
const TROUBLES: Readonly<Record<string, string>> = {
  EROFS: 'is on a read-only file system: mount it writable',
  EACCES: 'may not be written by this user: give it to this user',
  EPERM: 'may not be written by this user: give it to this user',
  ENOENT: 'cannot be made there: make its parent folder',
  ENOTDIR: 'is a file, or lies below one: move that away',
  EDQUOT: 'has used up the disk quota of this user: remove files',
};

/**
 * What is wrong with a data folder, in one sentence that ends with what to do.
 * @param code code of the failed system call, such as `EROFS`
 * @param room what its file system has left; undefined: unknown
 * @returns undefined for a code that says nothing about the folder
 */
export function folderTrouble(path: string, code: string, room: Room | undefined): string | undefined {
  const trouble = code === 'ENOSPC' ? shortage(room) : TROUBLES[code];
  return trouble && `the data folder ${path} ${trouble}, or choose another with --data-dir`;
}

/** An error of a system call as one for people, if it tells of the data folder; any other error as it is. */
export async function asFolderTrouble(path: string, error: unknown): Promise<unknown> {
  const { code } = error as NodeJS.ErrnoException;
  if (code === undefined || error instanceof LocalRunError) return error;
  const message = folderTrouble(path, code, await roomOf(path));
  return message === undefined ? error : new LocalRunError(message);
}

/** Says that a data folder has no room left to start with; undefined: it has. */
export async function roomTrouble(path: string): Promise<string | undefined> {
  const room = await roomOf(path);
  const isShort = room !== undefined && (room.files === 0 || room.bytes < LEAST_FREE_BYTES);
  return isShort ? folderTrouble(path, 'ENOSPC', room) : undefined;
}

function shortage(room: Room | undefined): string {
  if (room?.files === 0) return 'is on a file system on which no inodes are left: remove files there';
  const left = room === undefined ? '' : ` (${Math.floor(room.bytes / MEBIBYTE)} MB are left)`;
  return `is on a full disk${left}: free some space`;
}

/** What the file system of a path has left; of the nearest folder that exists. */
async function roomOf(path: string): Promise<Room | undefined> {
  const known = await statfs(await nearest(path)).catch(() => undefined);
  return known && { bytes: known.bavail * known.bsize, files: known.files === 0 ? undefined : known.ffree };
}

async function nearest(path: string): Promise<string> {
  const exists = await access(path).then(
    () => true,
    () => false,
  );
  return exists || dirname(path) === path ? path : nearest(dirname(path));
}
