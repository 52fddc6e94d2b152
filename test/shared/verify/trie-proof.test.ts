/** What a root commits to is read from nodes alone: each value, and that there is none; whatever is altered shows nothing else. */
import { encodeRlp, keccak256, type RlpStructuredDataish } from 'ethers';
import fc from 'fast-check';
import { openKeccak } from '../../../lambdas/shared/verify/keccak.ts';
import { proveAccount, proveSlot, verifyTrieProof } from '../../../lambdas/shared/verify/trie-proof.ts';
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

const NOTHING = Array<string>(16).fill('0x');
const inBranch = (child: RlpStructuredDataish) => encodeRlp([...NOTHING.with(1, child as string), '0x']);

test.each<[string, string]>([
  ['a byte with a length before it', '0xc58231238101'],
  ['a length of a short list in bytes of its own', '0xf80582312381ab'],
  ['a length that begins with zeros', `0xf9003c823123b838${'ab'.repeat(56)}`],
  ['fewer bytes than its length says', '0xc682312381ab'],
  ['a length of which bytes are missing', '0xf9'],
  ['more bytes than its length says', `${encodeRlp(['0x3123', '0xab'])}00`],
  ['an item that goes on behind the list', '0xc582312382ab'],
  ['bytes that are no list', encodeRlp('0x3123')],
  ['no item', encodeRlp([])],
  ['a path alone', encodeRlp(['0x3123'])],
  ['three items', encodeRlp(['0x3123', '0xab', '0xab'])],
  ['eighteen items', encodeRlp([...NOTHING, '0x', '0x'])],
  ['a list for its path', encodeRlp([['0x3123'], '0xab'])],
  ['a path of no kind', encodeRlp(['0x5123', '0xab'])],
  ['no path', encodeRlp(['0x', '0xab'])],
  ['a path of whole bytes with a digit before it', encodeRlp(['0x210123', '0xab'])],
  ['an extension over nothing', encodeRlp(['0x00', [...NOTHING, '0x']])],
  ['a leaf with a list', encodeRlp(['0x3123', ['0xab']])],
  ['a child within it that is longer than its hash', inBranch(['0x3123', `0x${'ab'.repeat(40)}`])],
  ['a child by a hash that is short', inBranch(`0x${'ab'.repeat(31)}`)],
])('a root over a node that no trie has shows nothing: %s', async (_, node) => {
  const verify = await opened();
  expect(verify(keccak256(node), '123', [node])).toEqual({ kind: 'wrong' });
});

test('the value of a branch is what a path has that ends there', async () => {
  const verify = await opened();
  const ended = (value: RlpStructuredDataish) => encodeRlp([...NOTHING, value]);
  const shown = (value: RlpStructuredDataish) => verify(keccak256(ended(value)), '', [ended(value)]);
  expect(shown('0xab')).toEqual({ kind: 'value', value: 'ab' });
  expect(shown('0x')).toEqual({ kind: 'absent' });
  expect(shown(['0xab'])).toEqual({ kind: 'wrong' });
});

test('what a root commits to in place of an account or a number shows none', async () => {
  const keccak = await openKeccak();
  const [key, hash] = ['ab', `0x${'ab'.repeat(32)}`];
  const over = (value: string) => {
    const { root, proofOf } = madeTrie(new Map([[keccak256(`0x${key}`), value]]));
    return { root: root.slice(2), nodes: proofOf(keccak256(`0x${key}`)) };
  };
  const accountOf = (...members: RlpStructuredDataish[]) => {
    const { root, nodes } = over(encodeRlp(members));
    return proveAccount(keccak, root, key, { accountProof: nodes });
  };
  const account = accountOf('0x01', '0x02', hash, hash);
  expect(account).toMatchObject({ nonce: '01', balance: '02' });
  for (const members of [
    [],
    ['0x01'],
    ['0x01', '0x02', '0x03', hash],
    ['0x01', '0x02', hash, '0x03'],
    ['0x01', '0x02', hash],
    ['0x01', '0x02', hash, hash, '0x'],
    ['0x01', ['0x02'], hash, hash],
  ])
    expect(accountOf(...members)).toBeUndefined();
  const slotOf = (value: string, change = (nodes: unknown): unknown => [{ proof: nodes }]) => {
    const { root, nodes } = over(value);
    const holder = { nonce: '', balance: '', codeHash: '', storageRoot: root };
    return proveSlot(keccak, holder, key, { storageProof: change(nodes) });
  };
  expect(slotOf('0x81ab')).toBe('ab');
  for (const value of ['0x8101', '0xc101', '0x81abcd']) expect(slotOf(value)).toBeUndefined();
  for (const proof of [undefined, [], {}, [{}], [{ proof: ['ab'] }]])
    expect(slotOf('0x81ab', () => proof)).toBeUndefined();
});

test('a defect is no lie of a node: what is not about an encoding is thrown', () => {
  const broken = () => {
    throw new Error('out of memory');
  };
  expect(() => verifyTrieProof(broken, 'ab', 'ab', ['c0'])).toThrow('out of memory');
});
