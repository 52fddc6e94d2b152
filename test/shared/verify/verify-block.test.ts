/** What a form computes of a block, what it refuses, and what it leaves as told. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { PROOF_FORMS, type ProofForm } from '../../../lambdas/shared/runtime/settings.ts';
import { proofOf } from '../../../lambdas/shared/verify/chain-proof.ts';
import type { VerifyTools } from '../../../lambdas/shared/verify/senders.ts';
import { typesOf } from '../../../lambdas/shared/verify/transactions.ts';
import { type BlockVerdict, verifyBlock } from '../../../lambdas/shared/verify/verify-block.ts';
import { openVerifyTools } from '../../../lambdas/shared/verify/verify-tools.ts';
import { repetitions, sampled } from '../../support/at-length.ts';
import {
  account,
  flipped,
  hex,
  type Json,
  madeBlock,
  otherKeccak,
  type SentJson,
  sealed,
  word,
} from './made-block.ts';

/** Of which early blocks have imported transactions. */
const CHAIN_ID = 42_161;
/** Blocks of public chains, where this machine has them. */
const REAL_BLOCKS = join(import.meta.dirname, '..', '..', '..', '..', 'shared', 'blocks');

let tools: VerifyTools;
beforeAll(async () => {
  tools = await openVerifyTools();
});

/** Type of transactions that Nitro imported. */
const IMPORTED = 0x78;

const verdictOf = (form: ProofForm, { block, receipts }: SentJson): BlockVerdict =>
  verifyBlock(tools, { form, from: 0, chainId: CHAIN_ID }, block, receipts);

const NITRO = {
  difficulty: '0x1',
  extraData: word(0x5e4d),
  mixHash: `0x${'5'.padStart(16, '0')}${'1406f40'.padStart(16, '0')}${'a'.padStart(32, '0')}`,
  ...{ sendRoot: word(0x5e4d), sendCount: '0x5', l1BlockNumber: '0x1406f40' },
};
const CANCUN = {
  ...{ withdrawalsRoot: word(0), blobGasUsed: '0x0', excessBlobGas: '0x0' },
  ...{ parentBeaconBlockRoot: word(0xbeac), requestsHash: word(0x4e9) },
};
const MEMBERS: Readonly<Record<ProofForm, Json>> = {
  ethereum: {
    ...CANCUN,
    withdrawals: [{ index: '0x1', validatorIndex: '0x2', address: `0x${'77'.repeat(20)}`, amount: '0x9' }],
  },
  op: {},
  orbit: NITRO,
};

/** A block with a transaction of each type of a form. */
const blockOf = (form: ProofForm): SentJson =>
  sealed(madeBlock({ types: typesOf(form), chainId: CHAIN_ID, members: MEMBERS[form] }));
test('keccak is that of another library', async () => {
  for (const digits of ['', '00', 'ab'.repeat(135), 'cd'.repeat(136), 'ef'.repeat(1_000)])
    expect(tools.keccak(digits)).toBe(otherKeccak(digits));
  expect(() => tools.keccak('0g')).toThrow('hex');
});

