import type { Hex } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { type LogContents, word } from '../../chain-data/decode/raw-blocks.ts';
import { blockHash, makeBlock, type NodeBlockJson, type NodeJson } from '../fetch/node-chain.ts';

const EMPTY_BLOOM = `0x${'00'.repeat(256)}`;
/** Hashes of the blocks of other branches are apart by this. */
const BRANCH = 0x10_0000_0000;

/** What a transaction of a made-up block does. */
export interface JsonTransaction {
  readonly logs?: readonly LogContents[];
  readonly input?: Hex;
}

/** JSON of a block with these transactions, as a node sends it. */
export function jsonBlock(number: number, contents: readonly JsonTransaction[]): NodeBlockJson {
  const { block, transactions, receipts, traces } = makeBlock(number, contents.length);
  let logIndex = 0;
  const numbered = (logs: readonly LogContents[], place: NodeJson | undefined): NodeJson[] =>
    logs.map((log) => ({
      ...sitesOf(place),
      ...log,
      logIndex: `0x${(logIndex++).toString(16)}`,
      removed: false,
    }));
  const called = transactions.map((transaction, index) => ({
    ...transaction,
    input: contents[index]?.input ?? transaction.input,
  }));
  return {
    block: { ...block, logsBloom: EMPTY_BLOOM, transactions: called },
    transactions: called,
    receipts: receipts.map((receipt, index) => ({
      ...receipt,
      logsBloom: EMPTY_BLOOM,
      logs: numbered(contents[index]?.logs ?? [], receipt),
    })),
    traces,
  };
}

function sitesOf(receipt: NodeJson | undefined): NodeJson {
  const { blockHash: hash, blockNumber, transactionHash, transactionIndex } = receipt ?? {};
  return { blockHash: hash, blockNumber, transactionHash, transactionIndex };
}

/** The same block as another branch of the chain has it, which begins above block `ancestor`. */
export function onBranch(json: NodeBlockJson, branch: number, ancestor: number): NodeBlockJson {
  const number = Number(json.block.number);
  const renamed = [number, number - 1].filter((block) => block > ancestor);
  const text = renamed.reduce(
    (before, block) => before.replaceAll(blockHash(block), word(0xb10c_0000 + block + branch * BRANCH)),
    JSON.stringify(json),
  );
  return JSON.parse(text) as NodeBlockJson;
}
