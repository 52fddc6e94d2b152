import type { ChainProof } from './chain-proof.ts';
import { encodeHeader, unknownMember } from './header.ts';
import type { Keccak } from './keccak.ts';
import { proveListed } from './list-root.ts';
import { digitsOf, listOf, type NodeJson, objectOf } from './members.ts';
import { encodeReceipt } from './receipts.ts';
import { whereEncodable } from './rlp.ts';
import { encodeTransaction } from './transactions.ts';
import { readLists } from './verify-block.ts';

/** What shows that a transaction and its receipt are in a block, in hex digits. */
export interface MadeProof {
  readonly kind: 'proven';
  /** RLP of the header, whose hash is the block's. */
  readonly header: string;
  /** Key of the transaction's place in both tries. */
  readonly key: string;
  /** Nodes of the trie of transactions from its root down to the transaction, and of receipts to its receipt. */
  readonly transaction: readonly string[];
  readonly receipt: readonly string[];
  /** How many logs the receipts before it have, and how many its own has. */
  readonly logsBefore: number;
  readonly logs: number;
}

/** What became of a proof. */
type TransactionVerdict =
  | MadeProof
  /** What the form does not have: a type, a member of the header. */
  | { readonly kind: 'uncovered'; readonly member: string }
  /** What the node sent does not come out. */
  | { readonly kind: 'wrong'; readonly member: string }
  /** The block comes out, and has another transaction at the place. */
  | { readonly kind: 'absent' };

/** A transaction: its block and itself by their hashes, as `0x` and 64 digits in lower case, and its place in the block. */
export interface SoughtTransaction {
  readonly blockHash: string;
  readonly hash: string;
  readonly index: number;
}

/** A block as a node sent it, with whole transactions, and its receipts in their order. */
export interface SentBlock {
  readonly block: unknown;
  readonly receipts: unknown;
}

/**
 * Proves from what a node sent of a block that a transaction is in it. Nothing is proven that does not come out: the header
 * by the hash that is sought, both lists by the header's roots, the transaction by its hash.
 */
export function proveTransaction(
  keccak: Keccak,
  proof: ChainProof,
  sent: SentBlock,
  sought: SoughtTransaction,
): TransactionVerdict {
  return whereEncodable(() => {
    const block = objectOf(sent.block, 'block');
    const header = encodeHeader(block);
    if (`0x${keccak(header)}` === sought.blockHash)
      return proveListedIn(keccak, block, {
        header,
        pairs: readLists(proof, block, { receiptsJson: sent.receipts }),
        sought,
      });
    const member = unknownMember(block);
    return member === undefined ? wrong('hash') : { kind: 'uncovered', member };
  }, wrong);
}

/** Proves a transaction in a block whose header comes out. */
function proveListedIn(
  keccak: Keccak,
  block: NodeJson,
  {
    header,
    pairs,
    sought: { hash, index },
  }: {
    readonly header: string;
    readonly pairs: ReturnType<typeof readLists>;
    readonly sought: SoughtTransaction;
  },
): TransactionVerdict {
  const transactions: string[] = [];
  const receipts: string[] = [];
  for (const { transaction, receipt, type, form } of pairs) {
    if (form === undefined) return { kind: 'uncovered', member: `transactions.type ${type}` };
    transactions.push(encodeTransaction(transaction, type, form));
    receipts.push(encodeReceipt(receipt, type, form.isBare === true));
  }
  const ofTransaction = proveListed(keccak, transactions, index);
  if (ofTransaction.root !== digitsOf(block.transactionsRoot, 'transactionsRoot'))
    return wrong('transactionsRoot');
  const ofReceipt = proveListed(keccak, receipts, index);
  if (ofReceipt.root !== digitsOf(block.receiptsRoot, 'receiptsRoot')) return wrong('receiptsRoot');
  // Its hash is another's than that of its encoding: the proof would be of another transaction.
  if (pairs[index]?.form?.hasForeignHash === true) return { kind: 'uncovered', member: 'transactions.hash' };
  if (`0x${keccak(transactions[index] ?? '')}` !== hash) return { kind: 'absent' };
  const logs = pairs.map(({ receipt }) => listOf(receipt, 'logs').length);
  return {
    kind: 'proven',
    header,
    key: ofTransaction.key,
    transaction: ofTransaction.nodes,
    receipt: ofReceipt.nodes,
    logsBefore: logs.slice(0, index).reduce((sum, count) => sum + count, 0),
    logs: logs[index] ?? 0,
  };
}

function wrong(member: string): TransactionVerdict {
  return { kind: 'wrong', member };
}