describe.each(PROOF_FORMS)('a block of the form %s', (form) => {
  test('comes out, with a transaction of each type', () => {
    expect(verdictOf(form, blockOf(form))).toEqual({ kind: 'computed' });
  });

  test.each(sampled(typesOf(form)).map((type) => [hex(type), type] as const))(
    'comes out with 300 of type %s',
    (_, type) => {
      const types = Array.from({ length: 300 }, () => type);
      expect(verdictOf(form, sealed(madeBlock({ types, chainId: CHAIN_ID })))).toEqual({ kind: 'computed' });
    },
  );

  test('comes out without transactions', () => {
    expect(verdictOf(form, sealed(madeBlock({ types: [], chainId: CHAIN_ID })))).toEqual({
      kind: 'computed',
    });
  });

  test('is refused with one bit of a committed member flipped', () => {
    const block = blockOf(form);
    const places = textsOf(block).filter(
      (path) => path.at(-1) !== 'type' && !TOLD[form].has(nameOf(block, path)),
    );
    fc.assert(
      fc.property(fc.nat(places.length - 1), fc.nat(2_000), fc.nat(3), (place, digit, bit) => {
        const path = places[place] as Path;
        const altered = changed(block, path, (text) => flipped(text, digit, bit));
        expect([path.join('.'), verdictOf(form, altered).kind]).toEqual([path.join('.'), 'wrong']);
      }),
      { numRuns: repetitions(300) },
    );
  });

  test('is refused with any member altered alone, but for those that nodes tell', () => {
    const block = blockOf(form);
    const accepted = textsOf(block)
      .filter((path) => verdictOf(form, changed(block, path, otherValue)).kind !== 'wrong')
      .map((path) => nameOf(block, path));
    // A type that no form has is compared with another node.
    expect([...new Set(accepted)].sort()).toEqual([...TOLD[form], '0x0.type', 'transactions.type'].sort());
  });

  test('is refused with any member left out, but for those that nodes may leave out', () => {
    const block = blockOf(form);
    const accepted = textsOf(block)
      .filter(
        (path) =>
          verdictOf(
            form,
            changed(block, path, () => undefined),
          ).kind !== 'wrong',
      )
      .map((path) => nameOf(block, path));
    const mayLack = [...TOLD[form], ...MAY_LACK[form]];
    expect(accepted.filter((name) => !mayLack.includes(name))).toEqual([]);
  });

  test('is refused where a type is renamed to another of the form', () => {
    const block = blockOf(form);
    for (const [index, transaction] of block.block.transactions.entries())
      for (const type of typesOf(form).filter(
        (other) => hex(other) !== transaction.type && other !== IMPORTED,
      )) {
        const path = ['block', 'transactions', String(index), 'type'];
        expect([
          index,
          type,
          verdictOf(
            form,
            changed(block, path, () => hex(type)),
          ).kind,
        ]).toEqual([index, type, 'wrong']);
      }
  });
});

test('an imported transaction is known in imported blocks alone: its hash is what its node tells', () => {
  const sent = sealed(madeBlock({ types: [0], chainId: CHAIN_ID, number: 22_207_817 }));
  expect(verdictOf('orbit', sent)).toEqual({ kind: 'computed' });
  const renamed = changed(sent, ['block', 'transactions', '0', 'type'], () => hex(IMPORTED));
  expect(verdictOf('orbit', renamed)).toMatchObject({ kind: 'wrong', member: 'transactions[0].type' });
});

test.each(['op', 'orbit'] as const)('a withdrawal of the form %s, which has none, is refused', (form) => {
  const { block, receipts } = blockOf(form);
  const { withdrawals } = MEMBERS.ethereum;
  expect(verdictOf(form, { receipts, block: { ...block, withdrawals } })).toMatchObject({
    ...{ kind: 'wrong', part: 'withdrawals' },
  });
});

test('a list that lacks its last transaction and receipt, or has two exchanged, is refused', () => {
  const { block, receipts } = blockOf('ethereum');
  const shorter = {
    block: { ...block, transactions: block.transactions.slice(1) },
    receipts: receipts.slice(1),
  };
  expect(verdictOf('ethereum', shorter)).toMatchObject({ kind: 'wrong', member: 'transactionsRoot' });
  const [first, second, ...rest] = receipts as [Json, Json, ...Json[]];
  const exchanged = { block, receipts: [{ ...second }, { ...first }, ...rest] };
  expect(verdictOf('ethereum', exchanged)).toMatchObject({ kind: 'wrong', part: 'receipts' });
  expect(verdictOf('ethereum', { block, receipts: receipts.slice(1) })).toMatchObject({ kind: 'wrong' });
});

