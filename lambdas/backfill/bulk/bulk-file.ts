import { hash } from 'node:crypto';
import type { BlockRows } from '../../chain-data/decode/rows.ts';
import type { BlockRange } from '../../chain-data/store/block-range.ts';
import { StrangeBlocksError } from '../../chain-data/store/neighbours.ts';
import { type BlockLevels, countLevels, levelsOf } from '../../chain-data/store/proof-levels.ts';
import { aboutOf, BinaryCopy } from './binary-copy.ts';
import { BULK_TABLES } from './bulk-tables.ts';

/** One table's rows of a file, as an object of the bucket. */
export interface BulkFilePart {
  readonly table: string;
  /** Names of the columns, with commas between them. */
  readonly columns: string;
  /** Name of the object. */
  readonly key: string;
  readonly rows: number;
  /** Of the object's bytes, in hex. */
  readonly sha256: string;
}

/** The objects of a file. */
export interface PartedFile extends BlockRange {
  readonly parts: readonly BulkFilePart[];
}

/** What the manifest knows of a file, with the bytes of its objects in the order of its parts, and how sure its blocks are. */
export type WrittenFile = ReturnType<BulkFileWriter['finish']>;

/** Gathers the rows of blocks that follow each other. */
export class BulkFileWriter {
  readonly #chain: string;
  readonly #tables = BULK_TABLES.map((table) => ({ ...table, copy: new BinaryCopy(table.columns) }));
  #first: BlockRows['block'] | undefined;
  #last: BlockRows['block'] | undefined;
  #levels = new Map<number, number[]>();

  constructor(chain: string) {
    this.#chain = chain;
  }

  /** Bytes of all rows so far. */
  get bytes(): number {
    return this.#tables.reduce((sum, { copy }) => sum + copy.bytes, 0);
  }

  get isEmpty(): boolean {
    return this.#last === undefined;
  }

  /**
   * @param levels how sure the block is
   * @throws {StrangeBlocksError} if it is no child of the block before
   */
  add(rows: BlockRows, levels: BlockLevels = levelsOf(rows)): void {
    const { block } = rows;
    const last = this.#last;
    if (last !== undefined && (block.number !== last.number + 1 || block.parent_hash !== last.hash))
      throw new StrangeBlocksError(`block ${block.number} is no child of block ${last.number}`);
    for (const table of this.#tables) for (const row of table.rows(rows)) table.copy.add(row);
    this.#first ??= block;
    this.#last = block;
    countLevels([levels], this.#levels);
  }

  /**
   * The file of what was gathered; its bytes are good until it is cleared.
   * @param attempt how often these blocks were written, this time included
   */
  finish(attempt: number) {
    const [first, last] = [this.#first, this.#last];
    if (first === undefined || last === undefined) throw new Error('a file without blocks');
    const range = { from: first.number, to: last.number };
    const filled = this.#tables.filter(({ copy }) => copy.rows > 0);
    const objects = filled.map(({ name, copy }) => copy.file(describe(this.#chain, name, range)));
    const parts = filled.map(({ name, columns, copy }, index) => ({
      table: name,
      columns: Object.keys(columns).join(','),
      key: `${this.#chain}/${range.from}-${range.to}/${attempt}/${name}`,
      rows: copy.rows,
      sha256: hash('sha256', objects[index] ?? '', 'hex'),
    }));
    const bytes = objects.reduce((sum, object) => sum + object.length, 0);
    return {
      file: { ...range, parts, firstHash: first.hash, lastHash: last.hash, bytes, attempt },
      objects,
      levels: this.#levels,
    };
  }

  /** Makes room for the next file in the memory of this one. */
  clear(): void {
    for (const { copy } of this.#tables) copy.clear();
    this.#first = undefined;
    this.#last = undefined;
    this.#levels = new Map();
  }
}

/** What an object says of itself. */
function describe(chain: string, table: string, { from, to }: BlockRange): string {
  return JSON.stringify({ chain, table, from, to });
}

/**
 * Why an object is not the one that was written; undefined if it is.
 * @param object its bytes; undefined if it is absent
 */
export function bulkFileFault(
  chain: string,
  range: BlockRange,
  part: BulkFilePart,
  object: Buffer | undefined,
): string | undefined {
  if (object === undefined) return `${part.key} is not there`;
  if (aboutOf(object) !== describe(chain, part.table, range))
    return `${part.key} says that it holds ${aboutOf(object)?.slice(0, 200) ?? 'nothing that is known'}`;
  return hash('sha256', object, 'hex') === part.sha256 ? undefined : `${part.key} is not what was written`;
}
