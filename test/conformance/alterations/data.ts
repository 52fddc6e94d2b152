import type { Alteration } from '../altered-transport.ts';
import type { Json, JsonObject } from '../seen.ts';
import { anyData, each, get, header, json, merged, other, status } from './alter.ts';

const BLOCK = /\/blocks\/\d+$/;
const LIST = /\/v1\/data\/chains$/;
const BALANCES = /\/balances/;
const FRESHNESS = /\/status\/freshness$/;
const STATUS = /\/v1\/status$/;
const PROOF = /\/proof$/;
const COMPARED = [
  'number',
  'hash',
  'parent_hash',
  'timestamp',
  'miner',
  'gas_limit',
  'gas_used',
  'base_fee_per_gas',
  'state_root',
  'transactions_root',
  'receipts_root',
  'tx_count',
  'size',
];
const FRESH = [
  'database',
  'table_name',
  'category',
  'key_kind',
  'max_block_number',
  'max_time',
  'seconds_behind',
  'blocks_behind',
  'rows_estimate',
  'bytes_estimate',
  'follow_last_block',
  'follow_lag_blocks',
  'checked_at',
];

const data = (body: JsonObject) => body.data as JsonObject;
const meta = (body: JsonObject) => body.meta as JsonObject;
const block = (change: (row: JsonObject) => Json) =>
  json(get(BLOCK), (body) => merged(body, { data: change(data(body)) }));
const rows = (path: RegExp, change: (row: JsonObject) => Json) =>
  json(get(path), (body) => merged(body, { data: each(body.data, change) }));
const metas = (path: RegExp, members: (told: JsonObject) => Readonly<Record<string, Json | undefined>>) =>
  json(get(path), (body) => merged(body, { meta: merged(meta(body), members(meta(body))) }));
const chains = (change: (chain: JsonObject) => Json) =>
  json(get(STATUS), (body) => merged(body, { chains: each(body.chains, change) }));
const heads = (members: (head: JsonObject) => Readonly<Record<string, Json | undefined>>) =>
  chains((chain) => merged(chain, { head: merged(chain.head, members(chain.head as JsonObject)) }));
const less = (value: Json | undefined, by: number) => Number(value) - by;

