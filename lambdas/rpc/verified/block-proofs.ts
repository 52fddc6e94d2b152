import { ownCall } from '../../shared/jsonrpc/calls.ts';
import { fixedText } from '../../shared/upstream/agreement/fixed-parts.ts';
import type {
  Ask,
  Said,
  SharedQuestion,
  TwoOperators,
} from '../../shared/upstream/operators/two-operators.ts';
import type { ChainProof } from '../../shared/verify/chain-proof.ts';
import { type Keccak, openKeccak } from '../../shared/verify/keccak.ts';
import { isAbsent, type NodeJson } from '../../shared/verify/members.ts';
import { verifyBlockAlone, verifyReceipts } from '../../shared/verify/verify-block.ts';
import type { AgreedBlock } from './agreed-blocks.ts';
import type { BlockQuestion } from './read-call.ts';

/** A question about what is in a block. */
interface AskedOfBlock {
  readonly question: BlockQuestion;
  readonly block: AgreedBlock;
}

/** A block with its whole transactions, all verified. */
interface VerifiedBlock {
  readonly block: NodeJson & { readonly transactions: readonly NodeJson[] };
  readonly receipts: readonly NodeJson[] | undefined;
}

const HASH = /^0x[0-9a-f]{64}$/;

/**
 * Shows what is in a block by its header's roots. What no root holds, such as who sent a transaction, two operators have to say
 * alike.
 */
export class BlockProofs {
  readonly #operators: TwoOperators;
  readonly #proof: ChainProof | undefined;

  /** `proof`: undefined for a chain of whose blocks no form is known: nothing in them is verified. */
  constructor(operators: TwoOperators, proof: ChainProof | undefined) {
    this.#operators = operators;
    this.#proof = proof;
  }

  /** Hashes of the blocks that have transactions, as two operators say; in their order. */
  async locate(transactions: readonly string[], ask: Ask): Promise<readonly (string | undefined)[]> {
    const answers = await this.#operators.ask(
      transactions.map((transaction): SharedQuestion<string> => {
        const call = ownCall('eth_getTransactionReceipt', [transaction]);
        return { call, number: 0n, read: readPlace };
      }),
      ask,
    );
    return answers.map((answer) => answer?.value);
  }

  /** Raw JSON of what questions are answered, in their order; undefined for what is not shown. */
  async prove(asked: readonly AskedOfBlock[], ask: Ask): Promise<readonly (string | undefined)[]> {
    const proof = this.#proof;
    if (asked.length === 0 || proof === undefined) return asked.map(() => undefined);
    const keccak = await openKeccak();
    const wanted = new Map(asked.map(({ block }) => [block.hash, block]));
    const open = [...wanted.values()].filter(({ number }) => number >= BigInt(proof.from));
    const found = new Map<string, VerifiedBlock>();
    const answers = await this.#operators.ask(
      open.map((block) => blockQuestion(keccak, proof, block)),
      ask,
    );
    for (const [place, { hash }] of open.entries()) {
      const block = answers[place]?.value;
      const receipts = block?.transactions.length === 0 ? [] : undefined;
      if (block !== undefined) found.set(hash, { block, receipts });
    }
    await this.#addReceipts(asked, { found, proof, keccak, ask });
    return asked.map(({ question, block }) => {
      const verified = found.get(block.hash);
      const result = verified === undefined ? undefined : resultOf(question, verified);
      return result === undefined ? undefined : JSON.stringify(result);
    });
  }

  /** Verifies the receipts of the blocks of which some are asked for. */
  async #addReceipts(
    asked: readonly AskedOfBlock[],
    {
      found,
      proof,
      keccak,
      ask,
    }: {
      readonly found: Map<string, VerifiedBlock>;
      readonly proof: ChainProof;
      readonly keccak: Keccak;
      readonly ask: Ask;
    },
  ): Promise<void> {
    const blocks = new Map(
      asked.flatMap(({ question, block }) => {
        const one = found.get(block.hash);
        const isWanted = question.of === 'receipt' || question.of === 'receipts';
        return isWanted && one !== undefined && one.receipts === undefined
          ? [[block.hash, { agreed: block, block: one.block }] as const]
          : [];
      }),
    );
    const open = [...blocks.values()];
    const answers = await this.#operators.ask(
      open.map(({ agreed, block }) => receiptsQuestion(keccak, proof, agreed, block)),
      ask,
    );
    for (const [place, { agreed, block }] of open.entries()) {
      const receipts = answers[place]?.value;
      if (receipts !== undefined) found.set(agreed.hash, { block, receipts });
    }
  }
}

