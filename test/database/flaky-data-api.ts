import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen, type TestServer } from '../support/listen.ts';

/** What becomes of a request to the RDS Data API: 504 before or after it was done, or a connection that is cut. */
export type DataApiFault = '504' | '504 once done' | 'cut';

/** The RDS Data API behind a proxy that fails some requests. */
export interface FlakyDataApi extends TestServer {
  /** Requests so far. */
  readonly requests: number;
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
  const server = await listen((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  return {
    ...server,
    get requests() {
      return requests;
    },
  };
}
