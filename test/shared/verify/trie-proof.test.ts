/** What a root commits to is read from nodes alone: each value, and that there is none; whatever is altered shows nothing else. */
import fc from 'fast-check';
import { openKeccak } from '../../../lambdas/shared/verify/keccak.ts';
import { verifyTrieProof } from '../../../lambdas/shared/verify/trie-proof.ts';
import { repetitions } from '../../support/at-length.ts';
import { madeTrie } from './made-trie.ts';

/** Paths of few bytes share much, so that tries have extensions, and nodes within others. */
const PATH_BYTES = 3;
const bytes = (length: number) =>
  fc.uint8Array({ minLength: length, maxLength: length }).map((array) => Buffer.from(array).toString('hex'));
const path = fc.oneof(
  bytes(PATH_BYTES),
  fc.constantFrom('00', '01', '10').chain((start) => bytes(PATH_BYTES - 1).map((end) => start + end)),
);
const value = fc.integer({ min: 1, max: 60 }).chain(bytes);
const tries = fc.dictionary(path, value, { minKeys: 1, maxKeys: 40 }).map((entries) => ({
  entries,
  trie: madeTrie(new Map(Object.entries(entries).map(([key, one]) => [`0x${key}`, `0x${one}`]))),
}));
const RUNS = { numRuns: repetitions(300) };

async function opened() {
  const keccak = await openKeccak();
  return (root: string, key: string, nodes: readonly string[]) =>
    verifyTrieProof(
      keccak,
      root.slice(2),
      key,
      nodes.map((node) => node.slice(2)),
    );
}

function expected(entries: Readonly<Record<string, string>>, key: string) {
  return Object.hasOwn(entries, key) ? { kind: 'value', value: entries[key] } : { kind: 'absent' };
}

test('the ways in which nothing is there are all shown: no child, the leaf of another key, an extension that departs', async () => {
  const verify = await opened();
  const cases = [
    [['100000', '200000'], '300000'],
    [['100000', '200000'], '100001'],
    [['110000', '111000'], '120000'],
    [['110000'], '220000'],
  ] as const;
  for (const [keys, absent] of cases) {
    const trie = madeTrie(new Map(keys.map((key) => [`0x${key}`, `0x${'ab'.repeat(40)}`])));
    expect(verify(trie.root, absent, trie.proofOf(`0x${absent}`))).toEqual({ kind: 'absent' });
  }
  expect(verify(madeTrie(new Map()).root, '110000', [])).toEqual({ kind: 'absent' });
});

test('nodes that the path does not use change nothing; more than any path has show nothing', async () => {
  const verify = await opened();
  fc.assert(
    fc.property(tries, path, fc.array(bytes(40), { maxLength: 4 }), ({ entries, trie }, key, extra) => {
      const nodes = trie.proofOf(`0x${key}`);
      const more = extra.map((one) => `0x${one}`);
      for (const all of [[...more, ...nodes], [...nodes, ...more], nodes.flatMap((node) => [node, ...more])])
        expect(verify(trie.root, key, all)).toEqual(expected(entries, key));
      expect(verify(trie.root, key, [...nodes, ...Array(200).fill('0xc0')])).toEqual({ kind: 'wrong' });
    }),
    RUNS,
  );
});

test('what is no node, and no bytes, shows nothing', async () => {
  const verify = await opened();
  fc.assert(
    fc.property(tries, fc.array(fc.string({ unit: 'binary', maxLength: 80 })), ({ trie }, junk) => {
      expect(
        verify(
          trie.root,
          '123456',
          junk.map((one) => `0x${one}`),
        ),
      ).toEqual({ kind: 'wrong' });
    }),
    RUNS,
  );
});
