import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject, Seen, SendRequest } from './seen.ts';
import type { Transport } from './transport.ts';

/** Attempts at a request that is refused because the key has asked too much, and the longest pause between two. */
const MAX_ATTEMPTS = 10;
const MAX_PAUSE_MS = 30_000;

/** How a request is made, beside its path. */
export type ProbeRequest = Partial<Omit<SendRequest, 'path'>>;

export interface ProbeOptions {
  readonly transport: Transport;
  readonly key: string;
  /** The `{chain}` of the paths that name one. */
  readonly chain: string;
}

/** Asks a running gateway as a client does. */
export class Probe {
  readonly key: string;
  readonly chain: string;
  readonly #transport: Transport;

  constructor({ transport, key, chain }: ProbeOptions) {
    this.#transport = transport;
    this.key = key;
    this.chain = chain;
  }

  /** Sends one request and follows no redirect. `path`: from the base URL on. */
  send(path: string, { method = 'GET', headers = {}, body }: ProbeRequest = {}): Promise<Seen> {
    return this.#transport.send({ path, method, headers, body });
  }

  /** Asks for a WebSocket with the key; resolves to the status of the answer. */
  openSocket(path: string): Promise<number> {
    return this.#transport.openSocket({ path, headers: { 'x-api-key': this.key } });
  }

  /** Sends a JSON-RPC body with the key in `x-api-key`. `body`: a text as it is, or a value. */
  post(body: unknown): Promise<Seen> {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    const headers = { 'content-type': 'application/json', 'x-api-key': this.key };
    return this.#admitted(() => this.send('/v1/', { method: 'POST', headers, body: text }));
  }

  /** One call. */
  call(method: string, params: readonly unknown[] = [], id: unknown = 1): Promise<Seen> {
    return this.post({ jsonrpc: '2.0', id, method, params });
  }

  /** Reads from the Data API. `path`: behind `/v1/data`; `{chain}` stands for the chain. */
  data(path: string, headers: ProbeRequest['headers'] = {}): Promise<Seen> {
    const request = { headers: { 'x-api-key': this.key, ...headers } };
    return this.#admitted(() => this.send(`/v1/data${path.replace('{chain}', this.chain)}`, request));
  }

  /** The number of the chain's newest block, as its node tells. */
  async head(): Promise<bigint> {
    const { json } = await this.call('eth_blockNumber');
    return BigInt(String((json as JsonObject).result));
  }

  /** Waits as long as the gateway says where it is the key's limit that a request met. */
  async #admitted(send: () => Promise<Seen>): Promise<Seen> {
    for (let attempt = 1; ; attempt++) {
      const seen = await send();
      const seconds = Number(seen.headers.get('retry-after') ?? 0);
      if (seen.status !== 429 || seconds === 0 || attempt === MAX_ATTEMPTS) return seen;
      await sleep(Math.min(MAX_PAUSE_MS, seconds * 1_000));
    }
  }
}
