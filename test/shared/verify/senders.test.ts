/** Who sent a transaction follows from its signature, as another library makes it: of each type, with and without a chain. */
import { computeAddress, SigningKey, Transaction, type TransactionLike } from 'ethers';
import fc from 'fast-check';
import { encodeItems } from '../../../lambdas/shared/verify/members.ts';
import { isSender, type VerifyTools } from '../../../lambdas/shared/verify/senders.ts';
import { transactionForm } from '../../../lambdas/shared/verify/transactions.ts';
import { openVerifyTools } from '../../../lambdas/shared/verify/verify-tools.ts';
import { flipped, hex, type Json } from './made-block.ts';

/** Order of the curve: `s` may be above half of it in blocks before Homestead, and is nowhere above it. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const RUNS = 60;

let tools: VerifyTools;
beforeAll(async () => {
  tools = await openVerifyTools();
});

const shownOf = (tx: Json): 'shown' | 'wrong' => {
  const type = Number(tx.type);
  const form = transactionForm('ethereum', type);
  if (form === undefined) throw new Error('no form');
  const items = encodeItems(tx, form.members);
  return isSender(tools, { transaction: tx, type, form, items }) ? 'shown' : 'wrong';
};

/** The transaction as a node sends it. */
function sentBy(key: SigningKey, members: TransactionLike): Json {
  const made = Transaction.from(members);
  made.signature = key.sign(made.unsignedHash);
  const { signature, type } = made;
  const typed = {
    ...{ chainId: hex(made.chainId), yParity: hex(signature.yParity), accessList: made.accessList },
    ...{
      maxFeePerGas: hex(made.maxFeePerGas ?? 0),
      maxPriorityFeePerGas: hex(made.maxPriorityFeePerGas ?? 0),
    },
    ...{ maxFeePerBlobGas: hex(made.maxFeePerBlobGas ?? 0), blobVersionedHashes: made.blobVersionedHashes },
    authorizationList: made.authorizationList?.map(({ address, nonce, chainId, signature: by }) => ({
      ...{ address, nonce: hex(nonce), chainId: hex(chainId) },
      ...{ yParity: hex(by.yParity), r: hex(BigInt(by.r)), s: hex(BigInt(by.s)) },
    })),
  };
  return {
    ...{ type: hex(type ?? 0), from: computeAddress(key).toLowerCase(), to: made.to, nonce: hex(made.nonce) },
    ...{
      value: hex(made.value),
      gas: hex(made.gasLimit),
      input: made.data,
      gasPrice: hex(made.gasPrice ?? 0),
    },
    ...(type === 0
      ? { v: hex((made.chainId === 0n ? 27n : 35n + 2n * made.chainId) + BigInt(signature.yParity)) }
      : typed),
    ...{ r: hex(BigInt(signature.r)), s: hex(BigInt(signature.s)) },
  };
}

const bytes = (length: number) =>
  fc
    .uint8Array({ minLength: length, maxLength: length })
    .map((some) => `0x${Buffer.from(some).toString('hex')}`);
const keys = fc
  .bigInt(1n, ORDER - 1n)
  .map((secret) => new SigningKey(`0x${secret.toString(16).padStart(64, '0')}`));
const transactions = fc
  .record({
    type: fc.constantFrom(0, 1, 2, 3, 4),
    // 0: a transaction that is good on each chain, where it is of type 0.
    chainId: fc.oneof(fc.constantFrom(0n, 1n), fc.bigInt(1n, 2n ** 60n)),
    nonce: fc.nat(),
    value: fc.bigInt(0n, 2n ** 128n),
    gasLimit: fc.bigInt(0n, 2n ** 64n - 1n),
    price: fc.bigInt(0n, 2n ** 64n),
    data: fc.uint8Array({ maxLength: 80 }).map((some) => `0x${Buffer.from(some).toString('hex')}`),
    to: fc.option(bytes(20)),
    slot: bytes(32),
    key: keys,
  })
  .map(({ price, slot, to, key, ...rest }) => {
    const { type } = rest;
    const receiver = type > 2 ? (to ?? `0x${'11'.repeat(20)}`) : to;
    const accessList = [{ address: `0x${'22'.repeat(20)}`, storageKeys: [slot] }];
    const authorizationList = [
      { address: `0x${'33'.repeat(20)}`, nonce: 1n, chainId: 0n, signature: key.sign(slot) },
    ];
    return sentBy(key, {
      ...{ ...rest, to: receiver },
      ...(type < 2 ? { gasPrice: price } : { maxFeePerGas: price, maxPriorityFeePerGas: price / 2n }),
      ...(type > 0 && { accessList }),
      ...(type === 3 && { maxFeePerBlobGas: price, blobVersionedHashes: [`0x01${slot.slice(4)}`] }),
      ...(type === 4 && { authorizationList }),
    });
  });

