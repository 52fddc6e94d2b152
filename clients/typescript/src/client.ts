import { ConnectionError, errorOf, redirectError } from './errors.ts';
import { OPERATION_PATHS } from './operation-paths.ts';
import type { Body, OperationId, PagedOperationId, Parameters, Row } from './operation-types.ts';
import { type Portfolio, type PortfolioOptions, readPortfolio } from './portfolio.ts';
import { DEFAULT_RETRIES, type RetryOptions, waitBeforeRetry } from './retry.ts';
import type { Account, Chains, Status } from './unmetered.ts';

/** Time for one answer, in milliseconds, unless the options say otherwise. */
const TIMEOUT_MS = 30_000;
/** What names the chain of a path; without it a path is of the default chain. */
const CHAIN_PREFIX = '/v1/data/{chain}/';
const DEFAULT_CHAIN_PREFIX = '/v1/';
const PLACEHOLDER = /\{(\w+)\}/g;
/** What URLs take for the place in a path itself, or for one above it: the path would be that of another operation. */
const NO_SEGMENT = /^\.{0,2}$/;
/** What paths begin with. */
const VERSION = /\/*(\/v1)?\/*$/;
/** What sends a client elsewhere. A browser shows 0 in place of them. */
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Cursors that are remembered, the last ones: a circle of so many pages is reported as soon as it closes. */
const MAX_REMEMBERED = 1_000;

export interface ClientOptions extends Partial<RetryOptions> {
  /** Address of the gateway, such as `http://127.0.0.1:8080`; that of its JSON-RPC calls, which ends in `/v1/`, is as good. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** Name of the chain. @default the gateway's default chain */
  readonly chain?: string;
  /** Time for one answer, in milliseconds. @default 30,000 */
  readonly timeoutMs?: number;
  /** @default `fetch` of the platform */
  readonly fetch?: typeof fetch;
  /** Waits between attempts, and rejects with the signal's reason. @default a timer */
  readonly sleep?: (ms: number, signal: AbortSignal | undefined) => Promise<void>;
}

export interface CallOptions {
  /** Ends a call, waits included; it rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** What the headers of a response tell of the request. */
export interface RequestFacts {
  /** `X-Request-Id`. */
  readonly id: string | undefined;
  /** Compute units taken from the bucket, charged to the account, and left on it. */
  readonly cuCost: number | undefined;
  readonly cuBilled: number | undefined;
  readonly cuBalance: number | undefined;
  /** Block of the balances snapshot; undefined: the response is of none. */
  readonly snapshotBlock: number | undefined;
}

/** The body of a response (`data`, `meta` and, where there is a next page, `next_cursor`) and what its headers tell. */
export type Answer<Id extends OperationId> = Body<Id> & { readonly request: RequestFacts };

/** Parameters may be left out where none is required. */
type Arguments<Id extends OperationId> =
  Record<never, never> extends Parameters<Id>
    ? [parameters?: Parameters<Id>, options?: CallOptions]
    : [parameters: Parameters<Id>, options?: CallOptions];

/** Everything that is not a success is thrown: a `GatewayError`, or a `ConnectionError` where there was no response. */
export interface DataClient {
  /** One answer. */
  get<Id extends OperationId>(operation: Id, ...rest: Arguments<Id>): Promise<Answer<Id>>;
  /** The pages of a list, one after the other, each asked for when it is wanted. */
  pages<Id extends PagedOperationId>(operation: Id, ...rest: Arguments<Id>): AsyncGenerator<Answer<Id>, void>;
  /** The rows of a list, page after page. */
  rows<Id extends PagedOperationId>(operation: Id, ...rest: Arguments<Id>): AsyncGenerator<Row<Id>, void>;
  /** The balances of an address on several chains with their values; a chain that fails is named. */
  portfolio(address: string, options?: PortfolioOptions): Promise<Portfolio>;
  /** Balance, limits and usage of the account of the key; not billed. */
  account(options?: CallOptions): Promise<Account>;
  /** How the gateway and its chains are; not billed, needs no key. */
  status(options?: CallOptions): Promise<Status>;
  /** What each public chain offers; not billed, needs no key. */
  chains(options?: CallOptions): Promise<Chains>;
}

type Values = Readonly<Record<string, unknown>>;

/** A client of the Data API of a gateway. It holds nothing but its options: one serves any number of calls at once. */
export function createClient(options: ClientOptions): DataClient {
  const get = async (operation: OperationId, parameters: Values = {}, { signal }: CallOptions = {}) =>
    send(options, pathOf(operation, { chain: options.chain, ...parameters }), signal);

  async function* pages(operation: OperationId, parameters: Values = {}, call: CallOptions = {}) {
    const seen = new SeenCursors();
    let cursor = parameters.cursor;
    do {
      if (typeof cursor === 'string' && !seen.add(cursor))
        throw new ConnectionError('the list goes round: a cursor came again');
      const page = await get(operation, { ...parameters, cursor }, call);
      yield page;
      cursor = page.next_cursor;
    } while (cursor !== undefined);
  }

  async function* rows(operation: OperationId, parameters?: Values, call?: CallOptions) {
    for await (const { data } of pages(operation, parameters, call)) yield* data as unknown[];
  }

  const unmetered = (path: string, { signal }: CallOptions = {}) => send(options, path, signal);
  // What is read is what the description says: types are all that is put on it here.
  const client = {
    get,
    pages,
    rows,
    portfolio: (address: string, of?: PortfolioOptions) => readPortfolio(client, address, of),
    account: (call?: CallOptions) => unmetered('/v1/account', call),
    status: (call?: CallOptions) => unmetered('/v1/status', call),
    chains: (call?: CallOptions) => unmetered('/v1/chains', call),
  } as unknown as DataClient;
  return client;
}

/**
 * The cursors of one list. A larger circle than what is remembered is reported, too, within three times its length: one
 * cursor is kept for twice as many pages each time (Brent's way to find a cycle).
 */
class SeenCursors {
  readonly #last = new Set<string>();
  #kept: string | undefined;
  #pagesToKeep = 1;
  #keptForPages = 0;

