import { createHash } from 'node:crypto';

/** First byte of what is hashed for a leaf, and for a node above two others: neither can pass for the other. */
const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);
/** Bytes of a hash. */
export const HASH_BYTES = 32;
/** Leaves of a tree, at most. Places are counted in 32-bit integers. */
const MAX_LEAVES = 2 ** 30;

/** Hash of a leaf, as RFC 9162, 2.1.1 has it. */
export function leafHash(data: string | Uint8Array): Buffer {
  return createHash('sha256').update(LEAF).update(data).digest();
}

function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return createHash('sha256').update(NODE).update(left).update(right).digest();
}

/** The root over leaves that come one after the other, in memory that grows with the logarithm of their number. */
export class TreeRoot {
  /** Roots of whole subtrees, the largest first. */
  readonly #subtrees: { readonly leaves: number; readonly hash: Uint8Array }[] = [];

  /** Adds the hash of the next leaf. */
  add(leaf: Uint8Array): void {
    let right: { readonly leaves: number; readonly hash: Uint8Array } = { leaves: 1, hash: leaf };
    for (;;) {
      const left = this.#subtrees.at(-1);
      if (left?.leaves !== right.leaves) break;
      this.#subtrees.pop();
      right = { leaves: 2 * left.leaves, hash: nodeHash(left.hash, right.hash) };
    }
    this.#subtrees.push(right);
  }

  /** The root over what was added; of nothing, the hash of nothing. */
  root(): Buffer {
    const [last, ...others] = this.#subtrees.map(({ hash }) => hash).reverse();
    if (last === undefined) return createHash('sha256').digest();
    return Buffer.from(others.reduce((right, left) => nodeHash(left, right), last));
  }
}

/** The root over the hashes of leaves. */
export function treeRoot(leaves: Iterable<Uint8Array>): Buffer {
  const tree = new TreeRoot();
  for (const leaf of leaves) tree.add(leaf);
  return tree.root();
}

/** The hashes that lead from one leaf to the root, the lowest first. Throws a RangeError if there is no such leaf. */
export function inclusionProof(leaves: readonly Uint8Array[], index: number): Buffer[] {
  if (!Number.isInteger(index) || index < 0 || index >= leaves.length)
    throw new RangeError(`a tree of ${leaves.length} leaves has none at ${index}`);
  if (leaves.length === 1) return [];
  const split = 2 ** Math.ceil(Math.log2(leaves.length) - 1);
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  return index < split
    ? [...inclusionProof(left, index), treeRoot(right)]
    : [...inclusionProof(right, index - split), treeRoot(left)];
}

/** Where a leaf is said to be, and what leads from it to the root. */
export interface Inclusion {
  readonly leaf: Uint8Array;
  readonly index: number;
  /** Leaves of the tree. */
  readonly size: number;
  readonly proof: readonly Uint8Array[];
}

/** The root that an inclusion leads to (RFC 9162, 2.1.3.2); undefined: it leads nowhere. */
export function rootOfInclusion({ leaf, index, size, proof }: Inclusion): Uint8Array | undefined {
  const isPlace = Number.isInteger(index) && Number.isInteger(size) && index >= 0 && index < size;
  if (!isPlace || size > MAX_LEAVES) return undefined;
  let place = index;
  let last = size - 1;
  let hash = leaf;
  for (const sibling of proof) {
    if (last === 0) return undefined;
    if (place % 2 === 1 || place === last) {
      hash = nodeHash(sibling, hash);
      while (place % 2 === 0 && place !== 0) {
        place >>= 1;
        last >>= 1;
      }
    } else hash = nodeHash(hash, sibling);
    place >>= 1;
    last >>= 1;
  }
  return last === 0 ? hash : undefined;
}
