import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { BlockError, describeRelaxed, relaxedBy } from '../../../lambdas/indexer/blocks/block-error.ts';
import { createBlockReader } from '../../../lambdas/indexer/fetch/read-blocks.ts';
import { RELAXABLE_CHECKS, type RelaxedCheck } from '../../../lambdas/shared/runtime/settings.ts';
import { createFakeNode } from '../fetch/fake-node.ts';
import { answersOf, blockHash, makeBlock, makeChain, type NodeBlockJson } from '../fetch/node-chain.ts';
import { CHAIN_FORMS, NUMBER, withBlock } from './known-chains.ts';

const FORMS = CHAIN_FORMS.map((form) => [form.name, form] as const);
const RELAXED = FORMS.filter(([, { check }]) => check !== undefined);

/** Reads the block out of a chain of usual ones. */
async function read(json: NodeBlockJson, relaxed: readonly RelaxedCheck[], traces = true): Promise<RawBlock> {
  const chain = makeChain(NUMBER + 1);
  chain[NUMBER] = json;
  const reader = createBlockReader({
    node: createFakeNode(answersOf(chain)),
    clock: { now: () => 0 },
    wait: async () => {},
    traces,
    isRelaxed: relaxedBy(relaxed),
  });
  const blocks: RawBlock[] = [];
  for await (const block of reader.read(NUMBER, NUMBER, { deadline: 1 })) blocks.push(block);
  return blocks[0] as RawBlock;
}

function failure(reading: Promise<unknown>): Promise<unknown> {
  return reading.then(
    () => undefined,
    (error: unknown) => error,
  );
}

test.each(FORMS)(
  '%s: the block is read, with the setting that its chain needs',
  async (_, { json, check }) => {
    const block = await read(json, check === undefined ? [] : [{ check }]);
    expect(block.traces.kind).toBe('traced');
    const logs = block.transactions.flatMap(({ receipt }) => receipt.logs);
    expect(logs.map(({ logIndex }) => logIndex)).toEqual(logs.map((_log, index) => index));
  },
);

test.each(RELAXED)('%s: without it the error names the setting, and no other will do', async (_, form) => {
  const error = await failure(read(form.json, []));
  expect(error).toBeInstanceOf(BlockError);
  expect((error as BlockError).check).toBe(form.check);
  expect((error as BlockError).message).toContain(`relax the check ${form.check} in the stage file`);
  // A bloom that is not compared at all passes whatever it is.
  for (const check of RELAXABLE_CHECKS.filter((other) => other !== form.check && other !== 'logsBloom'))
    expect(await failure(read(form.json, [{ check }]))).toBeInstanceOf(BlockError);
});

test('a check is relaxed for the blocks of its range alone', async () => {
  const [, form] = RELAXED.find(([name]) => name.startsWith('Cronos')) ?? [];
  const json = form?.json as NodeBlockJson;
  const check = 'extraBloomBits';
  await read(json, [{ check, from: NUMBER, to: NUMBER }]);
  expect(await failure(read(json, [{ check, to: NUMBER - 1 }]))).toBeInstanceOf(BlockError);
  expect(await failure(read(json, [{ check, from: NUMBER + 1 }]))).toBeInstanceOf(BlockError);
});

test('what is relaxed hides nothing else: a block with the receipts of another is refused', async () => {
  const others = { ...makeBlock(NUMBER, 2), receipts: makeBlock(NUMBER + 1, 2).receipts };
  const all = RELAXABLE_CHECKS.filter((check) => check !== 'millisecondTimes').map((check) => ({ check }));
  expect(await failure(read(others, all))).toBeInstanceOf(BlockError);
  const zeroBloom = [{ check: 'zeroBloom' as const }];
  const otherBloom = withBlock(makeBlock(NUMBER, 2), { logsBloom: `0x${'0'.repeat(511)}8` });
  expect(await failure(read(otherBloom, zeroBloom))).toBeInstanceOf(BlockError);
});

test('the logs of a state sync and of a block are kept, under the transaction that has them', async () => {
  const formOf = (start: string) =>
    CHAIN_FORMS.find(({ name }) => name.startsWith(start))?.json as NodeBlockJson;
  const synced = await read(formOf('Polygon before'), [{ check: 'stateSync' }]);
  expect(synced.transactions[2]).toMatchObject({ gas: 0n, receipt: { logs: [{ logIndex: 2 }] } });
  const own = await read(formOf('Celo before'), [{ check: 'blockReceipt' }]);
  expect(own.transactions[2]).toMatchObject({
    hash: blockHash(NUMBER),
    receipt: { logs: [{ logIndex: 2 }] },
  });
});

test('a receipt that the list lacks is asked for singly', async () => {
  const json = CHAIN_FORMS.find(({ name }) => name.startsWith('Polygon before'))?.json as NodeBlockJson;
  const chain = makeChain(NUMBER + 1);
  chain[NUMBER] = json;
  const whole = answersOf(chain);
  const node = createFakeNode((call) => {
    const said = whole(call);
    const isList = call.method === 'eth_getBlockReceipts' && 'result' in said;
    return isList ? { result: (said.result as unknown[]).slice(0, 2) } : said;
  });
  const isRelaxed = relaxedBy([{ check: 'stateSync' }]);
  const reader = createBlockReader({
    node,
    clock: { now: () => 0 },
    wait: async () => {},
    traces: false,
    isRelaxed,
  });
  for await (const block of reader.read(NUMBER, NUMBER, { deadline: 1 }))
    expect(block.transactions).toHaveLength(3);
});

test('missing gas of a block so far is added up', async () => {
  const json = CHAIN_FORMS.find(({ name }) => name === 'no cumulativeGasUsed')?.json as NodeBlockJson;
  const { transactions } = await read(json, [{ check: 'missingMembers' }]);
  expect(transactions.map(({ receipt }) => receipt.cumulativeGasUsed)).toEqual([50_000n, 100_000n]);
});

test('what is relaxed, in words', () => {
  expect(describeRelaxed([{ check: 'logIndex' }, { check: 'zeroBloom', from: 1, to: 9 }])).toBe(
    'logIndex, zeroBloom from 1 to 9',
  );
});
