import { UpstreamError } from '../http/upstream-error.ts';
import type { Clock } from '../runtime/clock.ts';
import { embeddedUpstreamVariable, requireVariable } from '../runtime/environment.ts';
import { type ChainSettings, upstreamReference } from '../runtime/settings.ts';
import {
  type ChainUpstreams,
  type ChainUpstreamsOptions,
  openChainUpstreams,
  type UpstreamOptions,
} from './chain-upstreams.ts';
import {
  connectNode,
  type NodeConnection,
  type NodeConnectionOptions,
  type NodeRequest,
} from './connection/node-connection.ts';
import { isPublicHttps } from './connection/public-url.ts';
import { createRequestIds } from './connection/request-ids.ts';
import { verifyChain } from './connection/verify-chain.ts';
import { createNodeLessons } from './health/node-lessons.ts';

const SECRET_PREFIX = 'secret:';

/** Reads a secret by its name; expected to cache. */
export type ReadSecret = (name: string) => Promise<string>;

export interface ConnectChainOptions extends Omit<ChainUpstreamsOptions, 'maxResponseBytes'> {
  readonly readSecret: ReadSecret;
  /** Called for every failed attempt at an upstream, including one that is then repeated. */
  readonly onFailure?: (upstream: string, error: UpstreamError) => void;
  /**
   * Called with an upstream of another chain and the chain id it returned; the upstream is taken out of use.
   * @default the chain id is not checked
   */
  readonly onWrongChain?: (upstream: string, told: bigint) => void;
}

/** The upstreams of a chain, each connected on first use. */
export function connectChain(chain: ChainSettings, options: ConnectChainOptions): ChainUpstreams {
  const { clock, readSecret, onFailure, onWrongChain } = options;
  const { chainId, maxResponseBytes } = chain;
  const upstreams = chain.upstreams.map((entry, index): UpstreamOptions => {
    const { name = `upstream-${index + 1}`, priority, weight } = typeof entry === 'string' ? {} : entry;
    const exclude = (told: bigint) => {
      connected.upstreams[index]?.health.exclude();
      onWrongChain?.(name, told);
    };
    const connection = connectReference(() => resolveUrl(upstreamReference(entry), chain, readSecret), {
      clock,
      maxResponseBytes,
      onFailure: (error) => onFailure?.(name, error),
      ...(onWrongChain !== undefined && {
        verify: (node: NodeConnection) => verifyChain(node, { chainId, clock, onWrongChain: exclude }),
      }),
    });
    return { name, connection, priority, weight };
  });
  const connected = openChainUpstreams(upstreams, { ...options, maxResponseBytes });
  return connected;
}

interface ReferenceOptions extends Omit<NodeConnectionOptions, 'url'> {
  /** Makes a node one whose answers are of the right chain. @default any chain will do */
  readonly verify?: (node: NodeConnection) => NodeConnection;
}

/**
 * Connects to where a URL says. When the secret that holds it changes, requests go to the new URL as soon as the
 * secret is read again; requests on their way keep their connection. Without a URL that can be used, the node is one
 * that cannot be reached; a request waits for the URL no longer than for the node.
 */
function connectReference(
  resolve: () => Promise<string>,
  { verify = (node) => node, ...options }: ReferenceOptions,
): NodeConnection {
  const reserveIds = createRequestIds();
  const lessons = createNodeLessons(options.clock);
  let current: { readonly url: string; readonly node: NodeConnection } | undefined;

  const connect = async (): Promise<NodeConnection> => {
    try {
      const url = await resolve();
      if (current?.url !== url) {
        const node = verify({ ...connectNode({ ...options, url }), reserveIds });
        current?.node.close();
        lessons.forget();
        current = { url, node };
      }
      return current.node;
    } catch {
      throw new UpstreamError('unreachable', { sent: false, reusedSocket: false, code: 'NO_URL' });
    }
  };

  return {
    maxResponseBytes: options.maxResponseBytes,
    reserveIds,
    lessons,
    async post(request) {
      const node = await withinRequest(connect(), request, options.clock).catch((error: unknown) => {
        if (error instanceof UpstreamError && error.kind !== 'aborted') options.onFailure?.(error);
        throw error;
      });
      return node.post(request);
    },
    close: () => current?.node.close(),
  };
}

/**
 * Waits for the connections that a request needs, at most until the request's deadline.
 * @throws UpstreamError at the deadline
 */
async function withinRequest<T>(
  awaited: Promise<T>,
  { deadline, signal }: NodeRequest,
  clock: Clock,
): Promise<T> {
  const { promise: over, reject } = Promise.withResolvers<never>();
  const end = (kind: 'aborted' | 'timeout') =>
    reject(new UpstreamError(kind, { sent: false, reusedSocket: false }));
  const timer = setTimeout(end, Math.max(0, deadline - clock.now()), 'timeout');
  const onAbort = () => end('aborted');
  signal?.addEventListener('abort', onAbort, { once: true });
  if (signal?.aborted) onAbort();
  try {
    return await Promise.race([awaited, over]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', onAbort);
  }
}

/**
 * URL that a reference of the stage file stands for.
 * @throws Error for a secret with a URL that the chain does not allow; its text does not hold the URL
 */
async function resolveUrl(
  reference: string,
  { chain, privateUpstreams = false }: ChainSettings,
  readSecret: ReadSecret,
): Promise<string> {
  if (reference === 'embedded') return requireVariable(embeddedUpstreamVariable(chain));
  if (!reference.startsWith(SECRET_PREFIX)) return reference;
  const url = await readSecret(reference.slice(SECRET_PREFIX.length));
  if (!privateUpstreams && !isPublicHttps(url)) throw new Error('the URL of an upstream is not public https');
  return url;
}
