import type { Context } from 'aws-lambda';
import {
  type AuthenticatedEvent,
  type HttpResponse,
  type Meter,
  middy,
  type PriceOfAnswer,
  RunFigures,
  rememberPriceLists,
} from '../../lambdas/access/index.ts';
import { generateApiKey } from '../../lambdas/access/keys/api-key.ts';
import { createMeter } from '../../lambdas/access/meter.ts';
import { authenticate } from '../../lambdas/access/middlewares.ts';
import type { Store } from '../../lambdas/access/store/store.ts';
import { createAccount } from '../../lambdas/accounts/create-account.ts';
import { createKey } from '../../lambdas/accounts/keys.ts';
import { rpcPrice } from '../../lambdas/rpc/billing/price-again.ts';
import type { AnsweredCalls, CachedRequest } from '../../lambdas/rpc/cache/response-cache.ts';
import { handleRequest } from '../../lambdas/rpc/handle-request.ts';
import type { RpcResponse } from '../../lambdas/rpc/response/rpc-response.ts';
import type { ServedChain } from '../../lambdas/rpc/rpc-request.ts';
import type { PriceList } from '../../lambdas/shared/bill/price-list.ts';
import { Prices } from '../../lambdas/shared/methods/method-facts.ts';
import { NodeCalls } from '../../lambdas/shared/upstream/connection/node-connection.ts';
import { simulatedChain } from '../simulation/simulated-chain.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

export const START_MS = Date.UTC(2026, 10, 20, 9);
const REQUEST_MS = 100;
const PATIENCE_MS = 10_000;
const RICH_CU = 1_000_000_000;
const ACCOUNT = 'acme';
/** Limits that no request meets. */
const PLAN = { bucketCapacity: 100_000_000, refillPerSecond: 100_000_000, drawAhead: false, shards: 1 };
/** Every so many calls are answered from the cache. */
const CACHED_EVERY = 3;
const METHODS = ['eth_call', 'eth_getBalance', 'eth_getLogs', 'debug_traceTransaction'];
const API_KEY = generateApiKey((size) => Buffer.alloc(size, 9));

export type AlterCharge = (meter: Pick<Meter, 'charge'>) => Pick<Meter, 'charge'>;

/** What a release does otherwise than a good one. Each is one step of a request. */
export interface WrongRelease {
  /** What charges: behind the outermost layer. */
  readonly meter?: AlterCharge;
  /** What bills: before it. */
  readonly billing?: AlterCharge;
  readonly cache?: (answered: AnsweredCalls) => AnsweredCalls;
  readonly response?: (response: RpcResponse) => RpcResponse;
  /** Whether some calls are answered from the cache. @default true */
  readonly isCached?: boolean;
  /** Price lists of its settings. */
  readonly prices?: readonly PriceList[];
}

/**
 * One process of a release over a store in memory: its outermost layer, `handleRequest` and its meter, with a scripted cache and
 * node in place of real ones.
 */
export class ReleaseProcess {
  readonly telemetry = new RecordedTelemetry();
  readonly store: Store;
  readonly #clock = { time: START_MS, now: () => this.#clock.time };
  readonly #handler: (event: AuthenticatedEvent, context: Context) => Promise<HttpResponse>;
  #calls = 0;

  private constructor(store: Store, release: WrongRelease) {
    this.store = store;
    this.#handler = this.#open(release);
  }

  static async open(release: WrongRelease): Promise<ReleaseProcess> {
    const store = new MemoryStore();
    const clock = { now: () => START_MS };
    await createAccount(store, clock, {
      account: ACCOUNT,
      plan: 'standard',
      credit: { cu: RICH_CU, reference: 'start' },
    });
    await createKey(store, clock, { account: ACCOUNT, apiKey: API_KEY });
    return new ReleaseProcess(store, release);
  }

  /** The rules that bills have broken so far, each once. */
  get rules(): readonly string[] {
    const lines = this.telemetry.logged.filter(({ event }) => event === 'bills_disagree');
    return [...new Set(lines.map(({ reason = '' }) => reason))];
  }

  /** Runs that the metric has counted. */
  get disagreements(): number {
    return this.telemetry.emitted.reduce((sum, { run }) => sum + (run?.values.BillsDisagree ?? 0), 0);
  }

