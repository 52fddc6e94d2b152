import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { sql } from '../../shared/chain-database/sql.ts';
import type { BlockRange } from './block-range.ts';

/** Blocks of a partition, as the migrations have it. */
const PARTITION_BLOCKS = 10_000_000;

/** Makes partitions before the blocks come that belong there, and remembers which there are. */
export class Partitions {
  readonly #chain: ChainQueries;
  readonly #made = new Set<number>();

  constructor(chain: ChainQueries) {
    this.#chain = chain;
  }

  async ensure({ from, to }: BlockRange): Promise<void> {
    const first = Math.floor(from / PARTITION_BLOCKS);
    const last = Math.floor(to / PARTITION_BLOCKS);
    const places = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    if (places.every((place) => this.#made.has(place))) return;
    await this.#chain.query(sql`SELECT {{schema}}.ensure_partitions(:from, :to) AS made`, { from, to });
    for (const place of places) this.#made.add(place);
  }

  /** Forgets which there are: a schema that is made anew does not say so. */
  forget(): void {
    this.#made.clear();
  }
}
