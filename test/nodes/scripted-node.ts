import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A request as the node received it. */
export interface ReceivedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** Number of the connection that it came over, from 0. */
  readonly connection: number;
}

/** How the node treats one request; `replies.ts` has the usual ones. */
export type Reply = (request: ReceivedRequest, response: ServerResponse) => void;

/** A node for tests that does to each request what its script says. */
export interface ScriptedNode {
  readonly url: string;
  /** Every request so far, in order of arrival, but the gateway's own questions. */
  readonly requests: readonly ReceivedRequest[];
  /** The gateway's own questions for the head; the usual reply answers them, whatever the script says. */
  readonly polls: readonly ReceivedRequest[];
  /** Its questions for the chain, of which the same is true. */
  readonly chainQuestions: readonly ReceivedRequest[];
  /** Replies for the next requests, one each; after them the usual reply serves again. */
  script(...replies: Reply[]): void;
  /** Whether connections are closed as soon as they are accepted. */
  closeAtAccept(close: boolean): void;
  /** Connections accepted so far. */
  connectionCount(): number;
  /** Bytes handed to the operating system for all clients so far. */
  sentBytes(): number;
  /** Resolves when no connection is open. */
  idle(): Promise<void>;
  close(): Promise<void>;
}

const CHAIN_QUESTION = /^\{"jsonrpc":"2.0","id":\d+,"method":"eth_chainId","params":\[\]\}$/;
/** With a space that clients of tests do not send. */
const POLL = '"params":["latest", false]';

/** Starts a node on a free port of this machine. `usual`: its reply while nothing else is scripted. */
export async function startScriptedNode(usual: Reply): Promise<ScriptedNode> {
  const requests: ReceivedRequest[] = [];
  const polls: ReceivedRequest[] = [];
  const chainQuestions: ReceivedRequest[] = [];
  const sockets: Socket[] = [];
  const scripted: Reply[] = [];
  let closing = false;

  const ownQuestionsLike = (body: string) => {
    if (body.includes(POLL)) return polls;
    return CHAIN_QUESTION.test(body) ? chainQuestions : undefined;
  };

  const server = createServer(async (incoming, response) => {
    const request = await receive(incoming, sockets.indexOf(incoming.socket));
    if (request === undefined) return;
    const own = ownQuestionsLike(request.body.toString());
    (own ?? requests).push(request);
    const reply = own === undefined ? (scripted.shift() ?? usual) : usual;
    reply(request, response);
  });
  server.on('connection', (socket) => {
    sockets.push(socket);
    socket.on('error', () => socket.destroy());
    if (closing) socket.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    polls,
    chainQuestions,
    script: (...replies) => void scripted.push(...replies),
    closeAtAccept: (close) => {
      closing = close;
    },
    connectionCount: () => sockets.length,
    sentBytes: () =>
      sockets.reduce((bytes, socket) => bytes + socket.bytesWritten - socket.writableLength, 0),
    async idle() {
      await Promise.all(
        sockets.map((socket) => socket.closed || new Promise((resolve) => socket.once('close', resolve))),
      );
    },
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Undefined if the client left before it had sent everything. */
async function receive(incoming: IncomingMessage, connection: number): Promise<ReceivedRequest | undefined> {
  const { method = '', url = '', headers } = incoming;
  try {
    return { method, path: url, headers, body: await buffer(incoming), connection };
  } catch {
    return undefined;
  }
}
