/**
 * The deployed JSON-RPC function, without a Lambda runtime around it: its bundle behind a bare HTTP server, which makes API
 * Gateway's events of them. `fork`ed with the environment of the function; answers every message with a
 * {@link ProcessState}.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { requireVariable } from '../../lambdas/shared/runtime/environment.ts';
import { answerStates } from '../worker.ts';

type StreamingHandler = (event: unknown, stream: Writable, context: object) => Promise<void>;
interface Head {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Time that the function thinks it has left, in milliseconds. */
const REMAINING_MS = 25_000;

/** Passes a response on to the client: one of a single piece in one write, with its length. */
class ResponseStream extends Writable {
  head: Head = { statusCode: 0, headers: {} };
  readonly #response: ServerResponse;
  #first: Buffer | undefined;

  constructor(response: ServerResponse) {
    super();
    this.#response = response;
  }

  override _write(piece: Buffer, _encoding: BufferEncoding, done: () => void): void {
    const { statusCode, headers } = this.head;
    if (this.#response.destroyed || piece.length === 0) done();
    else if (this.#first === undefined) {
      this.#first = piece;
      done();
    } else {
      if (!this.#response.headersSent) this.#response.writeHead(statusCode, headers).write(this.#first);
      if (this.#response.write(piece)) done();
      else this.#response.once('drain', done);
    }
  }

  override _final(done: () => void): void {
    const { statusCode, headers } = this.head;
    if (this.#response.headersSent) this.#response.end();
    else {
      const body = this.#first ?? Buffer.alloc(0);
      this.#response.writeHead(statusCode, { ...headers, 'Content-Length': body.length }).end(body);
    }
    done();
  }
}

Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: StreamingHandler) => handler,
    HttpResponseStream: { from: (stream: ResponseStream, head: Head) => Object.assign(stream, { head }) },
  },
});
const bundle = join(requireVariable('LAMBDA_TASK_ROOT'), 'index.js');
const { handler } = createRequire(bundle)(bundle) as { handler: StreamingHandler };
let invocations = 0;

function answer({ headers }: IncomingMessage, body: string, response: ServerResponse): Promise<void> {
  invocations += 1;
  const event = {
    resource: '/v1',
    path: '/v1/',
    httpMethod: 'POST',
    headers,
    pathParameters: null,
    queryStringParameters: null,
    requestContext: { requestId: 'bench', path: '/v1/', identity: { sourceIp: '127.0.0.1' } },
    body,
    isBase64Encoded: false,
  };
  const context = { awsRequestId: `bench-${invocations}`, getRemainingTimeInMillis: () => REMAINING_MS };
  return handler(event, new ResponseStream(response), context);
}

const server = createServer((request, response) => {
  const pieces: Buffer[] = [];
  request.on('data', (piece: Buffer) => pieces.push(piece));
  request.on('end', () => {
    answer(request, Buffer.concat(pieces).toString(), response).catch((error: unknown) => {
      console.error(error);
      response.destroy();
    });
  });
});
answerStates(server);
