import type { Item, Store } from 'gateway-access';
import { type CursorScope, type CursorShape, parseCursor, renderCursor } from '../data/plan/cursor.ts';
import { type ParameterValues, parseParameters } from '../data/plan/parse-parameters.ts';
import { createSeal } from '../data/plan/seal.ts';
import { type HourUsage, hourLanes, usageHours } from '../settlement/account-statement.ts';
import { readFrozen, unpackPart } from '../settlement/hour-leaves.ts';
import {
  amountsOf,
  CREDITS_AND_DEBITS,
  isDebit,
  ledgerRange,
  recordKey,
  recordRange,
  type SettlementRecord,
  statementOf,
  toRecord,
} from '../settlement/settlement-ledger.ts';
import type { ObjectStore } from '../shared/aws/object-store.ts';
import { hourAfter, hourOf, hourStartMs } from '../shared/runtime/clock.ts';
import { ACCOUNT_PARAMETERS } from './account-parameters.ts';
import type { Issuer } from './issuer.ts';

/** Before all hours, and behind them. */
const FIRST_HOUR = '0000-01-01T00';
const LAST_HOUR = '9999-12-31T23';
/**
 * A cursor is sealed so that one of another list, account or window is distinguished from one that fits. The key is no secret: a
 * forged cursor reads the same account's records, from another place on.
 */
const SEAL = createSeal('account');

/** A row of a list, as JSON, and where the list continues behind it. */
interface ListedRow {
  readonly row: object;
  readonly keys: readonly string[];
}

/** What is read of an account, in the order of the list. */
interface Reading {
  /** Parameters of the list, without those of its pages. */
  readonly filters: ParameterValues;
  readonly perPage: number;
  /** Keys of the last row of the page before. */
  readonly after: readonly string[] | undefined;
}

/** Where an account's records are. */
interface AccountSources {
  readonly store: Store;
  /** What settlement has added up. Absent: this caller reads none of it. */
  readonly leaves?: ObjectStore;
  /** Signs receipts. Absent: this caller asks for none. */
  readonly issuer?: Issuer;
}

/** The rows of a page that were read. */
interface ReadPage {
  readonly account: string;
  readonly filters: ParameterValues;
  readonly rows: readonly object[];
  /** Before they were read, in milliseconds since the epoch. */
  readonly askedMs: number;
}

/** A list of an account's own records. */
export interface AccountList {
  /** As the description names it. */
  readonly operationId: keyof typeof ACCOUNT_PARAMETERS;
  readonly keys: CursorShape['keys'];
  rows(sources: AccountSources, account: string, reading: Reading): AsyncGenerator<ListedRow>;
  /** What a page has in the place of its rows. @default the rows */
  readonly state?: (sources: AccountSources, page: ReadPage) => Promise<object>;
}

interface AccountListRequest {
  readonly account: string;
  /** Values of the path, percent-encoded. @default none */
  readonly path?: Readonly<Record<string, string>>;
  /** All values of each query parameter. */
  readonly query: Readonly<Record<string, readonly string[] | undefined>>;
}

/** A page of a list, or what is wrong with the request, for people. */
type AccountListResponse =
  | { readonly ok: true; readonly body: { readonly data: readonly object[]; readonly next_cursor?: string } }
  | { readonly ok: false; readonly message: string };

/** Hours of an account with what was used in each, by chain and method. */
export const ACCOUNT_USAGE: AccountList = {
  operationId: 'listAccountUsage',
  keys: [{ type: 'timestamptz' }],
  async *rows({ store }, account, { after, filters, perPage }) {
    const [time] = after ?? [];
    for await (const hour of usageHours(store, account, { ...hoursAfter(hoursOf(filters), time), perPage }))
      yield { row: usageRow(hour), keys: [timeOf(hour.hour)] };
  },
};

