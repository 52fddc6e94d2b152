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

/** A list's root, and the way from it to one value, in hex digits. */
interface ListProof {
  readonly root: string;
  /** The value's key: the RLP of its place. */
  readonly key: string;
  /** From the root down; a node that is shorter than its hash is within its parent. */
  readonly nodes: readonly string[];
}

/** A trie that is built, and the nodes on the way to one of its entries. */
interface Building {
  readonly keccak: Keccak;
  /** Path of the entry that is proven. */
  readonly target: string | undefined;
  /** From the entry up. */
  readonly nodes: string[];
}

/**
 * Root of the Merkle Patricia trie of a list, as headers have it: values by the RLP of their place.
 * @param values in hex digits, in the order of the block
 * @returns hex digits
 */
export function listRoot(keccak: Keccak, values: readonly string[]): string {
  return keccak(rootNode({ keccak, target: undefined, nodes: [] }, values));
}

/** The same root, with what proves that one of the values is at its place. @param index of a value that is there */
export function proveListed(keccak: Keccak, values: readonly string[], index: number): ListProof {
  const key = keyOf(index);
  const building: Building = { keccak, target: key, nodes: [] };
  const root = rootNode(building, values);
  return { root: keccak(root), key, nodes: [root, ...building.nodes.reverse()] };
}

function keyOf(index: number): string {
  return rlpString(numberDigits(index.toString(NIBBLES)));
}

function rootNode(building: Building, values: readonly string[]): string {
  const entries = values.map((value, index) => ({ path: keyOf(index), value }));
  entries.sort((a, b) => (a.path < b.path ? -1 : 1));
  return node(building, entries, { depth: 0, isProven: building.target !== undefined });
}

/** Nibbles above a node, and whether it is on the way to the entry that is proven. */
interface Spot {
  readonly depth: number;
  readonly isProven: boolean;
}

/** The node of entries that share their path up to a depth. No path is the beginning of another. */
function node(building: Building, entries: readonly Entry[], { depth, isProven }: Spot): string {
  const [first] = entries;
  const last = entries.at(-1);
  if (first === undefined || last === undefined) return NO_VALUE;
  if (first === last)
    return rlpList(rlpString(compactPath(first.path.slice(depth), true)) + rlpString(first.value));
  let fork = depth;
  while (first.path[fork] === last.path[fork]) fork += 1;
  if (fork === depth) return branch(building, entries, { depth, isProven });
  const path = rlpString(compactPath(first.path.slice(depth, fork), false));
  const below = branch(building, entries, { depth: fork, isProven });
  return rlpList(path + reference(building, below, isProven));
}

function branch(building: Building, entries: readonly Entry[], { depth, isProven }: Spot): string {
  let children = '';
  let from = 0;
  for (let nibble = 0; nibble < NIBBLES; nibble += 1) {
    const digit = nibble.toString(NIBBLES);
    let to = from;
    while (entries[to]?.path[depth] === digit) to += 1;
    const spot = { depth: depth + 1, isProven: isProven && building.target?.[depth] === digit };
    children +=
      to === from
        ? NO_VALUE
        : reference(building, node(building, entries.slice(from, to), spot), spot.isProven);
    from = to;
  }
  return rlpList(children + NO_VALUE);
}

/** A node as its parent has it: whole if it is shorter than its hash. */
function reference({ keccak, nodes }: Building, encoded: string, isProven: boolean): string {
  if (encoded.length < HASH_DIGITS) return encoded;
  if (isProven) nodes.push(encoded);
  return rlpString(keccak(encoded));
}

/** The nibbles of a path as whole bytes, with what kind of node has it. */
function compactPath(nibbles: string, isLeaf: boolean): string {
  const kind = isLeaf ? 2 : 0;
  return nibbles.length % 2 === 0 ? `${kind}0${nibbles}` : `${kind + 1}${nibbles}`;
}
