import type { Call, UpstreamResponse } from '../../jsonrpc/calls.ts';
import { hashOfJson, quantityOfJson } from '../../jsonrpc/quantity.ts';
import { readMembers } from '../../jsonrpc/read-members.ts';
import { isObject, jsonText, MAX_RESPONSE_DEPTH, skipSpace } from '../../jsonrpc/scan-json.ts';
import type { ReportedBlock } from './head-claim.ts';

const HEAD_METHOD = 'eth_blockNumber';
const MAX_PARAMS_BYTES = 64;
const NEWEST_BLOCK = /^\[\s*"latest"\s*(?:,\s*(?:true|false)\s*)?\]$/;
const MAX_QUANTITY_BYTES = 32;
const MS_PER_SECOND = 1_000;

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
