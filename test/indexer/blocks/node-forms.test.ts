/**
 * An index stops for no form that public nodes have: each of them becomes the row that the usual form does, on chains whose
 * blocks are verified too (docs/indexing.md).
 */
import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { createBlockReader } from '../../../lambdas/indexer/fetch/read-blocks.ts';
import type { Json } from '../../shared/verify/made-block.ts';
import { createFakeNode } from '../fetch/fake-node.ts';
import { answersOf, makeChain, type NodeBlockJson } from '../fetch/node-chain.ts';
import { type Lie, provenChain, provingWorld } from '../proof/proving-world.ts';

type Change = (one: Pick<NodeBlockJson, 'block' | 'receipts'>) => void;

const transactionsOf = (one: Pick<NodeBlockJson, 'block'>) => one.block.transactions as Json[];
const logsOf = (one: Pick<NodeBlockJson, 'receipts'>) => one.receipts.flatMap(({ logs }) => logs as Json[]);

/** Block 1 of a chain whose node has forms of its own. */
async function blockOf(change: Change): Promise<RawBlock | undefined> {
  const chain = makeChain(3);
  for (const one of chain) change(one);
  const node = createFakeNode(answersOf(chain));
  const wait = async () => undefined;
  const reader = createBlockReader({ node, clock: { now: () => 0 }, wait, traces: false });
  for await (const block of reader.read(1, 1, { deadline: 1_000 })) return block;
  return undefined;
}

const renameInput: Change = (one) => {
  for (const transaction of transactionsOf(one)) {
    transaction.data = transaction.input;
    delete transaction.input;
  }
};
const statusAs = (succeeded: unknown, failed: unknown): Change => {
  return ({ receipts }) => {
    for (const receipt of receipts) receipt.status = receipt.status === '0x1' ? succeeded : failed;
  };
};

const FORMS: Readonly<Record<string, Change>> = {
  '`data` in place of `input`': renameInput,
  'a status of two digits': statusAs('0x01', '0x00'),
  'a status of true or false': statusAs(true, false),
  'logs without transactionHash': (one) => {
    for (const log of logsOf(one)) delete log.transactionHash;
  },
  'logs whose transactionHash is null': (one) => {
    for (const log of logsOf(one)) log.transactionHash = null;
  },
};

describe.each(Object.entries(FORMS))('%s', (_, change) => {
  const isFailed: Change = ({ receipts }) => Object.assign(receipts[1] as Json, { status: '0x0' });

  test('is the same block', async () => {
    const usual = await blockOf(isFailed);
    expect(usual?.transactions.map(({ receipt }) => receipt.status)).toEqual([1, 0]);
    expect(
      await blockOf((one) => {
        isFailed(one);
        change(one);
      }),
    ).toEqual(usual);
  });

  test('is the same block of a chain that is verified', async () => {
    const chain = provenChain(12);
    const form: Lie = (sent) => {
      change(sent);
      return sent;
    };
    const [usual, other] = [provingWorld([{ chain }]), provingWorld([{ chain, lie: form }])];
    await usual.follow(4);
    await other.follow(4);
    expect(other.stored.length).toBeGreaterThan(5);
    expect(other.stored).toEqual(usual.stored);
  });
});

describe('a deposit of the OP stack', () => {
  const deposit = ({ block, receipts }: Pick<NodeBlockJson, 'block' | 'receipts'>) => {
    const transaction = transactionsOf({ block })[0] as Json;
    Object.assign(transaction, { type: '0x7e', nonce: '0x7', mint: '0x0' });
    return { transaction, receipt: receipts[0] as Json };
  };
  const nonceOf = (block: RawBlock | undefined) => block?.transactions[0]?.nonce;

  test.each([
    ['that has its nonce', '0x7', '0x9', 7n],
    ['whose receipt alone has it', undefined, '0x9', 9n],
    ['whose nonce is null', null, '0x9', 9n],
    ['whose nonce no member has', undefined, undefined, null],
    ['from before receipts had it', null, null, null],
  ])('%s', async (_, nonce, depositNonce, expected) => {
    const block = await blockOf((one) => {
      const { transaction, receipt } = deposit(one);
      Object.assign(transaction, { nonce });
      Object.assign(receipt, { depositNonce });
    });
    expect(nonceOf(block)).toBe(expected);
  });

  test('another transaction has to have one', async () => {
    const lacking: Change = (one) => delete (transactionsOf(one)[0] as Json).nonce;
    await expect(blockOf(lacking)).rejects.toThrow('malformed transaction.nonce');
  });
});

test('a status that is none is refused, and so is a log of another transaction', async () => {
  await expect(blockOf(statusAs('0x2', '0x2'))).rejects.toThrow('malformed receipt.status');
  await expect(blockOf(statusAs('', ''))).rejects.toThrow('malformed receipt.status');
  await expect(
    blockOf((one) => Object.assign(logsOf(one)[0] as Json, { transactionHash: `0x${'5'.repeat(64)}` })),
  ).rejects.toThrow('malformed log.transactionHash');
});
