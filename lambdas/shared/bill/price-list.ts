import { createHash } from 'node:crypto';
import { isHour } from '../runtime/clock.ts';
import { parseObject } from './signed-text.ts';

const MAX_TEXT = 32_768;
const PATTERN_END = '*';
/** Methods that have the default price if no other: an operation of the Data API has none. */
const RPC_METHOD = /^(?:eth|net|web3)_|^debug_trace/;
const NAME = /^(?:[A-Za-z0-9_/]{1,48}|[A-Za-z0-9_/]{1,47}\*)$/;

/** What calls cost, from an hour on. All amounts are compute units. */
export interface PriceList {
  /** First hour of it, in UTC. */
  readonly from: string;
  /** Of a call that was answered from the cache. */
  readonly cached: number;
  /** Of a JSON-RPC call that no name fits. */
  readonly default: number;
  /** Of a call, by method, by `data/` and operation, or by a prefix that ends in `*`. */
  readonly prices: Readonly<Record<string, number>>;
}

/**
 * The prices that the specification begins with, and those of the Data API. They are written a second time here: bills are
 * recomputed by this, and never by the code that charges.
 */
export const FIRST_PRICE_LIST: PriceList = {
  from: '2020-01-01T00',
  cached: 1,
  default: 10,
  prices: {
    eth_blockNumber: 1,
    eth_chainId: 1,
    eth_getBlockByNumber: 5,
    eth_getBlockReceipts: 10,
    eth_getProof: 10,
    eth_call: 20,
    eth_createAccessList: 20,
    eth_estimateGas: 20,
    eth_simulateV1: 20,
    eth_sendRawTransaction: 30,
    eth_getLogs: 50,
    'debug_trace*': 200,
    rows: 1,
    'data/*': 10,
    'data/listChains': 1,
    'data/getBlock': 5,
    'data/getBlockByHash': 5,
    'data/getBlockByTime': 5,
    'data/getNftCollection': 5,
    'data/getNftItem': 5,
    'data/getPool': 5,
    'data/getPrices': 5,
    'data/getToken': 5,
    'data/getTokenPrice': 5,
    'data/getTokens': 5,
    'data/getTransaction': 5,
    'data/getTransactions': 5,
    'data/listCoverage': 5,
    'data/listProofLevels': 5,
    'data/listPoolTrades': 15,
    'data/listStockTrades': 15,
    'data/listTokenTrades': 15,
    'data/getAddress': 20,
    'data/getFreshness': 20,
    'data/getTransactionProof': 20,
    'data/listAddressActivity': 20,
    'data/listAddressApprovals': 50,
    'data/listAddressInternalTransfers': 20,
    'data/listAddressTraces': 20,
    'data/listAddressTransfers': 20,
    'data/listBlockTraces': 20,
    'data/listLogs': 20,
    'data/listTransactionTraces': 20,
  },
};

/** A list as text, which is what is hashed: JSON without spaces, prices in the order of their names. */
export function priceListText({ from, cached, default: other, prices }: PriceList): string {
  const sorted = Object.entries(prices).sort(([one], [two]) => (one < two ? -1 : 1));
  return JSON.stringify({ from, cached, default: other, prices: Object.fromEntries(sorted) });
}

/** SHA-256 of the text of a list, in hex. */
export function priceListHash(list: PriceList): string {
  return createHash('sha256').update(priceListText(list)).digest('hex');
}

/** Lists as they are published: their texts in order, each with a line feed. */
export function publishedLists(lists: readonly PriceList[]): {
  readonly text: string;
  readonly hash: string;
} {
  const text = lists.map((list) => `${priceListText(list)}\n`).join('');
  return { text, hash: createHash('sha256').update(text).digest('hex') };
}

/** Reads published lists; undefined: they are none, or of another hash. */
export function parsePublishedLists(text: string, hash: string): readonly PriceList[] | undefined {
  const lists = text
    .trimEnd()
    .split('\n')
    .flatMap((line) => parsePriceList(line) ?? []);
  const published = publishedLists(lists);
  return published.text === text && published.hash === hash ? lists : undefined;
}

/** Reads a list, however its JSON is written; undefined: invalid. */
export function parsePriceList(text: string): PriceList | undefined {
  const list = parseObject(text, MAX_TEXT) as Partial<PriceList> | undefined;
  const { from, cached, default: other, prices } = list ?? {};
  if (typeof from !== 'string' || !isHour(from) || typeof prices !== 'object' || prices === null)
    return undefined;
  if (!isPrice(cached) || !isPrice(other)) return undefined;
  const isList = Object.entries(prices).every(([name, cu]) => NAME.test(name) && isPrice(cu));
  return isList ? { from, cached, default: other, prices } : undefined;
}

function isPrice(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) > 0;
}

/** The list of an hour: of those that have begun by then the last. Undefined: none has. */
export function priceListAt(lists: readonly PriceList[], hour: string): PriceList | undefined {
  return lists.reduce<PriceList | undefined>(
    (last, list) => (list.from <= hour && (last === undefined || list.from >= last.from) ? list : last),
    undefined,
  );
}

/** Price of a call: of the method itself, then of the longest prefix, then the default. Undefined: it has none. */
export function listedPrice(list: PriceList, method: string): number | undefined {
  if (Object.hasOwn(list.prices, method)) return list.prices[method];
  let longest = '';
  for (const name of Object.keys(list.prices)) {
    const isLonger = name.endsWith(PATTERN_END) && name.length > longest.length;
    if (isLonger && method.startsWith(name.slice(0, -PATTERN_END.length))) longest = name;
  }
  if (longest !== '') return list.prices[longest];
  return RPC_METHOD.test(method) ? list.default : undefined;
}

/** Whether some call has this price. */
export function isPriceOf(list: PriceList, cu: number): boolean {
  return cu === list.default || Object.values(list.prices).includes(cu);
}

/** The highest price of a call. */
export function dearestCall(list: PriceList): number {
  return Math.max(list.default, ...Object.values(list.prices));
}
