import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { address, CHAIN, FINALIZED, type SeededChain, startSeededChain } from './seeded-chain.ts';

const ALICE = address('a1');
const TOKEN = address('70');
const MAX_PAGES = 200;

let chain: SeededChain;

beforeAll(async () => {
  chain = await startSeededChain();
  // Ties in blocks, transfers of Alice to herself, batches, and rows above the finalized block.
  await chain.insert(`INSERT INTO {schema}.erc20_transfers
        (block_number, log_index, tx_index, tx_hash, block_time, token, from_address, to_address, amount, kind)
    SELECT 300 + n / 4, n % 4 * 2, 0, decode(lpad(to_hex(n), 64, '0'), 'hex'),
      '2026-01-01T00:00:00Z'::timestamptz + (300 + n / 4) * interval '10 seconds',
      decode(lpad(CASE WHEN n % 5 = 0 THEN '71' ELSE '70' END, 40, '0'), 'hex'),
      decode(lpad(CASE WHEN n % 3 = 0 THEN 'a1' ELSE 'b2' END, 40, '0'), 'hex'),
      decode(lpad(CASE WHEN n % 2 = 0 THEN 'a1' ELSE 'c3' END, 40, '0'), 'hex'),
      CASE WHEN n = 7 THEN 2::numeric ^ 255 ELSE n END, 'transfer'
    FROM generate_series(0, 199) AS n`);
  await chain.insert(`INSERT INTO {schema}.nft_transfers
        (block_number, log_index, batch_index, tx_index, tx_hash, block_time, standard, token, token_id, from_address, to_address,
         operator, amount, kind)
    SELECT 310 + n / 6, 1 + n % 6 / 2 * 2, n % 2, 0, decode(lpad(to_hex(n), 64, '0'), 'hex'),
      '2026-01-01T00:00:00Z'::timestamptz + (310 + n / 6) * interval '10 seconds',
      CASE WHEN n % 3 = 0 THEN 721 ELSE 1155 END, decode(lpad('90', 40, '0'), 'hex'), n,
      decode(lpad('a1', 40, '0'), 'hex'), decode(lpad(CASE WHEN n % 4 = 0 THEN 'a1' ELSE 'd4' END, 40, '0'), 'hex'),
      NULL, 1, 'transfer'
    FROM generate_series(0, 59) AS n`);
});

afterAll(() => chain?.close());

interface Place {
  readonly block_number: number;
  readonly log_index: number;
  readonly batch_index: number;
}

const placeOf = ({ block_number, log_index, batch_index }: Place) =>
  `${block_number} ${log_index} ${batch_index}`;

async function allPages(path: string, limit: number): Promise<Record<string, unknown>[]> {
  const rows: Record<string, unknown>[] = [];
  let cursor: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { statusCode, json } = await chain.get(
      `${path}&limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`,
    );
    expect(statusCode).toBe(200);
    expect(json.data.length).toBeLessThanOrEqual(limit);
    rows.push(...json.data);
    cursor = json.next_cursor;
    if (cursor === undefined) return rows;
  }
  throw new Error('the pages do not end');
}

