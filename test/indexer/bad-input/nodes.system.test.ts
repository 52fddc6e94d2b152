import { followSlot } from '../../../lambdas/indexer/follow/follow-slot.ts';
import { followStep, InconsistentNodeError } from '../../../lambdas/indexer/follow/follow-step.ts';
import { word } from '../../chain-data/decode/raw-blocks.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { RecordedTelemetry } from '../../support/recorded-telemetry.ts';
import { createFakeNode, type ReceivedCall, type Said } from '../fetch/fake-node.ts';
import { answersOf, makeBlock, makeChain, type NodeBlockJson } from '../fetch/node-chain.ts';
import { dumpIndex } from '../follow/dump-index.ts';
import { followAll, followerOf, inTime } from './indexed-chain.ts';
import { onBranch } from './json-chain.ts';
import { contradictionsOf } from './sound-index.ts';

const HEAD = 11;
const BAD = 6;

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

/** A node whose answers can be changed at any time, and the index of what it tells. */
async function followed(chain: NodeBlockJson[]) {
  let change: (call: ReceivedCall) => Said | undefined = () => undefined;
  const usual = answersOf(chain);
  // Its head is the newest block of the chain, whatever the chain is meanwhile.
  const node = createFakeNode((call) => {
    const said = change(call);
    if (said !== undefined) return said;
    return call.params[0] === 'latest' ? { result: chain.at(-1)?.block ?? null } : usual(call);
  });
  const parts = await followerOf(node, database);
  return {
    ...parts,
    behave: (changed: typeof change) => {
      change = changed;
    },
    dump: () => dumpIndex(database.postgres.superuser, parts.schema),
    contradictions: () => contradictionsOf(database.postgres.superuser, parts.schema),
  };
}

type Followed = Awaited<ReturnType<typeof followed>>;

async function undisturbed(chain: NodeBlockJson[]) {
  const parts = await followed(chain);
  await followAll(parts);
  return parts.dump();
}

/** What becomes of a call that concerns the bad block. */
function whereBad(method: string, said: (json: NodeBlockJson) => Said) {
  return (call: ReceivedCall): Said | undefined =>
    call.method === method && Number(call.params[0]) === BAD ? said(makeBlock(BAD, 2)) : undefined;
}

const BLOCK = 'eth_getBlockByNumber';
const RECEIPTS = 'eth_getBlockReceipts';
const TRACES = 'debug_traceBlockByNumber';

describe('the index stops before a block of which the node', () => {
  test.each<[string, (call: ReceivedCall) => Said | undefined]>([
    ['has no receipts', whereBad(RECEIPTS, () => ({ result: null }))],
    ['lacks one receipt', whereBad(RECEIPTS, ({ receipts }) => ({ result: [receipts[0], null] }))],
    ['has nothing', whereBad(BLOCK, () => ({ result: null }))],
    ['tells another parent', whereBad(BLOCK, ({ block }) => ({ result: { ...block, parentHash: word(7) } }))],
    ['tells the receipts of another', whereBad(RECEIPTS, () => ({ result: makeBlock(BAD + 1, 2).receipts }))],
    ['answers an error', whereBad(BLOCK, () => ({ error: { code: -32000, message: 'broken' } }))],
    ['tells no JSON of a block', whereBad(BLOCK, () => ({ result: 'block' }))],
  ])('%s, and goes on once it is there', async (_, change) => {
    const parts = await followed(makeChain(HEAD + 1));
    parts.behave(change);
    await expect(followAll(parts)).rejects.toThrow();
    await expect(followAll(parts)).rejects.toThrow();
    expect((await parts.index.cursor())?.number).toBe(BAD - 1);
    expect(await parts.contradictions()).toEqual([]);
    parts.behave(() => undefined);
    await followAll(parts);
    expect(await parts.dump()).toEqual(await undisturbed(makeChain(HEAD + 1)));
  });
});

