import type { Key } from '../plan/plan.ts';

export type Order = 'asc' | 'desc';

/** Rows of a block in its order, or newest first. */
export function chronological(order: Order, ...columns: readonly string[]): Key[] {
  const descending = order === 'desc';
  return [
    { column: 'block_number', type: 'bigint', descending },
    ...columns.map((column) => ({ column, type: 'integer' as const, descending })),
  ];
}

/** Rows ordered by columns of one type, ascending. */
export function ascending(type: Key['type'], ...columns: readonly string[]): Key[] {
  return columns.map((column) => ({ column, type, descending: false }));
}
