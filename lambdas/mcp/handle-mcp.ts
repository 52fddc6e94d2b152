import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js';
import {
  type CallToolRequest,
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import type { HttpResponse, Meter } from 'gateway-access';
import { SECURITY_HEADERS } from '../shared/http/json-response.ts';
import { MAX_ID_BYTES } from '../shared/jsonrpc/calls.ts';
import { errorField, log } from '../shared/runtime/log.ts';
import { callTool, schemas, type ToolDependencies } from './call-tool.ts';
import type { TimedContext } from './calls/call-rpc.ts';
import { refusedResponse, type ToolResponse, type ToolResponseOrGone } from './calls/tool-response.ts';
import { toldHeaders, toolResult } from './tool-result.ts';
import { listedTool } from './tools/listed-tool.ts';
import type { Tool, ToolArguments } from './tools/tool.ts';
import { chooseTools, INSTRUCTIONS, toolNamed } from './tools/toolsets.ts';

/** Largest message that an agent may send, in bytes. */
const MAX_MESSAGE_BYTES = 256 * 1024;
const SERVER = { name: 'blockchain-data-gateway', version: '1' };
/** The transport asks for a whole URL and looks at nothing of it. */
const NO_URL = 'http://localhost/v1/mcp';
const BAD_REQUEST = 400;
const FORBIDDEN = 403;
const TOO_LARGE = 413;
const INTERNAL_ERROR = 500;
const MAX_PRINTED = 80;
const COST_HEADER = 'X-CU-Cost';
const BILLED_HEADER = 'X-CU-Billed';

/** A request to the MCP server, of an authenticated key. */
interface McpRequest extends TimedContext {
  readonly body: Uint8Array;
  /** Values of the headers that the protocol reads. Absent: not sent. */
  readonly headers: Readonly<Record<string, string>>;
  /** All values of each query parameter. */
  readonly query: Readonly<Record<string, readonly string[] | undefined>>;
}

interface McpDependencies extends ToolDependencies {
  readonly meter: Pick<Meter, 'isActive'>;
}

type CallHandler = (request: CallToolRequest) => Promise<CallToolResult>;

/** A response, and whether the call behind it failed for a reason of the gateway or of a node. */
interface McpResponse {
  readonly response: HttpResponse;
  readonly isBlameless: boolean;
  /** Whether it failed for a defect of the gateway. */
  readonly hasFailed: boolean;
}

/**
 * Answers one message of the Model Context Protocol, without a session: whatever an agent needs is in the message and in
 * its URL. A message calls at most one tool, and so costs what that call costs. Resolves to undefined if the key turns out
 * to be no longer active.
 */
export async function handleMcp(
  request: McpRequest,
  dependencies: McpDependencies,
): Promise<McpResponse | undefined> {
  let toolResponse: ToolResponseOrGone;
  let isGone = false;
  const response = await respondToMessage(request, async ({ params }) => {
    const tool = named(params.name);
    toolResponse = await callOrFail(tool, params.arguments ?? {}, request, dependencies);
    isGone = toolResponse === undefined;
    return toolResponse === undefined ? { content: [] } : toolResult(toolResponse, tool.output);
  });
  const isDrawn = toolResponse !== undefined && isPaid(toolResponse);
  if (isGone || (!isDrawn && !(await dependencies.meter.isActive(request.holder)))) return undefined;
  const headers = { ...response.headers, ...toldHeaders(toolResponse?.headers ?? {}) };
  const { isBlameless = false, status } = toolResponse ?? {};
  return { response: { ...response, headers }, isBlameless, hasFailed: status === INTERNAL_ERROR };
}

/** Whether a draw has found the key active, and not only for an error that costs nothing. */
function isPaid({ isError, headers }: ToolResponse): boolean {
  return Number(headers[isError ? BILLED_HEADER : COST_HEADER] ?? 0) > 0;
}

/** Refuses what is no message for this server, and lets the SDK answer what is one. */
async function respondToMessage(request: McpRequest, call: CallHandler): Promise<HttpResponse> {
  const { body, headers, query, requestId } = request;
  // Only browsers send one, and no page is a client of this server: none is allowed by CORS.
  if (headers.origin !== undefined)
    return refuse(FORBIDDEN, ErrorCode.InvalidRequest, 'web pages are not served: no Origin', requestId);
  if (body.length > MAX_MESSAGE_BYTES) {
    const problem = `request body too large: max ${MAX_MESSAGE_BYTES} bytes`;
    return refuse(TOO_LARGE, ErrorCode.InvalidRequest, problem, requestId);
  }
  const message = parse(body);
  if (message === undefined)
    return refuse(BAD_REQUEST, ErrorCode.ParseError, 'parse error (malformed JSON body)', requestId);
  // Batches are none of the protocol since 2025-06-18.
  if (Array.isArray(message))
    return refuse(
      BAD_REQUEST,
      ErrorCode.InvalidRequest,
      'batches are not served: send one message',
      requestId,
    );
  const idProblem = problemOfId(message);
  if (idProblem !== undefined) return refuse(BAD_REQUEST, ErrorCode.InvalidRequest, idProblem, requestId);
  const chosen = chooseTools(query);
  if (!chosen.ok) return refuse(BAD_REQUEST, ErrorCode.InvalidParams, chosen.message, requestId);
  return serveMessage(message, chosen.tools, call, request);
}

/** The JSON of a body; undefined if it has none. */
function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString());
  } catch {
    return undefined;
  }
}

