import {
  type DeleteItemCommandInput,
  type DeleteItemCommandOutput,
  DynamoDBClient,
  type GetItemCommandInput,
  type GetItemCommandOutput,
  type PutItemCommandInput,
  type PutItemCommandOutput,
  type QueryCommandInput,
  type QueryCommandOutput,
  type TransactWriteItemsCommandInput,
  type TransactWriteItemsCommandOutput,
  type UpdateItemCommandInput,
  type UpdateItemCommandOutput,
} from '@aws-sdk/client-dynamodb';
import { type ClientOptions, clientSettings } from './client-settings.ts';
import type { ExchangeAnswer } from './exchange.ts';
import { createSigner } from './sign-post.ts';

const SERVICE = 'dynamodb';
const TARGET_PREFIX = 'DynamoDB_20120810.';

/** What is sent and answered, by operation. */
interface Operations {
  DeleteItem: [DeleteItemCommandInput, DeleteItemCommandOutput];
  GetItem: [GetItemCommandInput, GetItemCommandOutput];
  PutItem: [PutItemCommandInput, PutItemCommandOutput];
  Query: [QueryCommandInput, QueryCommandOutput];
  TransactWriteItems: [TransactWriteItemsCommandInput, TransactWriteItemsCommandOutput];
  UpdateItem: [UpdateItemCommandInput, UpdateItemCommandOutput];
}

/**
 * Sends one request, once. Rejects with an exception of the SDK, or with an ExchangeError. Items may hold texts and
 * numbers only.
 * `timeoutMs`: time for all of it. @default that of the client
 */
export type SendItems = <Operation extends keyof Operations>(
  operation: Operation,
  input: Operations[Operation][0],
  timeoutMs?: number,
) => Promise<Operations[Operation][1]>;

/**
 * Connects to DynamoDB for items of texts and numbers: their JSON is what `JSON.stringify` makes. Credentials, endpoint and
 * exceptions are the SDK's; what its client does for each request, and with the same outcome each time, is done once. Opens no connection before its first use.
 */
export function connectItems(options: ClientOptions): SendItems {
  const settings = clientSettings('AWS_ENDPOINT_URL_DYNAMODB', options);
  const { config } = new DynamoDBClient(settings);
  const prepare = async () => {
    const [region, UseFIPS, UseDualStack] = await Promise.all([
      config.region(),
      config.useFipsEndpoint(),
      config.useDualstackEndpoint(),
    ]);
    const Endpoint = settings.endpoint && { Endpoint: settings.endpoint };
    const { url } = config.endpointProvider({ Region: region, UseFIPS, UseDualStack, ...Endpoint });
    const { protocol, hostname, port, host } = url;
    const place = {
      protocol,
      hostname,
      ...(port !== '' && { port: Number(port) }),
      method: 'POST',
      path: '/',
    };
    return { place, host, sign: createSigner(region, SERVICE) };
  };
  let prepared: ReturnType<typeof prepare> | undefined;

  return async (operation, input, timeoutMs) => {
    prepared ??= prepare();
    const { place, host, sign } = await prepared;
    const body = JSON.stringify(input);
    const named = {
      host,
      'content-type': 'application/x-amz-json-1.0',
      'content-length': String(Buffer.byteLength(body)),
      'x-amz-target': TARGET_PREFIX + operation,
    };
    const signed = sign(named, body, await config.credentials(), new Date());
    const request = { ...place, headers: { ...signed, ...traceHeader() }, body };
    const { response } = await settings.requestHandler.handle(request, { requestTimeout: timeoutMs });
    if (response.statusCode === 200) return JSON.parse(String(response.body));
    throw await exceptionOf(config, operation, response);
  };
}

/** A request is part of the trace that the invocation is part of. */
function traceHeader(): Record<string, string> {
  const { AWS_LAMBDA_FUNCTION_NAME: name, _X_AMZN_TRACE_ID: trace } = process.env;
  return name && trace ? { 'X-Amzn-Trace-Id': trace } : {};
}

/** What reads the answers of a service for the SDK. */
interface AnswerReader {
  deserializeResponse(operation: object, context: object, response: ExchangeAnswer): Promise<unknown>;
}

/** The exception of the SDK for an answer, with its status also where the answer cannot be read. */
async function exceptionOf(
  config: DynamoDBClient['config'],
  operation: string,
  response: ExchangeAnswer,
): Promise<unknown> {
  const reader = config.protocol as unknown as AnswerReader;
  const { statusCode: httpStatusCode } = response;
  try {
    return await reader.deserializeResponse({ name: operation, output: 'unit' }, config, response);
  } catch (error) {
    return Object.assign(Object(error), { $metadata: { httpStatusCode, ...Object(error).$metadata } });
  }
}
