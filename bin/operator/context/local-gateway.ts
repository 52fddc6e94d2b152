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
  /** How DynamoDB is reached. */
  readonly clientConfig: Required<ClientConfig>;
  /** Endpoints of services by their names, such as `rds_data`. */
  readonly endpoints: Readonly<Record<string, unknown>>;
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
    endpoints: endpoints ?? {},
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
