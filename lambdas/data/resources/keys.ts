import type { Branch, OrderKey, Plan, Scope } from '../plan/plan.ts';

/** Rows in the order of blocks, and of columns within a block. */
export function chronological(...columns: readonly string[]): OrderKey[] {
  return [...keysOf('bigint', 'block_number'), ...keysOf('integer', ...columns)];
}

/** Rows ordered by columns of one type, ascending. */
export function keysOf(type: OrderKey['type'], ...columns: readonly string[]): OrderKey[] {
  return columns.map((column) => ({ column, type, descending: false }));
}

/** The one scan of a table's rows that fulfil conditions. */
export function scanOf(
  { schema }: Pick<Scope, 'schema'>,
  table: string,
  ...where: readonly string[]
): Branch[] {
  return [{ from: `${schema}.${table}`, where }];
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
