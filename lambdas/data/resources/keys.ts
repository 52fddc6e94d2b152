import type { OrderKey } from '../plan/plan.ts';

export type Order = 'asc' | 'desc';

/** Rows of a block in its order, or newest first. */
export function chronological(order: Order, ...columns: readonly string[]): OrderKey[] {
  const descending = order === 'desc';
  return [
    { column: 'block_number', type: 'bigint', descending },
    ...columns.map((column) => ({ column, type: 'integer' as const, descending })),
  ];
}

/** Rows ordered by columns of one type, ascending. */
export function ascending(type: OrderKey['type'], ...columns: readonly string[]): OrderKey[] {
  return columns.map((column) => ({ column, type, descending: false }));
}
