import type { TableReader } from '../../../bin/operator/restore/table-reader.ts';
import { keyOf } from '../../../bin/operator/restore/table-rules.ts';
import type { Item, Key } from '../../../lambdas/access/store/store.ts';
import { TABLES, type Table } from '../../../lambdas/access/store/tables.ts';
import type { MemoryStore } from '../../simulation/stores/memory-store.ts';

/** Names of the tables of a stage in memory: `stage-keys` and so on. Those restored: `keys-restored`. */
export const STAGE_TABLES = Object.fromEntries(
  Object.keys(TABLES).map((table) => [table, `stage-${table}`]),
) as Readonly<Record<Table, string>>;

/** Reads a stage and what was restored beside it, both in memory. */
export function memoryTables(stage: MemoryStore, restored: MemoryStore): TableReader {
  const itemsOf = (name: string): [Table, readonly Item[]] => {
    const [first, second] = name.split('-') as [string, string];
    const table = (first === 'stage' ? second : first) as Table;
    return [table, (first === 'stage' ? stage : restored).items(table)];
  };
  return {
    async describe(name) {
      const { partitionKey, sortKey } = TABLES[itemsOf(name)[0]];
      return { key: sortKey === undefined ? [partitionKey] : [partitionKey, sortKey], active: true };
    },
    async scan({ table: name, segment, segments, after, limit }) {
      const [table, items] = itemsOf(name);
      const mine = items.filter((_, place) => place % segments === segment);
      const from = after === undefined ? 0 : mine.findIndex((item) => isSame(keyOf(table, item), after)) + 1;
      const page = mine.slice(from, from + limit);
      const last = page.at(-1);
      const more = from + limit < mine.length;
      return { items: page, ...(more && last !== undefined && { next: keyOf(table, last) }) };
    },
    async getMany(name, keys) {
      const [table, items] = itemsOf(name);
      return {
        items: items.filter((item) => keys.some((key) => isSame(keyOf(table, item), key))),
        left: [],
      };
    },
  };
}

function isSame(left: Key, right: Key): boolean {
  return Object.entries(left).every(([name, value]) => right[name] === value);
}
