import type {
  AttributeValue,
  BatchGetItemInput,
  BatchGetItemOutput,
  BatchWriteItemInput,
  BatchWriteItemOutput,
  DeleteItemInput,
  DeleteItemOutput,
  GetItemInput,
  GetItemOutput,
  PutItemInput,
  PutItemOutput,
  QueryInput,
  QueryOutput,
  TransactWriteItemsInput,
  TransactWriteItemsOutput,
  UpdateItemInput,
  UpdateItemOutput,
} from '@aws-sdk/client-dynamodb';
import { connectService, type Service, type ServiceClientOptions } from '../aws/service-client.ts';
import type { Wire } from '../aws/wire.ts';

/** DynamoDB. */
export const DYNAMODB: Service = {
  name: 'dynamodb',
  endpointVariable: 'AWS_ENDPOINT_URL_DYNAMODB',
  contentType: 'application/x-amz-json-1.0',
};
const API_VERSION = 'DynamoDB_20120810';

/** A value of an attribute. */
export type WireValue = Wire<AttributeValue>;

/** What each operation takes and gives. */
interface Operations {
  readonly BatchGetItem: [BatchGetItemInput, BatchGetItemOutput];
  readonly BatchWriteItem: [BatchWriteItemInput, BatchWriteItemOutput];
  readonly DeleteItem: [DeleteItemInput, DeleteItemOutput];
  readonly GetItem: [GetItemInput, GetItemOutput];
  readonly PutItem: [PutItemInput, PutItemOutput];
  readonly Query: [QueryInput, QueryOutput];
  readonly TransactWriteItems: [TransactWriteItemsInput, TransactWriteItemsOutput];
  readonly UpdateItem: [UpdateItemInput, UpdateItemOutput];
}

/**
 * Sends one request to DynamoDB, once. `timeoutMs` is for all of it, in milliseconds.
 * @throws ServiceError if DynamoDB refuses or fails, ExchangeError if there is no whole answer
 */
export type SendToDynamo = <Operation extends keyof Operations>(
  operation: Operation,
  input: Wire<Operations[Operation][0]>,
  timeoutMs: number,
) => Promise<Wire<Operations[Operation][1]>>;

/** Connects to DynamoDB. Opens no connection before its first use. */
export function connectDynamo(options: Omit<ServiceClientOptions, 'service'>): SendToDynamo {
  const send = connectService({ ...options, service: DYNAMODB });
  return async (operation, input, timeoutMs) =>
    Object(await send({ path: '/', target: `${API_VERSION}.${operation}`, input, timeoutMs }));
}
