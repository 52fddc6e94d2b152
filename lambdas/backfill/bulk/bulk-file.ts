import type { BlockRows } from '../../chain-data/decode/rows.ts';
import { StrangeBlocksError } from '../../chain-data/store/neighbours.ts';
import { type BlockLevels, countLevels, levelsOf } from '../../chain-data/store/proof-levels.ts';
import { BinaryCopy } from './binary-copy.ts';
import { BULK_TABLES } from './bulk-tables.ts';

/** One table's rows of a file, as an object of the bucket. */
interface BulkFilePart {
  readonly table: string;
  /** Names of the columns, with commas between them. */
  readonly columns: string;
  /** Name of the object. */
  readonly key: string;
  readonly rows: number;
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
    const parts = filled.map(
      ({ name, columns, copy }): BulkFilePart => ({
        table: name,
        columns: Object.keys(columns).join(','),
        key: `${this.#chain}/${range.from}-${range.to}/${attempt}/${name}`,
        rows: copy.rows,
      }),
    );
    return {
      file: { ...range, parts, firstHash: first.hash, lastHash: last.hash, attempt },
      objects: filled.map(({ copy }) => copy.file()),
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
