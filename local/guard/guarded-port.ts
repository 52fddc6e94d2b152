import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { type GuardRefusal, type Refuse, type RequestHead, refusalBody } from './refusal.ts';

const REQUEST_LINE = /^([A-Z]+) [!-~]+ HTTP\/1\.[01]$/;
const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n\0]*?)[ \t]*$/;
/** The end of a request's head. */
const END_OF_HEAD = '\r\n\r\n';

const HOST = '127.0.0.1';
/** Most bytes before the body of a connection's first request. */
const MAX_HEAD_BYTES = 16 * 1024;
/** Time that a connection has to send it. */
const HEAD_TIMEOUT_MS = 10_000;
const MAX_CONNECTIONS = 1_024;
const NOT_UNDERSTOOD: GuardRefusal = { status: 400, name: 'BadRequest', message: 'not an HTTP/1.1 request' };

interface GuardedPort {
  readonly host: string;
  readonly port: number;
  /** Without a slash at the end. */
  readonly url: string;
  /** Closes it, with the connections that are open. */
  close(): Promise<void>;
}

/** Where a program listens that does not authenticate its callers. */
interface Backend {
  readonly host: string;
  readonly port: number;
}

/**
 * Listens on a free port of this machine for a program that is to be reached in no other way, and decides about each
 * connection by its first request. What is let in is passed on unread, in both directions: looking at each request would
 * cost several times as much. That is enough: no page can send a first request that is let in, so a browser has no
 * connection that another page could use.
 */
export async function startGuardedPort(backend: Backend, refuse: Refuse): Promise<GuardedPort> {
  const open = new Set<Socket>();
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    open.add(client.once('close', () => open.delete(client)));
    readHead(client, refuse, (begin) => passOn(client, backend, begin));
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(0, HOST);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    host: HOST,
    port,
    url: `http://${HOST}:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const client of open) client.destroy();
      }),
  };
}

/** Waits for the head of a first request; `onAdmitted` gets all that has come by then. */
function readHead(client: Socket, refuse: Refuse, onAdmitted: (begin: Buffer) => void): void {
  let begin = Buffer.alloc(0);
  const stop = () => {
    client.off('data', read).off('end', hangUp).setTimeout(0);
  };
  const hangUp = () => client.destroy();
  const read = (chunk: Buffer) => {
    begin = Buffer.concat([begin, chunk]);
    const end = begin.indexOf(END_OF_HEAD);
    if (end === -1 && begin.length <= MAX_HEAD_BYTES) return;
    stop();
    const head =
      end === -1 || end > MAX_HEAD_BYTES ? undefined : parseRequestHead(begin.toString('latin1', 0, end));
    const refusal = head === undefined ? NOT_UNDERSTOOD : refuse(head);
    if (refusal === undefined) onAdmitted(begin);
    else respond(client, refusal);
  };
  client.on('data', read).once('end', hangUp).once('error', hangUp);
  client.setTimeout(HEAD_TIMEOUT_MS, hangUp);
}

/** Tells why, and reads no more; what is on its way is dropped, so that the response arrives. */
function respond(client: Socket, refusal: GuardRefusal): void {
  const body = refusalBody(refusal);
  const lines = [
    `HTTP/1.1 ${refusal.status} Refused`,
    'content-type: application/json',
    `x-amzn-errortype: ${refusal.name}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  client.setTimeout(HEAD_TIMEOUT_MS, () => client.destroy());
  client.resume().end(`${lines.join('\r\n')}${END_OF_HEAD}${body}`);
}

function passOn(client: Socket, backend: Backend, begin: Buffer): void {
  const part = connect({ host: backend.host, port: backend.port, noDelay: true, allowHalfOpen: true });
  part.write(begin);
  client.pipe(part).pipe(client);
  client.once('close', () => part.destroy());
  part.once('error', () => part.destroy()).once('close', () => client.destroy());
}

/**
 * Reads the head of an HTTP/1 request, without {@link END_OF_HEAD}. What two readers could understand in two ways is not
 * understood: a header that comes twice or continues in the next line, a line that ends otherwise than with CR LF.
 */
export function parseRequestHead(text: string): RequestHead | undefined {
  const [requestLine = '', ...lines] = text.split('\r\n');
  const [, method] = REQUEST_LINE.exec(requestLine) ?? [];
  if (method === undefined) return undefined;
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const [, name, value] = HEADER.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    const key = name.toLowerCase();
    if (Object.hasOwn(headers, key)) return undefined;
    headers[key] = value;
  }
  return { method, headers };
}
