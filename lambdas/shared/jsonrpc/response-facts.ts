import type { ShownMember } from '../methods/method-table.ts';
import { hashOfJson, quantityOfJson, readMembers } from './json-values.ts';
import { isArray, isObject, jsonText, MAX_RESPONSE_DEPTH, scanElements, skipSpace } from './scan-json.ts';

/** The facts that a result contains about its block. */
export interface ResponseFacts {
  /** Number of the block, or undefined if it does not say (a pending transaction, an empty list). */
  readonly block: bigint | undefined;
  /** Hashes of the block and the transaction that it shows, in lower case. */
  readonly hashes: readonly string[];
}

const HASH_MEMBERS: readonly string[] = ['"hash"', '"blockHash"', '"transactionHash"'];
const ERROR_MEMBER = '"error"';

/** Reads a node's result: an object, or a list of objects of one block, of which the first is read. */
export function readFacts(result: Uint8Array, shown: ShownMember): ResponseFacts {
  const text = jsonText(result);
  const start = skipSpace(text.bytes, 0);
  const at = isArray(text.bytes, start) ? skipSpace(text.bytes, start + 1) : start;
  if (!isObject(text.bytes, at)) return { block: undefined, hashes: [] };
  const { members } = readMembers(text, at, MAX_RESPONSE_DEPTH);
  const number = members.find(({ name }) => name === `"${shown}"`);
  return {
    block: quantityOfJson(number?.value()),
    hashes: members
      .filter(({ name }) => HASH_MEMBERS.includes(name))
      .flatMap((member) => hashOfJson(member.value()) ?? []),
  };
}

/** Whether a list of traces holds one that failed: a node that was short of time can have it the next time. */
export function hasFailedTrace(result: Uint8Array): boolean {
  const text = jsonText(result);
  let failed = false;
  const listEnd = scanElements(text, skipSpace(text.bytes, 0), (at) => {
    const { members, end } = readMembers(text, at, MAX_RESPONSE_DEPTH - 1);
    failed ||= members.some(({ name }) => name === ERROR_MEMBER);
    return end;
  });
  return failed || listEnd < 0;
}
