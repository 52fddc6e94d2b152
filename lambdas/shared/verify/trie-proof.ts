import type { Keccak } from './keccak.ts';
import { digitsOf, type NodeJson, objectOf } from './members.ts';
import { type RlpItem, readItem, readList, UnencodableError, whereEncodable } from './rlp.ts';

/** Root of a trie without an entry: the hash of an empty string in RLP. */
const EMPTY_ROOT = '56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421';
/** Hash of no bytes: what an account without code has. */
const NO_CODE = 'c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470';
const HASH_DIGITS = 64;
/** Most nodes of a proof: a path of 32 bytes has 64 branches and a leaf; some nodes send small ones beside their parents too. */
const MAX_NODES = 160;
/** Most digits of a node: a branch has 16 hashes and a value. */
const MAX_NODE_DIGITS = 4_096;
const BRANCH_ITEMS = 17;
const VALUE_PLACE = 16;
const ACCOUNT_ITEMS = 4;
const ZERO_DIGIT = '0';

/** What a root commits to at a path. */
type TrieProof =
  /** In hex digits. */
  | { readonly kind: 'value'; readonly value: string }
  /** The trie has nothing there. */
  | { readonly kind: 'absent' }
  /** The nodes do not show what is there. */
  | { readonly kind: 'wrong' };

const ABSENT: TrieProof = { kind: 'absent' };
const WRONG: TrieProof = { kind: 'wrong' };

/**
 * Follows the path of a key down from the root of a Merkle Patricia trie. What is there, and that nothing is, follows from the
 * hashes alone: a branch without a child, a leaf of another key, or an extension that departs. Nodes that the path does not
 * use are passed over.
 * @param root in hex digits, as the key and the nodes
 * @param key the whole path: of state and storage the hash of the address or slot
 * @param nodes in their order from the root
 */
export function verifyTrieProof(
  keccak: Keccak,
  root: string,
  key: string,
  nodes: readonly string[],
): TrieProof {
  if (root === EMPTY_ROOT) return ABSENT;
  if (nodes.length > MAX_NODES || nodes.some(({ length }) => length > MAX_NODE_DIGITS)) return WRONG;
  return attempted(() => follow(key, root, takerOf(keccak, nodes))) ?? WRONG;
}

/** Finds the next node with a hash. @throws {UnencodableError} where it is not among the nodes that are left */
function takerOf(keccak: Keccak, nodes: readonly string[]): (hash: string) => string {
  let next = 0;
  return (hash) => {
    for (; next < nodes.length; next += 1) {
      const node = nodes[next] as string;
      if (keccak(node) !== hash) continue;
      next += 1;
      return node;
    }
    throw new UnencodableError('node');
  };
}

function follow(key: string, root: string, take: (hash: string) => string): TrieProof {
  let node = take(root);
  let depth = 0;
  // Each step takes a digit of the path at least, and where the path ends each returns.
  for (;;) {
    const items = readList(node, BRANCH_ITEMS);
    const [first, second, third] = items;
    if (items.length === BRANCH_ITEMS) {
      if (depth === key.length) return shownBy(items[VALUE_PLACE] as RlpItem);
      const child = items[Number.parseInt(key[depth] as string, 16)] as RlpItem;
      if (child.digits === '') return ABSENT;
      node = childOf(child, take);
      depth += 1;
      continue;
    }
    if (first === undefined || second === undefined || third !== undefined) return WRONG;
    const { nibbles, isLeaf } = readPath(first.digits);
    if (isLeaf) return nibbles === key.slice(depth) ? shownBy(second) : ABSENT;
    if (!key.startsWith(nibbles, depth)) return ABSENT;
    node = childOf(second, take);
    depth += nibbles.length;
  }
}

function shownBy({ isList, digits }: RlpItem): TrieProof {
  if (isList) return WRONG;
  return digits === '' ? ABSENT : { kind: 'value', value: digits };
}

/** The node that another has as its child: whole where it is shorter than its hash. */
function childOf({ isList, digits }: RlpItem, take: (hash: string) => string): string {
  return isList && digits.length < HASH_DIGITS ? digits : take(digits);
}