test.each<[form: ProofForm, type: number, member: string, values: readonly unknown[]]>([
  ['op', 0x7e, 'isSystemTx', ['0x0', 0]],
  ['op', 0x7e, 'mint', ['0x', 1]],
  ['ethereum', 1, 'accessList', [null, '0x', [7], [[]], [{ address: account(1), storageKeys: '0x' }]]],
  ['ethereum', 2, 'input', ['0x1', '00', 7, ['0x']]],
  ['ethereum', 2, 'to', ['0x', `${account(1)}00`]],
  ['ethereum', 3, 'blobVersionedHashes', [null, ['0x01'], word(1)]],
])(
  'a transaction of the form %s and the type %i is refused where its %s has another shape',
  (form, type, name, values) => {
    const block = blockOf(form);
    const index = block.block.transactions.findIndex((one) => one.type === hex(type));
    for (const value of values) {
      const altered = changed(block, ['block', 'transactions', String(index), name], () => value);
      expect(verdictOf(form, altered)).toMatchObject({ kind: 'wrong', part: 'transactions' });
    }
  },
);

test('the address of a new contract follows from sender and nonce', () => {
  const made = madeBlock({ types: [2], chainId: CHAIN_ID });
  const [tx, receipt] = [made.block.transactions[0] as Json, made.receipts[0] as Json];
  tx.to = null;
  receipt.contractAddress = '0xc19fcb22d75b7b8d6c6cd95df0d6ca0dcc2ecba4';
  const verdict = verdictOf('ethereum', sealed(made));
  expect(verdict).toEqual({ kind: 'wrong', part: 'derived', member: 'receipts[0].contractAddress' });
  const { getCreateAddress } = jest.requireActual<typeof import('ethers')>('ethers');
  const from = tx.from as string;
  receipt.contractAddress = getCreateAddress({ from, nonce: Number(tx.nonce) }).toLowerCase();
  expect(verdictOf('ethereum', sealed(made))).toEqual({ kind: 'computed' });
});

describe('what a form does not have', () => {
  const withType = () => sealed(madeBlock({ types: [2, 0x55, 0], chainId: CHAIN_ID }));
  const withMember = (members: Json = {}) =>
    sealed(madeBlock({ types: [2], chainId: CHAIN_ID, members: { ...CANCUN, withdrawals: [], ...members } }));

  test('a type is not covered', () => {
    expect(verdictOf('ethereum', withType())).toEqual({
      ...{ kind: 'uncovered', part: 'transactions', member: 'transactions.type 85' },
    });
  });

  test('beside one, each transaction of a known type still has to have its hash, and each receipt its gas', () => {
    const value = changed(withType(), ['block', 'transactions', '2', 'value'], () => '0x7');
    expect(verdictOf('ethereum', value)).toEqual({
      ...{ kind: 'wrong', part: 'transactions', member: 'transactions[2].hash' },
    });
  });

  test('a member of the header that its hash takes in is not covered, and one beside it changes nothing', () => {
    expect(verdictOf('ethereum', withMember({ slotNumber: '0x9' }))).toEqual({
      ...{ kind: 'uncovered', part: 'header', member: 'slotNumber' },
    });
    const beside = withMember();
    expect(verdictOf('ethereum', { ...beside, block: { ...beside.block, slotNumber: '0x9' } })).toEqual({
      kind: 'computed',
    });
  });

  test('beside such a member the lists still have to have their roots', () => {
    const sent = withMember({ slotNumber: '0x9' });
    const status = changed(sent, ['receipts', '0', 'status'], () => '0x0');
    expect(verdictOf('ethereum', status)).toMatchObject({ kind: 'wrong', member: 'receiptsRoot' });
  });
});

