import type { Call, UpstreamResponse } from '../../jsonrpc/calls.ts';
import type { CataloguedError } from '../../jsonrpc/error-catalogue.ts';
import { hashOfJson, jsonOf, quantityJson, quantityOfJson, readMembers } from '../../jsonrpc/json-values.ts';
import type { RequiredBlock } from '../../jsonrpc/required-block.ts';
import { isObject, jsonText, MAX_RESPONSE_DEPTH, skipSpace } from '../../jsonrpc/scan-json.ts';
import { isIdempotent, methodFacts } from '../../methods/method-facts.ts';
import { SYNC_METHOD } from '../../methods/method-table.ts';
import type { Clock } from '../../runtime/clock.ts';
import { numbersOf, SHOWN_WITHIN_BYTES } from '../agreement/of-another.ts';
import type { ReportedBlock } from './head-claim.ts';
import type { HeadReports } from './head-reports.ts';

/** A block number as `X-Chain-Head` has it. */
const NUMBER = /^(?:0|[1-9]\d{0,19})$/;
const MAX_NUMBER = 2n ** 64n - 1n;

/** The block number of a header `X-Min-Block`; undefined if its value is no such number. */
export function readMinBlock(value: string): bigint | undefined {
  const number = NUMBER.test(value) ? BigInt(value) : undefined;
  return number === undefined || number > MAX_NUMBER ? undefined : number;
}

/**
 * The block that the upstream of an answer must have, by the header of its request; undefined: any upstream may answer. Of a
 * range of logs an upstream needs no more than its end.
 */
export function leastBlock(
  { method }: Pick<Call, 'method'>,
  need: RequiredBlock,
  minBlock: bigint | undefined,
): bigint | undefined {
  if (minBlock === undefined || need.kind === 'none' || !isIdempotent(method)) return undefined;
  return need.kind === 'logs' && need.to < minBlock ? need.to : minBlock;
}

/**
 * Whether every answer to a call depends on how far its upstream is: it is about a tag, or about logs, of which an upstream gives
 * those that it has. Of another call only the answer does that there is no such thing.
 */
export function dependsOnHead({ isPinned }: Pick<Call, 'isPinned'>, { kind }: RequiredBlock): boolean {
  return kind === 'head' || kind === 'logs' || isPinned === true;
}

/** The error for a call whose block no upstream is known to have. `head`: the newest that one has. */
export function minBlockNotReached(head: bigint | undefined): CataloguedError {
  return { reason: 'min_block_not_reached', ...(head !== undefined && { details: { head: Number(head) } }) };
}

export const HEAD_METHOD = 'eth_blockNumber';
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
  const text = jsonOf(params, 'latin1');
  return NEWEST_BLOCK.test(text) ? text : undefined;
}

/** Whether a result of a call shows of which block it is. */
export function mayShow({ method }: Pick<Call, 'method'>): boolean {
  const { fixed } = methodFacts(method);
  if (method === SYNC_METHOD) return true;
  return fixed !== undefined && fixed !== 'bytes' && fixed !== 'quantity';
}

/** The block that a result shows, of logs the newest: only a part is read, because results can be large. */
export function shownBlock({ method }: Call, result: Uint8Array): bigint | undefined {
  const isLogs = methodFacts(method).fixed === 'log';
  const from = isLogs ? Math.max(0, result.length - SHOWN_WITHIN_BYTES) : 0;
  const part = Buffer.from(result.buffer, result.byteOffset, result.length);
  return numbersOf(part.toString('latin1', from, from + SHOWN_WITHIN_BYTES)).at(isLogs ? -1 : 0);
}

