import type { ChainProof } from './chain-proof.ts';
import type { Keccak } from './keccak.ts';
import {
  ADDRESS_DIGITS,
  address,
  digitsOf,
  HASH_DIGITS,
  isAbsent,
  type NodeJson,
  numberOf,
  quantity,
} from './members.ts';
import { rlpList } from './rlp.ts';
import type { TransactionForm } from './transactions.ts';

/** Transactions of these types are Ethereum's on each chain: what follows from them does everywhere. */
const LAST_SIGNED_TYPE = 0x04;
const FIRST_FEE_TYPE = 0x02;
/** Nitro's submissions of retryables, and its internal transactions. */
const WITHOUT_VALUE: ReadonlySet<number> = new Set([0x69, 0x6a]);
/** Digits of the members that Nitro packs into `mixHash`, eight bytes each: count of messages sent, block of the parent chain. */
const PACKED_DIGITS = 16;

interface Place {
  readonly transaction: NodeJson;
  readonly receipt: NodeJson;
  readonly type: number;
  readonly form: TransactionForm | undefined;
}

/**
 * Compares members that no root commits to with those that they follow from.
 * @returns the first that does not follow, by the node's name; undefined if all do
 * @throws {UnencodableError} for one of another shape
 */
export function derivedMember(
  keccak: Keccak,
  { form }: ChainProof,
  block: NodeJson,
  places: readonly Place[],
): string | undefined {
  const ofHeader = form === 'orbit' ? nitroMember(block) : undefined;
  if (ofHeader !== undefined) return ofHeader;
  let used = 0n;
  for (const [index, place] of places.entries()) {
    const cumulative = numberOf(place.receipt, 'cumulativeGasUsed');
    // A transaction from before Nitro keeps the gas that it used there.
    const isGasDerived = place.form !== undefined && place.form.hasForeignHash !== true;
    const member =
      isGasDerived && numberOf(place.receipt, 'gasUsed') !== cumulative - used
        ? 'gasUsed'
        : signedMember(keccak, form, block, place);
    if (member !== undefined) return `receipts[${index}].${member}`;
    used = cumulative;
  }
  return undefined;
}

function signedMember(
  keccak: Keccak,
  form: ChainProof['form'],
  block: NodeJson,
  { transaction, receipt, type }: Place,
): string | undefined {
  // Their encodings have no value, and Nitro gives them none.
  if (form === 'orbit' && WITHOUT_VALUE.has(type) && numberOf(transaction, 'value') !== 0n) return 'value';
  if (type > LAST_SIGNED_TYPE) return undefined;
  if (!isCreated(keccak, transaction, receipt)) return 'contractAddress';
  // Nitro takes no tip, but from some senders.
  if (form === 'orbit' || isAbsent(receipt.effectiveGasPrice)) return undefined;
  return numberOf(receipt, 'effectiveGasPrice') === priceOf(transaction, type, block)
    ? undefined
    : 'effectiveGasPrice';
}

/** Whether the address of a new contract follows from sender and nonce; nodes may leave it out where the creation failed. */
function isCreated(keccak: Keccak, transaction: NodeJson, { contractAddress, status }: NodeJson): boolean {
  if (!isAbsent(transaction.to)) return isAbsent(contractAddress);
  if (isAbsent(contractAddress)) return status !== '0x1';
  const made = keccak(rlpList(address(transaction, 'from') + quantity(transaction, 'nonce')));
  return made.slice(-ADDRESS_DIGITS) === digitsOf(contractAddress, 'contractAddress');
}

function priceOf(transaction: NodeJson, type: number, block: NodeJson): bigint {
  if (type < FIRST_FEE_TYPE) return numberOf(transaction, 'gasPrice');
  const most = numberOf(transaction, 'maxFeePerGas');
  const wanted = numberOf(block, 'baseFeePerGas') + numberOf(transaction, 'maxPriorityFeePerGas');
  return wanted < most ? wanted : most;
}

/** Whether a header is one that Nitro made, which packs members of its own into others. */
export function isOfNitro(block: NodeJson): boolean {
  return (
    digitsOf(block.extraData, 'extraData').length === HASH_DIGITS && numberOf(block, 'difficulty') === 1n
  );
}

/** Nodes of Nitro add what they read from `extraData` and `mixHash`. */
function nitroMember(block: NodeJson): string | undefined {
  if (!isOfNitro(block)) return undefined;
  const extra = digitsOf(block.extraData, 'extraData');
  const mix = digitsOf(block.mixHash, 'mixHash');
  const packed = (place: number) =>
    BigInt(`0x${mix.slice(place * PACKED_DIGITS, (place + 1) * PACKED_DIGITS)}`);
  if (!isAbsent(block.sendRoot) && digitsOf(block.sendRoot, 'sendRoot') !== extra) return 'sendRoot';
  if (!isAbsent(block.sendCount) && numberOf(block, 'sendCount') !== packed(0)) return 'sendCount';
  if (!isAbsent(block.l1BlockNumber) && numberOf(block, 'l1BlockNumber') !== packed(1))
    return 'l1BlockNumber';
  return undefined;
}