test('members that no text can name are left out', async () => {
  const [genesis, block] = makeChain(2);
  if (genesis === undefined || block === undefined) throw new Error('no chain');
  const odd = { ...block.block, 'a\u0000b': '0x1', ['n'.repeat(70_000)]: '0x1', kept: '0x1' };
  const parts = await followed([genesis, { ...block, block: odd }]);
  await followAll(parts);
  const { rows } = await database.reader.query(`SELECT extra FROM ${parts.schema}.blocks WHERE number = 1`);
  expect(JSON.parse(String(rows[0]?.extra))).toEqual({ kept: '0x1', mixHash: word(5) });
});

test('a block that never follows the one before is no rest at the head', async () => {
  const parts = await followed(makeChain(HEAD + 1));
  parts.behave(whereBad(BLOCK, ({ block }) => ({ result: { ...block, parentHash: word(7) } })));
  await followAll(parts).catch(() => undefined);
  await expect(followStep(parts, inTime())).rejects.toThrow(InconsistentNodeError);
  let now = 0;
  const slot = {
    ...parts,
    chain: parts.schema,
    clock: { now: () => now },
    telemetry: new RecordedTelemetry(),
    pause: async (durationMs: number) => {
      now += durationMs;
    },
  };
  // Nothing succeeded in the slot, so that it fails, which is seen.
  await expect(followSlot(slot, 2_000)).rejects.toThrow(InconsistentNodeError);
});

describe('a node whose head is older than it was', () => {
  test('is waited for, and nothing is taken back', async () => {
    const chain = makeChain(HEAD + 1);
    const parts = await followed(chain);
    await followAll(parts);
    const before = await parts.dump();
    const removed = chain.splice(HEAD - 3);
    expect(await followAll(parts)).toEqual(['behind']);
    expect(await parts.dump()).toEqual(before);
    chain.push(...removed, makeBlock(HEAD + 1, 1));
    expect(await followAll(parts)).toEqual(['appended', 'idle']);
    expect(await parts.dump()).toEqual(await undisturbed(chain));
  });

  test('and comes back with another branch is followed there', async () => {
    const chain = makeChain(HEAD + 1);
    const parts = await followed(chain);
    await followAll(parts);
    chain.splice(BAD);
    expect(await followAll(parts)).toEqual(['behind']);
    for (let number = BAD; number <= HEAD + 2; number += 1)
      chain.push(onBranch(makeBlock(number, 1), 1, BAD - 1));
    expect(await followAll(parts)).toEqual(['rolled_back', 'appended', 'idle']);
    expect(await parts.contradictions()).toEqual([]);
    expect(await parts.dump()).toEqual(await undisturbed(chain));
  });
});

describe('a block that cannot be traced', () => {
  const gapsOf = async ({ schema }: Followed) =>
    (
      await database.reader.query(
        `SELECT from_block, to_block, reason, last_error, attempts FROM ${schema}._trace_gaps ORDER BY 1`,
      )
    ).rows;
  const tracesOf = async ({ schema }: Followed) =>
    (
      await database.reader.query(
        `SELECT count(*) AS traces FROM ${schema}.traces WHERE block_number = ${BAD}`,
      )
    ).rows[0]?.traces;
  const oneFails = (error: string) =>
    whereBad(TRACES, ({ traces }) => ({ result: [traces[0], { txHash: traces[1]?.txHash, error }] }));

  test('for one of its transactions is stored without traces, as a gap', async () => {
    const parts = await followed(makeChain(HEAD + 1));
    parts.behave(oneFails('execution failed'));
    await followAll(parts);
    expect(await gapsOf(parts)).toEqual([
      { from_block: BAD, to_block: BAD, reason: 'rpc_error', last_error: 'execution failed', attempts: 1 },
    ]);
    expect(await tracesOf(parts)).toBe(0);
    expect((await parts.index.cursor())?.number).toBe(HEAD);
    expect(await parts.contradictions()).toEqual([]);
  });

  test('is stored whatever the words of the node are', async () => {
    const parts = await followed(makeChain(HEAD + 1));
    const words = `no\u0000 "{\\\u{1f600}\ud800${'\u{1f600}'.repeat(200)}`;
    parts.behave(oneFails(words));
    await followAll(parts);
    expect(String((await gapsOf(parts))[0]?.last_error)).toMatch(/^no "\{\\\u{1f600}+$/u);
    expect(await parts.contradictions()).toEqual([]);
  });
});
