import type { Keccak } from './keccak.ts';
import { numberDigits, rlpList, rlpString } from './rlp.ts';

const HASH_DIGITS = 64;
const NO_VALUE = '80';
const NIBBLES = 16;

/** A value of the trie, and the nibbles of its path, in hex digits. */
interface Entry {
  readonly path: string;
  readonly value: string;
}

/**
 * Root of the Merkle Patricia trie of a list, as headers have it: values by the RLP of their place.
 * @param values in hex digits, in the order of the block
 * @returns hex digits
 */
export function listRoot(keccak: Keccak, values: readonly string[]): string {
  if (values.length === 0) return keccak(NO_VALUE);
  const entries = values.map((value, index) => ({
    path: rlpString(numberDigits(index.toString(16))),
    value,
  }));
  entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  return keccak(node(keccak, entries, 0));
}

/** The node of entries that share their path up to a depth. No path is the beginning of another. */
function node(keccak: Keccak, entries: readonly Entry[], depth: number): string {
  const [first] = entries;
  const last = entries.at(-1);
  if (first === undefined || last === undefined) return NO_VALUE;
  if (first === last)
    return rlpList(rlpString(compactPath(first.path.slice(depth), true)) + rlpString(first.value));
  let fork = depth;
  while (first.path[fork] === last.path[fork]) fork += 1;
  if (fork === depth) return branch(keccak, entries, depth);
  const path = rlpString(compactPath(first.path.slice(depth, fork), false));
  return rlpList(path + reference(keccak, branch(keccak, entries, fork)));
}

function branch(keccak: Keccak, entries: readonly Entry[], depth: number): string {
  let children = '';
  let from = 0;
  for (let nibble = 0; nibble < NIBBLES; nibble += 1) {
    const digit = nibble.toString(NIBBLES);
    let to = from;
    while (entries[to]?.path[depth] === digit) to += 1;
    children += to === from ? NO_VALUE : reference(keccak, node(keccak, entries.slice(from, to), depth + 1));
    from = to;
  }
  return rlpList(children + NO_VALUE);
}

/** A node as its parent has it: whole if it is shorter than its hash. */
function reference(keccak: Keccak, encoded: string): string {
  return encoded.length < HASH_DIGITS ? encoded : rlpString(keccak(encoded));
}

/** The nibbles of a path as whole bytes, with what kind of node has it. */
function compactPath(nibbles: string, isLeaf: boolean): string {
  const kind = isLeaf ? 2 : 0;
  return nibbles.length % 2 === 0 ? `${kind}0${nibbles}` : `${kind + 1}${nibbles}`;
}
