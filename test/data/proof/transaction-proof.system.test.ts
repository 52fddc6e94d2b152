/** A proof is asked for by what the index has of a transaction, and costs only where there is one. */
import { checkContract } from '../../api/contract.ts';
import {
  CHAIN,
  FINALIZED,
  type GetOptions,
  HEAD,
  type SeededChain,
  startSeededChain,
} from '../seeded-chain.ts';

const hashOf = (block: number) => `0x${(block + 0x7000).toString(16).padStart(64, '0')}`;
const blockHash = (block: number) => `0x${block.toString(16).padStart(64, '0')}`;
const FIELDS = {
  hash: 'agreed' as const,
  key: '0x02',
  header: '0xc0',
  transaction_path: ['0xc1'],
  receipt_path: ['0xc2', '0xc3'],
  log_place: null,
};

let chain: SeededChain;
let asked: unknown[] = [];
beforeAll(async () => {
  chain = await startSeededChain();
  for (const block of [10, HEAD])
    await chain.insert(`INSERT INTO {schema}.transactions (block_number, tx_index, hash, block_hash, block_time, type,
      from_address, nonce, value, gas, gas_used, cumulative_gas_used, status, log_count, input, input_size)
    VALUES (${block}, 2, decode('${hashOf(block).slice(2)}', 'hex'), decode('${blockHash(block).slice(2)}', 'hex'),
      '2026-01-01T00:00:00Z', 2, decode(repeat('aa', 20), 'hex'), 0, 0, 0, 0, 0, 1, 0, '\\x', 0)`);
});
beforeEach(() => {
  asked = [];
});
afterAll(() => chain?.close());

const readProof: GetOptions['readProof'] = async (...call) => {
  asked.push(call);
  return FIELDS;
};

/** Asks, and holds the response to the description. */
async function ask(path: string, options: GetOptions = { readProof }) {
  const before = chain.charged();
  const { statusCode, headers, body, json } = await chain.get(path, options);
  const contentType = String(headers?.['Content-Type']);
  checkContract('getTransactionProof', { status: statusCode, contentType, body: String(body) });
  return { statusCode, headers, json, code: json.error?.code, cu: chain.charged() - before };
}

test('the proof of a transaction is its place, and what nodes showed of it', async () => {
  const { json, headers, cu } = await ask(
    `/transactions/${hashOf(10).toUpperCase().replace('X', 'x')}/proof`,
  );
  expect(json.data).toEqual({
    ...{ transaction_hash: hashOf(10), block_number: 10, block_hash: blockHash(10), transaction_index: 2 },
    ...FIELDS,
  });
  expect(asked).toEqual([
    [CHAIN, { hash: hashOf(10), blockHash: blockHash(10), number: 10, index: 2, logIndex: undefined }],
  ]);
  // Another node may agree later.
  expect([cu, headers?.['Cache-Control']]).toEqual([20, 'private, no-cache']);
});

test('the log that is wanted is named to what proves it', async () => {
  expect((await ask(`/transactions/${hashOf(10)}/proof?log_index=7`)).statusCode).toBe(200);
  expect(asked).toEqual([[CHAIN, expect.objectContaining({ logIndex: 7 })]]);
});

test('one that is not there is 404, one above the finalized block 409, and no node is asked', async () => {
  const absent = await ask(`/transactions/${hashOf(11)}/proof`);
  expect([absent.statusCode, absent.code, absent.cu]).toEqual([404, 'not_found', 0]);
  const early = await ask(`/transactions/${hashOf(HEAD)}/proof`);
  expect([early.statusCode, early.code, early.cu]).toEqual([409, 'finality_exceeded', 0]);
  expect(early.json.error?.message).toContain(`finalized_block ${FINALIZED}`);
  expect(asked).toEqual([]);
  const latest = await ask(`/transactions/${hashOf(HEAD)}/proof?finality=latest`);
  expect([latest.statusCode, latest.json.data.finalized]).toEqual([200, false]);
});

test('what cannot be proven is 422 and costs nothing; so is a stage that proves nothing', async () => {
  const failing: GetOptions['readProof'] = async () => ({
    statusCode: 422,
    code: 'no_coverage',
    message: 'too large',
  });
  for (const options of [{ readProof: failing }, {}]) {
    const { statusCode, code, cu } = await ask(`/transactions/${hashOf(10)}/proof`, options);
    expect([statusCode, code, cu]).toEqual([422, 'no_coverage', 0]);
  }
});

test.each(['log_index=-1', 'log_index=x', 'log_index=1.5', 'finality=never', 'limit=1'])(
  'with %s is refused before anything is asked',
  async (query) => {
    const { statusCode, code } = await ask(`/transactions/${hashOf(10)}/proof?${query}`);
    expect([statusCode, code, asked]).toEqual([400, 'bad_request', []]);
  },
);