/** Ways in which the Data API and the status may be wrong. */
export const DATA_ALTERATIONS: readonly Alteration[] = [
  {
    name: 'a proof is of another place',
    shownBy: 'data.proof',
    alter: json(get(PROOF), (body) =>
      merged(body, {
        data: merged(body.data, { transaction_index: less(data(body).transaction_index, -1) }),
      }),
    ),
  },
  {
    name: 'data is text/html',
    shownBy: 'data.meta',
    alter: header(anyData, 'content-type', () => 'text/html'),
  },
  {
    name: 'the status is text/html',
    shownBy: 'status.1',
    alter: header(get(STATUS), 'content-type', () => 'text/html'),
  },
  {
    name: 'next_cursor is null',
    shownBy: 'data.envelope',
    alter: json(get(BLOCK), (body) => merged(body, { next_cursor: null })),
  },
  {
    name: 'the envelope has a member more',
    shownBy: 'data.envelope',
    alter: json(get(BLOCK), (body) => merged(body, { ok: true })),
  },
  {
    name: 'the envelope has no meta',
    shownBy: 'data.meta',
    alter: json(get(BLOCK), (body) => merged(body, { meta: undefined })),
  },
  ...['as_of_block', 'finalized_block', 'coverage', 'refreshed_at', 'query_ms'].map((name) => ({
    name: `meta has no ${name}`,
    shownBy: 'data.meta',
    alter: metas(BLOCK, () => ({ [name]: undefined })),
  })),
  { name: 'meta has a member more', shownBy: 'data.meta', alter: metas(BLOCK, () => ({ chain: 'a' })) },
  { name: 'coverage is FULL', shownBy: 'data.meta', alter: metas(BLOCK, () => ({ coverage: 'FULL' })) },
  { name: 'rows_read is negative', shownBy: 'data.meta', alter: metas(BLOCK, () => ({ rows_read: -1 })) },
  {
    name: 'refreshed_at has an offset',
    shownBy: 'data.meta',
    alter: metas(BLOCK, () => ({ refreshed_at: '2024-01-01T00:00:00+00:00' })),
  },
  {
    name: 'refreshed_at is of last year',
    shownBy: 'data.meta.values',
    alter: metas(BLOCK, () => ({ refreshed_at: '2024-01-01T00:00:00Z' })),
  },
  {
    name: 'query_ms is twice the time',
    shownBy: 'data.meta.values',
    alter: metas(BLOCK, ({ query_ms }) => ({ query_ms: 2 * Number(query_ms) })),
  },
  {
    name: 'as_of_block and finalized_block are 100 blocks behind',
    shownBy: 'data.head',
    alter: metas(BLOCK, (told) => ({
      as_of_block: less(told.as_of_block, 100),
      finalized_block: less(told.finalized_block, 100),
    })),
  },
  {
    name: 'as_of_block and finalized_block are 100 blocks ahead',
    shownBy: 'data.head',
    alter: metas(BLOCK, (told) => ({
      as_of_block: less(told.as_of_block, -100),
      finalized_block: less(told.finalized_block, -100),
    })),
  },
  {
    name: 'finality lags by 255 blocks',
    shownBy: 'data.finality',
    alter: metas(BLOCK, (told) => ({ finalized_block: less(told.finalized_block, -1) })),
  },
  ...COMPARED.map((name) => ({
    name: `a block has another ${name}`,
    shownBy: 'data.block.node',
    alter: block((row) => merged(row, { [name]: other(row[name]) })),
  })),
  ...[...COMPARED, 'l1_block_number', 'extra'].map((name) => ({
    name: `a block has no ${name}`,
    shownBy: 'data.block',
    alter: block((row) => merged(row, { [name]: undefined })),
  })),
  {
    name: 'base_fee_per_gas is a number',
    shownBy: 'data.block',
    alter: block((row) => merged(row, { base_fee_per_gas: 7 })),
  },
  {
    name: 'gas_used is a text',
    shownBy: 'data.block',
    alter: block((row) => merged(row, { gas_used: String(row.gas_used) })),
  },
  {
    name: 'a hash has no prefix',
    shownBy: 'data.block',
    alter: block((row) => merged(row, { hash: String(row.hash).slice(2) })),
  },
  {
    name: 'a block has a field more',
    shownBy: 'data.block',
    alter: block((row) => merged(row, { difficulty: '0' })),
  },
  {
    name: 'extra holds something else',
    shownBy: 'data.block.extra',
    alter: block((row) => merged(row, { extra: { a: 1 } })),
  },
  ...FRESH.map((name) => ({
    name: `freshness has no ${name}`,
    shownBy: 'data.freshness',
    alter: rows(FRESHNESS, (row) => merged(row, { [name]: undefined })),
  })),
  {
    name: 'freshness has a row twice',
    shownBy: 'data.freshness',
    alter: json(get(FRESHNESS), (body) =>
      merged(body, { data: [...(body.data as Json[]), ...(body.data as Json[])] }),
    ),
  },
  {
    name: 'freshness has no rows',
    shownBy: 'data.freshness',
    alter: json(get(FRESHNESS), (body) => merged(body, { data: [] })),
  },
  {
    name: 'freshness has rows_read',
    shownBy: 'data.freshness.meta',
    alter: metas(FRESHNESS, () => ({ rows_read: 1 })),
  },
  {
    name: 'tables are further behind than they say',
    shownBy: 'data.freshness',
    alter: rows(FRESHNESS, (row) => merged(row, { max_block_number: less(row.max_block_number, 9) })),
  },
  {
    name: 'tables say that they are not behind',
    shownBy: 'data.freshness',
    alter: rows(FRESHNESS, (row) => merged(row, { seconds_behind: -100 })),
  },
  {
    name: 'follow_lag_blocks is 0',
    shownBy: 'data.freshness',
    alter: rows(FRESHNESS, (row) => merged(row, { follow_lag_blocks: -1 })),
  },
  {
    name: 'max_time is null',
    shownBy: 'data.freshness',
    alter: rows(FRESHNESS, (row) => merged(row, { max_time: null })),
  },
  {
    name: 'estimates are ten times as many',
    shownBy: 'data.freshness.values',
    alter: rows(FRESHNESS, (row) => merged(row, { rows_estimate: 10 * Number(row.rows_estimate) })),
  },
  {
    name: 'the freshness view is refused by 500',
    shownBy: 'data.freshness',
    alter: status(get(FRESHNESS), 200, 500),
  },
  {
    name: 'balances that are 0 are listed',
    shownBy: 'data.balances',
    alter: rows(BALANCES, (row) => merged(row, { balance: '0' })),
  },
  {
    name: 'balances are numbers',
    shownBy: 'data.balances',
    alter: rows(BALANCES, (row) => merged(row, { balance: 1 })),
  },
  {
    name: 'tokens have capitals',
    shownBy: 'data.balances',
    alter: rows(BALANCES, (row) => merged(row, { token: `0x${'AB'.repeat(20)}` })),
  },
  {
    name: 'symbols are null',
    shownBy: 'data.balances',
    alter: rows(BALANCES, (row) => merged(row, { symbol: null })),
  },
  {
    name: 'decimals are texts',
    shownBy: 'data.balances',
    alter: rows(BALANCES, (row) => merged(row, { decimals: '18' })),
  },
  {
    name: 'balances have a field more',
    shownBy: 'data.balances',
    alter: rows(BALANCES, (row) => merged(row, { name: 'a' })),
  },
  {
    name: 'a balance is another one',
    shownBy: 'data.balances.values',
    alter: rows(BALANCES, (row) => merged(row, { balance: other(row.balance) })),
  },
  {
    name: 'balances are in another order',
    shownBy: 'data.balances.order',
    alter: json(get(BALANCES), (body) => merged(body, { data: [...(body.data as Json[])].reverse() })),
  },
  {
    name: 'a page has no cursor',
    shownBy: 'data.cursor',
    alter: json(get(/balances\?limit=1$/), (body) => merged(body, { next_cursor: undefined })),
  },
  {
    name: 'a limit of 501 is taken',
    shownBy: 'data.balances.limit',
    alter: status(get(/limit=501/), 400, 200),
  },
  {
    name: 'an address without balances is 404',
    shownBy: 'data.balances.empty',
    alter: (seen, { path }) =>
      path.includes('5e5e5e5e') && path.endsWith('/balances') ? { ...seen, status: 404 } : seen,
  },
  { name: 'the default limit is 20', shownBy: 'data.balances.default' },
  {
    name: 'balances do not name their snapshot',
    shownBy: 'data.balances.snapshot',
    alter: header(get(BALANCES), 'x-snapshot-block', () => null),
  },
  {
    name: 'balances are always full',
    shownBy: 'data.balances.snapshot',
    alter: metas(BALANCES, () => ({ coverage: 'full' })),
  },
  {
    name: 'the list of chains is empty',
    shownBy: 'data.chains',
    alter: json(get(LIST), (body) => merged(body, { data: [] })),
  },
  {
    name: 'a chain has another chain_id',
    shownBy: 'data.chains',
    alter: rows(LIST, (row) => merged(row, { chain_id: 2 })),
  },
  {
    name: 'a chain has a field more',
    shownBy: 'data.chains',
    alter: rows(LIST, (row) => merged(row, { name: 'a' })),
  },
  {
    name: 'the list of chains is billed 2 CU',
    shownBy: 'data.chains.price',
    alter: header(get(LIST), 'x-cu-billed', () => '2'),
  },
  { name: 'above the final block is 404', shownBy: 'data.409', alter: status(get(BLOCK), 409, 404) },
  {
    name: 'blocks up to 100,000 above the final one are served',
    shownBy: 'data.409',
    alter: (seen, { path }) =>
      seen.status === 409 && /\/blocks\/\d{1,6}$/.test(path) ? { ...seen, status: 200 } : seen,
  },
  {
    name: 'a refused block is billed',
    shownBy: 'data.409',
    alter: header(
      (request) => /\/blocks\/\d{8,}$/.test(request.path),
      'x-cu-billed',
      () => '5',
    ),
  },
  {
    name: 'errors have a third member',
    shownBy: 'data.409',
    alter: json(get(BLOCK), (body) => ({ error: merged(body.error, { retry: false }) }), 409),
  },
  {
    name: 'the error has another code',
    shownBy: 'data.409',
    alter: json(get(BLOCK), (body) => ({ error: merged(body.error, { code: 'not_final' }) }), 409),
  },
  { name: 'unknown paths are 400', shownBy: 'data.404.path', alter: status(get(/nothing$/), 404, 400) },
  {
    name: 'outside of the coverage of traces is an empty list',
    shownBy: 'service.7',
    alter: status(get(/\/traces$/), 422, 200),
  },
  {
    name: 'outside of the coverage of traces is billed',
    shownBy: 'service.7',
    alter: header(
      (request) => /blocks\/\d+\/traces$/.test(request.path),
      'x-cu-billed',
      () => '20',
    ),
  },
  {
    name: 'outside of the coverage of traces is 404',
    shownBy: 'service.7',
    alter: status(get(/\/traces$/), 422, 404),
  },
  {
    name: 'a tag that fits gets the whole answer',
    shownBy: 'data.kept',
    alter: status(get(BLOCK), 304, 200),
  },
  { name: 'a percent sign is taken as it is', shownBy: 'data.path', alter: status(get(/%30$/), 200, 404) },
  {
    name: 'the status has no chains',
    shownBy: 'service.3',
    alter: json(get(STATUS), (body) => merged(body, { chains: [] })),
  },
  {
    name: 'the status has no checked_at',
    shownBy: 'status.1',
    alter: json(get(STATUS), (body) => merged(body, { checked_at: undefined })),
  },
  {
    name: 'the status of the gateway is a number',
    shownBy: 'status.1',
    alter: json(get(STATUS), (body) => merged(body, { gateway: { status: 1 } })),
  },
  {
    name: 'the status tells another chain_id',
    shownBy: 'service.1',
    alter: chains((chain) => merged(chain, { chain_id: 2 })),
  },
  {
    name: 'a chain of the status has a field more',
    shownBy: 'status.2',
    alter: chains((chain) => merged(chain, { name: 'a' })),
  },
  {
    name: 'the head of the status is 1,000 blocks ahead',
    shownBy: 'status.5',
    alter: heads(({ block: number }) => ({ block: less(number, -1_000) })),
  },
  {
    name: 'the head of the status is a block behind its time',
    shownBy: 'status.5',
    alter: heads(({ block: number }) => ({ block: less(number, 1) })),
  },
  {
    name: 'the time of the head is an hour old',
    shownBy: 'status.5',
    alter: heads(({ time }) => ({ time: new Date(Date.parse(String(time)) - 3_600_000).toISOString() })),
  },
  { name: 'the lag of the head is 0', shownBy: 'status.5', alter: heads(() => ({ lag_seconds: -10 })) },
  { name: 'the head has no lag', shownBy: 'status.2', alter: heads(() => ({ lag_seconds: undefined })) },
  { name: 'snapshots are taken once a day', shownBy: 'data.snapshot' },
  { name: 'an environment without the freshness view answers in part', shownBy: 'data.422' },
  { name: 'a block without a row is an empty answer', shownBy: 'data.404' },
];
