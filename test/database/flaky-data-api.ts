import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** What becomes of a request to the RDS Data API: 504 before or after it was done, or a connection that is cut. */
export type DataApiFault = '504' | '504 once done' | 'cut';

/** The RDS Data API behind a proxy that fails some requests. */
export interface FlakyDataApi {
  readonly url: string;
  /** Requests so far. */
  readonly requests: number;
  close(): void;
}

/**
 * Starts the proxy on a free port of 127.0.0.1.
 * @param faultOf fault of a request, by its number from 1 on and its path; undefined: none
 */
export async function startFlakyDataApi(
  target: string,
  faultOf: (number: number, path: string) => Promise<DataApiFault | undefined>,
): Promise<FlakyDataApi> {
  let requests = 0;
  const serve = async (request: IncomingMessage, response: ServerResponse) => {
    requests += 1;
    const fault = await faultOf(requests, request.url ?? '');
    const body = await buffer(request);
    if (fault === 'cut') return request.socket.resetAndDestroy();
    if (fault === '504') return response.writeHead(504).end();
    const { authorization = '', 'content-type': type = '' } = request.headers;
    const headers = { authorization, 'content-type': type };
    const answer = await fetch(new URL(request.url ?? '', target), { method: 'POST', headers, body });
    const text = await answer.text();
    if (fault === '504 once done') return response.writeHead(504).end();
    return response.writeHead(answer.status, Object.fromEntries(answer.headers)).end(text);
  };
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests;
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
