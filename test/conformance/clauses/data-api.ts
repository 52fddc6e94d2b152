import assert from 'node:assert/strict';
import { type Clause, Skipped, unseen } from '../clause.ts';
import { expectDataError, expectFields, listOf, objectOf, type TypeName } from '../expect-shape.ts';
import type { Json, JsonObject, Probe, Seen } from '../probe.ts';

const FINALITY_LAG = 256;
const NOBODY = `0x${'5e'.repeat(20)}`;
const META: Readonly<Record<string, TypeName>> = {
  as_of_block: 'integer',
  finalized_block: 'integer',
  coverage: 'string',
  refreshed_at: 'timestamp',
  rows_read: 'integer',
  query_ms: 'integer',
};
const BLOCK: Readonly<Record<string, TypeName>> = {
  number: 'integer',
  hash: 'hash',
  parent_hash: 'hash',
  timestamp: 'timestamp',
  miner: 'address',
  gas_limit: 'integer',
  gas_used: 'integer',
  base_fee_per_gas: 'decimal string',
  state_root: 'hash',
  transactions_root: 'hash',
  receipts_root: 'hash',
  tx_count: 'integer',
  size: 'integer',
  l1_block_number: 'nullable',
  extra: 'object',
};
const FRESHNESS: Readonly<Record<string, TypeName>> = {
  database: 'string',
  table_name: 'string',
  category: 'string',
  key_kind: 'string',
  max_block_number: 'integer',
  max_time: 'timestamp',
  seconds_behind: 'integer',
  blocks_behind: 'integer',
  rows_estimate: 'integer',
  bytes_estimate: 'integer',
  follow_last_block: 'integer',
  follow_lag_blocks: 'integer',
  checked_at: 'timestamp',
  max_day: 'nullable',
  days_behind: 'nullable',
  trace_min_block: 'nullable',
  trace_max_block: 'nullable',
  trace_gap_ranges: 'nullable',
  trace_gap_blocks: 'nullable',
};

/** `data` and `meta` of a success. */
function successOf({ status, json }: Seen): { data: Json | undefined; meta: JsonObject; body: JsonObject } {
  assert.equal(status, 200);
  const body = objectOf(json, 'the response');
  return { data: body.data, meta: objectOf(body.meta, 'meta'), body };
}

async function finalBlock(probe: Probe): Promise<{ data: JsonObject; meta: JsonObject; body: JsonObject }> {
  const seen = await probe.data('/{chain}/blocks/0');
  if (seen.status === 404) throw new Skipped('nothing of the chain is indexed');
  const { data, meta, body } = successOf(seen);
  return { data: objectOf(data, 'data'), meta, body };
}

async function freshness(probe: Probe): Promise<{ rows: readonly Json[]; meta: JsonObject }> {
  const seen = await probe.data('/{chain}/status/freshness');
  if (seen.status === 422) {
    expectDataError(seen, 422, 'dataset_not_installed');
    throw new Skipped('the freshness view is not installed');
  }
  const { data, meta } = successOf(seen);
  return { rows: listOf(data, 'data'), meta };
}

async function balances(
  probe: Probe,
  address: string,
  query = '',
): Promise<{ rows: readonly Json[]; body: JsonObject; headers: Headers }> {
  const seen = await probe.data(`/{chain}/addresses/${address}/balances${query}`);
  if (seen.status === 422) throw new Skipped('there is no snapshot of balances yet');
  const { data, body } = successOf(seen);
  return { rows: listOf(data, 'data'), body, headers: seen.headers };
}

/** Addresses that received tokens lately. */
async function receivers(probe: Probe): Promise<readonly string[]> {
  const seen = await probe.data('/{chain}/transfers?limit=50');
  if (seen.status !== 200) throw new Skipped('there are no transfers to take an address from');
  const rows = listOf(successOf(seen).data, 'data');
  return [
    ...new Set(
      rows.map((row) => String(objectOf(row, 'a transfer').to_address ?? objectOf(row, 'a transfer').to)),
    ),
  ];
}

/** The address that holds the most kinds of tokens among those that received some lately. */
async function richest(probe: Probe): Promise<{ address: string; rows: readonly Json[] }> {
  let best: { address: string; rows: readonly Json[] } = { address: NOBODY, rows: [] };
  for (const address of (await receivers(probe)).slice(0, 10)) {
    const { rows } = await balances(probe, address);
    if (rows.length > best.rows.length) best = { address, rows };
  }
  if (best.rows.length === 0) throw new Skipped('nobody who received tokens lately is in the snapshot');
  return best;
}