/** The nibbles of a leaf or an extension. @throws {UnencodableError} for a path that no trie has, as a list, which begins as none */
function readPath(digits: string): { readonly nibbles: string; readonly isLeaf: boolean } {
  const kind = Number.parseInt(digits[0] ?? '', 16);
  const isOdd = kind % 2 === 1;
  const nibbles = digits.slice(isOdd ? 1 : 2);
  const isLeaf = kind >= 2;
  const isPath = kind <= 3 && (isOdd || digits[1] === ZERO_DIGIT) && (isLeaf || nibbles !== '');
  if (!isPath) throw new UnencodableError('path');
  return { nibbles, isLeaf };
}

/** An account of the state; numbers and hashes in hex digits, numbers without leading zeros. */
export interface ProvenAccount {
  readonly nonce: string;
  readonly balance: string;
  readonly storageRoot: string;
  readonly codeHash: string;
}

const NO_ACCOUNT: ProvenAccount = { nonce: '', balance: '', storageRoot: EMPTY_ROOT, codeHash: NO_CODE };

/**
 * What the state has at an address, by a node's response to `eth_getProof`. Only its nodes count, not what it says beside
 * them. An address without an account has no more than an empty one. Undefined: they do not show it.
 * @param stateRoot in hex digits, as the address
 */
export function proveAccount(
  keccak: Keccak,
  stateRoot: string,
  address: string,
  proof: unknown,
): ProvenAccount | undefined {
  return attempted(() => {
    const shown = verifyTrieProof(
      keccak,
      stateRoot,
      keccak(address),
      nodesOf(objectOf(proof, 'proof'), 'accountProof'),
    );
    if (shown.kind !== 'value') return shown.kind === 'absent' ? NO_ACCOUNT : undefined;
    const [nonce, balance, storageRoot, codeHash] = readList(shown.value, ACCOUNT_ITEMS).map(bytesOf);
    if (nonce === undefined || balance === undefined || storageRoot?.length !== HASH_DIGITS) return undefined;
    return codeHash?.length === HASH_DIGITS ? { nonce, balance, storageRoot, codeHash } : undefined;
  });
}

/**
 * What an account has in a slot, by the first storage proof of a node's response to `eth_getProof`: hex digits without leading
 * zeros, none for 0. Undefined: its nodes do not show it.
 * @param slot 32 bytes in hex digits
 */
export function proveSlot(
  keccak: Keccak,
  { storageRoot }: ProvenAccount,
  slot: string,
  proof: unknown,
): string | undefined {
  if (storageRoot === EMPTY_ROOT) return '';
  return attempted(() => {
    const { storageProof } = objectOf(proof, 'proof');
    const [first] = Array.isArray(storageProof) ? (storageProof as readonly unknown[]) : [];
    const shown = verifyTrieProof(
      keccak,
      storageRoot,
      keccak(slot),
      nodesOf(objectOf(first, 'storageProof'), 'proof'),
    );
    if (shown.kind === 'absent') return '';
    return shown.kind === 'value' ? bytesOf(readItem(shown.value)) : undefined;
  });
}

/** Whether code is what an account has. In hex digits. */
export function isCodeOf(keccak: Keccak, { codeHash }: ProvenAccount, code: string): boolean {
  return attempted(() => keccak(code) === codeHash) === true;
}

/** Whether an account has no code, so that nothing has to be asked for. */
export function hasNoCode({ codeHash }: ProvenAccount): boolean {
  return codeHash === NO_CODE;
}

function bytesOf({ isList, digits }: RlpItem): string {
  if (isList) throw new UnencodableError('value');
  return digits;
}

function nodesOf(of: NodeJson, name: string): readonly string[] {
  const { [name]: nodes } = of;
  if (!Array.isArray(nodes)) throw new UnencodableError(name);
  return nodes.map((node) => digitsOf(node, name));
}

function attempted<T>(read: () => T): T | undefined {
  return whereEncodable(read, () => undefined);
}
