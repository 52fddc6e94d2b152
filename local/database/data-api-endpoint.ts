import { systemClock } from '../../lambdas/shared/runtime/clock.ts';
import {
  type EndpointOptions,
  respondToCall,
  ServiceError,
  type ServiceResponse,
  startJsonEndpoint,
} from '../processes/json-endpoint.ts';
import type { LocalServer } from '../processes/listen-locally.ts';
import type { LocalSecrets } from '../secrets/secrets.ts';
import { DATA_API_OPERATIONS } from './data-api.ts';
import { AWS_LIMITS, type DataApiLimits } from './data-api-limits.ts';
import type { PostgresLogin } from './postgres.ts';
import { RememberedSecrets } from './remembered-secrets.ts';
import { Sessions } from './sessions.ts';

const RESUMING =
  'The Aurora DB instance is resuming after being auto-paused. Please wait a few seconds and try again.';

interface DataApiEndpointOptions {
  readonly superuser: PostgresLogin;
  /** ARNs of the clusters; may be filled later. */
  readonly clusters: ReadonlySet<string>;
  /** May be filled later. */
  readonly secrets: LocalSecrets;
  /** The only access key that it knows. */
  readonly accessKeyId: string;
  /** @default those of AWS */
  readonly limits?: Partial<DataApiLimits>;
}

/** The RDS Data API of this run. */
interface DataApiEndpoint extends LocalServer {
  /** Lets the next calls find the database asleep, as after an automatic pause. */
  pause(calls: number): void;
  /** Answers a request without a connection. */
  answer(path: string, body: string): Promise<ServiceResponse>;
}

/** Serves PostgreSQL by the protocol of the RDS Data API, with its limits. */
export async function startDataApiEndpoint(options: DataApiEndpointOptions): Promise<DataApiEndpoint> {
  const { superuser, clusters, secrets } = options;
  const limits = { ...AWS_LIMITS, ...options.limits };
  const remembered = new RememberedSecrets(secrets, limits.secretMemoryMs, systemClock);
  const sessions = new Sessions(superuser, limits);
  const server = { host: superuser.host, port: superuser.port };
  let callsAsleep = 0;
  const service: EndpointOptions = {
    maxRequestBytes: limits.requestBytes,
    contentType: 'application/json',
    accessKeyId: options.accessKeyId,
    respond: async ({ path, input }) => {
      const operation = DATA_API_OPERATIONS[path];
      if (operation === undefined)
        throw new ServiceError('UnknownOperationException', `no operation ${path}`, 404);
      if (callsAsleep > 0) {
        callsAsleep -= 1;
        throw new ServiceError('DatabaseResumingException', RESUMING);
      }
      return operation({ sessions, limits, server, clusters, secrets: remembered }, input);
    },
  };
  const endpoint = await startJsonEndpoint(service);
  return {
    url: endpoint.url,
    answer: (path, body) => respondToCall(service, path, {}, async () => body),
    pause: (calls) => {
      callsAsleep = calls;
    },
    close: async () => {
      await endpoint.close();
      await sessions.close();
    },
  };
}
