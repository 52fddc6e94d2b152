// An ERC-20 is one whatever its events index: what it logged with the shape of an NFT are transfers of amounts once it says
// decimals, and that it is no NFT.
import { parseAbiItem } from 'viem';
import { openTransferDerivation } from '../../../lambdas/chain-data/store/transfer-derivation.ts';
import { openChainIndex } from '../../../lambdas/indexer/chain-index/chain-index.ts';
import { describeTokens } from '../../../lambdas/indexer/describe/describe-tokens.ts';
import { createRetryingClient } from '../../../lambdas/indexer/fetch/retrying-client.ts';
import { deriveHistory } from '../../../lambdas/indexer/follow/derive-history.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { disturbed } from '../../database/disturbed.ts';
import { newSchema } from '../../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { inTime } from '../../indexer/bad-input/indexed-chain.ts';
import { contradictionsOf } from '../../indexer/bad-input/sound-index.ts';
import { createFakeNode, type ReceivedCall, type Said } from '../../indexer/fetch/fake-node.ts';
import { TOKEN_EVENTS } from '../decode/contract-events.ts';
import { ALICE, address, BOB, type LogContents, logOf, PLAIN, word, ZERO } from '../decode/raw-blocks.ts';
import { append, cursorOf, linkedBlock } from './linked-blocks.ts';

const TOKEN = address(0x20);
const UNINDEXED = parseAbiItem('event Transfer(address from, address to, uint256 value)');
const [DECIMALS, SUPPORTS, OWNER_OF] = ['0x313ce567', '0x01ffc9a7', '0x6352211e'];
const MULTIPLIER = '0xa60bf13d';
const REVERTED: Said = { error: { code: 3, message: 'execution reverted' } };
const MANY = 5_001;
/** A fair coin does not fall on one side so often. */
const MANY_PASSES = 60;

let database: MigratedDatabase;

beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

/** An index of blocks with these logs, and what asks the tokens in it; `said`: what they answer, by selector. */
async function indexOf(blocks: readonly (readonly LogContents[])[], said: (selector: string) => Said) {
  const schema = await newSchema(database);
  const connection = connectionTo(database.writer, schema);
  const index = openChainIndex(connection, PLAIN);
  const chain = blocks.map((logs, number) => linkedBlock(number, logs));
  const hash = chain[0]?.parentHash ?? ZERO;
  await index.begin({ number: -1, hash, parentHash: hash, timestamp: 0 });
  await append(index, chain);
  const node = createFakeNode(({ params }: ReceivedCall) =>
    said(String((params as [{ data: string }])[0].data).slice(0, 10)),
  );
  const patient = createRetryingClient(node, { now: () => 0 }, async () => undefined);
  const query = async (statement: string) =>
    (await database.admin.query(statement.replaceAll('{schema}', schema))).rows;
  return {
    ...{ schema, connection, index, chain, query },
    describe: (chain = connection) => describeTokens({ chain, node: patient }, 25, inTime()),
    rows: async () => ({
      standard: (await query('SELECT standard FROM {schema}.tokens'))[0]?.standard,
      fungible: (
        await query(
          'SELECT amount::text AS amount, kind FROM {schema}.erc20_transfers ORDER BY block_number, log_index',
        )
      ).map(({ amount, kind }) => `${kind} ${amount}`),
      others: Number(
        (
          await query(`SELECT (SELECT count(*) FROM {schema}.nft_transfers) + (SELECT count(*) FROM {schema}.nft_items)
        + (SELECT count(*) FROM {schema}.nft_owners) AS count`)
        )[0]?.count,
      ),
    }),
  };
}

const says = (answers: Readonly<Record<string, Said>>) => (selector: string) => answers[selector] ?? REVERTED;
const isErc20 = says({ [DECIMALS as string]: { result: word(18) } });

test.each([
  ['no argument', UNINDEXED],
  ['all arguments', TOKEN_EVENTS.erc721],
])('a token with decimals whose events index %s moves amounts', async (_, event) => {
  const { describe, rows } = await indexOf(
    [[logOf(event, TOKEN, [ZERO, ALICE, 123n])], [logOf(event, TOKEN, [ALICE, BOB, 23n])]],
    isErc20,
  );
  expect(await rows()).toEqual({ standard: 721, fungible: [], others: 6 });
  expect(await describe()).toBe(1);
  await describe();
  expect(await rows()).toEqual({ standard: 20, fungible: ['mint 123', 'transfer 23'], others: 0 });
});

