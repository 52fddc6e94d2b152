import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** A server that passes each request on, after a delay that may change. */
export interface DelayingProxy {
  readonly url: string;
  /** In milliseconds; 0 passes on at once. */
  delayMs: number;
  close(): Promise<void>;
}

/** Starts one in this process, in front of a server over http. */
export async function startDelayingProxy(target: string): Promise<DelayingProxy> {
  const agent = new Agent({ keepAlive: true });
  const server = createServer(async (incoming, outgoing) => {
    if (proxy.delayMs > 0) await sleep(proxy.delayMs);
    const { method, headers, url: path } = incoming;
    const upstream = request(target, { method, headers, path, agent }, (response) => {
      outgoing.writeHead(response.statusCode ?? 0, response.headers);
      pipeline(response, outgoing, () => {});
    });
    pipeline(incoming, upstream, (error) => {
      if (error) outgoing.destroy(error);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: DelayingProxy = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    delayMs: 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
        agent.destroy();
      }),
  };
  return proxy;
}