/** Settlement records of an account. */
export const ACCOUNT_SETTLEMENTS: AccountList = {
  operationId: 'listAccountSettlements',
  keys: [{ type: 'timestamptz' }, { type: 'integer' }],
  async *rows({ store }, account, { after, filters, perPage }) {
    const { fromHour, toHour, descending } = hoursOf(filters);
    const whole = recordRange(fromHour, toHour);
    const range = after === undefined ? whole : { ...whole, ...behind(after, descending) };
    for await (const item of ledgerRange({ store }, account, range, { descending, perPage })) {
      const record = toRecord(item);
      yield { row: settlementRow(record), keys: [timeOf(record.hour), String(record.revision)] };
    }
  },
};

/** Lanes of one hour of an account, by shard and lane, as an eventually consistent read has them. */
export const ACCOUNT_LANES: AccountList = {
  operationId: 'listAccountLanes',
  keys: [{ type: 'integer' }, { type: 'bytea' }],
  rows: ({ store }, account, reading) => laneRows(store, account, reading, true),
};

/** A lane as a row. */
interface LaneRow {
  readonly shard: number;
  readonly lane: string;
  readonly n: number;
  readonly total_cu: number;
}

async function* laneRows(
  store: Store,
  account: string,
  { after: [fromShard = '0', id] = [], filters, perPage }: Reading,
  eventual: boolean,
): AsyncGenerator<ListedRow> {
  const after = id === undefined ? undefined : Buffer.from(id.slice(2), 'hex').toString('base64url');
  const range = { account, hour: String(filters.hour), fromShard: Number(fromShard), after, eventual };
  for await (const { shard, name, n, total } of hourLanes(store, range, perPage)) {
    const row: LaneRow = { shard, lane: name, n, total_cu: Number(total) };
    const bytes = `0x${Buffer.from(name, 'base64url').toString('hex')}`;
    yield { row, keys: [String(shard), bytes] };
  }
}

/** Credits of an account and what was taken back of them, each in the order of their references. */
export const ACCOUNT_CREDITS: AccountList = {
  operationId: 'listAccountCredits',
  keys: [{ type: 'bytea' }],
  async *rows({ store }, account, { after: [last] = [], perPage }) {
    const behind = last && `${Buffer.from(last.slice(2), 'hex').toString()}\0`;
    const range = { ...CREDITS_AND_DEBITS, ...(behind !== undefined && { from: behind }) };
    for await (const item of ledgerRange({ store }, account, range, { perPage }))
      yield { row: creditRow(item), keys: [`0x${Buffer.from(String(item.record)).toString('hex')}`] };
  },
};

/** Lanes that a settlement record adds up, as they were when it was made. None: there is no such record, or they are not kept. */
export const SETTLEMENT_LANES: AccountList = {
  operationId: 'listSettlementLanes',
  keys: [{ type: 'integer' }],
  async *rows({ store, leaves }, account, { after: [last] = [], filters }) {
    if (leaves === undefined) throw new Error('the leaves cannot be read here');
    const record = recordKey(String(filters.hour), Number(filters.revision));
    const stored = await store.get('ledger', { account, record });
    const frozen = stored && toRecord(stored).frozen;
    const part = frozen === undefined ? undefined : await readFrozen(leaves, frozen);
    if (part === undefined) return;
    const all = unpackPart(part).leaves;
    for (let index = last === undefined ? 0 : Number(last) + 1; index < all.length; index += 1) {
      const leaf = all[index];
      if (leaf === undefined) return;
      const { shard, lane, n, total, usage } = leaf;
      yield { row: { shard, lane, n, total_cu: total, usage }, keys: [String(index)] };
    }
  },
};

/** What the lanes of one hour have come to, a page of them in one signed receipt. Each lane is read as it is stored. */
export const ACCOUNT_RECEIPTS: AccountList = {
  operationId: 'listAccountReceipts',
  keys: [{ type: 'integer' }, { type: 'bytea' }],
  rows: ({ store }, account, reading) => laneRows(store, account, reading, false),
  async state({ issuer }, { account, filters, rows, askedMs }) {
    if (issuer === undefined) throw new Error('receipts cannot be signed here');
    const lanes = (rows as readonly LaneRow[]).map(({ total_cu: total, ...lane }) => ({ ...lane, total }));
    const told_at = new Date(askedMs).toISOString();
    return issuer.sign({ account, hour: String(filters.hour), told_at, lanes });
  },
};

