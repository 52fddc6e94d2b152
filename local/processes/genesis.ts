import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The time of an embedded chain's genesis block, in Unix seconds. anvil makes a genesis block each time it starts, also
 * where it loads a chain, and then keeps both: one of the same time is the same block.
 */
const GENESIS_FILE = 'genesis-time';

/** When the chain of a folder began; undefined if it has not begun. */
export async function readGenesisTime(folder: string): Promise<number | undefined> {
  const text = await readFile(join(folder, GENESIS_FILE), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : Number(text);
}

/** Keeps it, whole or not at all. */
export async function writeGenesisTime(folder: string, seconds: number): Promise<void> {
  const file = join(folder, GENESIS_FILE);
  await writeFile(`${file}.new`, String(seconds));
  await rename(`${file}.new`, file);
}
