import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { type Item, type RefusedAction, StoreUnavailableError, type Value } from './store.ts';

/** What the SDK's errors carry. They are told apart by name: a bundle may hold two copies of their classes. */
interface SdkFailure {
  readonly name?: string;
  readonly message?: string;
  /** Of an error of the connection, such as `ECONNREFUSED`. */
  readonly code?: string;
  readonly $metadata?: { readonly httpStatusCode?: number };
  readonly Item?: Record<string, AttributeValue>;
  readonly CancellationReasons?: readonly {
    readonly Code?: string;
    readonly Item?: Record<string, AttributeValue>;
  }[];
}

/** Errors before a request could leave. The code is in the message too, and there it survives being wrapped. */
const NEVER_SENT = /\b(ECONNREFUSED|ENOTFOUND|EAI_AGAIN|CredentialsProviderError)\b/;

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
  const { name, Item } = error as SdkFailure;
  return name === 'ConditionalCheckFailedException' ? { item: Item && toItem(Item) } : undefined;
}

/** The refusals in the failure of a transaction, per action; undefined if anything but conditions stopped it. */
export function refusedActions(error: unknown): (RefusedAction | undefined)[] | undefined {
  const { name, CancellationReasons: reasons } = error as SdkFailure;
  if (name !== 'TransactionCanceledException' || reasons === undefined) return undefined;
  const onlyConditions = reasons.every(({ Code }) => Code === 'None' || Code === 'ConditionalCheckFailed');
  if (!onlyConditions) return undefined;
  return reasons.map(({ Code, Item }) => (Code === 'None' ? undefined : { item: Item && toItem(Item) }));
}

/**
 * Every other failure. DynamoDB carries nothing out that it answers with a 4xx (throttled, conflict, invalid);
 * after a time-out, a reset or a 5xx nobody knows.
 */
export function storeUnavailable(error: unknown): StoreUnavailableError {
  const { name = 'Error', message = '', code, $metadata } = error as SdkFailure;
  const status = $metadata?.httpStatusCode;
  const certainlyNot =
    status === undefined ? NEVER_SENT.test(`${name} ${code} ${message}`) : status >= 400 && status < 500;
  return new StoreUnavailableError(`${name}: ${message}`, !certainlyNot, error);
}
