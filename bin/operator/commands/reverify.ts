import { InputError } from '../../../lambdas/access/contract/input-error.ts';
import { decodeBlock } from '../../../lambdas/chain-data/decode/decode-block.ts';
import { missingRanges } from '../../../lambdas/chain-data/store/coverage.ts';
import {
  type StoredDifference,
  storedDifferences,
} from '../../../lambdas/chain-data/store/stored-differences.ts';
import { BlockError } from '../../../lambdas/indexer/blocks/block-error.ts';
import type { BlockForm } from '../../../lambdas/indexer/follow/node-reader.ts';
import { type ChainProof, proofOf } from '../../../lambdas/shared/verify/chain-proof.ts';
import { verifyBlock } from '../../../lambdas/shared/verify/verify-block.ts';
import { openVerifyTools } from '../../../lambdas/shared/verify/verify-tools.ts';
import { CHAIN, type Command, neededFlag, requiredText } from '../context/command.ts';
import { renderRecord } from '../context/text-table.ts';
import { blockArgument, findIndexedChain, requireSameChain } from '../fill/indexed-chain.ts';
import { openGivenNode } from '../fill/open-given-node.ts';

/** Longest time for all blocks, in milliseconds. */
const READ_MS = 3_600_000;
/** Differences after which no more are looked for. */
const MAX_DIFFERENCES = 1_000;
const SHOWN_DIFFERENCES = 20;

export const reverify: Command = {
  name: 'reverify',
  summary:
    'read stored blocks of a chain from a node again, verify them, and say which differ; nothing is changed',
  positionals: [
    CHAIN,
    { name: 'first', summary: 'number of the first block' },
    { name: 'last', summary: 'number of the last block' },
  ],
  flags: { node: neededFlag('URL of the node that the blocks are read from') },
  example: 'reverify base 0 999 --node https://node.example',
  async run({ openIndexing, clock }, args) {
    const chain = requiredText(args, 'chain');
    const connection = openIndexing && (await findIndexedChain(await openIndexing(), chain));
    if (connection === undefined) throw new InputError(`${chain} is not indexed`);
    const [from = 0, to = 0] = [blockArgument(args, 'first'), blockArgument(args, 'last')];
    if (from > to) throw new InputError('FIRST is after LAST');
    const missing = await missingRanges(connection, { from, to });
    const isStored = (block: number) => !missing.some((gap) => gap.from <= block && block <= gap.to);
    let proof: ChainProof | undefined;
    const node = openGivenNode(
      requiredText(args, 'node'),
      clock,
      verifiedBy(() => proof),
    );
    const deadline = clock.now() + READ_MS;
    const differences: StoredDifference[] = [];
    let [read, last] = [0, from - 1];
    try {
      await requireSameChain(connection, (number) => node.reader.header(number, { deadline }));
      proof = proofOf({ chainId: await node.chainId({ deadline }) });
      for await (const page of node.reader.pages(from, to, { deadline })) {
        last = page.at(-1)?.number ?? last;
        const rows = page
          .filter(({ number }) => isStored(number))
          .map((block) => decodeBlock(block, { wrappedNative: new Set() }));
        read += rows.length;
        if (rows.length > 0) differences.push(...(await storedDifferences(connection, rows)));
        if (differences.length >= MAX_DIFFERENCES) break;
      }
    } finally {
      node.close();
    }
    const outcome = { chain, from_block: from, to_block: last, blocks: read, form: proof?.form ?? 'none' };
    const shown = differences.slice(0, MAX_DIFFERENCES);
    const words = shown.slice(0, SHOWN_DIFFERENCES).map(({ block, table }) => `${block} (${table})`);
    return {
      json: { ...outcome, differences: shown },
      text: renderRecord({
        ...Object.fromEntries(Object.entries(outcome).map(([name, value]) => [name, String(value)])),
        differing: shown.length === 0 ? 'none' : `${shown.length}: ${words.join(', ')}`,
      }),
      exitCode: shown.length === 0 ? 0 : 1,
    };
  },
};

/** Blocks without traces, each verified by the form of its chain. @throws {BlockError} while they are read, for a wrong one */
function verifiedBy(proofNow: () => ChainProof | undefined): BlockForm {
  const verify: BlockForm['verify'] = async ({ block, receipts, read }) => {
    const proof = proofNow();
    if (proof === undefined || read.number < proof.from) return undefined;
    const verdict = verifyBlock(await openVerifyTools(), proof, block, receipts);
    if (verdict.kind === 'wrong')
      throw new BlockError('wrong_answer', read.number, `${verdict.member} of the node`);
    return undefined;
  };
  return { traces: false, verify };
}