  /** Serves requests of mixed methods until a bill disagrees; how many it took. Undefined: none did. */
  async requestsUntilFound(most: number, methods: readonly string[] = METHODS): Promise<number | undefined> {
    for (let request = 1; request <= most; request += 1) {
      await this.serve(methods[request % methods.length] ?? '');
      if (this.disagreements > 0) return request;
    }
    return undefined;
  }

  advance(ms: number): void {
    this.#clock.time += ms;
  }

  async serve(method: string): Promise<HttpResponse> {
    this.#clock.time += REQUEST_MS;
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: paramsOf(method) });
    const event = { headers: { 'x-api-key': API_KEY }, body, requestContext: { requestId: 'r' } };
    const context = { functionVersion: '1', getRemainingTimeInMillis: () => 29_000 };
    return this.#handler(event as unknown as AuthenticatedEvent, context as Context);
  }

  #open(release: WrongRelease) {
    const nodeCalls = new NodeCalls();
    const clock = this.#clock;
    const runs = new RunFigures({
      function: 'rpc',
      clock,
      telemetry: this.telemetry,
      nodeCalls,
      listOf: rememberPriceLists(this.store, clock),
    });
    const meter = createMeter({
      store: this.store,
      queue: { send: async () => {} },
      settings: {
        plans: { standard: PLAN },
        defaultPlan: 'standard',
        metering: { storeBeforeAnswer: false, groupCommitCu: 0 },
      },
      clock,
      randomBytes: (count) => Buffer.alloc(count, 5),
      pause: async () => {},
      telemetry: this.telemetry,
    });
    const counted = runs.count({ ...meter, ...release.meter?.(meter) });
    const billing = { ...counted, ...release.billing?.(counted) };
    const chain: ServedChain = {
      ...simulatedChain('example_mainnet'),
      prices: new Prices(release.prices ?? [], clock),
    };
    const handled = new WeakMap<object, RpcResponse>();
    const serve = async (event: AuthenticatedEvent): Promise<HttpResponse> => {
      const body = Buffer.from(event.body ?? '');
      const request = { holder: event.holder, chain, body, deadline: clock.now() + PATIENCE_MS };
      const answer = async (asked: Pick<CachedRequest, 'calls'>) => {
        const answered = this.#answer(asked, nodeCalls, release.isCached !== false);
        return release.cache?.(answered) ?? answered;
      };
      const good = await handleRequest(request, billing, { answer });
      if (good === undefined) throw new Error('the key is not active');
      const response = release.response?.(good) ?? good;
      handled.set(event, response);
      await response.conclude?.();
      return { statusCode: response.status, headers: response.headers, body: '' };
    };
    const priceOf: PriceOfAnswer = ({ event }) => {
      const { headers, body } = handled.get(event) as RpcResponse;
      const answered = { asked: Buffer.from(event.body ?? ''), cacheMarks: headers['X-Cache'], body };
      return (list) => rpcPrice(answered, list);
    };
    const failing = (statusCode: number) => () => ({ statusCode, headers: {}, body: '' });
    return middy<AuthenticatedEvent, HttpResponse>(serve, runs.hooks(undefined, priceOf))
      .use(runs.answerErrors(failing(500)))
      .use(authenticate({ meter, unavailable: failing(503) })) as never;
  }

  #answer({ calls }: Pick<CachedRequest, 'calls'>, nodeCalls: NodeCalls, isCached: boolean): AnsweredCalls {
    const responses = calls.map((call) => {
      this.#calls += 1;
      const cached = isCached && this.#calls % CACHED_EVERY === 0;
      if (!cached) nodeCalls.add('example_mainnet', 1);
      return { call, cached, response: { kind: 'result', result: Buffer.from('"0x1"') } as const };
    });
    return { responses, share: async () => {} };
  }
}

function paramsOf(method: string): readonly unknown[] {
  const address = `0x${'11'.repeat(20)}`;
  if (method === 'eth_call') return [{ to: address }, 'latest'];
  if (method === 'eth_getLogs') return [{ address, fromBlock: '0xf4240', toBlock: '0xf4240' }];
  return method === 'eth_getBalance' ? [address, 'latest'] : [`0x${'22'.repeat(32)}`];
}
