import { keccak_256 } from '@noble/hashes/sha3.js';
import { ProofError } from '../errors.ts';
import { asBytes, asList, hexText } from './members.ts';
import { decodeRlp, type RlpPart } from './rlp.ts';

const HASH_BYTES = 32;
/** Children of a branch, and its value. */
const BRANCH_ITEMS = 17;
const PATH_ITEMS = 2;
/** What the first digit of a path says: its lowest bit, that one digit more of the path is beside it; the next, that it is a leaf's. */
const ODD = 1;
const LEAF = 2;
const HEX_RADIX = 16;

/** What of a trie is looked for, and the nodes that lead to it. */
interface Way {
  /** Hash of the root, as `0x` and hex digits. */
  readonly root: string;
  /** Digits of the key. */
  readonly key: string;
  /** From the root down; a node shorter than 32 bytes is within its parent. */
  readonly nodes: readonly Uint8Array[];
}

/**
 * The value that a trie has for a key, by the nodes on the way to it: each is the one that its parent names, and none is left.
 * @throws {ProofError} where they lead to no value
 */
export function trieValue({ root, key, nodes }: Way): Uint8Array {
  let used = 0;
  const next = (hash: string): RlpPart => {
    const node = nodes[used];
    if (node === undefined) throw new ProofError('a node is missing');
    used += 1;
    if (hexText(keccak_256(node)) !== hash) throw new ProofError('a node is another than its parent names');
    return decodeRlp(node);
  };
  let at = 0;
  // Each step takes a digit of the key or more.
  for (let node = next(root); ; ) {
    const items = asList(node);
    if (items.length === BRANCH_ITEMS) {
      const digit = key[at];
      if (digit === undefined) throw new ProofError('the key ends above the value');
      at += 1;
      node = childOf(items[Number.parseInt(digit, HEX_RADIX)] as RlpPart, next);
      continue;
    }
    const { path, isLeaf } = readPath(items);
    const rest = key.slice(at);
    if (isLeaf) {
      if (path !== rest) throw new ProofError('the value is that of another key');
      if (used !== nodes.length) throw new ProofError('there are nodes that lead nowhere');
      return asBytes(items[1] as RlpPart);
    }
    if (path === '' || !rest.startsWith(path)) throw new ProofError('the way is that of another key');
    at += path.length;
    node = childOf(items[1] as RlpPart, next);
  }
}

/** A node by what its parent has in its place: its hash, or itself. */
function childOf(item: RlpPart, next: (hash: string) => RlpPart): RlpPart {
  if (!(item instanceof Uint8Array)) return item;
  if (item.length !== HASH_BYTES) throw new ProofError('the trie has no value for the key');
  return next(hexText(item));
}

/** What a node with one way has of the path. */
function readPath(items: readonly RlpPart[]): { readonly path: string; readonly isLeaf: boolean } {
  if (items.length !== PATH_ITEMS) throw new ProofError('this is not a node of a trie');
  const digits = hexText(asBytes(items[0] as RlpPart)).slice(2);
  const kind = Number.parseInt(digits[0] ?? '', HEX_RADIX);
  const isOdd = (kind & ODD) !== 0;
  if (!(kind <= (LEAF | ODD)) || !(isOdd || digits[1] === '0'))
    throw new ProofError('a path has another shape');
  return { path: digits.slice(isOdd ? 1 : 2), isLeaf: (kind & LEAF) !== 0 };
}
