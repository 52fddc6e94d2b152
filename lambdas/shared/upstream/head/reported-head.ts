import type { Call, UpstreamResponse } from '../../jsonrpc/calls.ts';
import { hashOfJson, quantityOfJson } from '../../jsonrpc/quantity.ts';
import { readMembers } from '../../jsonrpc/read-members.ts';
import { isObject, jsonText, MAX_RESPONSE_DEPTH, skipSpace } from '../../jsonrpc/scan-json.ts';
import { methodFacts } from '../../methods/method-facts.ts';
import { SYNC_METHOD } from '../../methods/method-table.ts';
import type { ReportedBlock } from './head-claim.ts';

const HEAD_METHOD = 'eth_blockNumber';
const MAX_PARAMS_BYTES = 64;
const NEWEST_BLOCK = /^\[\s*"latest"\s*(?:,\s*(?:true|false)\s*)?\]$/;
const MAX_QUANTITY_BYTES = 32;
const MS_PER_SECOND = 1_000;
/** A result shows its block near its beginning, logs the newest near their end: within so many bytes. */
const SHOWN_WITHIN_BYTES = 4_096;
const SHOWN_BLOCK = /"(?:blockNumber|number)"\s*:\s*("0x[0-9a-f]{1,16}")/gi;

/** The newest block that a response tells; undefined if the call does not ask for it, or the response has none. */
export function reportedHead(call: Call, response: UpstreamResponse): ReportedBlock | undefined {
  if (response.kind !== 'result' || !asksForHead(call)) return undefined;
  return call.method === HEAD_METHOD ? readNumber(response.result) : readBlock(response.result);
}

/** Whether a call asks where the head is, or for the newest block itself. */
export function asksForHead(call: Call): boolean {
  return call.method === HEAD_METHOD || newestBlockParams(call) !== undefined;
}

/** Params of a call that asks for the newest block; undefined for any other. */
export function newestBlockParams({ method, params }: Pick<Call, 'method' | 'params'>): string | undefined {
  if (method !== 'eth_getBlockByNumber' || params === undefined || params.length > MAX_PARAMS_BYTES) {
    return undefined;
  }
  const text = textOf(params);
  return NEWEST_BLOCK.test(text) ? text : undefined;
}

/** Whether a result of a call shows of which block it is. */
export function mayShow({ method }: Call): boolean {
  const { fixed } = methodFacts(method);
  if (method === SYNC_METHOD) return true;
  return fixed !== undefined && fixed !== 'bytes' && fixed !== 'quantity';
}

/** The block that a result shows, of logs the newest: only a part is read, because results can be large. */
export function shownBlock({ method }: Call, result: Uint8Array): bigint | undefined {
  const isLogs = methodFacts(method).fixed === 'log';
  const from = isLogs ? Math.max(0, result.length - SHOWN_WITHIN_BYTES) : 0;
  const part = Buffer.from(result.buffer, result.byteOffset, result.length);
  const shown = [...part.toString('latin1', from, from + SHOWN_WITHIN_BYTES).matchAll(SHOWN_BLOCK)];
  return quantityOfJson((isLogs ? shown.at(-1) : shown[0])?.[1]);
}

function readNumber(result: Uint8Array): ReportedBlock | undefined {
  const number = result.length > MAX_QUANTITY_BYTES ? undefined : quantityOfJson(textOf(result));
  return number === undefined ? undefined : { number };
}

/** Its time is read only from a block that shows its hash and its parent's. */
function readBlock(result: Uint8Array): ReportedBlock | undefined {
  const text = jsonText(result);
  const at = skipSpace(text.bytes, 0);
  if (!isObject(text.bytes, at)) return undefined;
  const { members } = readMembers(text, at, MAX_RESPONSE_DEPTH);
  const json = (member: string) => members.find(({ name }) => name === `"${member}"`)?.value();
  const number = quantityOfJson(json('number'));
  if (number === undefined) return undefined;
  const seconds = quantityOfJson(json('timestamp'));
  const linked = hashOfJson(json('hash')) !== undefined && hashOfJson(json('parentHash')) !== undefined;
  return seconds !== undefined && linked ? { number, timeMs: Number(seconds) * MS_PER_SECOND } : { number };
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
}