describe('pages', () => {
  test('together are the whole list, once and in order', async () => {
    const paths = fc.constantFrom(
      `/addresses/${ALICE}/transfers?standard=all`,
      `/addresses/${ALICE}/transfers?standard=erc20`,
      `/addresses/${ALICE}/transfers?standard=erc1155&direction=out`,
      `/addresses/${ALICE}/transfers?direction=in&token=${TOKEN}`,
      '/transfers?standard=all',
      `/tokens/${TOKEN}/transfers?from_block=305&to_block=330`,
      '/blocks?from_block=100',
    );
    const orders = fc.constantFrom('asc', 'desc');
    await fc.assert(
      fc.asyncProperty(paths, orders, fc.integer({ min: 3, max: 60 }), async (path, order, limit) => {
        const whole = await chain.get(`${path}&order=${order}&limit=500`);
        expect(whole.json.next_cursor).toBeUndefined();
        expect(await allPages(`${path}&order=${order}`, limit)).toEqual(whole.json.data);
      }),
      { numRuns: 25 },
    );
  });

  test('hold what the table holds up to the finalized block, transfers to oneself once', async () => {
    const { rows } = await chain.database.admin.query(
      `SELECT block_number, log_index, 0 AS batch_index FROM "${CHAIN}".erc20_transfers
       WHERE decode('a1', 'hex') IN (substr(from_address, 20), substr(to_address, 20)) AND block_number <= ${FINALIZED}
       UNION ALL SELECT block_number, log_index, batch_index FROM "${CHAIN}".nft_transfers ORDER BY 1, 2, 3`,
    );
    const listed = await allPages(`/addresses/${ALICE}/transfers?order=asc`, 17);
    expect((listed as unknown as Place[]).map(placeOf)).toEqual((rows as unknown as Place[]).map(placeOf));
    const directions = new Set(listed.map(({ direction }) => direction));
    expect([...directions].sort()).toEqual(['in', 'out', 'self']);
  });

  test('are those of the first page, whatever is indexed meanwhile', async () => {
    const path = `/addresses/${ALICE}/transfers?order=desc&limit=10`;
    const before = await chain.get(path);
    const rest = await chain.get(`${path}&cursor=${before.json.next_cursor}`);
    await chain.insert(`UPDATE {schema}.cursors SET block_number = block_number + 50`);
    const after = await chain.get(`${path}&cursor=${before.json.next_cursor}`);
    await chain.insert(`UPDATE {schema}.cursors SET block_number = block_number - 50`);
    expect(after.json.data).toEqual(rest.json.data);
  });

  test('wait out a reorganisation between two of them, and then lose and repeat nothing', async () => {
    const path = `/addresses/${ALICE}/transfers?order=desc&limit=10`;
    const before = await chain.get(path);
    const next = `${path}&cursor=${before.json.next_cursor}`;
    const undisturbed = await chain.get(next);
    await chain.insert(
      `UPDATE {schema}.cursors SET block_number = block_number - 20, reorg_epoch = reorg_epoch + 1`,
    );
    const meanwhile = await chain.get(next);
    expect([meanwhile.statusCode, meanwhile.json.error?.code]).toEqual([409, 'finality_exceeded']);
    // A cursor belongs to one finality: another would be refused.
    expect(meanwhile.json.error?.message).toMatch(/^block \d+ is above finalized_block \d+$/);
    await chain.insert(`UPDATE {schema}.cursors SET block_number = block_number + 20`);
    expect((await chain.get(next)).json.data).toEqual(undisturbed.json.data);
  });

  test.each(['asc', 'desc'])('of a window that was cut wait as well, %s', async (order) => {
    const path = `/blocks?from_block=300&to_block=9999&clamp=true&limit=10&order=${order}`;
    const whole = await chain.get(path.replace('limit=10', 'limit=500'));
    const first = await chain.get(path);
    const next = `${path}&cursor=${first.json.next_cursor}`;
    await chain.insert(`UPDATE {schema}.cursors SET block_number = block_number - 20`);
    const meanwhile = await chain.get(next);
    await chain.insert(`UPDATE {schema}.cursors SET block_number = block_number + 20`);
    expect([meanwhile.statusCode, meanwhile.json.error?.code]).toEqual([409, 'finality_exceeded']);
    const rows = [...first.json.data];
    let cursor = first.json.next_cursor;
    while (cursor !== undefined) {
      const { json } = await chain.get(`${path}&cursor=${cursor}`);
      expect(json.meta.coverage).toBe('partial');
      rows.push(...json.data);
      cursor = json.next_cursor;
    }
    expect(rows).toEqual(whole.json.data);
  });

  test('end before an answer of the RDS Data API would', async () => {
    await chain.insert(`INSERT INTO {schema}.logs
        (block_number, log_index, tx_index, tx_hash, block_time, address, topic0, topic1, topic2, topic3, data, data_size)
      SELECT 200, n, 0, decode(repeat('aa', 32), 'hex'), now(), decode(repeat('05', 20), 'hex'), NULL, NULL, NULL, NULL,
        decode(repeat('ff', 16384), 'hex'), 65536 FROM generate_series(0, 79) AS n`);
    const first = await chain.get('/blocks/200/logs?limit=500');
    expect(first.statusCode).toBe(200);
    expect(first.json.data.length).toBeLessThan(80);
    expect(first.json.data[0]).toMatchObject({ data_truncated: true, data_size: 65_536, topics: [] });
    expect(await allPages('/blocks/200/logs?', 500)).toHaveLength(80);
  });

  test('have exact numbers', async () => {
    const { json } = await chain.get(`/tokens/${TOKEN}/transfers?limit=500&from_block=301&to_block=301`);
    expect(json.data.map(({ amount }) => amount)).toContain((2n ** 255n).toString());
  });
});

describe('a token that is no tokenised stock', () => {
  test.each(['', '/daily', '/multipliers', '/holders', '/transfers', '/trades', '/candles?interval=1h'])(
    'has no stock resource %s',
    async (resource) => {
      const { statusCode, json } = await chain.get(`/stocks/${TOKEN}${resource}`);
      expect([statusCode, json.error?.code]).toEqual([404, 'not_found']);
    },
  );
});
