import type { ChainQueries } from '../../shared/chain-database/chain-queries.ts';
import { DatabaseError } from '../../shared/chain-database/database-error.ts';
import { sql } from '../../shared/chain-database/sql.ts';
import type { BlockRange } from './block-range.ts';

/** Blocks of a partition, as the migrations have it. */
const PARTITION_BLOCKS = 10_000_000;

/** How often a lock is waited for, 2 s each by the migrations, before the blocks are left for a later attempt. */
const MAX_ATTEMPTS = 3;

/** `lock_not_available`: the table was locked for longer than the statement waits. */
const LOCKED_STATE = '55P03';

/** Makes partitions before the blocks come that belong there, and remembers which there are. */
export class Partitions {
  readonly #chain: ChainQueries;
  readonly #made = new Set<number>();

  constructor(chain: ChainQueries) {
    this.#chain = chain;
  }

  /** @throws {DatabaseError} as a query does, for a table that stays locked too: nothing was made then */
  async ensure({ from, to }: BlockRange): Promise<void> {
    const first = Math.floor(from / PARTITION_BLOCKS);
    const last = Math.floor(to / PARTITION_BLOCKS);
    const places = Array.from({ length: last - first + 1 }, (_, index) => first + index);
    if (places.every((place) => this.#made.has(place))) return;
    await this.#make({ from, to }, MAX_ATTEMPTS);
    for (const place of places) this.#made.add(place);
  }

  /** Each attempt is a transaction of its own, so that what waits behind its locks goes on in between. */
  async #make(range: BlockRange, attempts: number): Promise<void> {
    try {
      await this.#chain.query(sql`SELECT {{schema}}.ensure_partitions(:from, :to) AS made`, { ...range });
    } catch (error) {
      const locked = error instanceof DatabaseError && error.sqlState === LOCKED_STATE;
      if (!locked || attempts <= 1) throw error;
      await this.#make(range, attempts - 1);
    }
  }

  /** Forgets which there are: a schema that is made anew does not say so. */
  forget(): void {
    this.#made.clear();
  }
}
