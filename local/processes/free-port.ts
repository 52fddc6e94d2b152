import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

const HOST = '127.0.0.1';
/** Below the ports that systems hand out by themselves, so that no outgoing connection takes a picked one. */
const FIRST_PORT = 20_000;
const LAST_PORT = 32_000;
const PICK_ATTEMPTS = 50;

/** A port of an address of this machine that no program listens on now. */
export async function pickPort(host = HOST): Promise<number> {
  for (let attempt = 1; attempt <= PICK_ATTEMPTS; attempt += 1) {
    const port = randomInt(FIRST_PORT, LAST_PORT);
    if (await isFree(host, port)) return port;
  }
  throw new Error(`no free port found in ${PICK_ATTEMPTS} attempts`);
}

/** Listens on a port for a moment; rejects with the error of `listen`, such as `EADDRINUSE`. */
export function tryPort(host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, host, () => server.close(() => resolve()));
  });
}

function isFree(host: string, port: number): Promise<boolean> {
  return tryPort(host, port).then(
    () => true,
    () => false,
  );
}
