import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server } from 'node:net';

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

/** Lets a server listen; returns its port. Rejects with the error of `listen`, such as `EADDRINUSE`. */
export async function listenOn(server: Server, host: string, port: number): Promise<number> {
  server.listen(port, host);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Listens on a port for a moment; rejects as {@link listenOn} does. */
export async function tryPort(host: string, port: number): Promise<void> {
  const server = createServer();
  await listenOn(server, host, port);
  await new Promise((resolve) => server.close(resolve));
}

function isFree(host: string, port: number): Promise<boolean> {
  return tryPort(host, port).then(
    () => true,
    () => false,
  );
}
