import { FREE_HEADERS } from '../../rpc/response/refusal-error.ts';

/** What came of the call behind a tool. */
export interface ToolResponse {
  /** HTTP status that the same call has without MCP. */
  readonly status: number;
  /** HTTP headers that it has: cost, balance, limits, when to try again. */
  readonly headers: Readonly<Record<string, string>>;
  /** The data or the error as JSON, in pieces of UTF-8. */
  readonly body: readonly Uint8Array[];
  readonly isError: boolean;
  /** Whether it failed for a reason of the gateway or of a node, and not for what was asked. */
  readonly isBlameless: boolean;
}

/** A call whose key turned out to be no longer active has no response. */
export type ToolResponseOrGone = ToolResponse | undefined;

/** Response of a call that was refused before it was made: it costs nothing. */
export function refusedResponse(status: number, code: string, message: string): ToolResponse {
  return {
    status,
    headers: FREE_HEADERS,
    body: [Buffer.from(JSON.stringify({ error: { code, message } }))],
    isError: true,
    isBlameless: false,
  };
}
