import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Seen, SendRequest } from './seen.ts';
import { parseJson } from './seen.ts';

/** Longest time that a request may take, in milliseconds. */
const REQUEST_TIMEOUT_MS = 60_000;
const WEB_SOCKET_HEADERS = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-version': '13',
  'sec-websocket-key': Buffer.from('conformance probe').toString('base64'),
};

/** How a gateway is reached. */
export interface Transport {
  /** Sends one request and follows no redirect. */
  send(request: SendRequest): Promise<Seen>;
  /** Asks for a WebSocket on a path; resolves to the status of the answer: 101 is one. */
  openSocket(request: Pick<SendRequest, 'path' | 'headers'>): Promise<number>;
}

/** @param url of a gateway, without a slash at the end */
export function overHttp(url: string): Transport {
  return {
    async send({ path, method, headers, body }) {
      const response = await fetch(`${url}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        redirect: 'manual',
        signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
      });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, json: parseJson(text) };
    },
    openSocket({ path, headers }) {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const send = url.startsWith('https:') ? requestHttps : requestHttp;
      const asked = send(`${url}${path}`, {
        headers: { ...headers, ...WEB_SOCKET_HEADERS },
        timeout: REQUEST_TIMEOUT_MS,
        agent: false,
      });
      asked.once('upgrade', (_response, socket) => {
        socket.destroy();
        resolve(101);
      });
      asked.once('response', (response) => {
        response.destroy();
        resolve(response.statusCode ?? 0);
      });
      asked.once('timeout', () => asked.destroy(new Error('no answer in time')));
      asked.once('error', reject);
      asked.end();
      return promise;
    },
  };
}
