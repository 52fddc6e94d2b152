import type { operations } from './description.ts';

/** Name of an operation, as the reference has it (`operationId`). */
export type OperationId = keyof operations;

type Unless<Never, Other> = [Never] extends [never] ? Other : Never;
type PathOf<Id extends OperationId> = operations[Id]['parameters'] extends { readonly path: infer Path }
  ? Omit<Path, 'chain'>
  : object;
type QueryOf<Id extends OperationId> = operations[Id]['parameters'] extends { readonly query?: infer Query }
  ? Omit<Unless<NonNullable<Query>, object>, 'format'>
  : object;

/**
 * Parameters of an operation by name, wherever they stand in the request. `chain` is another than that of the client.
 * Without `format`: a list is read by its pages.
 */
export type Parameters<Id extends OperationId> = Readonly<PathOf<Id> & QueryOf<Id>> & {
  readonly chain?: string;
};

/** What an operation answers. */
export type Body<Id extends OperationId> = operations[Id]['responses'][200]['content']['application/json'];

/** Operations that answer page by page. */
export type PagedOperationId = {
  [Id in OperationId]: 'next_cursor' extends keyof Body<Id> ? Id : never;
}[OperationId];

/** Row of a list. */
export type Row<Id extends PagedOperationId> = Body<Id> extends { data: (infer One)[] } ? One : never;
