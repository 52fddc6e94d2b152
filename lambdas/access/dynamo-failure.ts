import { ExchangeError, ServiceError } from '../aws/service-error.ts';
import { errorField } from '../log.ts';
import type { WireValue } from './dynamo-client.ts';
import { type Item, type RefusedAction, StoreUnavailableError, type Value } from './store.ts';

/** What the errors of conditions carry. */
interface Refused {
  readonly Item?: Readonly<Record<string, WireValue>>;
  readonly CancellationReasons?: readonly (Pick<Refused, 'Item'> & { readonly Code?: string })[];
}

/** An item as DynamoDB sends it. */
export function toItem(attributes: Readonly<Record<string, WireValue>>): Item {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, toValue(name, value)]));
}

function toValue(name: string, { S, N }: WireValue): Value {
  if (S !== undefined) return S;
  if (N !== undefined) return BigInt(N);
  throw new TypeError(`attribute ${name} is neither a string nor a number`);
}

/** The refusal in the failure of a put or an update; undefined if it was not the condition that failed. */
export function refusedWrite(error: unknown): RefusedAction | undefined {
  const refused = fieldsOf(error, 'ConditionalCheckFailedException');
  return refused && { item: refused.Item && toItem(refused.Item) };
}

/** The refusals in the failure of a transaction, per action; undefined if anything but conditions stopped it. */
export function refusedActions(error: unknown): (RefusedAction | undefined)[] | undefined {
  const reasons = fieldsOf(error, 'TransactionCanceledException')?.CancellationReasons;
  if (reasons === undefined) return undefined;
  const onlyConditions = reasons.every(({ Code }) => Code === 'None' || Code === 'ConditionalCheckFailed');
  if (!onlyConditions) return undefined;
  return reasons.map(({ Code, Item }) => (Code === 'None' ? undefined : { item: Item && toItem(Item) }));
}

function fieldsOf(error: unknown, name: string): Refused | undefined {
  return error instanceof ServiceError && error.name === name ? (error.fields as Refused) : undefined;
}

/**
 * Every other failure. DynamoDB carries nothing out that it answers with a 4xx (throttled, conflict, invalid);
 * after a time-out, a reset or a 5xx nobody knows.
 */
export function storeUnavailable(error: unknown): StoreUnavailableError {
  const certainlyNot =
    error instanceof ServiceError
      ? error.status >= 400 && error.status < 500
      : error instanceof ExchangeError && !error.sent;
  const broke =
    error instanceof ServiceError ? error.status >= 500 : error instanceof ExchangeError && !error.timedOut;
  return new StoreUnavailableError(errorField(error), !certainlyNot, error, broke);
}