/** All lists of an account's own records, in the order of the description. */
export const ACCOUNT_LISTS: readonly AccountList[] = [
  ACCOUNT_USAGE,
  ACCOUNT_SETTLEMENTS,
  ACCOUNT_LANES,
  ACCOUNT_CREDITS,
  SETTLEMENT_LANES,
  ACCOUNT_RECEIPTS,
];

/**
 * A page of a list. Throws {@link InputError} if there is no such account. Rejects with `StoreUnavailableError`.
 * @param query as the client sent it: the message says what is wrong with it
 */
export async function listAccountRecords(
  sources: AccountSources,
  list: AccountList,
  { account, path = {}, query }: AccountListRequest,
): Promise<AccountListResponse> {
  const parsed = parseParameters(ACCOUNT_PARAMETERS[list.operationId], path, query);
  if (!parsed.ok) return parsed;
  const { cursor, limit, ...filters } = parsed.values;
  if (Date.parse(String(filters.from_time)) > Date.parse(String(filters.to_time)))
    return { ok: false, message: 'from_time is after to_time' };
  const scope: CursorScope = { account, chain: '*', operationId: list.operationId, filters };
  const position = cursor === undefined ? undefined : parseCursor(String(cursor), scope, list, SEAL);
  if (cursor !== undefined && position === undefined)
    return { ok: false, message: 'cursor belongs to a different query' };
  const most = Number(limit);
  const askedMs = sources.issuer?.clock.now() ?? 0;
  const listed: ListedRow[] = [];
  const reading = { filters, perPage: most + 1, after: position?.keys };
  for await (const row of list.rows(sources, account, reading)) {
    listed.push(row);
    if (listed.length > most) break;
  }
  const page = listed.slice(0, most);
  const rows = page.map(({ row }) => row);
  const last = page.at(-1);
  const hasMore = listed.length > most && last !== undefined;
  return {
    ok: true,
    body: {
      data:
        list.state === undefined ? rows : [await list.state(sources, { account, filters, rows, askedMs })],
      ...(hasMore && { next_cursor: renderCursor({ keys: last.keys, cut: false }, scope, SEAL) }),
    },
  };
}

/** Hours that are read, in the order of the list. */
interface HourWindow {
  readonly fromHour: string;
  readonly toHour: string;
  readonly descending: boolean;
}

function hoursOf({ from_time, to_time, order }: ParameterValues): HourWindow {
  return {
    fromHour: from_time === undefined ? FIRST_HOUR : hourOf(Date.parse(String(from_time))),
    toHour: to_time === undefined ? LAST_HOUR : hourOf(Date.parse(String(to_time))),
    descending: order === 'desc',
  };
}

/** The hours beyond one, in the order of the list. */
function hoursAfter(window: HourWindow, time: string | undefined): HourWindow {
  if (time === undefined) return window;
  const hour = hourOf(Date.parse(time));
  return window.descending
    ? { ...window, toHour: hourOf(hourStartMs(hour) - 1) }
    : { ...window, fromHour: hourAfter(hour) };
}

/** The end of a range of records that is behind one of them. */
function behind([time = '', revision]: readonly string[], descending: boolean) {
  const hour = hourOf(Date.parse(time));
  return descending
    ? { to: recordKey(hour, Number(revision) - 1) }
    : { from: recordKey(hour, Number(revision) + 1) };
}

function timeOf(hour: string): string {
  return `${hour}:00:00Z`;
}

function usageRow({ hour, settled, cu, usage }: HourUsage): object {
  return { hour, settled, cu: Number(cu), usage };
}

/** The person who made it is not returned to the customer. */
function creditRow(item: Item): object {
  const { reference, cu, reason, created_at } = item;
  const kind = isDebit(item) ? 'debit' : 'credit';
  return { kind, reference, cu: Number(cu), reason: reason ?? null, created_at };
}

/** What a record has moved, and of which lanes. */
function settlementRow(record: SettlementRecord): object {
  const { hour, revision, lanes, digest, used, settled_at } = record;
  return {
    hour,
    revision,
    ...amountsOf(record),
    lanes,
    digest,
    settled_at,
    usage: used,
    statement: statementOf(record),
  };
}