test('a receipt of before Byzantium has a root, and none of a deposit before Canyon has its nonce', () => {
  const old = madeBlock({ types: [0], chainId: CHAIN_ID });
  Object.assign(old.receipts[0] as Json, { status: undefined, root: word(0x400) });
  expect(verdictOf('ethereum', sealed(old))).toEqual({ kind: 'computed' });
  const deposit = madeBlock({ types: [0x7e], chainId: CHAIN_ID });
  Object.assign(deposit.receipts[0] as Json, { depositReceiptVersion: undefined });
  Object.assign(deposit.block.transactions[0] as Json, { isSystemTx: true });
  expect(verdictOf('op', sealed(deposit))).toEqual({ kind: 'computed' });
});

test('anything that is no block is a wrong answer, and nothing throws', () => {
  fc.assert(
    fc.property(fc.json(), fc.json(), fc.constantFrom(...PROOF_FORMS), (block, receipts, form) => {
      const verdict = verdictOf(form, { block: JSON.parse(block), receipts: JSON.parse(receipts) });
      expect(verdict.kind).not.toBe('computed');
    }),
  );
});

describe('the form of a chain', () => {
  test('is known by its id, and begins where an earlier form of the chain ends', () => {
    expect(
      [1, 11_155_111, 31_337, 10, 8_453, 42_161, 4_663, 137].map((chainId) => proofOf({ chainId })?.form),
    ).toEqual([...['ethereum', 'ethereum', 'ethereum', 'op', 'op', 'orbit', 'orbit', undefined]]);
    expect(proofOf({ chainId: 42_161 })?.from).toBe(22_207_817);
  });

  test('of a development chain leaves out what its node puts into the root and no response has', () => {
    const blobs = sealed(madeBlock({ types: [3, 2], chainId: 31_337 }));
    const proof = proofOf({ chainId: 31_337 });
    if (proof === undefined) throw new Error('no form');
    expect(verifyBlock(tools, proof, blobs.block, blobs.receipts)).toEqual({
      ...{ kind: 'uncovered', part: 'transactions', member: 'transactions.type 3' },
    });
  });

  test('is what the stage file says', () => {
    expect(proofOf({ chainId: 1, proof: { form: 'none' } })).toBeUndefined();
    expect(proofOf({ chainId: 137, proof: { form: 'op', from: 9 } })).toEqual({
      form: 'op',
      from: 9,
      chainId: 137,
    });
  });
});

const isThere = existsSync(REAL_BLOCKS);
const described = isThere ? describe : describe.skip;
described('blocks of public chains (skipped where they are not beside the repository)', () => {
  const files = isThere ? readdirSync(REAL_BLOCKS).filter((name) => name.endsWith('.json.gz')) : ['none'];
  const read = (name: string) =>
    JSON.parse(gunzipSync(readFileSync(join(REAL_BLOCKS, name))).toString('utf8')) as SentJson;
  const formOf = (name: string): ProofForm => (name.startsWith('arbitrum') ? 'orbit' : 'ethereum');
  const known = files.filter((name) => /^(arbitrum|ethereum)-/.test(name));

  test.each(known)('%s comes out', (name) => {
    expect(verdictOf(formOf(name), read(name))).toEqual({ kind: 'computed' });
  });

  test.each(sampled(known))(
    '%s is refused with any bit of a status, an amount, a sender or a log flipped',
    (name) => {
      const sent = read(name);
      const places = textsOf(sent).filter((path) =>
        /\.(status|value|data|input|cumulativeGasUsed|address|transactions\.\d+\.from)$/.test(
          `.${path.join('.')}`,
        ),
      );
      fc.assert(
        fc.property(fc.nat(places.length - 1), fc.nat(500), fc.nat(3), (place, digit, bit) => {
          const path = places[place] as Path;
          fc.pre((valueAt(sent, path) as string).length > 2);
          const altered = changed(sent, path, (text) => flipped(text, digit, bit));
          expect([path.join('.'), verdictOf(formOf(name), altered).kind]).toEqual([path.join('.'), 'wrong']);
        }),
        { numRuns: repetitions(25) },
      );
    },
  );
});

type Path = readonly string[];

