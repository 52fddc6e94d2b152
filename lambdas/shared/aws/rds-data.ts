import {
  BeginTransactionCommand,
  type BeginTransactionCommandInput,
  CommitTransactionCommand,
  type CommitTransactionCommandInput,
  ExecuteStatementCommand,
  type ExecuteStatementCommandInput,
  type ExecuteStatementCommandOutput,
  RDSDataClient,
  RollbackTransactionCommand,
  type RollbackTransactionCommandInput,
} from '@aws-sdk/client-rds-data';
import { type AwsClientOptions, clientSettings, lightenClient } from './client-settings.ts';

/** The RDS Data API: each method sends one request, once, and rejects with an exception of the SDK. */
interface RdsData {
  execute(input: ExecuteStatementCommandInput): Promise<ExecuteStatementCommandOutput>;
  /** Resolves to the transaction's id. */
  begin(input: BeginTransactionCommandInput): Promise<string>;
  commit(input: CommitTransactionCommandInput): Promise<void>;
  rollBack(input: RollbackTransactionCommandInput): Promise<void>;
}

/** Connects to the RDS Data API. Opens no connection before its first use. */
export type ConnectRdsData = (options: AwsClientOptions) => RdsData;

export const connectRdsData: ConnectRdsData = (options) => {
  const client = new RDSDataClient(clientSettings('AWS_ENDPOINT_URL_RDS_DATA', options));
  lightenClient(client);
  return {
    execute: (input) => client.send(new ExecuteStatementCommand(input)),
    async begin(input) {
      const { transactionId } = await client.send(new BeginTransactionCommand(input));
      if (transactionId === undefined) throw new Error('the RDS Data API named no transaction');
      return transactionId;
    },
    async commit(input) {
      await client.send(new CommitTransactionCommand(input));
    },
    async rollBack(input) {
      await client.send(new RollbackTransactionCommand(input));
    },
  };
};
