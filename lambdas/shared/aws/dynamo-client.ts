import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { type AwsClientOptions, clientSettings, lightenClient } from './client-settings.ts';

/** Connects to DynamoDB. Opens no connection before its first use. */
export function connectDynamo(options: AwsClientOptions): DynamoDBClient {
  const client = new DynamoDBClient(clientSettings('AWS_ENDPOINT_URL_DYNAMODB', options));
  lightenClient(client);
  return client;
}
