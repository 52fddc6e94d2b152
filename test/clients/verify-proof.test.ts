/** What the client says of a proof follows from the hash of the block: anything else in its place is refused. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { encodeRlp, getBytes, toBeArray } from 'ethers';
import fc from 'fast-check';
import { ProofError } from '../../clients/typescript/src/errors.ts';
import { decodeTransaction, readEnvelope } from '../../clients/typescript/src/proof/decode-transaction.ts';
import { senderOf } from '../../clients/typescript/src/proof/sender.ts';
import { type SentProof, verifyProof } from '../../clients/typescript/src/proof/verify-proof.ts';
import { PROOF_FORMS, type ProofForm } from '../../lambdas/shared/runtime/settings.ts';
import { encodeHeader } from '../../lambdas/shared/verify/header.ts';
import { typesOf } from '../../lambdas/shared/verify/transactions.ts';
import {
  type Json,
  madeBlock,
  otherKeccak,
  type SentJson,
  sealed,
  word,
} from '../shared/verify/made-block.ts';
import { sampled } from '../support/at-length.ts';
import { madeProof } from './made-proof.ts';

const CHAIN_ID = 42_161;
/** Of another node's transactions, whose hash no encoding has. */
const IMPORTED = 0x78;
/** Blocks of public chains, where this machine has them. */
const REAL_BLOCKS = join(import.meta.dirname, '..', '..', '..', 'shared', 'blocks');

const provable = (form: ProofForm) => typesOf(form).filter((type) => type !== IMPORTED);
const blockOf = (types: readonly number[]): SentJson => sealed(madeBlock({ types, chainId: CHAIN_ID }));
const hashOf = ({ block }: SentJson) => String(block.hash);

