import { type MigratedDatabase, startMigratedDatabase } from '../../database/migrated-database.ts';
import { makeBlock, type NodeBlockJson, type NodeJson } from '../fetch/node-chain.ts';
import { type ServedChain, serve } from './served-chain.ts';

const NUMBER = 1;
const hex = (value: bigint) => `0x${value.toString(16)}`;
/** Gas that no block can use: of a development chain, of BSC's own transactions, and the largest that a node can tell. */
const [DEVELOPMENT, SYSTEM, LARGEST] = [2n ** 80n, 2n ** 63n - 1n, 2n ** 256n - 1n];
const EXACT = 2n ** 53n - 1n;

let database: MigratedDatabase;
let chain: ServedChain;

beforeAll(async () => {
  database = await startMigratedDatabase([]);
  chain = await serve(database, [makeBlock(0, 0), largeBlock(), makeBlock(2, 1)]);
});
afterAll(() => database?.close());

function largeBlock(): NodeBlockJson {
  const json = makeBlock(NUMBER, 2);
  const changed = (list: NodeJson[], ...changes: NodeJson[]) =>
    list.map((one, index) => ({ ...one, ...changes[index] }));
  const transactions = changed(
    json.transactions,
    { gas: hex(SYSTEM), nonce: hex(2n ** 64n - 1n) },
    { gas: hex(EXACT) },
  );
  return {
    block: { ...json.block, gasLimit: hex(DEVELOPMENT), gasUsed: hex(LARGEST), transactions },
    transactions,
    receipts: changed(json.receipts, { cumulativeGasUsed: hex(LARGEST), gasUsed: hex(DEVELOPMENT) }),
    traces: json.traces.map((trace) => ({
      ...trace,
      result: { ...(trace.result as object), calls: [{ ...childOf(trace), gas: hex(LARGEST) }] },
    })),
  };
}

function childOf(trace: NodeJson): object {
  return (trace.result as { readonly calls: readonly [object] }).calls[0];
}

test('gas of any size is indexed, and told as digits where a number would be rounded', async () => {
  expect(await chain.get(`/blocks/${NUMBER}`)).toMatchObject({
    gas_limit: DEVELOPMENT.toString(),
    gas_used: LARGEST.toString(),
  });
  expect(await chain.get(`/blocks/${NUMBER}/transactions`)).toMatchObject([
    {
      gas: SYSTEM.toString(),
      nonce: (2n ** 64n - 1n).toString(),
      gas_used: DEVELOPMENT.toString(),
      cumulative_gas_used: LARGEST.toString(),
    },
    { gas: Number(EXACT), nonce: 1, gas_used: 50_000 },
  ]);
  const traces = (await chain.get(`/blocks/${NUMBER}/traces`)) as unknown as { gas: unknown }[];
  expect(traces.map(({ gas }) => gas)).toEqual([
    SYSTEM.toString(),
    LARGEST.toString(),
    Number(EXACT),
    LARGEST.toString(),
  ]);
});

test('files have them too', async () => {
  const lines = (await chain.file('/transactions?format=ndjson&order=asc')).trimEnd().split('\n');
  const rows = lines.slice(0, -1).map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(rows.map(({ gas }) => gas)).toEqual([SYSTEM.toString(), Number(EXACT), 100_000]);
  const [names = '', ...csv] = (await chain.file('/transactions?format=csv&order=asc')).split('\r\n');
  const place = names.split(',').indexOf('gas');
  expect(csv.slice(0, 3).map((line) => line.split(',')[place])).toEqual([
    SYSTEM.toString(),
    EXACT.toString(),
    '100000',
  ]);
});
