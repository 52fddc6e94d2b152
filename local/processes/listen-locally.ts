import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pickPort } from './free-port.ts';

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
  return listenOn(server, 0);
}

/**
 * The same for pages that people keep open: on the port of the last run, or on a free one if that is taken by now.
 * @param lastUrl where the pages were in the last run; undefined: there was none
 */
export async function listenWhereLast(server: Server, lastUrl: string | undefined): Promise<LocalServer> {
  const lastPort = Number(URL.parse(lastUrl ?? '')?.port ?? 0);
  if (lastPort !== 0) {
    try {
      return await listenOn(server, lastPort);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    }
  }
  return listenOn(server, await pickPort());
}

async function listenOn(server: Server, port: number): Promise<LocalServer> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, HOST, resolve);
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
