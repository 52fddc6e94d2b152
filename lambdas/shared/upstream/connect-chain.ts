import type { ReadSecret } from '../aws/cached-secrets.ts';
import type { LargeBodies } from '../http/large-bodies.ts';
import { UpstreamError } from '../http/upstream-error.ts';
import { type Clock, isWithin } from '../runtime/clock.ts';
import { embeddedUpstreamVariable, requireVariable } from '../runtime/environment.ts';
import { type ChainSettings, type DescribedUpstream, upstreamReference } from '../runtime/settings.ts';
import { type Sleep, sleep, within } from '../runtime/sleep.ts';
import type { Telemetry } from '../runtime/telemetry.ts';
import {
  type ChainUpstreams,
  type ChainUpstreamsOptions,
  openChainUpstreams,
  type UpstreamOptions,
} from './chain-upstreams.ts';
import {
  connectNode,
  createRequestIds,
  type NodeCalls,
  type NodeConnection,
  type NodeConnectionOptions,
  type NodeRequest,
} from './connection/node-connection.ts';
import { isPublicHttps } from './connection/public-url.ts';
import { verifyChain } from './connection/verify-chain.ts';
import { type CallBudget, type CallPace, createCallPace, createSharedPace } from './health/call-pace.ts';
import { createNodeLessons, type NodeLimits } from './health/node-lessons.ts';
import { countUnknownWords, type HearUnknownWords } from './health/refused-words.ts';

const SECRET_PREFIX = 'secret:';
/** Time for which a URL and its headers are taken as they were last read, in milliseconds. */
export const RESOLVED_MS = 1_000;
const HEADER_VALUE = /^[\x20-\x7e]+$/;

interface ConnectChainOptions extends Omit<ChainUpstreamsOptions, 'maxResponseBytes' | 'agreement'> {
  readonly readSecret: ReadSecret;
  /** Called for every failed attempt at an upstream, including one that is then repeated. */
  readonly onFailure?: (upstream: string, error: UpstreamError) => void;
  /** Where refusals in words of which nothing is known are counted, by chain and upstream. @default nowhere */
  readonly telemetry?: Telemetry;
  /** Where the calls for its nodes are counted. @default nowhere */
  readonly nodeCalls?: NodeCalls | undefined;
  /** Where large responses take room. @default they take none */
  readonly largeBodies?: LargeBodies | undefined;
  /** Where all processes draw the calls of an upstream that takes so many a second. @default each keeps to it by itself */
  readonly callBudget?: CallBudget | undefined;
  /**
   * Called with an upstream of another chain and the chain id it returned; the upstream is taken out of use.
   * @default the chain id is not checked
   */
  readonly onWrongChain?: (upstream: string, told: bigint) => void;
  /** Whether nothing counts of a node that does not tell its chain id. @default it is used */
  readonly isChainStrict?: boolean;
}

/** The upstreams of a chain, each connected on first use. */
export function connectChain(chain: ChainSettings, options: ConnectChainOptions): ChainUpstreams {
  const { clock, readSecret, onFailure, onWrongChain, telemetry, nodeCalls, bounds, largeBodies } = options;
  const { isChainStrict: isStrict } = options;
  const { chainId, maxResponseBytes } = chain;
  const upstreams = chain.upstreams.map((entry, index): UpstreamOptions => {
    const described: DescribedUpstream = typeof entry === 'string' ? {} : entry;
    const { name = `upstream-${index + 1}`, priority, weight, callsPerSecond, headers = {} } = described;
    const exclude = (told: bigint) => {
      connected.upstreams[index]?.health.exclude();
      onWrongChain?.(name, told);
    };
    const resolve = async (): Promise<NodeAddress> => ({
      url: await resolveUrl(upstreamReference(entry), chain, readSecret),
      headers: await resolveHeaders(headers, readSecret),
    });
    const connection = connectReference(resolve, {
      onOtherNode: () => connected.upstreams[index]?.health.forgetMethods(),
      clock,
      limits: described,
      maxResponseBytes,
      bounds,
      largeBodies,
      onFailure: (error) => onFailure?.(name, error),
      onCalls: (calls) => nodeCalls?.add(chain.chain, calls),
      ...(telemetry !== undefined && {
        hearUnknownWords: countUnknownWords({ chain: chain.chain, upstream: name }, { clock, telemetry }),
      }),
      ...(onWrongChain !== undefined && {
        verify: (node: NodeConnection) =>
          verifyChain(node, { chainId, clock, onWrongChain: exclude, isStrict }),
      }),
    });
    const of = `${chain.chain} ${name}`;
    const pace = callsPerSecond === undefined ? undefined : openPace({ ...options, of, callsPerSecond });
    return { name, connection, priority, weight, pace, abilities: described };
  });
  const connected = openChainUpstreams(upstreams, {
    ...options,
    maxResponseBytes,
    agreement: chain.agreement,
  });
  return connected;
}

/** Logs an upstream whose node is of another chain. */
export function tellOfWrongChain({ chain, chainId }: ChainSettings, telemetry: Telemetry) {
  return (upstream: string, told: bigint) =>
    telemetry.log('error', 'upstream_wrong_chain', {
      chain,
      upstream,
      error: `the node has chain id ${told}, not ${chainId}`,
    });
}

