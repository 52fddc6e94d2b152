import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';

/** Headers of a message to the MCP server. */
export const MESSAGE_HEADERS = {
  accept: 'application/json, text/event-stream',
  'content-type': 'application/json',
};

/** A message to the MCP server, as JSON. */
export function mcpMessage(method: string, params: object = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
}

/** Runs something with the official client, connected to a URL. @param key sent in a header; absent: it is in the URL */
export async function withAgent<T>(url: string, key: string | undefined, run: (agent: Client) => Promise<T>) {
  const headers: Record<string, string> = key === undefined ? {} : { 'x-api-key': key };
  const agent = new Client({ name: 'test', version: '1' });
  await agent.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  try {
    return await run(agent);
  } finally {
    await agent.close();
  }
}

/** Calls a tool. `texts`: the pieces of its answer. */
export async function callAgentTool(
  agent: Client,
  name: string,
  given: Readonly<Record<string, unknown>> = {},
) {
  const result = (await agent.callTool({ name, arguments: given })) as CallToolResult;
  const texts = result.content.map((piece) => (piece.type === 'text' ? piece.text : ''));
  return { isError: result.isError === true, texts };
}