/** Members that a node names as the proof does, each in the form that the proof has it. */
function told(sent: Json, names: readonly string[]): Json {
  const entries = names.flatMap((name) => {
    const { [name]: value } = sent;
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(entries);
}

/** Numbers as nodes write them, null left as it is. */
const quantities = (decoded: object): Json =>
  Object.fromEntries(
    Object.entries(decoded).map(([name, value]) => [
      name,
      typeof value === 'bigint' ? `0x${value.toString(16)}` : value,
    ]),
  );

const TRANSACTION = ['hash', 'from', 'nonce', 'value', 'input', 'gas', 'chainId', 'sourceHash', 'requestId'];
const HEADER = [
  'hash',
  'parentHash',
  'stateRoot',
  'miner',
  'number',
  'timestamp',
  'gasUsed',
  'baseFeePerGas',
];

/** Expects of each transaction of a block what its node said of it. */
async function expectProven(sent: SentJson, form: ProofForm, places: readonly number[]): Promise<void> {
  for (const index of places) {
    const [transaction, receipt] = [sent.block.transactions[index] as Json, sent.receipts[index] as Json];
    const logs = receipt.logs as Json[];
    const logPlace = logs.length === 0 ? null : logs.length - 1;
    const proven = verifyProof(await madeProof(sent, form, { index, logPlace }), hashOf(sent));
    const decoded = quantities(proven.transaction);
    const both = TRANSACTION.filter((name) => name in decoded);
    expect(told(decoded, both)).toEqual(told(transaction, both));
    expect([decoded.index, decoded.type]).toEqual([index, Number(transaction.type)]);
    expect(told(quantities(proven.block), HEADER)).toEqual(told(sent.block, HEADER));
    expect(proven.receipt.logs).toEqual(logs.map(({ address, topics, data }) => ({ address, topics, data })));
    expect(quantities(proven.receipt).cumulativeGasUsed).toBe(receipt.cumulativeGasUsed);
    if (receipt.status !== undefined) expect(proven.receipt.success).toBe(receipt.status === '0x1');
    if (logPlace !== null) expect(proven.log).toEqual({ ...proven.receipt.logs[logPlace], place: logPlace });
    else expect(proven.log).toBeUndefined();
  }
}

describe.each(PROOF_FORMS)('a block of the form %s', (form) => {
  test('each of its types is decoded as the node said it', async () => {
    const types = provable(form);
    await expectProven(
      blockOf(types),
      form,
      types.map((_, index) => index),
    );
  });
});

test('each place of a block is proven, whatever the shape of its tries', async () => {
  for (const count of [1, 2, 17, 127, 128, 129, 300]) {
    const sent = blockOf(Array.from({ length: count }, () => 2));
    const places = [0, 1, 15, 16, 126, 127, 128, 255, 256, count - 1].filter((place) => place < count);
    await expectProven(sent, 'ethereum', [...new Set(places)]);
  }
});

test('a transaction so short that its node is within its parent is proven', async () => {
  const made = madeBlock({ types: [0x6a, 0x6a, 0x6a], chainId: CHAIN_ID });
  for (const transaction of made.block.transactions) transaction.input = '0x01';
  const sent = sealed(made);
  const { transaction_path } = await madeProof(sent, 'orbit', { index: 1 });
  // The root and a branch below it, which has the transaction itself.
  expect(transaction_path).toHaveLength(2);
  await expectProven(sent, 'orbit', [0, 1, 2]);
});

test('a receipt of before Byzantium has a root of the state, and one of a deposit before Canyon no nonce', async () => {
  const old = madeBlock({ types: [0], chainId: CHAIN_ID });
  Object.assign(old.receipts[0] as Json, { status: undefined, root: word(0x400) });
  const sent = sealed(old);
  const { receipt } = verifyProof(await madeProof(sent, 'ethereum', { index: 0 }), hashOf(sent));
  expect([receipt.success, receipt.stateRoot]).toEqual([null, word(0x400)]);
  const deposit = madeBlock({ types: [0x7e], chainId: CHAIN_ID });
  Object.assign(deposit.receipts[0] as Json, { depositReceiptVersion: undefined });
  await expectProven(sealed(deposit), 'op', [0]);
});

describe('who sent a transaction without an envelope', () => {
  const word32 = (value: bigint) => toBeArray(value);
  const senderBy = (v: bigint, r: bigint, s: bigint) => {
    const items = [9n, 9n, 21_000n, 0n, 7n, 0n].map(word32);
    const envelope = readEnvelope(getBytes(encodeRlp([...items, ...[v, r, s].map(word32)])));
    return senderOf(envelope, decodeTransaction(envelope));
  };

  test('is who signed it, for a chain or for each', async () => {
    const made = madeBlock({ types: [0, 0], chainId: CHAIN_ID });
    delete made.block.transactions[1]?.chainId;
    const sent = sealed(made);
    expect(sent.block.transactions.map(({ v }) => Number(v) < 35)).toEqual([false, true]);
    await expectProven(sent, 'ethereum', [0, 1]);
  });

  test('is the zero address where nobody signed it, as before Bedrock', () => {
    expect(senderBy(0n, 0n, 0n)).toBe(`0x${'00'.repeat(20)}`);
  });

  test.each([
    ['a parity that there is not', 29n, 1n, 1n],
    ['a point that is not of the curve', 27n, 5n, 1n],
    ['a number that is too large', 27n, 2n ** 256n - 1n, 1n],
    ['one half alone', 27n, 0n, 1n],
  ])('is nobody with %s', (_, v, r, s) => {
    expect(() => senderBy(v, r, s)).toThrow(ProofError);
  });
});

const CHARACTER_BITS = 7;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

describe('an altered proof', () => {
  const sent = blockOf([2, 0, 4, 3, 1, 2, 2]);
  const INDEX = 2;
  let proof: SentProof;
  beforeAll(async () => {
    proof = await madeProof(sent, 'ethereum', { index: INDEX, logPlace: 0 });
  });

  const refusal = (altered: unknown, hash = hashOf(sent)): string => {
    try {
      verifyProof(altered as SentProof, hash);
    } catch (error) {
      if (error instanceof ProofError) return error.message;
      throw error;
    }
    return 'accepted';
  };

  test('is refused, or says the same, with any bit of its text flipped', () => {
    const text = JSON.stringify(proof);
    const proven = verifyProof(proof, hashOf(sent));
    const accepted = new Set<string>();
    for (const place of sampled([...text].map((_, at) => at)))
      for (let bit = 0; bit < CHARACTER_BITS; bit += 1) {
        const flipped = String.fromCharCode(text.charCodeAt(place) ^ (1 << bit));
        const altered = parsed(text.slice(0, place) + flipped + text.slice(place + 1));
        if (altered === undefined || refusal(altered) !== 'accepted') continue;
        expect(verifyProof(altered as SentProof, hashOf(sent))).toEqual(proven);
        accepted.add(`${text[place]} as ${flipped}`);
      }
    // Digits in upper case are the same digits.
    const cases = ['A', 'B', 'C', 'D', 'E', 'F'].map((digit) => `${digit.toLowerCase()} as ${digit}`);
    expect([...accepted].filter((flip) => !cases.includes(flip))).toEqual([]);
  });

  test('is refused with any bit of its bytes flipped', () => {
    const texts = [proof.header, ...proof.transaction_path, ...proof.receipt_path];
    fc.assert(
      fc.property(fc.nat(texts.length - 1), fc.noBias(fc.nat()), fc.nat(3), (which, digit, bit) => {
        const text = texts[which] as string;
        const at = 2 + (digit % (text.length - 2));
        const other = (Number.parseInt(text[at] as string, 16) ^ (1 << bit)).toString(16);
        const altered = text.slice(0, at) + other + text.slice(at + 1);
        const replaced = JSON.parse(JSON.stringify(proof).replace(text, altered)) as SentProof;
        expect(refusal(replaced)).toMatch(/^(a node is another|the proof is of the block)/);
      }),
      { numRuns: 300 },
    );
  });

  test('is refused with the receipt, the transaction or the place of another', async () => {
    const other = await madeProof(sent, 'ethereum', { index: 3, logPlace: 0 });
    expect(refusal({ ...proof, receipt_path: other.receipt_path })).not.toBe('accepted');
    expect(refusal({ ...proof, transaction_path: other.transaction_path })).not.toBe('accepted');
    const { transaction_index, key } = other;
    expect(refusal({ ...proof, transaction_index, key })).not.toBe('accepted');
    expect(refusal({ ...proof, transaction_index })).toBe('the key is that of another place');
    expect(refusal({ ...proof, key })).toBe('the key is that of another place');
    const swapped = { transaction_path: proof.receipt_path, receipt_path: proof.transaction_path };
    expect(refusal({ ...proof, ...swapped })).toBe('a node is another than its parent names');
  });

  test('is refused with a log that the receipt has not', () => {
    for (const place of [1, -1, 0.5, 2 ** 53, '0', 'length', undefined])
      expect(refusal({ ...proof, log_place: place })).toBe(`the receipt has no log in the place ${place}`);
  });

  test('is refused for another block, and for what is no hash', async () => {
    const other = sealed(madeBlock({ types: [2, 0, 4], chainId: CHAIN_ID, number: 6 }));
    expect(refusal(proof, hashOf(other))).toBe(`the proof is of the block ${hashOf(sent)}`);
    const ofOther = await madeProof(other, 'ethereum', { index: INDEX, logPlace: 0 });
    expect(refusal({ ...proof, header: ofOther.header })).toMatch('the proof is of the block');
    for (const hash of ['', '0x', hashOf(sent).slice(2), hashOf(sent).slice(0, -2), `${hashOf(sent)}00`])
      expect(refusal(proof, hash)).not.toBe('accepted');
    expect(refusal(proof, hashOf(sent).toUpperCase().replace('X', 'x'))).toBe('accepted');
  });

  test('is refused with a node too many, too few, or in another order', () => {
    const { transaction_path: path } = proof;
    expect(path.length).toBeGreaterThan(1);
    expect(refusal({ ...proof, transaction_path: [...path, path[0]] })).toBe(
      'there are nodes that lead nowhere',
    );
    expect(refusal({ ...proof, transaction_path: path.slice(0, -1) })).toBe('a node is missing');
    expect(refusal({ ...proof, transaction_path: path.toReversed() })).not.toBe('accepted');
    expect(refusal({ ...proof, transaction_path: [] })).toBe('a node is missing');
    expect(refusal({ ...proof, receipt_path: Array(17).fill(path[0]) })).toBe(
      'receipt_path is no list of nodes',
    );
  });

  test('is refused for a place that is not in the block, whatever the shape of its tries', async () => {
    // A leaf alone; a leaf below a node with a part of the path.
    for (const [count, place, other, key] of [
      [1, 0, 1, '0x01'],
      [130, 129, 145, '0x8191'],
    ] as const) {
      const block = blockOf(Array.from({ length: count }, () => 2));
      const right = await madeProof(block, 'ethereum', { index: place });
      expect(refusal(right, hashOf(block))).toBe('accepted');
      const moved = { ...right, transaction_index: other, key };
      expect(refusal(moved, hashOf(block))).toMatch(/^the (value|way) is that of another key$/);
    }
  });

  test('is refused with anything in place of a member, by an error of its own', () => {
    for (const value of [null, undefined, 7, '', 'x', {}, [null], true, '0x0', '0xzz'])
      for (const name of Object.keys(proof)) {
        if (name === 'log_place' && value === null) continue;
        expect([name, value, refusal({ ...proof, [name]: value })]).not.toEqual([name, value, 'accepted']);
      }
    for (const value of [null, undefined, 7, 'x', {}, []]) expect(refusal(value)).not.toBe('accepted');
    fc.assert(
      fc.property(fc.json(), (json) => {
        expect(refusal(JSON.parse(json))).not.toBe('accepted');
      }),
    );
  });
});

test('a receipt whose type is another than that of its transaction is refused', async () => {
  const made = madeBlock({ types: [2, 1], chainId: CHAIN_ID });
  const others = madeBlock({ types: [1, 1], chainId: CHAIN_ID });
  const [sent, other] = [sealed(made), sealed(others)];
  // A header that names the tries of two blocks: no chain has it, a forger can make it.
  const header = encodeHeader({ ...sent.block, receiptsRoot: other.block.receiptsRoot });
  const forged = {
    ...(await madeProof(sent, 'ethereum', { index: 0 })),
    header: `0x${header}`,
    receipt_path: (await madeProof(other, 'ethereum', { index: 0 })).receipt_path,
  };
  expect(() => verifyProof(forged, `0x${otherKeccak(header)}`)).toThrow('the receipt is of another type');
});

const isThere = existsSync(REAL_BLOCKS);
(isThere ? describe : describe.skip)(
  'blocks of public chains (skipped where they are not beside the repository)',
  () => {
    const files = isThere
      ? readdirSync(REAL_BLOCKS).filter((name) => /^(arbitrum|ethereum)-/.test(name))
      : ['none'];
    test.each(files)('%s: what is decoded of its transactions is what its node said', async (name) => {
      const sent = JSON.parse(gunzipSync(readFileSync(join(REAL_BLOCKS, name))).toString('utf8')) as SentJson;
      const places = sampled(sent.block.transactions.map((_, index) => index));
      await expectProven(sent, name.startsWith('arbitrum') ? 'orbit' : 'ethereum', places.slice(0, 12));
    });
  },
);