/** The stored members that neither hash nor root commits to, and that are not compared with what they follow from. */
const PLACES = ['blockHash', 'blockNumber', 'transactionIndex'];
const SHARED_TOLD = [
  ...[
    'block.size',
    'receipts.from',
    'receipts.to',
    'receipts.type',
    'receipts.transactionHash',
    'logs.logIndex',
  ],
  ...[
    'logs.transactionHash',
    ...PLACES.flatMap((name) => [`transactions.${name}`, `receipts.${name}`, `logs.${name}`]),
  ],
  ...['0x2', '0x3', '0x4'].map((type) => `${type}.gasPrice`),
  // A signature by parity has no `v` of its own.
  ...['0x1', '0x2', '0x3', '0x4'].map((type) => `${type}.v`),
  '0x0.chainId',
];
const TOLD: Readonly<Record<ProofForm, ReadonlySet<string>>> = {
  ethereum: new Set(SHARED_TOLD),
  op: new Set([...SHARED_TOLD, '0x7e.nonce', '0x7e.chainId', '0x7e.gasPrice', '0x7e.effectiveGasPrice']),
  orbit: new Set([
    ...SHARED_TOLD,
    'receipts.effectiveGasPrice',
    ...['0x64.nonce', '0x64.gas', '0x64.gasPrice', '0x64.input', '0x66.nonce'],
    ...['0x69.nonce', '0x69.to', '0x69.input'],
    ...['0x6a.to', '0x6a.nonce', '0x6a.gas', '0x6a.gasPrice'],
    ...['0x78.hash', '0x78.from', '0x78.chainId', '0x78.gasUsed'],
  ]),
};
/** Type 0 is that of a transaction without one, and `v` is the parity of one without it. */
const SIGNED_MAY_LACK = ['0x0.type', 'transactions.yParity'];
const MAY_LACK: Readonly<Record<ProofForm, readonly string[]>> = {
  ethereum: [...SIGNED_MAY_LACK, 'receipts.effectiveGasPrice'],
  op: [...SIGNED_MAY_LACK, 'receipts.effectiveGasPrice'],
  orbit: [...SIGNED_MAY_LACK, ...['block.sendRoot', 'block.sendCount', 'block.l1BlockNumber']],
};

/** Paths of all texts of hex with a digit. */
function textsOf(value: unknown, path: Path = []): readonly Path[] {
  if (typeof value === 'string') return /^0x[0-9a-f]+$/.test(value) ? [path] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, one]) => textsOf(one, [...path, name]));
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce((of, name) => (of as Json)[name], value);
}

function changed(sent: SentJson, path: Path, change: (text: string) => unknown): SentJson {
  const copy = structuredClone(sent);
  const parent = valueAt(copy, path.slice(0, -1)) as Json;
  const name = path.at(-1) as string;
  parent[name] = change(parent[name] as string);
  return copy;
}

/** A member by the list that it is in, or by the type of its transaction where its class depends on that. */
function nameOf(sent: SentJson, path: Path): string {
  const name = path.at(-1) as string;
  if (path.includes('logs')) return `logs.${path.slice(path.indexOf('logs') + 2)[0]}`;
  const [list, second, third] = path;
  if (list === 'block' && second !== 'transactions') return `block.${name}`;
  const index = list === 'receipts' ? second : third;
  const { type } = sent.block.transactions[Number(index)] as Json;
  const own = path.slice(list === 'receipts' ? 2 : 3).join('.');
  const byType = `${type}.${own}`;
  const all = [...TOLD.ethereum, ...TOLD.op, ...TOLD.orbit, ...MAY_LACK.op, ...MAY_LACK.orbit];
  return all.includes(byType) && !(list === 'receipts' && own === 'from')
    ? byType
    : `${list === 'receipts' ? 'receipts' : 'transactions'}.${own}`;
}

/** Another value of the same shape. */
function otherValue(text: string): string {
  return flipped(text, text.length - 3, 0);
}
