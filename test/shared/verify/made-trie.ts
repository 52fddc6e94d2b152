import { encodeRlp, keccak256, type RlpStructuredDataish } from 'ethers';

/** A trie as another library encodes it, with the nodes on the path to each key. Keys and values are hex with 0x. */
export interface MadeTrie {
  readonly root: string;
  /** Nodes from the root to where a path ends, those within their parents left out. */
  proofOf(path: string): string[];
}

interface MadeNode {
  /** As its parent has it. */
  readonly item: RlpStructuredDataish;
  readonly encoded: string;
  readonly children: ReadonlyMap<string, MadeNode>;
  /** Digits that an extension takes. @default none */
  readonly extends?: string;
}

const HASH_BYTES = 32;

/** @param entries values by their whole paths in hex with 0x, which all have one length */
export function madeTrie(entries: ReadonlyMap<string, string>): MadeTrie {
  const digits = [...entries].map(([path, value]) => [path.slice(2), value] as const);
  if (digits.length === 0) return { root: keccak256('0x80'), proofOf: () => [] };
  const top = made(digits);
  return {
    root: keccak256(top.encoded),
    proofOf: (path) => {
      const nodes = [top.encoded];
      let node = top;
      let rest = path.slice(2);
      for (;;) {
        if (node.extends !== undefined && !rest.startsWith(node.extends)) return nodes;
        const taken = node.extends ?? rest.slice(0, 1);
        const child = node.children.get(taken);
        if (child === undefined) return nodes;
        if (typeof child.item === 'string') nodes.push(child.encoded);
        node = child;
        rest = rest.slice(taken.length);
      }
    },
  };
}

function made(entries: readonly (readonly [path: string, value: string])[]): MadeNode {
  const [first] = entries;
  if (first === undefined) throw new Error('no entry');
  if (entries.length === 1) return finished([compact(first[0], true), first[1]], new Map());
  const shared = sharedStart(entries.map(([path]) => path));
  if (shared !== '') {
    const child = made(entries.map(([path, value]) => [path.slice(shared.length), value]));
    return {
      ...finished([compact(shared, false), child.item], new Map([[shared, child]])),
      extends: shared,
    };
  }
  const children = new Map(
    [...Map.groupBy(entries, ([path]) => path.slice(0, 1))].map(([digit, group]) => [
      digit,
      made(group.map(([path, value]) => [path.slice(1), value])),
    ]),
  );
  const items = [...'0123456789abcdef'].map((digit) => children.get(digit)?.item ?? '0x');
  return finished([...items, '0x'], children);
}

function finished(items: RlpStructuredDataish[], children: MadeNode['children']): MadeNode {
  const encoded = encodeRlp(items);
  const isShort = (encoded.length - 2) / 2 < HASH_BYTES;
  return { item: isShort ? items : keccak256(encoded), encoded, children };
}

function compact(nibbles: string, isLeaf: boolean): string {
  const kind = (isLeaf ? 2 : 0) + (nibbles.length % 2);
  return `0x${kind}${nibbles.length % 2 === 0 ? '0' : ''}${nibbles}`;
}

function sharedStart(paths: readonly string[]): string {
  const [first = ''] = paths;
  let length = 0;
  while (length < first.length && paths.every((path) => path[length] === first[length])) length += 1;
  return first.slice(0, length);
}