test.each<[string, Readonly<Record<string, Said>>, string]>([
  ['says no decimals', {}, 'absent'],
  ['says by ERC-165 that it is one', { [SUPPORTS as string]: { result: word(1) } }, 'absent'],
  ['has an owner of its item', { [OWNER_OF as string]: { result: word(BigInt(ALICE)) } }, 'absent'],
  [
    'cannot be asked',
    { [SUPPORTS as string]: { error: { code: -32005, message: 'limit exceeded' } } },
    'pending',
  ],
  [
    'meets an error of the node',
    { [SUPPORTS as string]: { error: { code: -32603, message: 'internal error' } } },
    'pending',
  ],
])('an NFT that %s stays one', async (name, said, status) => {
  const decimals = name === 'says no decimals' ? {} : { [DECIMALS as string]: { result: word(18) } };
  const { describe, rows, query } = await indexOf(
    [[logOf(UNINDEXED, TOKEN, [ZERO, ALICE, 123n])]],
    says({ ...decimals, ...said }),
  );
  await describe().catch(() => undefined);
  await describe().catch(() => undefined);
  expect(await rows()).toEqual({ standard: 721, fungible: [], others: 3 });
  expect(await query('SELECT metadata_status FROM {schema}.tokens')).toEqual([{ metadata_status: status }]);
});

test('what it moves later is an amount too, in however many pages, and a reorganisation takes it back', async () => {
  const { describe, rows, index, chain, schema, query } = await indexOf(
    [[logOf(UNINDEXED, TOKEN, [ZERO, ALICE, 9n])]],
    isErc20,
  );
  await describe();
  await describe();
  const before = await rows();
  const later = Array.from({ length: MANY }, () => logOf(UNINDEXED, TOKEN, [ALICE, BOB, 7n]));
  await append(index, [linkedBlock(1, later)]);
  expect((await rows()).standard).toBe(20);
  for (let page = 0; page < 3; page += 1) await describe();
  expect(await rows()).toEqual({
    standard: 20,
    fungible: ['mint 9', ...later.map(() => 'transfer 7')],
    others: 0,
  });
  expect(await contradictionsOf(database.postgres.superuser, schema)).toEqual([]);
  await index.rollBack(await cursorOf(index), chain[0] as (typeof chain)[0]);
  expect(await rows()).toEqual(before);
  expect(await query('SELECT transfer_count FROM {schema}.tokens')).toEqual([{ transfer_count: 1 }]);
});

test.each([
  ['above every final block are in no snapshot yet', 300, null],
  ['that are final may be in one: the next has to count them', 0, 0],
])('transfers %s', async (_, number, recount) => {
  const blocks = Array.from({ length: 301 }, (_unused, at) =>
    at === number ? [logOf(UNINDEXED, TOKEN, [ZERO, ALICE, 9n])] : [],
  );
  const { describe, query } = await indexOf(blocks, isErc20);
  await describe();
  await describe();
  expect(await query('SELECT amounts, recount_snapshot FROM {schema}.tokens')).toEqual([
    { amounts: 'done', recount_snapshot: recount },
  ]);
});

test('a token that is due again after every pass keeps no other one waiting for ever', async () => {
  const { describe, query } = await indexOf(
    [[TOKEN, address(0x30)].map((token) => logOf(UNINDEXED, token, [ZERO, ALICE, 9n]))],
    isErc20,
  );
  await describe();
  const left = async () =>
    (
      await query(
        "SELECT FROM {schema}.tokens WHERE amounts = 'due' AND right(encode(address, 'hex'), 2) = '30'",
      )
    ).length;
  for (let pass = 0; pass < MANY_PASSES && (await left()) > 0; pass += 1) {
    await describe();
    await query("UPDATE {schema}.tokens SET amounts = 'due' WHERE right(encode(address, 'hex'), 2) = '20'");
  }
  expect(await left()).toBe(0);
});

test('transfers that are derived by another rule keep those that were recast', async () => {
  const { describe, rows, connection } = await indexOf(
    [[logOf(UNINDEXED, TOKEN, [ZERO, ALICE, 9n])]],
    isErc20,
  );
  await describe();
  await describe();
  const before = await rows();
  for (const wrappedNative of [new Set<never>(), new Set([address(0xe74)])]) {
    const transfers = openTransferDerivation(connection, { wrappedNative });
    await transfers.enforce();
    await deriveHistory(transfers, () => false);
  }
  expect(await rows()).toEqual(before);
});

test('a tokenised stock is registered wherever storing what its token says was cut short', async () => {
  const said = says({
    [DECIMALS as string]: { result: word(18) },
    [MULTIPLIER]: { result: word(10n ** 18n) },
  });
  const { describe, query, schema } = await indexOf(
    [[logOf(TOKEN_EVENTS.erc20, TOKEN, [ZERO, ALICE, 9n])]],
    said,
  );
  let failing = 0;
  for (let isCut = true; isCut; failing += 1) {
    await query('DELETE FROM {schema}.stock_tokens');
    await query("UPDATE {schema}.tokens SET metadata_status = 'pending', metadata_attempts = 0");
    const cut = disturbed(database.writer, (nth) => {
      if (nth > failing) throw new Error('cut off');
    });
    isCut = await describe(connectionTo(cut, schema)).then(
      () => false,
      () => true,
    );
    await describe();
    expect(await query('SELECT issuer FROM {schema}.stock_tokens')).toEqual([{ issuer: 'unknown' }]);
  }
  expect(failing).toBeGreaterThan(3);
});
