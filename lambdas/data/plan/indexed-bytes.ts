import type { ChainSchema } from '../../shared/chain-database/chain-schema.ts';

/**
 * SQL of whether a column, or what an index has in place of one, is a hash or an address. The index has 8 bytes of its digest;
 * the row has it whole. It is compared there in words that the planner takes to be true of nearly all rows, as they are: two plain
 * comparisons would multiply their chances, and it would read all rows that it expects, and sort them.
 */
export function isIndexed(schema: ChainSchema, column: string, value: string): string {
  return `${schema}.index_key(${column}) = ${schema}.index_key(${value}) AND nullif(${column} = ${value}, false) IS NOT NULL`;
}
