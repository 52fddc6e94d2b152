import type {
  BeginTransactionRequest,
  BeginTransactionResponse,
  CommitTransactionRequest,
  CommitTransactionResponse,
  ExecuteStatementRequest,
  ExecuteStatementResponse,
  RollbackTransactionRequest,
  RollbackTransactionResponse,
} from '@aws-sdk/client-rds-data';
import { connectService, type Service, type ServiceClientOptions } from '../aws/service-client.ts';
import type { Wire } from '../aws/wire.ts';

const RDS_DATA: Service = {
  name: 'rds-data',
  endpointVariable: 'AWS_ENDPOINT_URL_RDS_DATA',
  contentType: 'application/json',
};

/** What each operation takes and gives, by its path. */
interface Operations {
  readonly '/BeginTransaction': [BeginTransactionRequest, BeginTransactionResponse];
  readonly '/CommitTransaction': [CommitTransactionRequest, CommitTransactionResponse];
  readonly '/Execute': [ExecuteStatementRequest, ExecuteStatementResponse];
  readonly '/RollbackTransaction': [RollbackTransactionRequest, RollbackTransactionResponse];
}

/**
 * Sends one request to the RDS Data API, once.
 * @throws ServiceError if the service refuses or fails, ExchangeError if there is no whole answer
 */
export type SendToRdsData = <Path extends keyof Operations>(
  path: Path,
  input: Wire<Operations[Path][0]>,
) => Promise<Wire<Operations[Path][1]>>;

export interface RdsDataOptions extends Omit<ServiceClientOptions, 'service'> {
  /** Time for one request, connection and answer included, in milliseconds. */
  readonly timeoutMs: number;
}

/** Connects to the RDS Data API. Opens no connection before its first use. */
export function connectRdsData({ timeoutMs, ...options }: RdsDataOptions): SendToRdsData {
  const send = connectService({ ...options, service: RDS_DATA });
  return async (path, input) => Object(await send({ path, input, timeoutMs }));
}
