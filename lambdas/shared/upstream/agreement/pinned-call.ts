import type { Call } from '../../jsonrpc/calls.ts';
import { quantityJson } from '../../jsonrpc/json-values.ts';
import { blocksOfLogs, finalityTags, withBlocks } from '../../jsonrpc/log-parts.ts';
import { type BlockRef, type FinalityTag, readLogsRange } from '../../jsonrpc/logs-range.ts';
import { elementAt } from '../../jsonrpc/required-block.ts';
import { elementSpans, jsonText } from '../../jsonrpc/scan-json.ts';
import { methodFacts, placeOfBlock } from '../../methods/method-facts.ts';
import { LOGS_METHOD } from '../../methods/method-table.ts';

export const COUNT_METHOD = 'eth_getTransactionCount';
const CLOSE = ']';
/** A block that moves, as a parameter or within an object of EIP-1898. */
const MOVING = /^(?:\{\s*"blockNumber"\s*:\s*)?"(latest|safe|finalized)"\s*\}?$/;

/** A block that moves with the chain, and has a number at any moment. */
type MovingTag = 'latest' | FinalityTag;

/** A call about blocks that do not move, and the newest of them. */
export interface PinnedCall {
  readonly call: Call;
  readonly block: bigint;
}

/** Whether a call is about transactions that are in no block yet, of which each node has its own. */
export function isPending({ method, params }: Pick<Call, 'method' | 'params'>): boolean {
  if (method === LOGS_METHOD) {
    const range = readLogsRange(params);
    return (
      range.kind === 'range' &&
      [range.from, range.to].some((block) => 'tag' in block && block.tag === 'pending')
    );
  }
  const { needs } = methodFacts(method);
  return typeof needs === 'object' && elementAt(params, placeOfBlock(needs))?.includes('"pending"') === true;
}

/** Whether a call sends a transaction, or counts those that are in no block yet: nodes differ in what they have. */
export function isOfPool(call: Call): boolean {
  return methodFacts(call.method).class === 'send' || (call.method === COUNT_METHOD && isPending(call));
}

/**
 * A call about the newest block, about the same block by its number. Undefined for one that names other blocks; `safe` and
 * `finalized` have their numbers before a call gets here.
 */
export function pinnedCall(call: Call, latest: bigint): PinnedCall | undefined {
  if (call.method === LOGS_METHOD) return pinnedLogs(call, latest);
  const moving = movingBlock(call);
  if (moving?.tag !== 'latest') return undefined;
  const params = withElement(call.params ?? Buffer.from('[]'), moving.place, quantityJson(latest));
  return params === undefined ? undefined : { call: { ...call, params }, block: latest };
}

/** The block that a call names and that moves, and its place among the params; `latest` where it names none. */
function movingBlock({ method, params }: Pick<Call, 'method' | 'params'>) {
  const { needs } = methodFacts(method);
  if (typeof needs !== 'object') return undefined;
  const place = placeOfBlock(needs);
  const named = elementAt(params, place);
  const tag = named === undefined ? 'latest' : (MOVING.exec(named)?.[1] as MovingTag | undefined);
  return tag === undefined ? undefined : { place, tag };
}

/** The tags of finality that a call names. */
export function tagsOf(call: Pick<Call, 'method' | 'params'>): readonly FinalityTag[] {
  if (call.method === LOGS_METHOD) return finalityTags(call.params);
  const { tag = 'latest' } = movingBlock(call) ?? {};
  return tag === 'latest' ? [] : [tag];
}

/** A call with numbers in the place of its tags; as it is where it names none, or one without a number. */
export function withTagNumbers(call: Call, numbers: ReadonlyMap<FinalityTag, bigint | undefined>): Call {
  const named = tagsOf(call);
  const [tag] = named;
  const { params } = call;
  if (tag === undefined || params === undefined || named.some((one) => numbers.get(one) === undefined))
    return call;
  const number = (one: FinalityTag) => `0x${numbers.get(one)?.toString(16)}`;
  const moving = movingBlock(call);
  const pinned =
    moving === undefined
      ? withTagsOfRange(params, number)
      : withElement(params, moving.place, `"${number(tag)}"`);
  return pinned === undefined ? call : { ...call, params: pinned, isPinned: true };
}

/** Params of a call for logs with other words for its tags of finality. */
function withTagsOfRange(params: Uint8Array, wordOf: (tag: FinalityTag) => string): Uint8Array {
  const [filter, ...more] = JSON.parse(Buffer.from(params).toString()) as [
    Readonly<Record<string, unknown>>,
    ...unknown[],
  ];
  const range = readLogsRange(params);
  const word = (block: BlockRef) =>
    'tag' in block && (block.tag === 'safe' || block.tag === 'finalized') ? wordOf(block.tag) : undefined;
  const [from, to] = range.kind === 'range' ? [word(range.from), word(range.to)] : [];
  const blocks = { ...(from !== undefined && { fromBlock: from }), ...(to !== undefined && { toBlock: to }) };
  return Buffer.from(JSON.stringify([{ ...filter, ...blocks }, ...more]));
}

function pinnedLogs(call: Call, latest: bigint): PinnedCall | undefined {
  const range = readLogsRange(call.params);
  if (range.kind !== 'range' || ('number' in range.from && 'number' in range.to)) return undefined;
  const blocks = blocksOfLogs(call.params, { latest: Number(latest) });
  if (blocks === undefined || call.params === undefined) return undefined;
  return { call: { ...call, params: withBlocks(call.params, blocks) }, block: BigInt(blocks.to) };
}

/** A list with other JSON at a place of it, or behind its last element. All other bytes stay what they are. */
export function withElement(list: Uint8Array, place: number, json: string): Uint8Array | undefined {
  const text = jsonText(list);
  const places = elementSpans(text);
  const found = places[place];
  if (found === undefined && places.length !== place) return undefined;
  const [start, end] = found ?? [text.bytes.lastIndexOf(CLOSE), text.bytes.lastIndexOf(CLOSE)];
  const comma = found === undefined && place > 0 ? ',' : '';
  return Buffer.concat([text.bytes.subarray(0, start), Buffer.from(comma + json), text.bytes.subarray(end)]);
}
