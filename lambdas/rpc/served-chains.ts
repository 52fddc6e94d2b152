import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import {
  API_KEY_PATTERN,
  type AuthenticatedEvent,
  type CacheStore,
  type HttpResponse,
  notFound,
  openGivenHeadStore,
  openSharedTextStore,
  openWaitingStore,
  readSecret,
} from 'gateway-access';
import { decodeSegment } from '../shared/http/decode-segment.ts';
import { Prices } from '../shared/methods/method-facts.ts';
import { processBounds, requestsAtATime } from '../shared/runtime/process-bounds.ts';
import type { StageSettings } from '../shared/runtime/settings.ts';
import type { ChainUpstreams } from '../shared/upstream/chain-upstreams.ts';
import { openCopies } from '../shared/upstream/copies/open-copies.ts';
import { WaitingBudget } from '../shared/upstream/health/waiting-budget.ts';
import { operatorsOf } from '../shared/upstream/operators/operators.ts';
import { GivenHeads } from '../shared/upstream/routing/given-heads.ts';
import { type ChainObserver, serveChain } from '../shared/upstream/routing/serve-chain.ts';
import { tellLackingProofs } from '../shared/upstream/sharing/lacking-proofs.ts';
import { shareChain } from '../shared/upstream/sharing/share-chain.ts';
import { forgiveStore } from '../shared/upstream/sharing/shared-item.ts';
import { proofOf } from '../shared/verify/chain-proof.ts';
import { UnbilledErrors } from './billing/call-usage.ts';
import type { ServedChain } from './rpc-request.ts';
import { VerifiedCalls } from './verified/verified-calls.ts';

/**
 * The chains of a stage by name. Nothing is connected before the first request.
 * @param records where instances tell which proofs the chains' nodes lack
 */
export function serveChains(
  settings: StageSettings,
  observer: ChainObserver,
  records: CacheStore,
): ReadonlyMap<string, ServedChain> {
  const { clock, telemetry } = observer;
  const [waiting, given, views] = [openWaitingStore(clock), openGivenHeadStore(), openSharedTextStore()];
  const nodes = settings.chains.reduce((count, { upstreams }) => count + upstreams.length, 0);
  const bounds = processBounds(requestsAtATime(), nodes);
  const budget = new WaitingBudget({
    store: waiting,
    clock,
    random: Math.random,
    concurrency: settings.rpcConcurrency,
    chains: settings.chains.length,
  });
  const prices = new Prices(settings.metering.prices ?? [], clock);
  return new Map(
    settings.chains.map((chain) => {
      const share = (node: ChainUpstreams) =>
        shareChain({ chain: chain.chain, node, store: views, telemetry });
      const node = serveChain(chain, { ...observer, bounds }, readSecret, {
        waiting: budget,
        calls: waiting,
        share,
      });
      const event = 'lacking_proofs_untold';
      const tell = forgiveStore({ chain: chain.chain, clock, telemetry, event });
      const tellLacking = async (blocks: number) =>
        (await tell(chain.chain, () => tellLackingProofs(records, chain.chain, blocks, clock.now()))) !==
        'unread';
      return [
        chain.chain,
        {
          settings: chain,
          node,
          head: node.head,
          prices,
          copies: openCopies(chain, node, { ...observer, bounds }, readSecret),
          unbilledErrors: new UnbilledErrors(clock),
          verified: new VerifiedCalls(node, operatorsOf(chain, readSecret), proofOf(chain), tellLacking),
          givenHeads: new GivenHeads({ chain: chain.chain, node, store: given, telemetry }),
        },
      ];
    }),
  );
}

/** Where a JSON-RPC request goes, by the route that API Gateway matched. */
type Route =
  /** `/v1` without its slash: clients are sent to `/v1/`. */
  | { readonly kind: 'redirect'; readonly location: string }
  | { readonly kind: 'chain'; readonly chain: string }
  | { readonly kind: 'unknown' };
type RoutedEvent = Pick<APIGatewayProxyEvent, 'resource' | 'pathParameters' | 'path'> & {
  readonly requestContext: Pick<APIGatewayProxyEvent['requestContext'], 'path'>;
};

/** The event of a request whose key is active and whose chain is served. */
export interface ChainEvent<Chain> extends AuthenticatedEvent {
  chain: Chain;
}

/** Sets `event.chain`, or answers: a redirect to `/v1/`, or the 404 that an unknown route has. */
export function resolveChain<Chain>(
  chains: ReadonlyMap<string, Chain>,
  defaultChain: string,
): MiddlewareObj<ChainEvent<Chain>, HttpResponse> {
  return {
    before: ({ event }) => {
      const { requestId } = event.requestContext;
      const route = routeRequest(event, defaultChain);
      if (route.kind === 'redirect') return redirect(route.location, requestId);
      const chain = route.kind === 'chain' ? chains.get(route.chain) : undefined;
      if (chain === undefined) return notFound(requestId);
      event.chain = chain;
      return undefined;
    },
  };
}

function redirect(location: string, requestId: string): HttpResponse {
  return {
    statusCode: 301,
    headers: { Location: location, 'Content-Length': '0', 'X-Request-Id': requestId },
    body: '',
  };
}

/**
 * Routes on `event.resource`: API Gateway matches `/v1` and `/v1/` to the same resource and keeps the slash in
 * the path alone. A segment that has the form of a key is a key, any other is the name of a chain.
 */
function routeRequest(event: RoutedEvent, defaultChain: string): Route {
  const credential = event.pathParameters?.credential ?? '';
  switch (event.resource) {
    case '/v1':
      return event.path.endsWith('/')
        ? { kind: 'chain', chain: defaultChain }
        : { kind: 'redirect', location: `${event.requestContext.path}/` };
    case '/v1/{credential}':
      return {
        kind: 'chain',
        chain: API_KEY_PATTERN.test(credential) ? defaultChain : decodeSegment(credential),
      };
    case '/v1/{credential}/{api_key}':
      return { kind: 'chain', chain: decodeSegment(credential) };
    default:
      return { kind: 'unknown' };
  }
}
