import { Connections } from '../../http/connections.ts';
import type { BodyWatch, HeldBodies, LargeBodies } from '../../http/large-bodies.ts';
import { jsonTarget, type PostedResponse, sendRequest } from '../../http/send-request.ts';
import { UpstreamError } from '../../http/upstream-error.ts';
import type { Clock } from '../../runtime/clock.ts';
import type { MetricLine } from '../../runtime/metrics.ts';
import { type ProcessBounds, processBounds } from '../../runtime/process-bounds.ts';
import type { NodeLessons } from '../health/node-lessons.ts';
import type { HearUnknownWords } from '../health/refused-words.ts';

/** Ids start over after this one. */
const MAX_ID = 1_000_000_000;

/**
 * Reserves `count` consecutive ids for the calls of a request and returns the first. Ids differ between requests
 * of a connection, so that a response to an earlier request is never taken for one to a later.
 */
export function createRequestIds(): (count: number) => number {
  let nextId = 1;
  return (count) => {
    if (nextId + count > MAX_ID) nextId = 1;
    const first = nextId;
    nextId += count;
    return first;
  };
}

/**
 * Calls that a process has made for the nodes of its chains, a batch of ten as ten: what providers bill by. Counted are also
 * the gateway's own, such as for the head of a chain, and those that are made again or abandoned.
 */
export class NodeCalls {
  #counts = new Map<string, number>();
  #total = 0;

  /** All that were ever counted. */
  get total(): number {
    return this.#total;
  }

  /** Counts calls for a chain. */
  add(chain: string, calls: number): void {
    this.#total += calls;
    this.#counts.set(chain, (this.#counts.get(chain) ?? 0) + calls);
  }

  /** The calls for each chain since this was last asked, in a map that is the caller's. */
  take(): Map<string, number> {
    const taken = this.#counts;
    this.#counts = new Map();
    return taken;
  }
}

/** Metrics of the calls that the index has made since it was last asked, a line for each chain. */
export function indexCallLines(calls: NodeCalls): MetricLine[] {
  return [...calls.take()].map(([Chain, IndexNodeCalls]) => ({
    values: { IndexNodeCalls },
    dimensions: { Chain },
  }));
}

/** Time after which an idle connection is not used again, in milliseconds: load balancers close them after a minute. */
const NODE_IDLE_MS = 50_000;

/** One POST to a node. */
export interface NodeRequest {
  /** JSON of a call or a batch. */
  readonly body: Uint8Array;
  /** Whether the node may see the request twice without harm. */
  readonly idempotent: boolean;
  /** When the response must be complete, in milliseconds since the epoch. */
  readonly deadline: number;
  /** Gives the request up. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether an idempotent request may go out once more when a kept connection turns out to be closed.
   * @default () => true
   */
  readonly mayRepeat?: (() => boolean) | undefined;
  /** Called with the response's body as it comes, before it is decoded. @default nothing is */
  readonly watch?: BodyWatch | undefined;
  /** What its client's request holds of large responses. @default the response takes room until it is there */
  readonly held?: HeldBodies | undefined;
}

/** A node that serves a chain. */
export interface NodeConnection {
  /** Largest response that is read, in bytes. */
  readonly maxResponseBytes: number;
  /** Reserves `count` consecutive ids for the calls of a request, and returns the first. */
  reserveIds(count: number): number;
  /**
   * Sends a request and reads its response, with any HTTP status.
   * @throws UpstreamError if there is no response.
   */
  post(request: NodeRequest): Promise<PostedResponse>;
  /** What was learnt of what the node lacks; forgotten with its URL. @default nothing is */
  readonly lessons?: NodeLessons | undefined;
  /** Called with refusals in words that are not known. @default not called */
  readonly hearUnknownWords?: HearUnknownWords | undefined;
  /** Closes the connections: idle ones now, busy ones with the end of their response. */
  close(): void;
}

/** The address of a node and its limits. */
export interface NodeConnectionOptions {
  /** `http://` or `https://` URL; user and password in it become basic authentication. */
  readonly url: string;
  /** Sent with each request, beside those of the body. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Largest response that is read, in bytes. */
  readonly maxResponseBytes: number;
  readonly clock: Clock;
  /** @default those of a process that serves one request at a time */
  readonly bounds?: ProcessBounds | undefined;
  /** Where large responses take room. @default they take none */
  readonly largeBodies?: LargeBodies | undefined;
  /** Called for every failed attempt, including one that is then repeated. */
  readonly onFailure?: (error: UpstreamError) => void;
}

/**
 * Connects to a node: connections are opened when they are needed, and kept for later requests.
 * @throws Error if the URL is not one of `http` or `https`; its text does not hold the URL.
 */
export function connectNode(options: NodeConnectionOptions): NodeConnection {
  const { clock, maxResponseBytes, onFailure, headers, largeBodies, bounds = processBounds(1, 1) } = options;
  const { origin, pathname, search, username, password } = readUrl(options.url);
  const credentials = basicCredentials(username, password);
  const target = jsonTarget(pathname + search, { ...credentials, ...headers });
  const limits = { origin, clock, most: bounds.socketsOfNode, idleMs: NODE_IDLE_MS };
  const kept = new Connections({ ...limits, mostIdle: bounds.keptSocketsOfNode });
  const fresh = new Connections({ ...limits, mostIdle: 0 });

  const send = ({ body, deadline, signal, watch, held }: NodeRequest, connections: Connections) => {
    const timeoutMs = deadline - clock.now();
    const unsent = { sent: false, reusedSocket: false };
    if (signal?.aborted) return Promise.reject(new UpstreamError('aborted', unsent));
    if (timeoutMs <= 0) return Promise.reject(new UpstreamError('timeout', unsent));
    const post = { ...target, connections, body, timeoutMs, maxResponseBytes, signal, watch };
    if (held !== undefined || largeBodies === undefined) return sendRequest({ ...post, held });
    const own = largeBodies.open();
    return sendRequest({ ...post, held: own }).finally(() => own.release());
  };
  const tell = (error: unknown) => {
    if (error instanceof UpstreamError && !isOwnDoing(error)) onFailure?.(error);
    return error;
  };
  const sendOnce = (request: NodeRequest) =>
    send(request, fresh).catch((error: unknown) => {
      throw tell(error);
    });

  return {
    maxResponseBytes,
    reserveIds: createRequestIds(),
    post(request) {
      // On a kept connection that the node is closing, there is no way to tell whether the request has arrived.
      if (!request.idempotent) return sendOnce(request);
      return send(request, kept).catch((error: unknown) => {
        tell(error);
        if (!(error instanceof UpstreamError && error.kind === 'closed' && error.reusedSocket)) throw error;
        if (request.mayRepeat?.() === false) throw error;
        return sendOnce(request);
      });
    },
    close: () => kept.close(),
  };
}

/** Whether the node has no part in a failure. */
function isOwnDoing({ kind }: UpstreamError): boolean {
  return kind === 'aborted' || kind === 'no_room';
}

function readUrl(url: string): URL {
  const parsed = URL.parse(url);
  if (parsed === null || !['http:', 'https:'].includes(parsed.protocol)) {
    throw new Error('the URL of an upstream must start with http:// or https://');
  }
  return parsed;
}

/** Basic authentication with the user and the password of a URL, if it has them. */
function basicCredentials(username: string, password: string): Record<string, string> {
  if (username === '' && password === '') return {};
  const credentials = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}
