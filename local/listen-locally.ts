import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

const HOST = '127.0.0.1';

/** A server of this run, on a port of its own. */
export interface LocalServer {
  /** Without a slash at the end. */
  readonly url: string;
  /** Closes it, with the connections that are open. */
  close(): Promise<void>;
}

/** Lets a server listen on a free port of this machine, for this machine only. */
export async function listenLocally(server: Server): Promise<LocalServer> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, HOST, resolve);
  });
  return {
    url: `http://${HOST}:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
