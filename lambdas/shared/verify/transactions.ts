import type { ProofForm } from '../runtime/settings.ts';
import {
  address,
  addressOrNothing,
  data,
  type Encode,
  type EncodedMember,
  encodeItems,
  flag,
  hash,
  hashes,
  isAbsent,
  type NodeJson,
  objects,
  quantity,
  quantityOrZero,
} from './members.ts';
import { rlpList } from './rlp.ts';

/** How transactions of one type are encoded. */
export interface TransactionForm {
  readonly members: readonly EncodedMember[];
  /** What its sender signs the members with, behind them. @default it is not signed */
  readonly signature?: readonly EncodedMember[];
  /** Who sends each of the type, in hex digits, where nothing in it says so. */
  readonly sender?: string;
  /** Whether neither transaction nor receipt begins with the type. @default false */
  readonly isBare?: boolean;
  /** Whether the hash is another's than that of the encoding, so that only the root shows the transaction. @default false */
  readonly hasForeignHash?: boolean;
}

/** The member that typed transactions have the parity in, which some nodes call `v`. */
export const parityName = ({ yParity }: NodeJson) => (isAbsent(yParity) ? 'v' : 'yParity');
const parity: Encode = (object) => quantity(object, parityName(object));
const SIGNATURE: readonly EncodedMember[] = [
  ['yParity', parity],
  ['r', quantity],
  ['s', quantity],
];
const CALL: readonly EncodedMember[] = [
  ['to', addressOrNothing],
  ['value', quantity],
  ['input', data],
];
const ACCESS_LIST: EncodedMember = [
  'accessList',
  objects([
    ['address', address],
    ['storageKeys', hashes],
  ]),
];
const CHAIN_AND_NONCE: readonly EncodedMember[] = [
  ['chainId', quantity],
  ['nonce', quantity],
];
const FEE_CALL: readonly EncodedMember[] = [
  ...CHAIN_AND_NONCE,
  ['maxPriorityFeePerGas', quantity],
  ['maxFeePerGas', quantity],
  ['gas', quantity],
  ...CALL,
  ACCESS_LIST,
];
const LEGACY: readonly EncodedMember[] = [
  ['nonce', quantity],
  ['gasPrice', quantity],
  ['gas', quantity],
  ...CALL,
];
const LEGACY_SIGNATURE: readonly EncodedMember[] = [
  ['v', quantity],
  ['r', quantity],
  ['s', quantity],
];
/** ArbOS, which makes the internal transactions of Nitro. */
const ARBOS = '00000000000000000000000000000000000a4b05';
/** A message of the parent chain runs with a most price of gas, which nodes call its price. */
const PRICED_CALL: readonly EncodedMember[] = [['gasPrice', quantityOrZero], ['gas', quantity], ...CALL];

type FormsByType = ReadonlyMap<number, TransactionForm>;

const ETHEREUM: FormsByType = new Map<number, TransactionForm>([
  [0x00, { members: LEGACY, signature: LEGACY_SIGNATURE, isBare: true }],
  [
    0x01,
    {
      members: [...CHAIN_AND_NONCE, ['gasPrice', quantity], ['gas', quantity], ...CALL, ACCESS_LIST],
      signature: SIGNATURE,
    },
  ],
  [0x02, { members: FEE_CALL, signature: SIGNATURE }],
  [
    0x03,
    {
      members: [...FEE_CALL, ['maxFeePerBlobGas', quantity], ['blobVersionedHashes', hashes]],
      signature: SIGNATURE,
    },
  ],
  [
    0x04,
    {
      members: [
        ...FEE_CALL,
        [
          'authorizationList',
          objects([['chainId', quantity], ['address', address], ['nonce', quantity], ...SIGNATURE]),
        ],
      ],
      signature: SIGNATURE,
    },
  ],
]);

const FORMS: Readonly<Record<ProofForm, FormsByType>> = {
  ethereum: ETHEREUM,
  op: new Map<number, TransactionForm>([
    ...ETHEREUM,
    [
      0x7e,
      {
        members: [
          ['sourceHash', hash],
          ['from', address],
          ['to', addressOrNothing],
          ['mint', quantityOrZero],
          ['value', quantity],
          ['gas', quantity],
          ['isSystemTx', flag],
          ['input', data],
        ],
      },
    ],
  ]),
  orbit: new Map<number, TransactionForm>([
    ...ETHEREUM,
    [
      0x64,
      {
        members: [
          ['chainId', quantity],
          ['requestId', hash],
          ['from', address],
          ['to', address],
          ['value', quantity],
        ],
      },
    ],
    [0x65, { members: [['chainId', quantity], ['from', address], ['nonce', quantity], ...PRICED_CALL] }],
    [0x66, { members: [['chainId', quantity], ['requestId', hash], ['from', address], ...PRICED_CALL] }],
    [
      0x68,
      {
        members: [
          ...CHAIN_AND_NONCE,
          ['from', address],
          ...PRICED_CALL,
          ['ticketId', hash],
          ['refundTo', address],
          ['maxRefund', quantity],
          ['submissionFeeRefund', quantity],
        ],
      },
    ],
    [
      0x69,
      {
        members: [
          ['chainId', quantity],
          ['requestId', hash],
          ['from', address],
          ['l1BaseFee', quantity],
          ['depositValue', quantity],
          ['gasPrice', quantityOrZero],
          ['gas', quantity],
          ['retryTo', addressOrNothing],
          ['retryValue', quantity],
          ['beneficiary', address],
          ['maxSubmissionFee', quantity],
          ['refundTo', address],
          ['retryData', data],
        ],
      },
    ],
    [
      0x6a,
      {
        members: [
          ['chainId', quantity],
          ['input', data],
        ],
        sender: ARBOS,
      },
    ],
    [0x78, { members: LEGACY, signature: LEGACY_SIGNATURE, isBare: true, hasForeignHash: true }],
  ]),
};

/** How a form encodes transactions of a type; undefined for a type that it does not have. */
export function transactionForm(form: ProofForm, type: number): TransactionForm | undefined {
  return FORMS[form].get(type);
}

/** The types of a form. */
export function typesOf(form: ProofForm): readonly number[] {
  return [...FORMS[form].keys()];
}

/**
 * A transaction as its block's root has it, in hex digits.
 * @param items its members without the signature, encoded
 * @throws {UnencodableError}
 */
export function encodeTransaction(
  transaction: NodeJson,
  type: number,
  form: TransactionForm,
  items = encodeItems(transaction, form.members),
): string {
  return enveloped(items + encodeItems(transaction, form.signature ?? []), type, form);
}

/** A list behind the type of its envelope, where it has one. @param items encoded */
export function enveloped(items: string, type: number, { isBare }: TransactionForm): string {
  return isBare === true ? rlpList(items) : typeDigits(type) + rlpList(items);
}

/** The byte that an envelope begins with. */
export function typeDigits(type: number): string {
  return type.toString(16).padStart(2, '0');
}
