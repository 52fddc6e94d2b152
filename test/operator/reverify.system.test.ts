/** `operator reverify` names each stored block that a node has otherwise, changes nothing, and believes no wrong node. */
import { reverify } from '../../bin/operator/commands/reverify.ts';
import type { Context } from '../../bin/operator/context/command.ts';
import { decodeBlock } from '../../lambdas/chain-data/decode/decode-block.ts';
import type { RawBlock } from '../../lambdas/chain-data/decode/raw-block.ts';
import { openChainIndex } from '../../lambdas/indexer/chain-index/chain-index.ts';
import { connectionTo } from '../../lambdas/shared/chain-database/chain-queries.ts';
import { systemClock } from '../../lambdas/shared/runtime/clock.ts';
import { PLAIN } from '../chain-data/decode/raw-blocks.ts';
import { newSchema } from '../database/empty-schemas.ts';
import { type MigratedDatabase, startMigratedDatabase } from '../database/migrated-database.ts';
import { answerOf, provenChain, provingWorld, type WorldNode } from '../indexer/proof/proving-world.ts';
import { listen, type TestServer } from '../support/listen.ts';
import { RecordedTelemetry } from '../support/recorded-telemetry.ts';

const LENGTH = 60;
const node: WorldNode = { chain: provenChain(LENGTH) };

let database: MigratedDatabase;
let server: TestServer;
beforeAll(async () => {
  database = await startMigratedDatabase([]);
  server = await listen(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const one = (call: { id: number; method: string; params: unknown[] }) => ({
      ...{ jsonrpc: '2.0', id: call.id },
      ...answerOf(node, call),
    });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(Array.isArray(body) ? body.map(one) : one(body)));
  });
});
afterAll(async () => {
  await server?.close();
  await database?.close();
});

async function stored() {
  const chain = await newSchema(database);
  const connection = connectionTo(database.writer, chain);
  const kept = { index: openChainIndex(connection), decode: (block: RawBlock) => decodeBlock(block, PLAIN) };
  const world = provingWorld([{ chain: node.chain }], 'ethereum', { kept });
  await world.follow(3);
  const context = { clock: systemClock, openIndexing: async () => ({ database: database.writer }) };
  const run = async (last = LENGTH - 1) => {
    const args = { chain, first: '0', last: String(last), node: server.url };
    const outcome = await reverify.run(context as unknown as Context, args, new RecordedTelemetry());
    return outcome as unknown as { json: Record<string, unknown>; exitCode: number; text: string };
  };
  return { connection, run };
}

test('what is stored as the node has it does not differ', async () => {
  const { run } = await stored();
  expect(await run()).toMatchObject({
    json: { from_block: 0, to_block: LENGTH - 1, blocks: LENGTH, form: 'ethereum', differences: [] },
    exitCode: 0,
  });
});

test('each altered, lost or added row is named by its block and table, and stays as it is', async () => {
  const { connection, run } = await stored();
  const change = (text: string) => connection.query(text as Parameters<typeof connection.query>[0]);
  await change(
    `UPDATE {{schema}}.transactions SET value = value + 1 WHERE block_number = 7 AND tx_index = 1`,
  );
  await change(`UPDATE {{schema}}.blocks SET miner = decode(repeat('66', 20), 'hex') WHERE number = 9`);
  await change(`DELETE FROM {{schema}}.logs WHERE block_number = 11`);
  await change(
    `INSERT INTO {{schema}}.withdrawals (block_number, place, block_time, withdrawal_index, validator_index, to_address, amount_gwei)
     VALUES (13, 0, now(), 1, 2, decode(repeat('77', 20), 'hex'), 9)`,
  );
  const differences = [
    { block: 7, table: 'transactions' },
    { block: 9, table: 'blocks' },
    { block: 11, table: 'logs' },
    { block: 13, table: 'withdrawals' },
  ];
  for (let time = 0; time < 2; time += 1)
    expect(await run()).toMatchObject({ json: { differences }, exitCode: 1 });
});

test('a node that is wrong ends it, and a range that is not there is refused', async () => {
  const { run } = await stored();
  node.lie = (sent, number) =>
    number === 20 ? { ...sent, block: { ...sent.block, miner: `0x${'66'.repeat(20)}` } } : sent;
  await expect(run()).rejects.toThrow('block 20');
  delete node.lie;
});