test('the sender is who signed, and nobody else', () => {
  fc.assert(
    fc.property(transactions, fc.nat(39), fc.nat(3), (tx, digit, bit) => {
      expect(shownOf(tx)).toBe('shown');
      expect(shownOf({ ...tx, from: (tx.from as string).toUpperCase().replace('X', 'x') })).toBe('shown');
      expect(shownOf({ ...tx, from: flipped(tx.from as string, digit, bit) })).toBe('wrong');
    }),
    { numRuns: RUNS },
  );
});

test('the other signature of the same key, with a high s, has the same sender; the other parity has another', () => {
  const otherParity = (tx: Json): Json => {
    const name = tx.type === '0x0' ? 'v' : 'yParity';
    const value = BigInt(tx[name] as string);
    // 27 and 28, 35 and 36, ...: the first of each pair is odd.
    const isSecond = name === 'v' ? (value < 35n ? value === 28n : value % 2n === 0n) : value === 1n;
    return { ...tx, [name]: hex(isSecond ? value - 1n : value + 1n) };
  };
  fc.assert(
    fc.property(transactions, (tx) => {
      const other = { ...otherParity(tx), s: hex(ORDER - BigInt(tx.s as string)) };
      expect([shownOf(other), shownOf(otherParity(tx))]).toEqual(['shown', 'wrong']);
    }),
    { numRuns: RUNS },
  );
});

test('a signature that no key makes is wrong, and nothing throws', () => {
  fc.assert(
    fc.property(
      transactions,
      fc.constantFrom('r', 's'),
      fc.constantFrom(0n, ORDER, ORDER + 1n, 2n ** 256n - 1n),
      (tx, name, value) => {
        expect(shownOf({ ...tx, [name]: hex(value) })).toBe('wrong');
      },
    ),
    { numRuns: RUNS },
  );
  fc.assert(
    fc.property(transactions, fc.constantFrom(2n, 5n, 26n, 29n, 34n, 2n ** 256n - 1n), (tx, value) => {
      expect(shownOf({ ...tx, [tx.type === '0x0' ? 'v' : 'yParity']: hex(value) })).toBe('wrong');
    }),
    { numRuns: RUNS },
  );
});

test('one that nobody signed is from the zero address, and from nobody else', () => {
  const zero = `0x${'0'.repeat(40)}`;
  fc.assert(
    fc.property(transactions, fc.nat(39), fc.nat(3), fc.constantFrom('r', 's'), (tx, digit, bit, name) => {
      const unsigned = { ...tx, type: '0x0', v: '0x0', r: '0x0', s: '0x0' };
      expect(shownOf({ ...unsigned, from: zero })).toBe('shown');
      expect(shownOf({ ...unsigned, from: flipped(zero, digit, bit) })).toBe('wrong');
      expect(shownOf(unsigned)).toBe('wrong');
      expect(shownOf({ ...unsigned, from: zero, [name]: '0x1' })).toBe('wrong');
      if (tx.type !== '0x0')
        expect(shownOf({ ...tx, from: zero, yParity: '0x0', r: '0x0', s: '0x0' })).toBe('wrong');
    }),
    { numRuns: RUNS },
  );
});

test('the parity may be called v', () => {
  fc.assert(
    fc.property(transactions, (tx) => {
      fc.pre(tx.type !== '0x0');
      expect(shownOf({ ...tx, v: tx.yParity, yParity: undefined })).toBe('shown');
    }),
    { numRuns: RUNS },
  );
});
