import { type CachedRequest, ResponseCache } from '../../../lambdas/rpc/cache/response-cache.ts';
import type { Call, UpstreamResponse } from '../../../lambdas/shared/jsonrpc/calls.ts';
import type { ChainSettings } from '../../../lambdas/shared/runtime/settings.ts';
import { finalizedBlock } from '../../../lambdas/shared/upstream/routing/head-tracker.ts';
import { MemoryCacheStore } from './memory-cache-store.ts';

type ResponseCacheOptions = ConstructorParameters<typeof ResponseCache>[0];

export const CHAIN: ChainSettings = {
  chain: 'example_mainnet',
  name: 'Example Mainnet',
  chainId: 1,
  public: true,
  default: true,
  upstreams: ['http://127.0.0.1:1'],
  maxLogsBlockRange: 10_000,
  stateWindowBlocks: 128,
  maxResponseBytes: 32 * 1024 * 1024,
};

/** Upstreams of which nothing is told. */
export const UPSTREAMS: CachedRequest['chain']['node'] = { upstreams: [], onDisagreement: () => {} };

/** A call as a client writes it. */
export type AskedCall = readonly [method: string, ...params: readonly unknown[]];

/** Response to a call, in a form that compares well. */
export interface Told {
  readonly response: unknown;
  readonly cached: boolean;
}

/** A node under the cache: answers each call by a JSON value, or an error code in an `Error`'s message. */
export type WorldNode = (method: string, params: readonly unknown[]) => unknown;

/** One chain with a node and a shared table; `open` gives instances of the cache. */
export class CacheWorld {
  readonly store = new MemoryCacheStore();
  /** Calls that have reached the node, as `method params`. */
  readonly sent: string[] = [];
  now = 1_000_000_000_000;
  head: bigint | undefined = 100_000n;
  headReads = 0;
  node: WorldNode = (method, params) => ({ method, params });
  settings = CHAIN;

  open(options: Partial<ResponseCacheOptions> = {}): CacheInstance {
    return new CacheInstance(
      this,
      new ResponseCache({ clock: { now: () => this.now }, store: this.store, ...options }),
    );
  }
}

/** One instance of the cache, with a memory of its own. */
export class CacheInstance {
  readonly #world: CacheWorld;
  readonly #cache: ResponseCache;

  constructor(world: CacheWorld, cache: ResponseCache) {
    this.#world = world;
    this.#cache = cache;
  }

  /** Answers one request. */
  async ask(...asked: readonly AskedCall[]): Promise<Told[]> {
    return this.askRaw(asked.map(([method, ...params]) => [method, JSON.stringify(params)]));
  }

  /** Answers one request with params as they are. */
  async askRaw(asked: readonly (readonly [method: string, params: string])[]): Promise<Told[]> {
    const world = this.#world;
    const head = {
      get known() {
        return world.head;
      },
      readFinal: async () => {
        world.headReads += 1;
        return world.head === undefined ? undefined : finalizedBlock(world.head);
      },
    };
    const { responses, share } = await this.#cache.answer({
      chain: {
        settings: world.settings,
        head,
        node: UPSTREAMS,
      },
      calls: asked.map(([method, params]) => ({ id: Buffer.from('1'), method, params: Buffer.from(params) })),
      deadline: world.now + 20_000,
      send: async (calls) => calls.map((call) => this.#nodeResponse(call)),
    });
    await share();
    return responses.map(({ response, cached }) => ({ response: toldResponse(response), cached }));
  }

  #nodeResponse({ method, params }: Call): UpstreamResponse {
    const values = JSON.parse(Buffer.from(params ?? '[]').toString()) as unknown[];
    this.#world.sent.push(`${method} ${JSON.stringify(values)}`);
    const response = this.#world.node(method, values);
    if (response instanceof Error) {
      const code = Number(response.message);
      return { kind: 'error', error: Buffer.from(JSON.stringify({ code, message: 'no' })), code };
    }
    // One upstream after the other.
    const from = this.#world.sent.length % this.#world.settings.upstreams.length;
    return { kind: 'result', result: Buffer.from(JSON.stringify(response)), from };
  }
}

function toldResponse(response: UpstreamResponse): unknown {
  switch (response.kind) {
    case 'result':
      return JSON.parse(Buffer.from(response.result).toString());
    case 'error':
      return `error ${response.code}`;
    case 'failed':
      return response.error.reason;
  }
}

/** A hash that one can recognise. */
export function hashOf(seed: string | number | bigint): string {
  return `0x${Buffer.from(String(seed)).toString('hex').padStart(64, '0')}`;
}

/** A block number as a quantity. */
export function quantity(number: bigint | number): string {
  return `0x${number.toString(16)}`;
}
