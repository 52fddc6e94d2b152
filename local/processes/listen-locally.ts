import type { Server } from 'node:http';
import { listenOn, pickPort } from './free-port.ts';

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
  return serveOn(server, 0);
}

/** Where pages that people keep open are to be. */
export interface PagePort {
  /** The port that was asked for, and no other; 0 or undefined: none was. */
  readonly wanted?: number | undefined;
  /** Where the pages were in the last run; undefined: there was none. */
  readonly lastUrl?: string | undefined;
}

/**
 * The same for pages that people keep open: on the port that was asked for, else on that of the last run, or on a free one if
 * that is taken by now.
 */
export async function listenWhereLast(
  server: Server,
  { wanted = 0, lastUrl }: PagePort,
): Promise<LocalServer> {
  if (wanted !== 0) return serveOn(server, wanted);
  const lastPort = Number(URL.parse(lastUrl ?? '')?.port ?? 0);
  if (lastPort !== 0) {
    try {
      return await serveOn(server, lastPort);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'EADDRINUSE' && code !== 'EACCES') throw error;
    }
  }
  return serveOn(server, await pickPort());
}

async function serveOn(server: Server, port: number): Promise<LocalServer> {
  return {
    url: `http://${HOST}:${await listenOn(server, HOST, port)}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