/** The pace of an upstream, which all processes share if they have a store to share it in. */
function openPace({
  clock,
  random = Math.random,
  callBudget,
  of,
  callsPerSecond,
}: Pick<ConnectChainOptions, 'clock' | 'random' | 'callBudget'> & {
  readonly of: string;
  readonly callsPerSecond: number;
}): CallPace {
  return callBudget === undefined
    ? createCallPace(clock, callsPerSecond)
    : createSharedPace({ ...callBudget, clock, random, of, callsPerSecond });
}

/** Where a node is reached. */
type NodeAddress = Pick<NodeConnectionOptions, 'url' | 'headers'>;

interface ReferenceOptions extends Omit<NodeConnectionOptions, keyof NodeAddress> {
  /** What the stage file says of it. */
  readonly limits: NodeLimits;
  readonly hearUnknownWords?: HearUnknownWords;
  /** Called when the URL is of another node from now on. */
  readonly onOtherNode: () => void;
  /** Called with the number of calls for which ids are reserved: each call that is sent has one. */
  readonly onCalls: (calls: number) => void;
  /** Makes a node one whose responses are of the right chain. @default any chain will do */
  readonly verify?: (node: NodeConnection) => NodeConnection;
}

/**
 * Connects to where a URL says. When a secret that holds it, or one of its headers, changes, requests go there a second after
 * the secret is read again at the latest; requests on their way keep their connection. Without a URL that can be used, the node is one
 * that cannot be reached; a request waits for the URL no longer than for the node.
 */
function connectReference(
  resolve: () => Promise<NodeAddress>,
  { verify = (node) => node, limits, hearUnknownWords, onOtherNode, onCalls, ...options }: ReferenceOptions,
): NodeConnection {
  const reserveIds = countedIds(onCalls);
  const lessons = createNodeLessons(options.clock, limits);
  let current:
    | { readonly key: string; readonly node: NodeConnection; readonly resolvedAt: number }
    | undefined;

  const connect = async (): Promise<NodeConnection> => {
    try {
      const resolvedAt = options.clock.now();
      const address = await resolve();
      const key = JSON.stringify(address);
      if (current?.key === key) current = { ...current, resolvedAt };
      else {
        const node = verify({ ...connectNode({ ...options, ...address }), reserveIds });
        const before = current;
        current = { key, node, resolvedAt };
        // What others say of the first one is of that node.
        if (before !== undefined) {
          before.node.close();
          lessons.forget();
          onOtherNode();
        }
      }
      return current.node;
    } catch {
      throw new UpstreamError('unreachable', { sent: false, reusedSocket: false, code: 'NO_URL' });
    }
  };

  const postWhenConnected: NodeConnection['post'] = async (request) => {
    const node = await withinRequest(connect(), request, options.clock).catch((error: unknown) => {
      if (error instanceof UpstreamError && error.kind !== 'aborted') options.onFailure?.(error);
      throw error;
    });
    return node.post(request);
  };

  return {
    maxResponseBytes: options.maxResponseBytes,
    reserveIds,
    lessons,
    hearUnknownWords,
    post(request) {
      if (current !== undefined && isWithin(current.resolvedAt, options.clock.now(), RESOLVED_MS))
        return current.node.post(request);
      return postWhenConnected(request);
    },
    close: () => current?.node.close(),
  };
}

/** Ids of calls; each is counted as it is reserved. */
function countedIds(onCalls: (calls: number) => void): NodeConnection['reserveIds'] {
  const nextIds = createRequestIds();
  return (count) => {
    onCalls(count);
    return nextIds(count);
  };
}

/**
 * Waits for the connections that a request needs, until its deadline or until it is abandoned.
 * @throws UpstreamError then
 */
async function withinRequest(
  connecting: Promise<NodeConnection>,
  { deadline, signal }: NodeRequest,
  clock: Clock,
): Promise<NodeConnection> {
  const untilOver: Sleep = (ms, over) =>
    sleep(ms, AbortSignal.any([over, signal].flatMap((one) => one ?? [])));
  const node = await within(Math.max(0, deadline - clock.now()), connecting, untilOver);
  if (node !== undefined) return node;
  const kind = signal?.aborted === true ? 'aborted' : 'timeout';
  throw new UpstreamError(kind, { sent: false, reusedSocket: false });
}

/**
 * The headers of an upstream, with the values that secrets hold.
 * @throws Error for a secret that no header can hold; its text does not hold the value
 */
async function resolveHeaders(
  headers: Readonly<Record<string, string>>,
  readSecret: ReadSecret,
): Promise<Readonly<Record<string, string>>> {
  const resolved = Object.entries(headers).map(async ([name, value]) => {
    if (!value.startsWith(SECRET_PREFIX)) return [name, value] as const;
    const secret = await readSecret(value.slice(SECRET_PREFIX.length));
    if (!HEADER_VALUE.test(secret)) throw new Error('a secret is no value of a header');
    return [name, secret] as const;
  });
  return Object.fromEntries(await Promise.all(resolved));
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
