/**
 * The least that stands between a client and a node: passes each POST on and its answer back, over kept connections,
 * and looks at nothing. `fork`ed with the node's URL; answers every message with a {@link ProxyState}.
 */
import { Agent, createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

/** Where the proxy listens, and the CPU time that it has taken since its start, in milliseconds. */
export interface ProxyState {
  readonly url: string;
  readonly cpuMs: number;
}

const [nodeUrl = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true });

const server = createServer((incoming, outgoing) => {
  const { 'content-type': contentType, 'content-length': contentLength } = incoming.headers;
  const headers = { 'content-type': contentType, 'content-length': contentLength };
  const upstream = request(nodeUrl, { method: 'POST', agent, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 0, answer.headers);
    pipeline(answer, outgoing, () => {});
  });
  pipeline(incoming, upstream, (error) => {
    if (error) outgoing.destroy(error);
  });
});

server.listen(0, '127.0.0.1', () => {
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    const state: ProxyState = { url, cpuMs: (user + system) / 1_000 };
    process.send?.(state);
  });
});
process.on('disconnect', () => process.exit());
