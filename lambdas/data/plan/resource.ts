import type { DataOperationId, OperationParameters } from '../operations/operations.ts';
import type { Plan, Scope } from './plan.ts';

/** What an operation's description does not say of its plan. */
export interface Rows extends Omit<Plan, 'shape' | 'keys'> {
  /** @default `one` without keys, else `list` */
  readonly shape?: Plan['shape'];
  /** Their direction is the parameter `order`, if the operation has it. @default none */
  readonly keys?: Plan['keys'];
  /** Columns with a token whose symbol and decimals may be asked for, by the start of the names of these fields. */
  readonly tokens?: Readonly<Record<string, string>>;
}

/** How an operation finds its rows. */
type Resource<Id extends DataOperationId> = (scope: Scope, parameters: OperationParameters[Id]) => Rows;

/** The resources of all operations, or of some. */
export type Resources<Id extends DataOperationId> = { readonly [Each in Id]: Resource<Each> };
export type SomeResources = Partial<Resources<DataOperationId>>;
