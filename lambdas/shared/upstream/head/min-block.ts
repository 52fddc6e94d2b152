import type { Call } from '../../jsonrpc/calls.ts';
import type { CataloguedError } from '../../jsonrpc/error-catalogue.ts';
import type { RequiredBlock } from '../../jsonrpc/required-block.ts';
import { isIdempotent } from '../../methods/method-facts.ts';

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
