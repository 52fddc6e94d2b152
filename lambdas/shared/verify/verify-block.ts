import { type ChainProof, isBeforeNitro } from './chain-proof.ts';
import { derivedMember } from './derived.ts';
import { encodeHeader, unknownMember } from './header.ts';
import type { Keccak } from './keccak.ts';
import { listRoot } from './list-root.ts';
import {
  address,
  digitsOf,
  type EncodedMember,
  encodeItems,
  encodeMembers,
  isAbsent,
  listOf,
  type NodeJson,
  numberOf,
  objectOf,
  quantity,
} from './members.ts';
import { encodeReceipt } from './receipts.ts';
import { UnencodableError, whereEncodable } from './rlp.ts';
import { isSender, type Recover, type VerifyTools } from './senders.ts';
import { encodeTransaction, type TransactionForm, transactionForm } from './transactions.ts';

/** The parts of a block that have a hash or a root of their own, and what follows from them. */
type ProofPart = 'header' | 'transactions' | 'senders' | 'receipts' | 'withdrawals' | 'derived';

/** What does not come out: the part, and the member that shows it, by the node's name. */
interface WrongPart {
  readonly part: ProofPart;
  readonly member: string;
}

/** What a form does not have: the part, and the member by the node's name. */
interface Uncovered {
  readonly part: 'header' | 'transactions';
  readonly member: string;
}

/** What verifying came to. */
export type BlockVerdict =
  /** Hash and roots come out of what the node sent. */
  | { readonly kind: 'computed' }
  /**
   * What the form does not have: a type of `transactions`, or a member of the `header`, whose roots then are as the node says.
   * Nothing else is wrong.
   */
  | ({ readonly kind: 'uncovered' } & Uncovered)
  | ({ readonly kind: 'wrong' } & WrongPart);

const COMPUTED: BlockVerdict = { kind: 'computed' };

const WITHDRAWAL: readonly EncodedMember[] = [
  ['index', quantity],
  ['validatorIndex', quantity],
  ['address', address],
  ['amount', quantity],
];

/**
 * Verifies what a node sent of a block: the hash of its header, the roots of its lists, who signed its transactions, and what
 * follows from these. Within a form every type is known, so that whatever does not come out is wrong.
 * @param blockJson with whole transactions
 * @param receiptsJson in the order of the transactions
 */
export function verifyBlock(
  { keccak, recover }: VerifyTools,
  proof: ChainProof,
  blockJson: unknown,
  receiptsJson: unknown,
): BlockVerdict {
  return verifyParts(keccak, proof, blockJson, { receiptsJson, recover });
}

/** Verifies a block without receipts and senders: the hash of its header, the roots of its transactions and withdrawals. */
export function verifyBlockAlone(keccak: Keccak, proof: ChainProof, blockJson: unknown): BlockVerdict {
  return verifyParts(keccak, proof, blockJson);
}

/** Verifies the receipts of a block which {@link verifyBlockAlone} has computed: their root, and what follows from both. */
export function verifyReceipts(
  keccak: Keccak,
  proof: ChainProof,
  block: NodeJson,
  receiptsJson: unknown,
): BlockVerdict {
  return inPart('receipts', 'receipts', () => {
    const pairs = readLists(proof, block, { receiptsJson });
    return wrongReceipts(keccak, block, pairs) ?? wrongDerived(keccak, proof, block, pairs) ?? COMPUTED;
  });
}

/** `beside`: absent, there are neither receipts nor senders to verify. */
function verifyParts(
  keccak: Keccak,
  proof: ChainProof,
  blockJson: unknown,
  beside?: { readonly receiptsJson: unknown; readonly recover: Recover },
): BlockVerdict {
  const verify = (): BlockVerdict => {
    const block = objectOf(blockJson, 'block');
    const header = verifyHeader(keccak, block);
    if (header.kind === 'wrong') return header;
    const lists = readLists(proof, block, beside);
    const strange = lists.find(({ form }) => form === undefined);
    const wrong =
      wrongTransactions({ keccak, recover: beside?.recover }, proof, block, lists) ??
      (beside && wrongReceipts(keccak, block, lists)) ??
      wrongWithdrawals(keccak, proof, block) ??
      (beside && wrongDerived(keccak, proof, block, lists));
    if (wrong !== undefined) return wrong;
    if (header.kind === 'uncovered' || strange === undefined) return header;
    return { kind: 'uncovered', part: 'transactions', member: `transactions.type ${strange.type}` };
  };
  return whereEncodable(verify, (member) => wrongPart('transactions', member));
}

/**
 * Verifies the hash of a header. One with a member that the form does not have is not covered: on the day of a fork its hash
 * takes it in.
 */
export function verifyHeader(keccak: Keccak, header: NodeJson): BlockVerdict {
  return inPart('header', 'header', (): BlockVerdict => {
    if (isDigits(keccak(encodeHeader(header)), header.hash)) return COMPUTED;
    const member = unknownMember(header);
    return member === undefined ? wrongPart('header', 'hash') : { kind: 'uncovered', part: 'header', member };
  });
}

/** A transaction with its receipt, and how its type is encoded: undefined for a type that the form does not have. */
interface Pair {
  readonly transaction: NodeJson;
  readonly receipt: NodeJson;
  readonly type: number;
  readonly form: TransactionForm | undefined;
}

