import type { Alteration } from '../altered-transport.ts';
import type { Json, JsonObject } from '../seen.ts';
import { anyData, byClause, each, get, header, json, merged, other, status } from './alter.ts';

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
  ...byClause({
    'data.proof': {
      'a proof is of another place': json(get(PROOF), (body) =>
        merged(body, {
          data: merged(body.data, { transaction_index: less(data(body).transaction_index, -1) }),
        }),
      ),
    },
    'data.meta': {
      'data is text/html': header(anyData, 'content-type', () => 'text/html'),
      'the envelope has no meta': json(get(BLOCK), (body) => merged(body, { meta: undefined })),
      'meta has a member more': metas(BLOCK, () => ({ chain: 'a' })),
      'coverage is FULL': metas(BLOCK, () => ({ coverage: 'FULL' })),
      'rows_read is negative': metas(BLOCK, () => ({ rows_read: -1 })),
      'refreshed_at has an offset': metas(BLOCK, () => ({ refreshed_at: '2024-01-01T00:00:00+00:00' })),
    },
    'status.1': {
      'the status is text/html': header(get(STATUS), 'content-type', () => 'text/html'),
      'the status has no checked_at': json(get(STATUS), (body) => merged(body, { checked_at: undefined })),
      'the status of the gateway is a number': json(get(STATUS), (body) =>
        merged(body, { gateway: { status: 1 } }),
      ),
    },
    'data.envelope': {
      'next_cursor is null': json(get(BLOCK), (body) => merged(body, { next_cursor: null })),
      'the envelope has a member more': json(get(BLOCK), (body) => merged(body, { ok: true })),
    },
    'data.meta.values': {
      'refreshed_at is of last year': metas(BLOCK, () => ({ refreshed_at: '2024-01-01T00:00:00Z' })),
      'query_ms is twice the time': metas(BLOCK, ({ query_ms }) => ({ query_ms: 2 * Number(query_ms) })),
    },
    'data.head': {
      'as_of_block and finalized_block are 100 blocks behind': metas(BLOCK, (told) => ({
        as_of_block: less(told.as_of_block, 100),
        finalized_block: less(told.finalized_block, 100),
      })),
      'as_of_block and finalized_block are 100 blocks ahead': metas(BLOCK, (told) => ({
        as_of_block: less(told.as_of_block, -100),
        finalized_block: less(told.finalized_block, -100),
      })),
    },
    'data.finality': {
      'finality lags by 255 blocks': metas(BLOCK, (told) => ({
        finalized_block: less(told.finalized_block, -1),
      })),
    },
    'data.block': {
      'base_fee_per_gas is a number': block((row) => merged(row, { base_fee_per_gas: 7 })),
      'gas_used is a text': block((row) => merged(row, { gas_used: String(row.gas_used) })),
      'a hash has no prefix': block((row) => merged(row, { hash: String(row.hash).slice(2) })),
      'a block has a field more': block((row) => merged(row, { difficulty: '0' })),
    },
    'data.block.extra': {
      'extra holds something else': block((row) => merged(row, { extra: { a: 1 } })),
    },
    'data.freshness': {
      'freshness has a row twice': json(get(FRESHNESS), (body) =>
        merged(body, { data: [...(body.data as Json[]), ...(body.data as Json[])] }),
      ),
      'freshness has no rows': json(get(FRESHNESS), (body) => merged(body, { data: [] })),
      'tables are further behind than they say': rows(FRESHNESS, (row) =>
        merged(row, { max_block_number: less(row.max_block_number, 9) }),
      ),
      'tables say that they are not behind': rows(FRESHNESS, (row) => merged(row, { seconds_behind: -100 })),
      'follow_lag_blocks is 0': rows(FRESHNESS, (row) => merged(row, { follow_lag_blocks: -1 })),
      'max_time is null': rows(FRESHNESS, (row) => merged(row, { max_time: null })),
      'the freshness view is refused by 500': status(get(FRESHNESS), 200, 500),
    },
    'data.freshness.meta': {
      'freshness has rows_read': metas(FRESHNESS, () => ({ rows_read: 1 })),
    },
    'data.freshness.values': {
      'estimates are ten times as many': rows(FRESHNESS, (row) =>
        merged(row, { rows_estimate: 10 * Number(row.rows_estimate) }),
      ),
    },
    'data.balances': {
      'balances that are 0 are listed': rows(BALANCES, (row) => merged(row, { balance: '0' })),
      'balances are numbers': rows(BALANCES, (row) => merged(row, { balance: 1 })),
      'tokens have capitals': rows(BALANCES, (row) => merged(row, { token: `0x${'AB'.repeat(20)}` })),
      'symbols are null': rows(BALANCES, (row) => merged(row, { symbol: null })),
      'decimals are texts': rows(BALANCES, (row) => merged(row, { decimals: '18' })),
      'balances have a field more': rows(BALANCES, (row) => merged(row, { name: 'a' })),
    },
    'data.balances.values': {
      'a balance is another one': rows(BALANCES, (row) => merged(row, { balance: other(row.balance) })),
    },
    'data.balances.order': {
      'balances are in another order': json(get(BALANCES), (body) =>
        merged(body, { data: [...(body.data as Json[])].reverse() }),
      ),
    },
    'data.cursor': {
      'a page has no cursor': json(get(/balances\?limit=1$/), (body) =>
        merged(body, { next_cursor: undefined }),
      ),
    },
    'data.balances.limit': {
      'a limit of 501 is taken': status(get(/limit=501/), 400, 200),
    },
    'data.balances.empty': {
      'an address without balances is 404': (seen, { path }) =>
        path.includes('5e5e5e5e') && path.endsWith('/balances') ? { ...seen, status: 404 } : seen,
    },
    'data.balances.default': {
      'the default limit is 20': undefined,
    },
    'data.balances.snapshot': {
      'balances do not name their snapshot': header(get(BALANCES), 'x-snapshot-block', () => null),
      'balances are always full': metas(BALANCES, () => ({ coverage: 'full' })),
    },
    'data.chains': {
      'the list of chains is empty': json(get(LIST), (body) => merged(body, { data: [] })),
      'a chain has another chain_id': rows(LIST, (row) => merged(row, { chain_id: 2 })),
      'a chain has a field more': rows(LIST, (row) => merged(row, { name: 'a' })),
    },
    'data.chains.price': {
      'the list of chains is billed 2 CU': header(get(LIST), 'x-cu-billed', () => '2'),
    },
    'data.409': {
      'above the final block is 404': status(get(BLOCK), 409, 404),
      'blocks up to 100,000 above the final one are served': (seen, { path }) =>
        seen.status === 409 && /\/blocks\/\d{1,6}$/.test(path) ? { ...seen, status: 200 } : seen,
      'a refused block is billed': header(
        (request) => /\/blocks\/\d{8,}$/.test(request.path),
        'x-cu-billed',
        () => '5',
      ),
      'errors have a third member': json(
        get(BLOCK),
        (body) => ({ error: merged(body.error, { retry: false }) }),
        409,
      ),
      'the error has another code': json(
        get(BLOCK),
        (body) => ({ error: merged(body.error, { code: 'not_final' }) }),
        409,
      ),
    },
    'data.404.path': {
      'unknown paths are 400': status(get(/nothing$/), 404, 400),
    },
    'service.7': {
      'outside of the coverage of traces is an empty list': status(get(/\/traces$/), 422, 200),
      'outside of the coverage of traces is billed': header(
        (request) => /blocks\/\d+\/traces$/.test(request.path),
        'x-cu-billed',
        () => '20',
      ),
      'outside of the coverage of traces is 404': status(get(/\/traces$/), 422, 404),
    },
    'data.kept': {
      'a tag that fits gets the whole answer': status(get(BLOCK), 304, 200),
    },
    'data.path': {
      'a percent sign is taken as it is': status(get(/%30$/), 200, 404),
    },
    'service.3': {
      'the status has no chains': json(get(STATUS), (body) => merged(body, { chains: [] })),
    },
    'service.1': {
      'the status tells another chain_id': chains((chain) => merged(chain, { chain_id: 2 })),
    },
    'status.2': {
      'a chain of the status has a field more': chains((chain) => merged(chain, { name: 'a' })),
      'the head has no lag': heads(() => ({ lag_seconds: undefined })),
    },
    'status.5': {
      'the head of the status is 1,000 blocks ahead': heads(({ block: number }) => ({
        block: less(number, -1_000),
      })),
      'the head of the status is a block behind its time': heads(({ block: number }) => ({
        block: less(number, 1),
      })),
      'the time of the head is an hour old': heads(({ time }) => ({
        time: new Date(Date.parse(String(time)) - 3_600_000).toISOString(),
      })),
      'the lag of the head is 0': heads(() => ({ lag_seconds: -10 })),
    },
    'data.snapshot': {
      'snapshots are taken once a day': undefined,
    },
    'data.422': {
      'an environment without the freshness view answers in part': undefined,
    },
    'data.404': {
      'a block without a row is an empty answer': undefined,
    },
  }),
  ...['as_of_block', 'finalized_block', 'coverage', 'refreshed_at', 'query_ms'].map((name) => ({
    name: `meta has no ${name}`,
    shownBy: 'data.meta',
    alter: metas(BLOCK, () => ({ [name]: undefined })),
  })),
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
  ...FRESH.map((name) => ({
    name: `freshness has no ${name}`,
    shownBy: 'data.freshness',
    alter: rows(FRESHNESS, (row) => merged(row, { [name]: undefined })),
  })),
];
