import {
  computeAddress,
  encodeRlp,
  hexlify,
  keccak256,
  type RlpStructuredDataish,
  SigningKey,
  toBeArray,
} from 'ethers';
import { listRoot } from '../../../lambdas/shared/verify/list-root.ts';

export type Json = Record<string, unknown>;

/** A block with its receipts, as a node sends them. */
export interface SentJson {
  readonly block: Json & { transactions: Json[] };
  readonly receipts: Json[];
}

/** Hash that headers of blocks without uncles have. */
const NO_UNCLES = keccak256(encodeRlp([]));
const EMPTY_BLOOM = `0x${'00'.repeat(256)}`;
const GAS = 50_000;

export const hex = (value: number | bigint) => `0x${value.toString(16)}`;
export const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}`;
export const account = (value: number) => `0x${value.toString(16).padStart(40, '0')}`;

/** keccak of hex digits by another library than the gateway's. */
export const otherKeccak = (digits: string) => keccak256(`0x${digits}`).slice(2);

const number = (value: unknown) => toBeArray(BigInt((value ?? 0) as string));
const bytes = (value: unknown) => hexlify((value ?? '0x') as string);
const accessList = (list: unknown): RlpStructuredDataish =>
  (list as { address: string; storageKeys: string[] }[]).map((one) => [one.address, one.storageKeys]);
const signature = (tx: Json) => [number(tx.yParity), number(tx.r), number(tx.s)];
const SIGNATURE_ITEMS = 3;
const authorizations = (list: unknown): RlpStructuredDataish =>
  (list as Json[]).map((one) => [
    number(one.chainId),
    bytes(one.address),
    number(one.nonce),
    ...signature(one),
  ]);
const legacy = (tx: Json) => [
  ...[tx.nonce, tx.gasPrice, tx.gas].map(number),
  ...[bytes(tx.to), number(tx.value), bytes(tx.input)],
  ...[tx.v, tx.r, tx.s].map(number),
];
const feeCall = (tx: Json): RlpStructuredDataish[] => [
  ...[tx.chainId, tx.nonce, tx.maxPriorityFeePerGas, tx.maxFeePerGas, tx.gas].map(number),
  ...[bytes(tx.to), number(tx.value), bytes(tx.input), accessList(tx.accessList)],
];
const pricedCall = (tx: Json) => [
  ...[number(tx.gasPrice), number(tx.gas), bytes(tx.to), number(tx.value), bytes(tx.input)],
];

/** What each type encodes, as the sources of its chain have it. */
const ENCODINGS: Readonly<Record<number, (tx: Json) => RlpStructuredDataish[]>> = {
  0: legacy,
  1: (tx) => [
    ...[tx.chainId, tx.nonce, tx.gasPrice, tx.gas].map(number),
    ...[bytes(tx.to), number(tx.value), bytes(tx.input), accessList(tx.accessList), ...signature(tx)],
  ],
  2: (tx) => [...feeCall(tx), ...signature(tx)],
  3: (tx) => [
    ...feeCall(tx),
    number(tx.maxFeePerBlobGas),
    tx.blobVersionedHashes as string[],
    ...signature(tx),
  ],
  4: (tx) => [...feeCall(tx), authorizations(tx.authorizationList), ...signature(tx)],
  126: (tx) => [
    ...[bytes(tx.sourceHash), bytes(tx.from), bytes(tx.to), number(tx.mint), number(tx.value)],
    ...[number(tx.gas), number(tx.isSystemTx === true ? 1 : 0), bytes(tx.input)],
  ],
  100: (tx) => [...[number(tx.chainId), bytes(tx.requestId), bytes(tx.from), bytes(tx.to), number(tx.value)]],
  101: (tx) => [number(tx.chainId), bytes(tx.from), number(tx.nonce), ...pricedCall(tx)],
  102: (tx) => [number(tx.chainId), bytes(tx.requestId), bytes(tx.from), ...pricedCall(tx)],
  104: (tx) => [
    ...[number(tx.chainId), number(tx.nonce), bytes(tx.from), ...pricedCall(tx), bytes(tx.ticketId)],
    ...[bytes(tx.refundTo), number(tx.maxRefund), number(tx.submissionFeeRefund)],
  ],
  105: (tx) => [
    ...[number(tx.chainId), bytes(tx.requestId), bytes(tx.from), number(tx.l1BaseFee)],
    ...[number(tx.depositValue), number(tx.gasPrice), number(tx.gas), bytes(tx.retryTo)],
    ...[number(tx.retryValue), bytes(tx.beneficiary), number(tx.maxSubmissionFee), bytes(tx.refundTo)],
    bytes(tx.retryData),
  ],
  106: (tx) => [number(tx.chainId), bytes(tx.input)],
  120: legacy,
  // A type that no form has.
  85: (tx) => [number(tx.nonce), bytes(tx.to), number(tx.value)],
};

/** Whose transactions are signed, with a key that everybody knows. */
const SIGNER = new SigningKey('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
export const SIGNED_BY = computeAddress(SIGNER).toLowerCase();
/** Order of the curve, and the point that it is made of: `r` of each signature here. */
const ORDER = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
const GENERATOR_X = 0x79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798n;

/** A signature whose secret number is 1, so that it takes no arithmetic on the curve. */
function signatureOver(digest: string) {
  const s = (BigInt(digest) + GENERATOR_X * BigInt(SIGNER.privateKey)) % ORDER;
  const isLow = s <= ORDER / 2n;
  return { r: hex(GENERATOR_X), s: hex(isLow ? s : ORDER - s), yParity: isLow ? 0 : 1 };
}

/** The same transaction signed: by parity, or of type 0 for its chain, or for each where it has no chain id. */
export function signed(tx: Json): Json {
  const type = Number(tx.type);
  if (type > LAST_SIGNED_TYPE) return tx;
  const members = (ENCODINGS[type]?.(tx) ?? []).slice(0, -SIGNATURE_ITEMS);
  const ofChain = tx.chainId === undefined ? [] : [number(tx.chainId), '0x', '0x'];
  const items = type === 0 ? [...members, ...ofChain] : members;
  const { r, s, yParity } = signatureOver(keccak256(`0x${enveloped(type, items)}`));
  const from = SIGNED_BY;
  if (type > 0) return { ...tx, from, r, s, yParity: hex(yParity), v: hex(yParity) };
  const v = tx.chainId === undefined ? 27 : 35 + 2 * Number(tx.chainId);
  return { ...tx, from, r, s, v: hex(v + yParity) };
}

const LAST_SIGNED_TYPE = 4;
const isBare = (type: number) => type === 0 || type === 0x78;

function enveloped(type: number, items: RlpStructuredDataish[]): string {
  const encoded = encodeRlp(items).slice(2);
  return isBare(type) ? encoded : type.toString(16).padStart(2, '0') + encoded;
}

function receiptItems(type: number, receipt: Json): RlpStructuredDataish[] {
  const logs = (receipt.logs as { address: string; topics: string[]; data: string }[]).map((log) => [
    log.address,
    log.topics,
    log.data,
  ]);
  const state = receipt.status === undefined ? bytes(receipt.root) : number(receipt.status);
  const deposit = type === 0x7e && receipt.depositReceiptVersion !== undefined;
  return [
    ...[state, number(receipt.cumulativeGasUsed), bytes(receipt.logsBloom), logs],
    ...(deposit ? [number(receipt.depositNonce), number(receipt.depositReceiptVersion)] : []),
  ];
}

const HEADER: readonly (readonly [string, typeof number | typeof bytes])[] = [
  ...['parentHash', 'sha3Uncles', 'miner', 'stateRoot', 'transactionsRoot', 'receiptsRoot', 'logsBloom'].map(
    (name) => [name, bytes] as const,
  ),
  ...['difficulty', 'number', 'gasLimit', 'gasUsed', 'timestamp'].map((name) => [name, number] as const),
  ...['extraData', 'mixHash', 'nonce'].map((name) => [name, bytes] as const),
  ['baseFeePerGas', number],
  ['withdrawalsRoot', bytes],
  ['blobGasUsed', number],
  ['excessBlobGas', number],
  ['parentBeaconBlockRoot', bytes],
  ['requestsHash', bytes],
  // A member that a later fork adds.
  ['slotNumber', number],
];

/** The same block signed, with the hashes and roots that its contents have, named wherever they are. */
export function sealed(sent: SentJson): SentJson {
  const block: SentJson['block'] = { ...sent.block, transactions: sent.block.transactions.map(signed) };
  const receipts = sent.receipts.map(
    (receipt, index): Json => ({ ...receipt, from: block.transactions[index]?.from }),
  );
  const typeOf = (tx: Json) => Number(tx.type);
  const encoded = block.transactions.map((tx) => enveloped(typeOf(tx), ENCODINGS[typeOf(tx)]?.(tx) ?? []));
  const hashes = block.transactions.map((tx, index) =>
    typeOf(tx) === 0x78 ? (tx.hash as string) : keccak256(`0x${encoded[index]}`),
  );
  const leaves = receipts.map((receipt, index) => {
    const type = typeOf(block.transactions[index] as Json);
    return enveloped(type, receiptItems(type, receipt));
  });
  const rooted: Json = {
    ...block,
    transactionsRoot: `0x${listRoot(otherKeccak, encoded)}`,
    receiptsRoot: `0x${listRoot(otherKeccak, leaves)}`,
    ...(block.withdrawalsRoot !== undefined && { withdrawalsRoot: withdrawalsRoot(block) }),
  };
  const hash = keccak256(
    encodeRlp(
      HEADER.filter(([name]) => rooted[name] !== undefined).map(([name, encode]) => encode(rooted[name])),
    ),
  );
  const place = (index: number) => ({
    blockHash: hash,
    blockNumber: block.number,
    transactionIndex: hex(index),
  });
  return {
    block: {
      ...rooted,
      hash,
      transactions: block.transactions.map((tx, index) => ({ ...tx, ...place(index), hash: hashes[index] })),
    },
    receipts: receipts.map((receipt, index) => {
      const own = { ...place(index), transactionHash: hashes[index] };
      const logs = (receipt.logs as Json[]).map((log) => ({ ...log, ...own }));
      return { ...receipt, ...own, logs };
    }),
  };
}

function withdrawalsRoot({ withdrawals }: Json): string {
  const leaves = (withdrawals as Json[]).map((one) =>
    encodeRlp([number(one.index), number(one.validatorIndex), bytes(one.address), number(one.amount)]).slice(
      2,
    ),
  );
  return `0x${listRoot(otherKeccak, leaves)}`;
}

/** A transaction of a type with every member that the type has, and a receipt with one log. */
function madeTransaction(type: number, index: number, chainId: number): { tx: Json; receipt: Json } {
  const tx: Json = {
    ...{
      type: hex(type),
      from: type === 0x6a ? account(0xa4b05) : SIGNED_BY,
      to: account(0xaa),
      nonce: hex(index + 1),
    },
    ...{
      value: hex(10n ** 18n + BigInt(index)),
      gas: hex(100_000),
      gasPrice: hex(9),
      input: `0x${'ab'.repeat(60)}`,
    },
    ...{ chainId: hex(chainId), hash: word(0x7800 + index) },
  };
  if (type < 0x64 || type === 0x78) Object.assign(tx, { v: '0x1', r: word(0x5151), s: word(0x1e5) });
  if (type > 0 && type < 5)
    Object.assign(tx, { yParity: '0x1', accessList: [{ address: account(7), storageKeys: [word(8)] }] });
  if (type > 1 && type < 5) Object.assign(tx, { maxFeePerGas: hex(12), maxPriorityFeePerGas: hex(2) });
  if (type === 3) Object.assign(tx, { maxFeePerBlobGas: hex(3), blobVersionedHashes: [word(0x100)] });
  if (type === 4)
    Object.assign(tx, {
      authorizationList: [
        { chainId: hex(1), address: account(5), nonce: hex(1), yParity: '0x0', r: hex(17), s: hex(18) },
      ],
    });
  if (type === 0x7e)
    Object.assign(tx, { sourceHash: word(0x50), mint: hex(77), isSystemTx: false, gasPrice: '0x0' });
  if (type === 0x64 || type === 0x66 || type === 0x69) Object.assign(tx, { requestId: word(0x1d) });
  if (type === 0x69 || type === 0x6a) tx.value = '0x0';
  if (type === 0x68)
    Object.assign(tx, {
      ...{ ticketId: word(0x71), refundTo: account(0x4ef), maxRefund: hex(41), submissionFeeRefund: hex(42) },
    });
  if (type === 0x69)
    Object.assign(tx, {
      ...{ l1BaseFee: hex(51), depositValue: hex(52), retryTo: account(0x4e7), retryValue: hex(53) },
      ...{
        beneficiary: account(0xbe),
        maxSubmissionFee: hex(54),
        refundTo: account(0x4ef),
        retryData: '0x1234',
      },
    });
  const receipt: Json = {
    ...{ status: '0x1', gasUsed: hex(GAS), cumulativeGasUsed: hex(GAS * (index + 1)), contractAddress: null },
    ...{
      effectiveGasPrice: type === 0x7e ? '0x0' : hex(9),
      from: tx.from,
      to: tx.to,
      type: tx.type,
      logsBloom: EMPTY_BLOOM,
    },
    logs: [
      {
        address: account(0x70),
        topics: [word(1), word(2)],
        data: word(3),
        logIndex: hex(index),
        removed: false,
      },
    ],
  };
  if (type === 0x7e) Object.assign(receipt, { depositNonce: tx.nonce, depositReceiptVersion: '0x1' });
  return { tx, receipt };
}

export interface MadeBlock {
  readonly types: readonly number[];
  readonly chainId: number;
  readonly number?: number;
  readonly parentHash?: string;
  /** Other members of the block. */
  readonly members?: Json;
}

/** A block with a transaction of each of these types, not sealed. */
export function madeBlock({
  types,
  chainId,
  number: height = 5,
  parentHash = word(4),
  members = {},
}: MadeBlock): SentJson {
  const made = types.map((type, index) => madeTransaction(type, index, chainId));
  return {
    block: {
      ...{
        number: hex(height),
        parentHash,
        sha3Uncles: NO_UNCLES,
        miner: account(0x31),
        stateRoot: word(0x57),
      },
      ...{
        logsBloom: EMPTY_BLOOM,
        difficulty: '0x0',
        gasLimit: hex(30_000_000),
        gasUsed: hex(GAS * types.length),
      },
      ...{
        timestamp: hex(1_700_000_000 + height),
        extraData: '0x6578',
        mixHash: word(0x313),
        nonce: '0x0000000000000000',
      },
      ...{ baseFeePerGas: hex(7), size: hex(1_000), uncles: [] },
      ...members,
      transactions: made.map(({ tx }) => tx),
    },
    receipts: made.map(({ receipt }) => receipt),
  };
}

/** Flips one bit of a hex text. */
export function flipped(text: string, digit: number, bit: number): string {
  const at = 2 + (digit % (text.length - 2));
  const other = (Number.parseInt(text[at] as string, 16) ^ (1 << bit)).toString(16);
  return text.slice(0, at) + other + text.slice(at + 1);
}
