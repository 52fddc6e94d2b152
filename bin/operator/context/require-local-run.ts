import { once } from 'node:events';
import { connect } from 'node:net';
import { InputError } from '../../../lambdas/access/contract/input-error.ts';

/** Nothing but this machine is asked. */
const CONNECT_TIMEOUT_MS = 2_000;

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
