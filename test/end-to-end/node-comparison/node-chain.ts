import { height, type Row, resultsOf, type Sources } from './sources.ts';

/** A log as the node has it. */
export interface NodeLog {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
  readonly logIndex: string;
}

/** A transaction with its receipt and its block, as the node has them. */
export interface NodeTransaction {
  readonly transaction: Row;
  readonly receipt: Row & { readonly logs: readonly NodeLog[] };
  readonly block: NodeBlock;
}

/** A block with its transactions, as the node has it. */
export type NodeBlock = Row & { readonly number: string; readonly transactions: readonly Row[] };

/** Some blocks of the node and all that happened in them, in the order of the chain. */
export interface NodeChain {
  readonly first: number;
  readonly last: number;
  readonly blocks: readonly NodeBlock[];
  readonly transactions: readonly NodeTransaction[];
}

/** Reads blocks from the node, both ends included. */
export async function readNodeChain(sources: Sources, first: number, last: number): Promise<NodeChain> {
  const heights = Array.from({ length: last - first + 1 }, (_, index) => height(first + index));
  const read = (method: string, ...further: readonly unknown[]) =>
    resultsOf(
      sources,
      heights.map((block) => ({ method, params: [block, ...further] })),
    );
  const blocks = (await read('eth_getBlockByNumber', true)) as NodeBlock[];
  const receipts = (await read('eth_getBlockReceipts')) as NodeTransaction['receipt'][][];
  const transactions = blocks.flatMap((block, place) =>
    block.transactions.map((transaction, index) => {
      const receipt = receipts[place]?.[index];
      if (receipt === undefined) throw new Error(`the node has no receipt of ${transaction.hash}`);
      return { transaction, receipt, block };
    }),
  );
  return { first, last, blocks, transactions };
}
