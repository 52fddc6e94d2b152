/** A token of which operators say different things is put off until they agree, however long that takes. */
import { describeTokens, MAX_ATTEMPTS } from '../../../lambdas/indexer/describe/describe-tokens.ts';
import { NodeError } from '../../../lambdas/indexer/fetch/node-error.ts';
import { type ConfirmWords, createRetryingClient } from '../../../lambdas/indexer/fetch/retrying-client.ts';
import { connectionTo } from '../../../lambdas/shared/chain-database/chain-queries.ts';
import { word } from '../../chain-data/decode/raw-blocks.ts';
import { newSchema } from '../../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { createFakeNode } from '../fetch/fake-node.ts';

const DECIMALS = '0x313ce567';
const MULTIPLIER = '0xa60bf13d';

let database: MigratedDatabase;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
});
afterAll(() => database?.close());

test.each([
  ['decimals', DECIMALS],
  ['multiplier', MULTIPLIER],
])('of which %s are said differently', async (_, contradicted) => {
  const schema = await newSchema(database);
  const query = async (statement: string) =>
    (await database.admin.query(statement.replaceAll('{schema}', schema))).rows;
  const add = (token: number) =>
    query(`INSERT INTO {schema}.tokens (address, standard, first_seen_block, updated_block)
      VALUES (decode(lpad(to_hex(${token}), 40, '0'), 'hex'), 20, 0, 0)`);
  const pass = (interval: string) =>
    query(`UPDATE {schema}.tokens SET described_at = described_at - interval '${interval}'`);
  const state = async () =>
    (await query('SELECT metadata_status AS status, decimals FROM {schema}.tokens ORDER BY address'))[0];
  let isHealed = false;
  const confirm: ConfirmWords = async (calls, answers) =>
    answers.map((answer, place) => {
      const asked = calls[place]?.params[0] as { data: string } | undefined;
      return isHealed || asked?.data !== contradicted
        ? answer
        : { error: new NodeError('contradicted', '6 and 18') };
    });
  const fake = createFakeNode(() => ({ result: word(6) }));
  const client = createRetryingClient(fake, { now: () => 0 }, async () => undefined);
  const node = { ...client, confirm };
  const describe = (most = 25) =>
    describeTokens({ chain: connectionTo(database.writer, schema), node }, most, { deadline: 1_000 });

  await add(1);
  expect(await describe()).toBe(1);
  for (let hours = 0; hours < 2 * MAX_ATTEMPTS; hours += 1) {
    expect(await describe()).toBe(0);
    await pass('61 minutes');
    expect(await describe()).toBe(1);
    expect(await state()).toMatchObject({ status: 'pending' });
  }
  // A new token does not wait for those that were put off.
  await pass('61 minutes');
  await add(2);
  expect(await describe(1)).toBe(1);
  expect(
    await query('SELECT count(*) AS put_off FROM {schema}.tokens WHERE described_at IS NOT NULL'),
  ).toEqual([{ put_off: 2 }]);
  isHealed = true;
  expect(await describe()).toBe(1);
  expect(await state()).toMatchObject({ decimals: 6 });
  expect((await state())?.status).not.toBe('pending');
});
