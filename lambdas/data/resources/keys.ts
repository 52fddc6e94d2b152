import type { Branch, OrderKey, Plan } from '../plan/plan.ts';

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

/** Rows of an address: what it sent, what it received, or both. @param of those with the address in a column */
export function sidesOf(
  direction: 'any' | 'in' | 'out',
  of: (column: string) => Branch,
  recipient = 't.to_address',
): Pick<Plan, 'branches' | 'overlapping'> {
  const [sent, received] = [of('t.from_address'), of(recipient)];
  return {
    branches: { any: [sent, received], out: [sent], in: [received] }[direction],
    overlapping: true,
  };
}
