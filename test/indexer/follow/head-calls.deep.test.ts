/**
 * What an index at the head asks of its node and of the Data API in a second, by the pace of its chain (docs/indexing.md, "Following
 * the head"): whole slots that begin at the head, with all that is done there while there is no block to store.
 */
import { decodeBlock } from '../../../lambdas/chain-data/decode/decode-block.ts';
import type { RawBlock } from '../../../lambdas/chain-data/decode/raw-block.ts';
import { openTransferDerivation } from '../../../lambdas/chain-data/store/transfer-derivation.ts';
import { openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import { createItemDescriber, MAX_ITEMS } from '../../../lambdas/indexer/describe/describe-items.ts';
import { describeTokens, MAX_TOKENS } from '../../../lambdas/indexer/describe/describe-tokens.ts';
import { createRetryingClient } from '../../../lambdas/indexer/fetch/retrying-client.ts';
import type { ReadDeadline } from '../../../lambdas/indexer/follow/chain-reader.ts';
import { createHistoryCompleter } from '../../../lambdas/indexer/follow/complete-history.ts';
import { createHistoryDeriver } from '../../../lambdas/indexer/follow/derive-history.ts';
import { followSlot } from '../../../lambdas/indexer/follow/follow-slot.ts';
import { createHeadPace } from '../../../lambdas/indexer/follow/head-pace.ts';
import { createGapRetrier, createPacedDescriber } from '../../../lambdas/indexer/follow/idle-work.ts';
import { createNodeReader } from '../../../lambdas/indexer/follow/node-reader.ts';
import { type ChainConnection, connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { PLAIN } from '../../chain-data/decode/raw-blocks.ts';
import { newSchema } from '../../database/empty-schemas.ts';
import { connectAs, type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { RecordedTelemetry } from '../../support/recorded-telemetry.ts';
import { pacedChain } from './paced-chain.ts';

const SLOT_MS = 60_000;
/** Time that the Data API takes for a request, in milliseconds. */
const REQUEST_MS = 4;
/** Time for a chain of ten blocks a second, each row of which is stored. */
const TEST_MS = 120_000;

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

type Paced = ReturnType<typeof pacedChain>;

/** What a function of the indexer does at the head of a chain, beside following it. */
function idleWork({ node, clock, pass }: Paced, connection: ChainConnection, parts: IdleParts) {
  const asking = { chain: connection, node: createRetryingClient(node, clock, pass) };
  const works = [
    createPacedDescriber(clock, MAX_TOKENS, (atMost, options) => describeTokens(asking, atMost, options)),
    createPacedDescriber(clock, MAX_ITEMS, createItemDescriber(asking)),
    createHistoryCompleter({ ...parts, clock }),
    createHistoryDeriver(connection.name, openTransferDerivation(connection, PLAIN), clock),
    createGapRetrier({ ...parts, clock }),
  ];
  return async (reading: ReadDeadline) => {
    for (const work of works) await work(reading);
  };
}

type IdleParts = Omit<Parameters<typeof createHistoryCompleter>[0], 'clock'>;

/** Follows a chain to its head for a slot, and counts the next one. */
async function countSlot(blocksPerSecond: number, headPauseMs?: number) {
  const paced = pacedChain(blocksPerSecond, 2 * SLOT_MS);
  const { node, clock, pass, calls } = paced;
  const { url, answer } = database.dataApi;
  const requests = new Map<string, number>();
  const counted: typeof answer = async (path, body) => {
    requests.set(path, (requests.get(path) ?? 0) + 1);
    await pass(REQUEST_MS);
    return answer(path, body);
  };
  const writer = connectAs({ dataApi: { url, answer: counted } }, 'writer');
  const connection = connectionTo(writer, await newSchema(database));
  const parts = {
    reader: createNodeReader(node, clock, { traces: true }, pass),
    index: openChainIndex(connection),
    decode: (block: RawBlock) => decodeBlock(block, PLAIN),
  };
  const pace = createHeadPace(headPauseMs);
  const slot = {
    ...parts,
    ...{ chain: 'one', clock, pause: pass, telemetry: new RecordedTelemetry(), pace },
    whenIdle: idleWork(paced, connection, parts),
  };
  await followSlot(slot, SLOT_MS);
  await pass(SLOT_MS - clock.now());
  requests.clear();
  const callsBefore = calls();
  await followSlot(slot, 2 * SLOT_MS);
  const inSecond = (count: number) => count / (SLOT_MS / 1_000);
  return {
    nodeCalls: inSecond(calls() - callsBefore),
    requests: inSecond([...requests.values()].reduce((sum, count) => sum + count, 0)),
    transactions: inSecond(requests.get('/CommitTransaction') ?? 0),
  };
}

/** Bounds of calls of the node, requests of the Data API and transactions in a second: a call for the traces of each block with them. */
const PACES = [
  ['no blocks', 0, undefined, [3.4, 4], [5, 6.5], [0, 0]],
  ['12 s blocks', 1 / 12, undefined, [0.4, 0.8], [2, 3], [0.07, 0.1]],
  ['1 block/s', 1, undefined, [5.5, 6.5], [18, 24], [0.95, 1.05]],
  ['4 blocks/s', 4, undefined, [11, 13], [16, 20], [0.95, 1.1]],
  ['10 blocks/s', 10, undefined, [28, 32], [16, 20], [0.95, 1.1]],
  ['4 blocks/s at a pause of 250 ms', 4, 250, [13, 16], [40, 52], [2.3, 4]],
] as const;

test.each(PACES)(
  'at %s',
  async (_, blocksPerSecond, headPauseMs, calls, requests, transactions) => {
    const counted = await countSlot(blocksPerSecond, headPauseMs);
    for (const [name, [least, most]] of Object.entries({ nodeCalls: calls, requests, transactions })) {
      const found = counted[name as keyof typeof counted];
      expect({ [name]: found, isWithin: found >= least && found <= most }).toEqual({
        [name]: found,
        isWithin: true,
      });
    }
  },
  TEST_MS,
);