function readNumber(result: Uint8Array): ReportedBlock | undefined {
  const number = result.length > MAX_QUANTITY_BYTES ? undefined : quantityOfJson(jsonOf(result, 'latin1'));
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

/** Ways to ask for the newest block that are distinguished. */
const MAX_FORMS = 4;
/** Largest block that is kept, in bytes. */
const MAX_BLOCK_BYTES = 256 * 1024;
/** How long a kept block stands for the newest, in milliseconds. */
const MAX_AGE_MS = 15_000;

interface NewestBlock {
  readonly number: bigint;
  readonly result: Uint8Array;
  readonly keptAt: number;
}

/** The newest block as a client last got it, for each form in which it is asked for. */
export class NewestBlocks {
  readonly #blocks = new Map<string, NewestBlock>();

  /** Keeps a copy of a block that a client gets. `params`: raw JSON of the call's. */
  keep(params: string, number: bigint, result: Uint8Array, now: number): void {
    this.#blocks.delete(params);
    if (result.length > MAX_BLOCK_BYTES) return;
    this.#blocks.set(params, { number, result: new Uint8Array(result), keptAt: now });
    const [oldest] = this.#blocks.keys();
    if (this.#blocks.size > MAX_FORMS && oldest !== undefined) this.#blocks.delete(oldest);
  }

  /** The kept block, if it is neither older than what clients got nor newer than what is left of the chain. */
  find(
    params: string,
    { served, head = 0n }: Pick<HeadReports, 'served' | 'head'>,
    now: number,
  ): Uint8Array | undefined {
    const kept = this.#blocks.get(params);
    if (kept === undefined || now - kept.keptAt > MAX_AGE_MS) return undefined;
    return served <= kept.number && kept.number <= head ? kept.result : undefined;
  }
}

/** The response to a call, before the head that it shows is looked at. */
interface UncheckedResponse {
  /** Undefined if no block may be returned. */
  readonly response: UpstreamResponse | undefined;
  /** Whether an upstream that is further on could not be asked. */
  readonly incomplete: boolean;
}

/** What is remembered of a chain's heads. */
interface HeadMemory {
  readonly view: HeadReports;
  readonly newestBlocks: NewestBlocks;
  readonly clock: Clock;
}

/**
 * Keeps the head that clients see from going back because an upstream lags. `eth_blockNumber` gets the number of the
 * head. If the newest block available is older than one already returned, because the upstream that has it is not
 * heard, the returned one is repeated; without that, the older block is returned, which is true.
 */
export function monotonicHead(
  call: Call,
  { response, incomplete }: UncheckedResponse,
  { view, newestBlocks, clock }: HeadMemory,
): UpstreamResponse | undefined {
  const params = newestBlockParams(call);
  const told = response === undefined ? undefined : reportedHead(call, response)?.number;
  const isOlder = response === undefined || (told !== undefined && told < view.served);
  if (params !== undefined && isOlder && incomplete) {
    const kept = newestBlocks.find(params, view, clock.now());
    return kept === undefined ? response : { kind: 'result', result: kept, kept: true };
  }
  if (response?.kind !== 'result' || told === undefined) return response;
  if (params !== undefined) {
    newestBlocks.keep(params, told, response.result, clock.now());
    view.serve(told);
    return response;
  }
  const head = view.head ?? told;
  view.serve(head);
  return head === told ? response : { kind: 'result', result: Buffer.from(quantityJson(head)) };
}

/**
 * The class that a response gets because of the head in it; undefined if the head is no reason for one. A number alone
 * is not judged unless no other is known: `monotonicHead` corrects it.
 */
export function classifyHead(
  call: Call,
  response: UpstreamResponse,
  view: HeadReports,
): 'broken' | 'unbelieved' | 'behind_served_head' | undefined {
  const told = reportedHead(call, response)?.number;
  // Every chain has a newest block.
  if (told === undefined) return response.kind === 'result' && asksForHead(call) ? 'broken' : undefined;
  const isNumber = newestBlockParams(call) === undefined;
  if (view.head === undefined || told > view.head)
    return isNumber && view.head !== undefined ? undefined : 'unbelieved';
  return told < view.served && !isNumber ? 'behind_served_head' : undefined;
}
