import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Refuse, refusalBody } from './refusal.ts';

/** Answers a request that is to be refused; false for one that is not. */
export function refused(refuse: Refuse, request: IncomingMessage, response: ServerResponse): boolean {
  const refusal = refuse({ method: request.method ?? '', headers: request.headers });
  if (refusal === undefined) return false;
  const headers = {
    'content-type': 'application/json',
    'x-amzn-errortype': refusal.name,
    connection: 'close',
  };
  response.writeHead(refusal.status, headers).end(refusalBody(refusal));
  return true;
}
