/** The largest blocks are stored whole, or as much of them as memory holds. */
import { TOPICS } from '../../../lambdas/chain-data/decode/topics.ts';
import { TOKEN_EVENTS } from '../../chain-data/decode/contract-events.ts';
import { ALICE, BOB, type LogContents, logOf, TOKEN, ZERO } from '../../chain-data/decode/raw-blocks.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { makeBlock } from '../fetch/node-chain.ts';
import { indexedChain } from './indexed-node.ts';
import { jsonBlock } from './json-chain.ts';

const { erc721, consecutive } = TOKEN_EVENTS;
const MAX_UINT = 2n ** 256n - 1n;

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

test('logs of ranges make a block no larger than memory holds', async () => {
  const ranges: LogContents[] = Array.from({ length: 30 }, (_, index) =>
    logOf(consecutive, TOKEN, [BigInt(index) * 5_000n, BigInt(index) * 5_000n + 4_999n, ZERO, BOB]),
  );
  const { query } = await indexedChain(database, [
    makeBlock(0, 0),
    jsonBlock(1, [{ logs: [...ranges, logOf(erc721, TOKEN, [ALICE, BOB, MAX_UINT])] }]),
    makeBlock(2, 0),
  ]);
  expect(await query('SELECT count(*) AS count FROM {schema}.nft_transfers')).toEqual([{ count: 100_001 }]);
  expect(await query('SELECT count(*) AS logs FROM {schema}.logs')).toEqual([{ logs: 31 }]);
  expect(ranges[0]?.topics[0]).toBe(TOPICS.consecutiveTransfer);
});