/** What a node sent of the lists of a block. @throws {UnencodableError} where they do not belong together */
export function readLists(
  { form, strangeType }: ChainProof,
  block: NodeJson,
  beside: { readonly receiptsJson: unknown } | undefined,
): readonly Pair[] {
  const transactions = listOf(block, 'transactions');
  const receipts =
    beside === undefined ? transactions : listOf({ receipts: beside.receiptsJson }, 'receipts');
  if (receipts.length !== transactions.length) throw new UnencodableError('receipts.length');
  return transactions.map((value, index) => {
    const transaction = objectOf(value, 'transactions');
    const type = isAbsent(transaction.type) ? 0 : Number(numberOf(transaction, 'type'));
    const receipt = objectOf(receipts[index], 'receipts');
    const known = type === strangeType ? undefined : transactionForm(form, type);
    return { transaction, receipt, type, form: known };
  });
}

/** Each transaction's own hash and signer, also beside one of an unknown type; the root where all types are known. */
function wrongTransactions(
  { keccak, recover }: { readonly keccak: Keccak; readonly recover: Recover | undefined },
  proof: ChainProof,
  block: NodeJson,
  pairs: readonly Pair[],
): BlockVerdict | undefined {
  const encoded: string[] = [];
  for (const [index, { transaction, type, form }] of pairs.entries()) {
    if (form === undefined) continue;
    const of = `transactions[${index}]`;
    let items = '';
    const wrong = inPart('transactions', of, () => {
      // A legacy transaction renamed to this type would have any hash.
      if (form.hasForeignHash === true && !isBeforeNitro(proof, numberOf(block, 'number')))
        return wrongPart('transactions', `${of}.type`);
      items = encodeItems(transaction, form.members);
      const digits = encodeTransaction(transaction, type, form, items);
      encoded.push(digits);
      const isHashed = form.hasForeignHash === true || isDigits(keccak(digits), transaction.hash);
      return isHashed ? undefined : wrongPart('transactions', `${of}.hash`);
    });
    if (wrong !== undefined) return wrong;
    if (recover === undefined) continue;
    const unsigned = inPart('senders', of, () =>
      isSender({ keccak, recover }, { transaction, type, form, items })
        ? undefined
        : wrongPart('senders', `${of}.from`),
    );
    if (unsigned !== undefined) return unsigned;
  }
  if (encoded.length < pairs.length) return undefined;
  return wrongRoot(keccak, block, { part: 'transactions', member: 'transactionsRoot' }, encoded);
}

/** A new type may have receipts of its own: then they are not covered either. */
function wrongReceipts(keccak: Keccak, block: NodeJson, pairs: readonly Pair[]): BlockVerdict | undefined {
  if (pairs.some(({ form }) => form === undefined)) return undefined;
  const encoded: string[] = [];
  for (const [index, { receipt, type, form }] of pairs.entries()) {
    const wrong = inPart('receipts', `receipts[${index}]`, () => {
      encoded.push(encodeReceipt(receipt, type, form?.isBare === true));
      return undefined;
    });
    if (wrong !== undefined) return wrong;
  }
  return wrongRoot(keccak, block, { part: 'receipts', member: 'receiptsRoot' }, encoded);
}

/** Only Ethereum's root is that of a list: the OP stack's is of the state of a contract, and neither it nor Nitro has any. */
function wrongWithdrawals(keccak: Keccak, { form }: ChainProof, block: NodeJson): BlockVerdict | undefined {
  const list = isAbsent(block.withdrawals) ? [] : block.withdrawals;
  if (form !== 'ethereum' || isAbsent(block.withdrawalsRoot))
    return Array.isArray(list) && list.length === 0 ? undefined : wrongPart('withdrawals', 'withdrawals');
  return inPart('withdrawals', 'withdrawals', () => {
    const encoded = listOf({ list }, 'list').map((one) =>
      encodeMembers(objectOf(one, 'withdrawal'), WITHDRAWAL),
    );
    return wrongRoot(keccak, block, { part: 'withdrawals', member: 'withdrawalsRoot' }, encoded);
  });
}

function wrongDerived(
  keccak: Keccak,
  proof: ChainProof,
  block: NodeJson,
  pairs: readonly Pair[],
): BlockVerdict | undefined {
  return inPart('derived', 'block', () => {
    const member = derivedMember(keccak, proof, block, pairs);
    return member === undefined ? undefined : wrongPart('derived', member);
  });
}

function wrongRoot(
  keccak: Keccak,
  block: NodeJson,
  { part, member }: WrongPart,
  encoded: readonly string[],
): BlockVerdict | undefined {
  return inPart(part, member, () =>
    isDigits(listRoot(keccak, encoded), block[member]) ? undefined : wrongPart(part, member),
  );
}

/** What cannot be encoded is wrong too: nodes that send it have left out or renamed a member. */
function inPart<Verdict extends BlockVerdict | undefined>(
  part: ProofPart,
  of: string,
  verify: () => Verdict,
): Verdict | BlockVerdict {
  return whereEncodable(verify, (member) => wrongPart(part, `${of}.${member}`));
}

function wrongPart(part: ProofPart, member: string): BlockVerdict {
  return { kind: 'wrong', part, member };
}

function isDigits(computed: string, told: unknown): boolean {
  return typeof told === 'string' && digitsOf(told, 'hash') === computed;
}
