import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { Admission, KeyHolder, MethodUsage } from '../../lambdas/access/contract/metering.ts';
import { createSeal } from '../../lambdas/data/plan/seal.ts';
import { handleMcp } from '../../lambdas/mcp/handle-mcp.ts';
import { UnbilledErrors } from '../../lambdas/rpc/billing/call-usage.ts';
import { ResponseCache } from '../../lambdas/rpc/cache/response-cache.ts';
import { openChainUpstreams } from '../../lambdas/shared/upstream/chain-upstreams.ts';
import type { NodeConnection } from '../../lambdas/shared/upstream/connection/node-connection.ts';
import { createChainClient } from '../../lambdas/shared/upstream/routing/chain-client.ts';
import { callsOf } from '../nodes/replies.ts';
import { CHAIN } from '../rpc/cache/cache-world.ts';
import { MemoryCacheStore } from '../rpc/cache/memory-cache-store.ts';
import { MemoryStore } from '../simulation/stores/memory-store.ts';
import { UNLIMITED } from '../support/data-limits.ts';
import { stillHead } from '../support/still-head.ts';

type McpRequest = Parameters<typeof handleMcp>[0];

const HOLDER: KeyHolder = { keyId: 'k', account: 'a' };
const NOW = 1_000_000_000_000;
const REMAINING_MS = 20_000;
const NOT_FOUND = 404;

const SETTINGS = {
  plans: { standard: { bucketCapacity: 100, refillPerSecond: 10, drawAhead: false, shards: 1 } },
  defaultPlan: 'standard',
};

const HEAD = stillHead(100_000n, 99_744n);

/** A response of a tool, as an agent has it. */
export interface ToldResult {
  readonly structured?: unknown;
  readonly meta: unknown;
  readonly isError: boolean;
  readonly texts: readonly string[];
}

/** The MCP server of one process, with a node and no chain database, and what it does. */
export class McpWorld {
  admission: Admission = { admitted: true, balanceCu: 1_000n, limits: [] };
  isActive = true;
  /** The tables of accounts. */
  readonly store = new MemoryStore();
  /** JSON of the node's answer to each call. */
  response: object = { result: '0x10' };
  /** Bodies that the node was sent, as method and parameters. */
  readonly sent: string[] = [];
  readonly charged: MethodUsage[] = [];
  /** What bounds of keys have refused. */
  readonly refused: string[] = [];
  /** What each charge says of its lane. */
  lane: string | undefined;
  /** HTTP responses of the server, in order. */
  readonly responses: Response[] = [];
  readonly #clock = { now: () => NOW };
  readonly #meter = {
    expectsAdmission: () => false,
    noteRefusal: (_: KeyHolder, reason: string) => {
      this.refused.push(reason);
    },
    usedUpBalance: async () => undefined,
    admit: async () => this.admission,
    charge: (_: KeyHolder, _cu: number, usage: readonly MethodUsage[]) => {
      this.charged.push(...usage);
      return { lane: this.lane, store: async () => 'stored' as const };
    },
    isActive: async () => this.isActive,
  };
  readonly #connection: NodeConnection = {
    maxResponseBytes: CHAIN.maxResponseBytes,
    reserveIds: () => 1,
    close: () => {},
    post: async ({ body }) => {
      const calls = callsOf(body);
      this.sent.push(...calls.map(({ method, params }) => `${method} ${JSON.stringify(params)}`));
      const [response] = calls.map(({ id }) => ({ jsonrpc: '2.0', id, ...this.response }));
      return { status: 200, body: Buffer.from(JSON.stringify(response)) };
    },
  };

  /** Sends a body as it is. */
  async post(body: string | Uint8Array, further: Partial<McpRequest> = {}): Promise<Response> {
    const clock = this.#clock;
    const { maxResponseBytes } = CHAIN;
    const node = createChainClient(
      openChainUpstreams([{ name: 'only', connection: this.#connection }], { clock, maxResponseBytes }),
    );
    const served = { settings: CHAIN, node, head: HEAD, unbilledErrors: new UnbilledErrors(clock) };
    const { chain, chainId } = CHAIN;
    const handled = await handleMcp(
      {
        holder: HOLDER,
        requestId: 'r',
        remainingMs: REMAINING_MS,
        body: Buffer.from(body),
        headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
        query: {},
        ...further,
      },
      {
        meter: this.#meter,
        data: {
          meter: this.#meter,
          chains: [{ chain, chainId, isDefault: true }],
          database: undefined,
          clock,
          seal: createSeal('key of the tests'),
          ...UNLIMITED,
        },
        rpc: {
          meter: this.#meter,
          chains: new Map([[chain, served]]),
          defaultChain: chain,
          cache: new ResponseCache({ clock, store: new MemoryCacheStore() }),
          clock,
          upstreamTimeoutMs: REMAINING_MS,
        },
        account: {
          store: this.store,
          refusals: { read: async () => ({ counts: {} }) },
          settings: SETTINGS,
          clock,
        },
      },
    );
    const response = toResponse(handled);
    this.responses.push(response.clone() as Response);
    return response;
  }

  /** Calls a tool by the official client, as an agent does. */
  async call(name: string, given: Readonly<Record<string, unknown>> = {}): Promise<ToldResult> {
    return withClient(this, async (client) => {
      // A client checks what is structured by the schemas that it was told of.
      await client.listTools();
      const result = (await client.callTool({ name, arguments: given })) as CallToolResult;
      const texts = result.content.map((piece) => (piece.type === 'text' ? piece.text : ''));
      const { structuredContent: structured, _meta: meta } = result;
      return {
        isError: result.isError === true,
        texts,
        meta,
        ...(structured !== undefined && { structured }),
      };
    });
  }
}

/** Runs something with a client that has introduced itself, and ends it. */
export async function withClient<T>(
  world: McpWorld,
  run: (client: Client) => Promise<T>,
  toolsets?: string,
): Promise<T> {
  const client = new Client({ name: 'test', version: '1' });
  const url = new URL('http://gateway.test/v1/mcp');
  const query = toolsets === undefined ? {} : { toolsets: [toolsets] };
  const transport = new StreamableHTTPClientTransport(url, {
    fetch: async (_, { method, body, headers } = {}) => {
      if (method !== 'POST') return new Response(null, { status: 405 });
      return world.post(String(body), { query, headers: Object.fromEntries(new Headers(headers)) });
    },
  });
  await client.connect(transport);
  try {
    return await run(client);
  } finally {
    await client.close();
  }
}

function toResponse(response: Awaited<ReturnType<typeof handleMcp>>): Response {
  if (response === undefined) return new Response(null, { status: NOT_FOUND });
  const { statusCode, headers, body } = response.response;
  const isEmpty = body.length === 0;
  return new Response(isEmpty ? null : String(body), {
    status: statusCode,
    headers: { ...headers, 'x-blameless': String(response.isBlameless) },
  });
}
