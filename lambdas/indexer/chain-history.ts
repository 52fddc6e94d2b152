import type { CacheStore } from 'gateway-access';
import type { BlockId } from '../chain-data/decode/raw-block.ts';
import { HISTORY_KEY_PREFIX } from '../shared/aws/cache-table.ts';
import { chainRecord, readChainRecords } from '../shared/aws/chain-records.ts';
import type { Clock } from '../shared/runtime/clock.ts';
import { errorField, log } from '../shared/runtime/log.ts';
import type { ChainReader } from './follow/chain-reader.ts';

/** Time that a row is of, and rows that are kept, in milliseconds and in number: a day. */
export const WINDOW_MS = 300_000;
export const HISTORY_ROWS = 288;
const SLOT_MS = 60_000;

/** What the index saw of a chain in one window. */
export interface HistoryRow {
  /** Number of the window since the epoch. */
  readonly window: number;
  /** The newest indexed block, and its greatest age in seconds; -1 while there was none. */
  readonly block: number;
  readonly lagSeconds: number;
  /** Questions for the newest block of the chain's nodes, those that were answered, and the time of these together, in milliseconds. */
  readonly asked: number;
  readonly answered: number;
  readonly answeredMs: number;
}

const EMPTY = { window: -1, block: -1, lagSeconds: -1, asked: 0, answered: 0, answeredMs: 0 };
/** The order in which a row is written. */
const COLUMNS = [
  'window',
  'block',
  'lagSeconds',
  'asked',
  'answered',
  'answeredMs',
] as const satisfies readonly (keyof HistoryRow)[];

interface HistoryParts {
  readonly records: CacheStore;
  readonly chain: string;
  readonly clock: Clock;
  /** The index runs a few slots at a time, and sleeps in between. @default false */
  readonly isBatched?: boolean;
}

/**
 * Keeps a day of a chain in one item, of at most 288 rows of five minutes. A window in which nothing ran has no row. Processes that
 * take turns add to the same rows. What one saw and could not write is lost with it, or where two write at the same moment.
 */
export class ChainHistory {
  readonly #parts: HistoryParts;
  /** What is not written yet, by window. */
  readonly #rows = new Map<number, HistoryRow>();

  constructor(parts: HistoryParts) {
    this.#parts = parts;
  }

  /** The same reader, whose questions for the head are counted and timed. One that its slot left no time for is not. */
  watch(reader: ChainReader): ChainReader {
    const { clock } = this.#parts;
    return {
      ...reader,
      head: async (options) => {
        const askedAt = clock.now();
        try {
          const head = await reader.head(options);
          this.#add({ asked: 1, answered: 1, answeredMs: Math.max(0, clock.now() - askedAt) });
          return head;
        } catch (error) {
          if (clock.now() < options.deadline) this.#add({ asked: 1 });
          throw error;
        }
      },
    };
  }

  /** Notes the newest indexed block. */
  note({ number, timestamp }: Pick<BlockId, 'number' | 'timestamp'>): void {
    const lagSeconds = Math.max(0, Math.floor(this.#parts.clock.now() / 1_000) - timestamp);
    this.#add({ block: number, lagSeconds });
  }

  /** To be called at the end of each slot: writes before the window ends, and in batches each time. Never rejects. */
  async keep(): Promise<void> {
    const { records, chain, clock, isBatched = false } = this.#parts;
    const window = windowOf(clock.now());
    if (this.#rows.size === 0 || (!isBatched && windowOf(clock.now() + SLOT_MS) === window)) return;
    const seen = [...this.#rows.values()];
    this.#rows.clear();
    try {
      const merged = new Map<number, HistoryRow>();
      for (const row of [...(await readHistory(records, chain, clock)), ...seen])
        merged.set(row.window, added(merged.get(row.window), row));
      const rows = inDay([...merged.values()], clock);
      const written = rows.map((row) => COLUMNS.map((column) => Math.round(row[column])));
      const expiresAt = clock.now() + HISTORY_ROWS * WINDOW_MS;
      await records.write([chainRecord(HISTORY_KEY_PREFIX, chain, written, expiresAt)]);
    } catch (error) {
      for (const row of seen) this.#rows.set(row.window, added(this.#rows.get(row.window), row));
      log('warn', 'head_record_failed', { chain, error: errorField(error) });
    }
  }

  #add(more: Partial<HistoryRow>): void {
    const window = windowOf(this.#parts.clock.now());
    this.#rows.set(window, added(this.#rows.get(window), { ...EMPTY, ...more, window }));
    const [oldest = window] = this.#rows.keys();
    if (this.#rows.size > HISTORY_ROWS) this.#rows.delete(oldest);
  }
}

/**
 * The rows of the last day that are on record, oldest first.
 * @throws where the store does not answer
 */
export async function readHistory(
  records: Pick<CacheStore, 'read'>,
  chain: string,
  clock: Clock,
): Promise<readonly HistoryRow[]> {
  const kept = await readChainRecords<readonly (readonly number[])[]>(records, HISTORY_KEY_PREFIX, [chain]);
  const rows = kept.get(chain) ?? [];
  return inDay(
    rows.map(
      (row) =>
        Object.fromEntries(COLUMNS.map((column, index) => [column, row[index]])) as unknown as HistoryRow,
    ),
    clock,
  );
}

/** What two rows of one window come to. */
function added(row: HistoryRow = EMPTY, more: HistoryRow): HistoryRow {
  return {
    window: more.window,
    block: Math.max(row.block, more.block),
    lagSeconds: Math.max(row.lagSeconds, more.lagSeconds),
    asked: row.asked + more.asked,
    answered: row.answered + more.answered,
    answeredMs: row.answeredMs + more.answeredMs,
  };
}

function windowOf(ms: number): number {
  return Math.floor(ms / WINDOW_MS);
}

function inDay(rows: readonly HistoryRow[], clock: Clock): readonly HistoryRow[] {
  const newest = windowOf(clock.now());
  return rows
    .filter(({ window }) => window > newest - HISTORY_ROWS && window <= newest)
    .sort((a, b) => a.window - b.window);
}
