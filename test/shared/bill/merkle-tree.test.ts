/** Roots and proofs of bills are those of RFC 9162. */
import fc from 'fast-check';
import {
  inclusionProof,
  leafHash,
  rootOfInclusion,
  treeRoot,
} from '../../../lambdas/shared/bill/merkle-tree.ts';

/** The inputs and results that implementations of RFC 6962, whose trees RFC 9162 has, are compared by. */
const INPUTS = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
];
const ROOTS = [
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];
const LEAVES = INPUTS.map((input) => leafHash(Buffer.from(input, 'hex')));
const hex = (hashes: readonly Uint8Array[]) => hashes.map((hash) => Buffer.from(hash).toString('hex'));

test('roots are those that are published', () => {
  expect(treeRoot([]).toString('hex')).toBe(
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  );
  expect(ROOTS.map((_, last) => treeRoot(LEAVES.slice(0, last + 1)).toString('hex'))).toEqual(ROOTS);
});

test.each([
  [0, 1, []],
  [
    0,
    8,
    [
      '96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      '6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4',
    ],
  ],
  [
    5,
    8,
    [
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
      'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    ],
  ],
  [2, 3, ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125']],
  [
    1,
    5,
    [
      '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
      '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
      'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
    ],
  ],
])('the proof of leaf %i of %i is the one that is published', (index, size, published) => {
  const leaves = LEAVES.slice(0, size);
  const proof = inclusionProof(leaves, index);
  expect(hex(proof)).toEqual(published);
  const root = rootOfInclusion({ leaf: leaves[index] ?? Buffer.alloc(0), index, size, proof });
  expect(hex([root ?? Buffer.alloc(0)])).toEqual([ROOTS[size - 1]]);
});

const trees = fc
  .integer({ min: 1, max: 70 })
  .chain((size) => fc.tuple(fc.constant(size), fc.integer({ min: 0, max: size - 1 })));

test('every leaf of every tree has a proof, and no other place, size or bit passes', () => {
  fc.assert(
    fc.property(trees, fc.nat(), ([size, index], change) => {
      const leaves = Array.from({ length: size }, (_, place) => leafHash(`leaf ${place}`));
      const root = treeRoot(leaves).toString('hex');
      const leaf = leaves[index] ?? Buffer.alloc(0);
      const proof = inclusionProof(leaves, index);
      const rootOf = (changed: object) =>
        Buffer.from(rootOfInclusion({ leaf, index, size, proof, ...changed }) ?? []).toString('hex');
      expect(rootOf({})).toBe(root);
      expect(rootOf({ leaf: leafHash('another') })).not.toBe(root);
      expect(rootOf({ proof: [...proof, leaf] })).not.toBe(root);
      for (let other = 0; other < size; other += 1)
        if (other !== index) expect(rootOf({ index: other })).not.toBe(root);
      if (proof.length === 0) return;
      expect(rootOf({ proof: proof.slice(1) })).not.toBe(root);
      const place = change % proof.length;
      const flipped = proof.map((hash, at) => (at === place ? flip(hash, change % 256) : hash));
      expect(rootOf({ proof: flipped })).not.toBe(root);
    }),
  );
});

function flip(bytes: Uint8Array, bit: number): Uint8Array {
  const copy = Uint8Array.from(bytes);
  copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
  return copy;
}