  /** Adds a cursor; whether it is new, as far as is remembered. */
  add(cursor: string): boolean {
    if (cursor === this.#kept || this.#last.has(cursor)) return false;
    const [oldest] = this.#last;
    if (this.#last.size === MAX_REMEMBERED && oldest !== undefined) this.#last.delete(oldest);
    this.#last.add(cursor);
    this.#keptForPages += 1;
    if (this.#keptForPages === this.#pagesToKeep) {
      this.#kept = cursor;
      this.#keptForPages = 0;
      this.#pagesToKeep *= 2;
    }
    return true;
  }
}

/** Path and query of a request: what the path does not name stands in the query. */
function pathOf(operation: OperationId, values: Values): string {
  const template = OPERATION_PATHS[operation] as string | undefined;
  if (template === undefined) throw new TypeError(`there is no operation ${operation}`);
  const path = values.chain === undefined ? template.replace(CHAIN_PREFIX, DEFAULT_CHAIN_PREFIX) : template;
  const inPath = new Set(['chain']);
  const filled = path.replace(PLACEHOLDER, (_, name: string) => {
    inPath.add(name);
    const value = values[name];
    if (value === undefined) throw new TypeError(`${operation} needs ${name}`);
    if (NO_SEGMENT.test(String(value)))
      throw new TypeError(`${operation} takes no ${name} that is empty, . or ..`);
    return encodeURIComponent(String(value));
  });
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(values))
    if (value !== undefined && !inPath.has(name)) query.set(name, String(value));
  return query.size === 0 ? filled : `${filled}?${query}`;
}

type ReadBody = Record<string, unknown> & { readonly request: RequestFacts };

/** Sends a request, and sends it again where that helps. */
async function send(
  options: ClientOptions,
  path: string,
  signal: AbortSignal | undefined,
): Promise<ReadBody> {
  const sleep = options.sleep ?? sleepByTimer;
  const retry = {
    retries: options.retries ?? DEFAULT_RETRIES.retries,
    maxWaitMs: options.maxWaitMs ?? DEFAULT_RETRIES.maxWaitMs,
  };
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await sendOnce(options, path, signal);
    } catch (error) {
      signal?.throwIfAborted();
      const wait = waitBeforeRetry(error, attempt, retry, Math.random());
      if (wait === undefined) throw error;
      await sleep(wait, signal);
    }
  }
}

async function sendOnce(
  { baseUrl, apiKey, timeoutMs = TIMEOUT_MS, fetch: ask = fetch }: ClientOptions,
  path: string,
  signal: AbortSignal | undefined,
): Promise<ReadBody> {
  const timeout = AbortSignal.timeout(timeoutMs);
  let response: Response;
  let text: string;
  try {
    response = await ask(`${baseUrl.replace(VERSION, '')}${path}`, {
      headers: { accept: 'application/json', 'x-api-key': apiKey },
      // What is followed is sent the key, wherever it is.
      redirect: 'manual',
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    text = await response.text();
  } catch (cause) {
    throw new ConnectionError(`the gateway gave no whole answer: ${reasonOf(cause)}`, { cause });
  }
  if (response.type === 'opaqueredirect' || REDIRECTS.has(response.status)) throw redirectError(response);
  if (!response.ok) throw errorOf(response.status, response.headers, text);
  return { ...parse(text), request: factsOf(response.headers) };
}

/** Why nothing came: `fetch` itself says no more than that it failed. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const { cause: inner } = cause as { cause?: { code?: unknown } };
  return typeof inner?.code === 'string' ? inner.code : cause.message;
}

function parse(text: string): Record<string, unknown> {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch (cause) {
    throw new ConnectionError('the answer is no JSON', { cause });
  }
}

function factsOf(headers: Headers): RequestFacts {
  const numberOf = (name: string) => {
    const value = headers.get(name);
    return value === null ? undefined : Number(value);
  };
  return {
    id: headers.get('x-request-id') ?? undefined,
    cuCost: numberOf('x-cu-cost'),
    cuBilled: numberOf('x-cu-billed'),
    cuBalance: numberOf('x-cu-balance'),
    snapshotBlock: numberOf('x-snapshot-block'),
  };
}

function sleepByTimer(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal?.addEventListener('abort', stop, { once: true });
  });
}
