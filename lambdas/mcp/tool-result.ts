import { StringDecoder } from 'node:string_decoder';
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import type { ToolResponse } from './calls/tool-response.ts';
import type { Tool } from './tools/tool.ts';

/** Most bytes of a response that an agent gets: agents do not read beyond some 30,000 tokens. */
const MAX_RESULT_BYTES = 128 * 1024;
/** Headers of a call that say what it cost, what its key may still do, and of which snapshot the response is. */
const TOLD_HEADER = /^(?:x-cu-|x-snapshot-|ratelimit|retry-after$|x-cache$)/i;
const RETRY_AFTER = 'Retry-After';
/** The only one that is no number. */
const LANE = 'X-CU-Lane';
/** Headers of a call, and what they are called in `_meta` of a result. */
const META_HEADERS: Readonly<Record<string, string>> = {
  'X-CU-Cost': 'cu_cost',
  'X-CU-Billed': 'cu_billed',
  [LANE]: 'cu_lane',
  'X-CU-Balance': 'cu_balance',
  'X-Snapshot-Block': 'snapshot_block',
  [RETRY_AFTER]: 'retry_after_s',
};

/** The headers of a call that are those of the MCP response, too. */
export function toldHeaders(headers: ToolResponse['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => TOLD_HEADER.test(name)));
}

/**
 * The response of a call as an agent reads it: the JSON that a client without MCP gets, as text and as an object, and what it
 * cost. One that is too long is cut, and what follows it says so.
 */
export function toolResult({ body, isError, headers }: ToolResponse, output: Tool['output']): CallToolResult {
  const whole = Buffer.concat(body);
  const retryAfter = headers[RETRY_AFTER];
  const further = [
    ...(whole.length > MAX_RESULT_BYTES ? [cutNotice(whole.length)] : []),
    ...(retryAfter === undefined ? [] : [`Try again after ${retryAfter} s.`]),
  ];
  return {
    content: [textOf(whole), ...further].map((text) => ({ type: 'text', text })),
    ...(isError ? { isError } : { structuredContent: structured(whole, output) }),
    _meta: metaOf(headers),
  };
}

/** The response as an object. If it is cut, the object says only that: a part would look like the whole. */
function structured(whole: Buffer, output: Tool['output']): Record<string, unknown> {
  if (whole.length > MAX_RESULT_BYTES) return { [output]: null, truncated: true };
  const value: unknown = JSON.parse(whole.toString());
  return output === 'result' ? { result: value } : (value as Record<string, unknown>);
}

/** The headers of a call that a program may act on: HTTP headers do not reach an agent. */
function metaOf(headers: ToolResponse['headers']): Record<string, number | string> {
  const values = Object.entries(META_HEADERS).flatMap(([header, name]) => {
    const value = headers[header];
    if (value === undefined) return [];
    return [[name, header === LANE ? value : Number(value)] as const];
  });
  return Object.fromEntries(values);
}

/** The text of a response; of a long one its beginning, up to a whole character. */
function textOf(whole: Buffer): string {
  return new StringDecoder().write(whole.subarray(0, MAX_RESULT_BYTES));
}

function cutNotice(bytes: number): string {
  return (
    `This answer was cut: above are the first ${MAX_RESULT_BYTES} of its ${bytes} bytes, so that it is no whole JSON and ` +
    'its end is missing, next_cursor among it. Ask for less: a smaller limit, and then page with cursor; or fewer blocks. ' +
    'Each call is billed.'
  );
}
