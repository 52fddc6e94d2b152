import { address, CHAIN, type SeededChain, startSeededChain } from './seeded-chain.ts';

const [ALICE, MALLORY, CAROL] = [address('a1'), address('b2'), address('c3')];
const ROWS = 24;
const hashOf = (n: number) => `0x${n.toString(16).padStart(64, '7')}`;
const bytes = (hex: string) => `decode('${hex.slice(2)}', 'hex')`;

let chain: SeededChain;

/** A chain in whose indexes all addresses are the same 8 bytes, and all hashes are. Its rows are those of two addresses by turns. */
beforeAll(async () => {
  chain = await startSeededChain();
  await chain.database.admin.query(`CREATE OR REPLACE FUNCTION "${CHAIN}".index_key(value bytea) RETURNS bigint
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE RETURN octet_length(value)`);
  const rows = `generate_series(0, ${ROWS - 1}) AS n`;
  const hash = `decode(lpad(to_hex(n), 64, '7'), 'hex')`;
  const time = `'2026-01-01T00:00:00Z'::timestamptz + (100 + n / 4) * interval '10 seconds'`;
  const turn = `CASE WHEN n % 2 = 0 THEN ${bytes(ALICE)} ELSE ${bytes(MALLORY)} END`;
  await chain.insert(`INSERT INTO {schema}.transactions (block_number, tx_index, hash, block_hash, block_time, type, from_address,
      to_address, nonce, value, gas, gas_used, cumulative_gas_used, status, log_count, input, input_size)
    SELECT 100 + n / 4, n % 4, ${hash}, ${hash}, ${time}, 2, ${turn}, ${turn}, n, 1, 0, 0, 0, 1, 1, '\\x', 0 FROM ${rows}`);
  await chain.insert(`INSERT INTO {schema}.logs (block_number, log_index, tx_index, tx_hash, block_time, address, topic0, data, data_size)
    SELECT 100 + n / 4, n % 4, n % 4, ${hash}, ${time}, ${turn}, ${hash}, '\\x', 0 FROM ${rows}`);
  await chain.insert(`INSERT INTO {schema}.erc20_transfers (block_number, log_index, tx_index, tx_hash, block_time, token, from_address,
      to_address, amount, kind)
    SELECT 100 + n / 4, n % 4, n % 4, ${hash}, ${time}, ${turn}, ${turn}, ${turn}, n, 'transfer' FROM ${rows}`);
  await chain.insert(`INSERT INTO {schema}.traces (block_number, tx_index, trace_index, tx_hash, block_time, trace_address, type,
      from_address, to_address, value, gas, gas_used, input, input_size, output, output_size, subcalls, reverted_by_parent)
    SELECT 100 + n / 4, n % 4, 1, ${hash}, ${time}, '0', 'CALL', ${turn}, ${turn}, 1, 1, 1, '\\x', 0, '\\x', 0, 0, false FROM ${rows}`);
});
afterAll(() => chain?.close());

/** Places of all rows of a list, page by page. */
async function placesOf(path: string, limit: number): Promise<string[]> {
  const places: string[] = [];
  let cursor = '';
  do {
    const { json, statusCode } = await chain.get(`${path}&limit=${limit}${cursor}`);
    expect({ path, statusCode }).toEqual({ path, statusCode: 200 });
    for (const { block_number, transaction_index } of json.data)
      places.push(`${block_number}/${transaction_index}`);
    cursor = json.next_cursor === undefined ? '' : `&cursor=${json.next_cursor}`;
  } while (cursor !== '');
  return places;
}

/** Places of every second row, newest first. */
const everySecond = (first: number) =>
  Array.from({ length: ROWS / 2 }, (_, index) => first + 2 * index)
    .map((n) => `${100 + Math.floor(n / 4)}/${n % 4}`)
    .reverse();

/** Lists of an owner, whose address stands for the word. */
const LISTS = [
  '/addresses/OWNER/transactions?clamp=true',
  '/addresses/OWNER/native-transfers?clamp=true',
  '/addresses/OWNER/internal-transfers?clamp=true',
  '/addresses/OWNER/traces?clamp=true',
  '/addresses/OWNER/transfers?clamp=true',
  '/tokens/OWNER/transfers?clamp=true',
  '/logs?clamp=true&address=OWNER',
];

test.each(LISTS)('%s tells the rows of its own address, page by page', async (list) => {
  for (const [owner, first] of [
    [ALICE, 0],
    [MALLORY, 1],
  ] as const)
    for (const limit of [1, 5, 100])
      expect(await placesOf(list.replace('OWNER', owner), limit)).toEqual(everySecond(first));
});

test.each(LISTS.filter((list) => !list.startsWith('/tokens')))(
  '%s has nothing of an address without rows',
  async (list) => {
    expect(await placesOf(list.replace('OWNER', CAROL), 5)).toEqual([]);
  },
);

test('a topic, a hash and the counts of an overview are those of one value', async () => {
  expect(await placesOf(`/logs?clamp=true&topic0=${hashOf(6)}`, 5)).toEqual(['101/2']);
  const { json } = await chain.get(`/transactions/${hashOf(9)}`);
  expect(json.data).toMatchObject({ hash: hashOf(9), block_number: 102, transaction_index: 1 });
  expect((await chain.get(`/transactions/${hashOf(ROWS)}`)).statusCode).toBe(404);
  const overview = (await chain.get(`/addresses/${MALLORY}`)).json.data;
  expect(overview).toMatchObject({
    first_seen: { block_number: 100 },
    transactions_sent: { count: ROWS / 2, exact: true },
    erc20_transfers_received: { count: ROWS / 2, exact: true },
  });
  expect((await chain.get(`/tokens/${ALICE}`)).json.data).toMatchObject({ transfer_count: 0 });
});
