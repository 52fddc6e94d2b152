import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server of a test, on a free port of this machine. */
export interface TestServer {
  /** Without a slash at the end. */
  readonly url: string;
  readonly server: Server;
  /** Closes it, whatever is under way. */
  close(): Promise<void>;
}

/** Starts a server; without a listener it never answers. */
export async function listen(listener: RequestListener = () => {}): Promise<TestServer> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
