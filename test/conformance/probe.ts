import { setTimeout as sleep } from 'node:timers/promises';

/** Longest time that a request may take, in milliseconds. */
const REQUEST_TIMEOUT_MS = 60_000;
/** Attempts at a request that is refused because the key has asked too much, and the longest pause between two. */
const MAX_ATTEMPTS = 10;
const MAX_PAUSE_MS = 30_000;

export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonObject = { readonly [name: string]: Json };

/** A response as far as a clause looks at it. */
export interface Seen {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined if the body is not JSON. */
  readonly json: Json | undefined;
}

/** How a request is made, beside its path. */
export interface ProbeRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface ProbeOptions {
  /** Without a slash at the end. */
  readonly url: string;
  readonly key: string;
  /** The `{chain}` of the paths that name one. */
  readonly chain: string;
}

/** Asks a running gateway as a client does. */
export class Probe {
  readonly url: string;
  readonly key: string;
  readonly chain: string;

  constructor({ url, key, chain }: ProbeOptions) {
    this.url = url;
    this.key = key;
    this.chain = chain;
  }

  /** Sends one request and follows no redirect. `path`: from the base URL on. */
  async send(path: string, { method = 'GET', headers = {}, body }: ProbeRequest = {}): Promise<Seen> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
      redirect: 'manual',
      signal: AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: parseJson(text) };
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

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}
