import type { DataOperationId, OperationParameters } from '../operations/operations.ts';
import type { Plan, Scope } from './plan.ts';

/** How an operation finds its rows. */
type Resource<Id extends DataOperationId> = (scope: Scope, parameters: OperationParameters[Id]) => Plan;

/** The resources of some operations. */
export type Resources<Id extends DataOperationId> = { readonly [Each in Id]: Resource<Each> };
