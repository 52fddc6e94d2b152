import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import type { ClientConfig } from '../../../lambdas/shared/aws/client-settings.ts';
import { type GatewayOutputs, gatewayOutputs } from './gateway-outputs.ts';

/** File in which a local run says where its parts are. */
const GATEWAY_FILE = 'gateway.json';
/** Nothing but this machine is asked. */
const CONNECT_TIMEOUT_MS = 2_000;

interface LocalGateway {
  readonly outputs: GatewayOutputs;
  readonly clientConfig: Required<ClientConfig>;
  /** Endpoints of the services that a local run has beside DynamoDB, where it tells them. */
  readonly endpoints: {
    readonly sqs?: string;
    readonly s3?: string;
    readonly kms?: string;
    readonly secrets_manager?: string;
    readonly rds_data?: string;
  };
}

/** Reads where the gateway of a data folder is. Rejects with {@link InputError} if it does not exist. */
export async function readLocalGateway(dataDir: string): Promise<LocalGateway> {
  const file = join(dataDir, GATEWAY_FILE);
  const { endpoints, outputs, access_key_id: accessKeyId } = await readJson(file);
  const endpoint = endpoints?.dynamodb;
  if (typeof endpoint !== 'string') throw new InputError(`${file} has no endpoints.dynamodb`);
  if (typeof accessKeyId !== 'string') throw new InputError(`${file} has no access_key_id`);
  return {
    outputs: gatewayOutputs(outputs ?? {}, file),
    endpoints: {
      ...(typeof endpoints?.sqs === 'string' && { sqs: endpoints.sqs }),
      ...(typeof endpoints?.kms === 'string' && { kms: endpoints.kms }),
      ...(typeof endpoints?.secrets_manager === 'string' && { secrets_manager: endpoints.secrets_manager }),
      ...(typeof endpoints?.s3 === 'string' && { s3: endpoints.s3 }),
      ...(typeof endpoints?.rds_data === 'string' && { rds_data: endpoints.rds_data }),
    },
    clientConfig: {
      endpoint,
      region: 'us-east-1',
      credentials: { accessKeyId, secretAccessKey: 'local' },
    },
  };
}

/**
 * Rejects with {@link InputError} if nothing listens at an endpoint of a local run: its data folder still says where it
 * was, once it has stopped.
 */
export async function requireLocalRun(dataDir: string, endpoint: string): Promise<void> {
  const { hostname, port } = new URL(endpoint);
  const socket = connect(Number(port), hostname);
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(CONNECT_TIMEOUT_MS) });
  } catch {
    throw new InputError(
      `the local run of ${dataDir} is not running: start it with npm start, or give another --data-dir`,
    );
  } finally {
    socket.destroy();
  }
}

async function readJson(file: string): Promise<{
  readonly endpoints?: Readonly<Record<string, unknown>>;
  readonly outputs?: Readonly<Record<string, unknown>>;
  readonly access_key_id?: unknown;
}> {
  const text = await readFile(file, 'utf8').catch(() => {
    throw new InputError(`there is no ${file}: start a local run with npm start, or give its --data-dir`);
  });
  try {
    return Object(JSON.parse(text));
  } catch {
    throw new InputError(`${file} is not JSON`);
  }
}