/** What is wrong with a message's id, which a response repeats; undefined: nothing, or there is none. */
function problemOfId(message: unknown): string | undefined {
  if (typeof message !== 'object' || message === null || !('id' in message)) return undefined;
  const { id } = message;
  // As text, one that is nested deep does not fit on the stack.
  if (typeof id === 'object' && id !== null) return 'the id is neither a text nor a number';
  const isLong = Buffer.byteLength(JSON.stringify(id)) > MAX_ID_BYTES;
  return isLong ? `the id is longer than ${MAX_ID_BYTES} bytes` : undefined;
}

/** A server for one message: those without sessions are not to be used twice. */
async function serveMessage(
  message: unknown,
  tools: readonly Tool[],
  call: CallHandler,
  { headers, requestId }: McpRequest,
): Promise<HttpResponse> {
  const server = new Server(SERVER, {
    capabilities: { tools: {} },
    instructions: INSTRUCTIONS,
    jsonSchemaValidator: schemas,
  });
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: tools.map(listedTool) }));
  server.setRequestHandler(CallToolRequestSchema, call);
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  try {
    await server.connect(transport);
    const request = new Request(NO_URL, { method: 'POST', headers: { ...headers } });
    const response = await transport.handleRequest(request, { parsedBody: message });
    return {
      statusCode: response.status,
      headers: { ...Object.fromEntries(response.headers), 'X-Request-Id': requestId, ...SECURITY_HEADERS },
      body: await response.text(),
    };
  } finally {
    await server.close();
  }
}

/** The tool of a name; one that is not there is an error of the protocol, to which the SDK's own class would add its code twice. */
function named(name: string): Tool {
  const tool = toolNamed(name);
  if (tool !== undefined) return tool;
  const message = `unknown tool: ${name.slice(0, MAX_PRINTED)}`;
  throw Object.assign(new Error(message), { code: ErrorCode.InvalidParams });
}

/** Whatever goes wrong in a call, the agent is to read it. */
async function callOrFail(
  tool: Tool,
  values: ToolArguments,
  { holder, requestId, remainingMs }: McpRequest,
  dependencies: ToolDependencies,
): Promise<ToolResponseOrGone> {
  try {
    return await callTool(tool, values, { holder, requestId, remainingMs }, dependencies);
  } catch (error) {
    log('error', 'tool_failed', { requestId, method: tool.name, error: errorField(error) });
    return failedResponse();
  }
}

function failedResponse(): ToolResponse {
  return {
    ...refusedResponse(INTERNAL_ERROR, 'internal_error', 'internal gateway error'),
    isBlameless: true,
  };
}

function refuse(statusCode: number, code: number, message: string, requestId: string): HttpResponse {
  return {
    statusCode,
    headers: { 'Content-Type': 'application/json', 'X-Request-Id': requestId, ...SECURITY_HEADERS },
    body: JSON.stringify({ jsonrpc: '2.0', id: null, error: { code, message } }),
  };
}
