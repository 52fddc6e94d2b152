import { address, type SeededChain, startSeededChain } from './seeded-chain.ts';

const CALLER = address('ca11');
/** Transactions and calls around the last ones that have a number of their own in an index, some blocks of each. */
const TRANSACTIONS = [0, 1, 8_189, 8_190, 8_191, 8_192, 9_000, 2_000_000];
const CALLS = [0, 1, 262_141, 262_142, 262_143, 262_144, 300_000];
const BLOCKS = [100, 101];

let chain: SeededChain;
beforeAll(async () => {
  chain = await startSeededChain();
  const caller = `decode('${CALLER.slice(2)}', 'hex')`;
  // Not in their order, so that no order of theirs comes from where they are.
  await chain.insert(`INSERT INTO {schema}.traces (block_number, tx_index, trace_index, tx_hash, block_time, trace_address, type,
      from_address, to_address, value, gas, gas_used, input, input_size, output, output_size, subcalls, reverted_by_parent)
    SELECT block, tx, call, '\\x07', now(), '0', 'CALL', ${caller}, ${caller}, 1, 1, 1, '\\x', 0, '\\x', 0, 0, false
    FROM unnest(ARRAY[${BLOCKS.join()}]) AS block, unnest(ARRAY[${TRANSACTIONS.join()}]) AS tx, unnest(ARRAY[${CALLS.join()}]) AS call
    ORDER BY md5(block || ' ' || tx || ' ' || call)`);
});
afterAll(() => chain?.close());

/** Places of all rows, page by page. */
async function placesOf(path: string): Promise<string[]> {
  const places: string[] = [];
  let cursor = '';
  do {
    const { json } = await chain.get(`${path}${cursor}`);
    for (const { block_number, transaction_index, trace_index } of json.data)
      places.push(`${block_number}/${transaction_index}/${trace_index}`);
    cursor = json.next_cursor === undefined ? '' : `&cursor=${json.next_cursor}`;
  } while (cursor !== '');
  return places;
}

test.each([
  ['traces', CALLS, 1],
  ['traces', CALLS, 5],
  ['traces', CALLS, 200],
  ['internal-transfers', CALLS.filter((call) => call > 0), 3],
] as const)(
  '%s stand in the order of the chain, each once, in blocks of any size',
  async (kind, calls, limit) => {
    const all = BLOCKS.flatMap((block) =>
      TRANSACTIONS.flatMap((tx) => calls.map((call) => `${block}/${tx}/${call}`)),
    );
    const path = `/addresses/${CALLER}/${kind}?limit=${limit}`;
    expect(await placesOf(`${path}&order=asc`)).toEqual(all);
    expect(await placesOf(path)).toEqual(all.toReversed());
  },
);