/** The Data API: envelopes, resources, errors. */
export const DATA_CLAUSES: readonly Clause[] = [
  {
    id: 'data.envelope',
    words: 'Envelope: `data`, `next_cursor` (absent entirely without another page, never null), `meta`',
    check: async (probe) => {
      const { body } = await finalBlock(probe);
      assert.deepEqual(Object.keys(body).sort(), ['data', 'meta']);
    },
  },
  {
    id: 'data.cursor',
    words: '`next_cursor` is present only when another page exists; a cursor taken from it pages further',
    check: async (probe) => {
      const { address, rows } = await richest(probe);
      if (rows.length < 2) throw new Skipped('no address is known that holds two tokens');
      const first = await balances(probe, address, '?limit=1');
      assert.equal(typeof first.body.next_cursor, 'string');
      const next = await balances(
        probe,
        address,
        `?limit=500&cursor=${encodeURIComponent(String(first.body.next_cursor))}`,
      );
      assert.deepEqual([...first.rows, ...next.rows], rows);
      assert.equal('next_cursor' in next.body, false);
    },
  },
  {
    id: 'data.meta',
    words:
      'meta: `as_of_block`, `finalized_block`, `coverage`, `refreshed_at`, `rows_read` (only when known), `query_ms`',
    check: async (probe) => expectFields((await finalBlock(probe)).meta, META, ['rows_read']),
  },
  {
    id: 'data.finality',
    words: '`finalized_block`: finality lags the indexed head by 256 blocks.',
    check: async (probe) => {
      const { meta } = await finalBlock(probe);
      assert.equal(meta.finalized_block, Math.max(0, Number(meta.as_of_block) - FINALITY_LAG));
    },
  },
  {
    id: 'data.block',
    words:
      'Block: number, hash, parent_hash, timestamp, miner, gas_limit, gas_used, base_fee_per_gas (decimal string), ..., extra',
    check: async (probe) => expectFields((await finalBlock(probe)).data, BLOCK),
  },
  {
    id: 'data.block.node',
    words: 'Block: the block of the chain',
    check: async (probe) => {
      const { data } = await finalBlock(probe);
      const { json } = await probe.call('eth_getBlockByNumber', ['0x0', false]);
      const block = objectOf(objectOf(json, 'the response').result, 'the block');
      assert.deepEqual(
        [data.hash, data.state_root, data.gas_limit],
        [block.hash, block.stateRoot, Number(block.gasLimit)],
      );
    },
  },
  {
    id: 'data.freshness',
    words:
      'Freshness: one row per tracked table; only max_day, days_behind and the four of traces are nullable',
    check: async (probe) => {
      const { rows } = await freshness(probe);
      assert.ok(rows.length > 0, 'there are no rows');
      for (const row of rows) expectFields(row, FRESHNESS);
      const tables = rows.map((row) => objectOf(row, 'a row').table_name);
      assert.equal(new Set(tables).size, tables.length);
    },
  },
  {
    id: 'data.freshness.meta',
    words: 'Freshness: `meta` has no `rows_read`',
    check: async (probe) => {
      const { meta } = await freshness(probe);
      const { rows_read: _, ...fields } = META;
      expectFields(meta, fields);
    },
  },
  {
    id: 'data.balances',
    words:
      'Balance entry: `token` (lowercase hex), `balance` (decimal string, only non-zero), `symbol` (string), `decimals` (integer)',
    check: async (probe) => {
      for (const row of (await richest(probe)).rows) {
        expectFields(row, {
          token: 'address',
          balance: 'decimal string',
          symbol: 'string',
          decimals: 'integer',
        });
        const { token, balance } = objectOf(row, 'a balance');
        assert.equal(token, String(token).toLowerCase());
        assert.notEqual(balance, '0');
      }
    },
  },
  {
    id: 'data.balances.order',
    words: 'The list is ordered by token.',
    check: async (probe) => {
      const tokens = (await richest(probe)).rows.map((row) => String(objectOf(row, 'a balance').token));
      assert.deepEqual(tokens, [...tokens].sort());
    },
  },
  {
    id: 'data.balances.limit',
    words: 'Balances page size `limit`: default 50, maximum 500',
    check: async (probe) => {
      const { rows } = await balances(probe, NOBODY, '?limit=500');
      assert.deepEqual(rows, []);
      const beyond = await probe.data(`/{chain}/addresses/${NOBODY}/balances?limit=501`);
      assert.ok(beyond.status >= 400 && beyond.status < 500, `limit=501 is answered by ${beyond.status}`);
    },
  },
  {
    id: 'data.balances.empty',
    words: 'An address with no non-zero balances returns 200 with an empty `data` array, never 404',
    check: async (probe) => assert.deepEqual((await balances(probe, NOBODY)).rows, []),
  },
  {
    id: 'data.balances.snapshot',
    words:
      '`coverage` is `full` only if no transfer of the address came after the snapshot, whose block is `X-Snapshot-Block`',
    check: async (probe) => {
      for (const address of (await receivers(probe)).slice(0, 10)) {
        const { headers, body } = await balances(probe, address, '?limit=1');
        const snapshot = Number(headers.get('x-snapshot-block') ?? Number.NaN);
        assert.ok(Number.isSafeInteger(snapshot), 'there is no X-Snapshot-Block');
        const { as_of_block: head, finalized_block: finalized, coverage } = objectOf(body.meta, 'meta');
        assert.ok(snapshot <= Number(finalized), `snapshot ${snapshot} is above ${finalized}`);
        if (snapshot === Number(head)) continue;
        const since = `standard=erc20&from_block=${snapshot + 1}&to_block=${head}&finality=latest&limit=1`;
        const moved = await probe.data(`/{chain}/addresses/${address}/transfers?${since}`);
        if (moved.status === 409) throw new Skipped('the chain was reorganised meanwhile');
        if (listOf(successOf(moved).data, 'data').length > 0) assert.equal(coverage, 'partial', address);
      }
    },
  },
  {
    id: 'data.chains',
    words: 'GET `/v1/data/chains`: array of objects with `chain` (string) and `chain_id` (integer)',
    check: async (probe) => {
      const rows = listOf(successOf(await probe.data('/chains')).data, 'data');
      for (const row of rows) expectFields(row, { chain: 'string', chain_id: 'integer' });
    },
  },
  {
    id: 'data.chains.price',
    words: 'GET `/v1/data/chains`: billed at 1 CU.',
    check: async (probe) => {
      const billed = (await probe.data('/chains')).headers.get('x-cu-billed');
      if (billed === null) throw new Skipped('the gateway does not say what it bills');
      assert.equal(billed, '1');
    },
  },
  {
    id: 'data.404',
    words: 'Block number has no live row: 404 `not_found`',
    check: async (probe) => {
      const seen = await probe.data('/{chain}/blocks/0');
      if (seen.status === 200) throw new Skipped('every final block has a row');
      expectDataError(seen, 404, 'not_found');
    },
  },
  {
    id: 'data.404.path',
    words: 'A path that is no operation, or of no chain: 404 `not_found`',
    check: async (probe) => {
      for (const path of ['', '/{chain}', '/{chain}/nothing', '/no_such_chain/blocks/0'])
        expectDataError(await probe.data(path), 404, 'not_found');
    },
  },
  {
    id: 'data.path',
    words: 'Values of a path may be percent-encoded, `{chain}` as well',
    check: async (probe) => {
      const { data } = await finalBlock(probe);
      const encoded = [...probe.chain]
        .map((character) => `%${character.charCodeAt(0).toString(16)}`)
        .join('');
      const seen = await probe.data(`/${encoded}/blocks/%30`);
      assert.deepEqual(objectOf(successOf(seen).data, 'data').hash, data.hash);
    },
  },
  {
    id: 'data.kept',
    words: '`If-None-Match` is compared weakly: `W/"x"` and `"x"` are one tag; `*` is none',
    check: async (probe) => {
      const etag = (await probe.data('/{chain}/blocks/0')).headers.get('etag');
      if (etag === null) throw new Skipped('the gateway gives no tags');
      const strong = etag.replace('W/', '');
      for (const [tag, status] of [
        [etag, 304],
        [strong, 304],
        [`"other", ${strong}`, 304],
        ['"other"', 200],
        ['*', 200],
      ] as const)
        assert.equal((await probe.data('/{chain}/blocks/0', { 'if-none-match': tag })).status, status, tag);
    },
  },
  {
    id: 'data.409',
    words:
      'Block number above `finalized_block`: 409 `finality_exceeded`; error envelope with exactly `code` and `message`',
    check: async (probe) => {
      const { meta } = await finalBlock(probe);
      const above = BigInt(Number(meta.finalized_block)) + 100_000n;
      for (const number of [above, 2n ** 53n, 10n ** 30n]) {
        expectDataError(await probe.data(`/{chain}/blocks/${number}`), 409, 'finality_exceeded');
      }
    },
  },
  unseen(
    'data.422',
    'Freshness view not installed: 422 `dataset_not_installed`, not a partial result',
    'it takes an environment without it',
  ),
  unseen('data.snapshot', 'Balances: a snapshot refreshed every 6 hours', 'it takes six hours'),
  {
    id: 'versioning.1',
    words: 'The version is carried in the path prefix `/v1/` for JSON-RPC, status and Data API.',
    check: async (probe) => {
      for (const path of ['/status', '/v2/status', '/data/chains', '/v2/data/chains']) {
        const { status } = await probe.send(path, { headers: { 'x-api-key': probe.key } });
        assert.equal(status, 404, path);
      }
    },
  },
];