function blockQuestion(
  keccak: Keccak,
  proof: ChainProof,
  { hash, number }: AgreedBlock,
): SharedQuestion<VerifiedBlock['block']> {
  return {
    call: ownCall('eth_getBlockByHash', [hash, true]),
    number,
    read: (json) => {
      if (isAbsent(json)) return 'nothing';
      const verdict = verifyBlockAlone(keccak, proof, json);
      if (verdict.kind !== 'computed') return verdict.kind;
      const block = json as VerifiedBlock['block'];
      const isPlaced = block.transactions.every((one, index) => isAt(one, { hash, number, index }));
      return isPlaced && sameBytes(block.hash, hash) ? said(block, 'block') : 'wrong';
    },
  };
}

function receiptsQuestion(
  keccak: Keccak,
  proof: ChainProof,
  { hash, number }: AgreedBlock,
  block: VerifiedBlock['block'],
): SharedQuestion<readonly NodeJson[]> {
  return {
    call: ownCall('eth_getBlockReceipts', [hash]),
    number,
    read: (json) => {
      if (!Array.isArray(json)) return 'nothing';
      const { kind } = verifyReceipts(keccak, proof, block, json);
      if (kind !== 'computed') return kind;
      const receipts = json as readonly NodeJson[];
      return arePlaced(receipts, block, { hash, number }) ? said(receipts, 'receipt') : 'wrong';
    },
  };
}

function said<T>(value: T, part: 'block' | 'receipt'): Said<T> {
  return { text: fixedText(Buffer.from(JSON.stringify(value)), part).always, value };
}

/** Whether receipts and their logs name the transactions, the block and the places that they are of. */
function arePlaced(
  receipts: readonly NodeJson[],
  { transactions }: VerifiedBlock['block'],
  { hash, number }: Pick<AgreedBlock, 'hash' | 'number'>,
): boolean {
  let logIndex = 0;
  return receipts.every((receipt, index) => {
    const place = { hash, number, index };
    const { hash: ofTransaction, type } = transactions[index] ?? {};
    const isOf = (one: NodeJson) => isAt(one, place) && sameBytes(one.transactionHash, ofTransaction);
    const logs = receipt.logs as readonly NodeJson[];
    if (!isOf(receipt) || !(isAbsent(receipt.type) || sameBytes(receipt.type, type ?? '0x0'))) return false;
    return logs.every((log) => isOf(log) && log.removed !== true && isNumber(log.logIndex, logIndex++));
  });
}

function isAt(
  one: NodeJson,
  { hash, number, index }: Pick<AgreedBlock, 'hash' | 'number'> & { readonly index: number },
): boolean {
  return (
    sameBytes(one.blockHash, hash) &&
    isNumber(one.blockNumber, number) &&
    isNumber(one.transactionIndex, index)
  );
}

function sameBytes(one: unknown, other: unknown): boolean {
  return typeof one === 'string' && one.toLowerCase() === String(other).toLowerCase();
}

function isNumber(value: unknown, number: number | bigint): boolean {
  return typeof value === 'string' && /^0x[0-9a-f]{1,16}$/i.test(value) && BigInt(value) === BigInt(number);
}

/** The block that has a transaction. */
function readPlace(json: unknown): Said<string> {
  const { blockHash } = (json ?? {}) as { readonly blockHash?: unknown };
  const hash = typeof blockHash === 'string' ? blockHash.toLowerCase() : '';
  return HASH.test(hash) ? { text: hash, value: hash } : 'nothing';
}

/** Undefined where the transaction is not in the block; null where there is none at its place. */
function resultOf(question: BlockQuestion, { block, receipts }: VerifiedBlock): unknown {
  const { of, transaction, index, isWhole } = question;
  if (of === 'block')
    return isWhole === true ? block : { ...block, transactions: block.transactions.map(({ hash }) => hash) };
  if (of === 'receipts') return receipts;
  const { transactions } = block;
  const place = index ?? transactions.findIndex(({ hash }) => sameBytes(hash, transaction));
  if (of === 'receipt') return receipts?.[place];
  return transactions[place] ?? (index === undefined ? undefined : null);
}
