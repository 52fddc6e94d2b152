import type { ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { ReceivedRequest, Reply } from './scripted-node.ts';

/** A call as the node reads it. */
export interface ReceivedCall {
  readonly id: number;
  readonly method: string;
  readonly params?: readonly unknown[];
}

/** Raw JSON of what a call is answered. */
export type RawResponse = { readonly result: string } | { readonly error: string };

/** One response on its way into the response; a script may change, drop, repeat and reorder them. */
export interface OutgoingResponse {
  readonly id: unknown;
  readonly response: RawResponse;
}

/** How a node's response differs from the plain one. */
export interface AnswerScript {
  readonly arrange?: (responses: readonly OutgoingResponse[]) => readonly OutgoingResponse[];
  readonly status?: number;
  readonly gzip?: boolean;
}

/** Calls in the body of a request, in order. */
export function callsOf(body: Uint8Array): readonly ReceivedCall[] {
  const parsed = JSON.parse(Buffer.from(body).toString()) as ReceivedCall | ReceivedCall[];
  return Array.isArray(parsed) ? parsed : [parsed];
}

/** JSON of a response object. */
export function renderResponse({ id, response }: OutgoingResponse): string {
  const member = 'result' in response ? `"result":${response.result}` : `"error":${response.error}`;
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${member}}`;
}

/** Answers every call, as a node should unless the script says otherwise. */
export function answering(answer: (call: ReceivedCall) => RawResponse, script: AnswerScript = {}): Reply {
  return (request, response) => {
    const responses = callsOf(request.body).map((call) => ({ id: call.id, response: answer(call) }));
    const rendered = (script.arrange?.(responses) ?? responses).map(renderResponse);
    const isBatch = request.body[0] === '['.charCodeAt(0);
    const json = Buffer.from(isBatch ? `[${rendered.join(',')}]` : rendered.join(''));
    const body = script.gzip ? gzipSync(json) : json;
    const coding = script.gzip ? { 'content-encoding': 'gzip' } : {};
    response.writeHead(script.status ?? 200, { 'content-type': 'application/json', ...coding });
    response.end(body);
  };
}

/** Answers every call with the same raw JSON result. */
export function result(json: string, script?: AnswerScript): Reply {
  return answering(() => ({ result: json }), script);
}

/** Sends a body as it is. */
export function body(
  bytes: string | Uint8Array,
  status = 200,
  headers: Readonly<Record<string, string>> = {},
): Reply {
  return (_request, response) => response.writeHead(status, headers).end(bytes);
}

/** Sends bytes that need not be HTTP, and then leaves the connection open. */
export function rawBytes(bytes: string): Reply {
  return (_request, response) => void response.socket?.write(bytes);
}

/** Reads the request and closes the connection. */
export const closing: Reply = (_request, response) => void response.socket?.destroy();

/** Reads the request and says nothing. */
export const stalling: Reply = () => {};

/** Sends one byte at a time for ever. */
export function trickling(intervalMs: number): Reply {
  return (_request, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write(' '), intervalMs);
    response.on('close', () => clearInterval(timer));
  };
}

/** Promises twice as many bytes as it sends, and closes the connection. */
export function halfBody(bytes: string): Reply {
  return (_request, response) => {
    response.writeHead(200, { 'content-length': Buffer.byteLength(bytes) * 2 });
    response.write(bytes, () => response.socket?.destroy());
  };
}

/** Sends spaces for as long as the client reads. `declaredBytes`: the content length, else chunked. */
export function unbounded(declaredBytes?: number): Reply {
  return (_request, response) => {
    response.writeHead(200, declaredBytes === undefined ? {} : { 'content-length': declaredBytes });
    pour(response, Buffer.alloc(64 * 1024, ' '));
  };
}

/** Promises a body and does not begin it. */
export function announcing(declaredBytes: number): Reply {
  return (_request, response) => response.writeHead(200, { 'content-length': declaredBytes }).flushHeaders();
}

/** Replies to the first request over a connection by one reply, to later ones by another. */
export function byReuse(first: Reply, later: Reply): Reply {
  const seen = new Set<number>();
  return (request: ReceivedRequest, response) => {
    const reply = seen.has(request.connection) ? later : first;
    seen.add(request.connection);
    reply(request, response);
  };
}

function pour(response: ServerResponse, chunk: Buffer): void {
  while (!response.destroyed && response.write(chunk));
  if (!response.destroyed) response.once('drain', () => pour(response, chunk));
}
