import type { Queries } from '../../shared/chain-database/chain-database.ts';
import type { ChainSchema } from '../../shared/chain-database/chain-schema.ts';
import type { BlockRange } from './block-range.ts';

/** Blocks of a partition, as the migrations have it. */
const PARTITION_BLOCKS = 10_000_000;

/** Makes partitions before the blocks come that belong there, and remembers which there are. */
export class Partitions {
  readonly #queries: Queries;
  readonly #schema: ChainSchema;
  readonly #made = new Set<number>();

  constructor(queries: Queries, schema: ChainSchema) {
    this.#queries = queries;
    this.#schema = schema;
  }

  async ensure({ from, to }: BlockRange): Promise<void> {
    const first = Math.floor(from / PARTITION_BLOCKS);
    const last = Math.floor(to / PARTITION_BLOCKS);
    const places = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    if (places.every((place) => this.#made.has(place))) return;
    await this.#queries.query(`SELECT ${this.#schema}.ensure_partitions(:from, :to) AS made`, { from, to });
    for (const place of places) this.#made.add(place);
  }

  /** Forgets which there are: whoever makes the schema anew tells nobody. */
  forget(): void {
    this.#made.clear();
  }
}
