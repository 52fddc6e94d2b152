import {
  type AttributeValue,
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { ExchangeError } from '../../shared/aws/exchange.ts';
import { isRefusal } from '../../shared/aws/refusal.ts';
import { errorField } from '../../shared/runtime/log.ts';
import { type Item, type RefusedAction, StoreUnavailableError, type Value } from './store.ts';

/** An item as DynamoDB sends it. */
export function toItem(attributes: Readonly<Record<string, AttributeValue>>): Item {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, toValue(name, value)]));
}

function toValue(name: string, { S, N }: AttributeValue): Value {
  if (S !== undefined) return S;
  if (N !== undefined) return BigInt(N);
  throw new TypeError(`attribute ${name} is neither a string nor a number`);
}

/** The refusal in the failure of a put or an update; undefined if it was not the condition that failed. */
export function refusedWrite(error: unknown): RefusedAction | undefined {
  if (!(error instanceof ConditionalCheckFailedException)) return undefined;
  return { item: error.Item && toItem(error.Item) };
}

/** The refusals in the failure of a transaction, per action; undefined if anything but conditions stopped it. */
export function refusedActions(error: unknown): (RefusedAction | undefined)[] | undefined {
  const reasons = error instanceof TransactionCanceledException ? error.CancellationReasons : undefined;
  if (reasons === undefined) return undefined;
  const onlyConditions = reasons.every(({ Code }) => Code === 'None' || Code === 'ConditionalCheckFailed');
  if (!onlyConditions) return undefined;
  return reasons.map(({ Code, Item }) => (Code === 'None' ? undefined : { item: Item && toItem(Item) }));
}

/**
 * Every other failure. DynamoDB carries out nothing that it answers with a 4xx (throttled, conflict, invalid). After a
 * 5xx, or without a response, the outcome is unknown.
 */
export function storeUnavailable(error: unknown): StoreUnavailableError {
  const timedOut = error instanceof ExchangeError && error.timedOut;
  const refused = isRefusal(error);
  return new StoreUnavailableError(errorField(error), !refused, error, !refused && !timedOut);
}
