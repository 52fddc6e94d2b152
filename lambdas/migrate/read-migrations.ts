import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Name of a migration file: its place in the order, and what it is about. */
const MIGRATION_FILE = /^\d{3}-[a-z0-9-]+\.sql$/;

/** One step of a chain's schema. */
export interface Migration {
  /** Such as `001-blocks`. */
  readonly name: string;
  /** Script with `{{schema}}` and `{{chain}}` for a chain's schema and name. */
  readonly script: string;
  /** SHA-256 of the script, in hex. */
  readonly checksum: string;
}

/**
 * Reads the migrations of a folder, in their order.
 * @throws Error if a file is no migration or two have the same place
 */
export function readMigrations(folder: string): Migration[] {
  const files = readdirSync(folder).sort();
  const wrong = files.find((file) => !MIGRATION_FILE.test(file));
  if (wrong !== undefined) throw new Error(`${wrong} does not have the name of a migration (001-name.sql)`);
  const places = files.map((file) => file.slice(0, 3));
  const twice = places.find((place, index) => places.indexOf(place) !== index);
  if (twice !== undefined) throw new Error(`migration ${twice} exists twice`);
  return files.map((file) => {
    const script = readFileSync(join(folder, file), 'utf8');
    const checksum = createHash('sha256').update(script).digest('hex');
    return { name: file.slice(0, -'.sql'.length), script, checksum };
  });
}
