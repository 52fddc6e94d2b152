import { type DataOperationId, OPERATIONS } from '../../lambdas/data/operations/operations.ts';
import { BUSY_CONTRACT, LONG_LOGS, longTransactionHash, type Samples } from './data-rows.ts';

/** A moment within the seeded chain. */
const MOMENT = '2026-01-01T00:10:00Z';
const DAY = '2026-01-31';

/** Path of a request below the chain, and its query. */
export interface SampledRequest {
  readonly path: string;
  readonly query: Readonly<Record<string, string[]>>;
}

/** A request of an operation for rows that are there. */
export function samplePath(operationId: DataOperationId, samples: Samples): SampledRequest {
  const { path, parameters } = OPERATIONS[operationId];
  const query: Record<string, string[]> = {};
  let filled = path.replace('/{chain}', '');
  for (const { name, in: place, required } of parameters) {
    if (place === 'query' && !required && !isChosen(operationId, name)) continue;
    const value = sampleValue(operationId, name, samples);
    if (place === 'path') filled = filled.replace(`{${name}}`, value);
    else query[name] = [value];
  }
  return { path: filled, query };
}

/** What does not read rows that grow with the chain. */
const NOT_MEASURED: ReadonlySet<string> = new Set(['listChains', 'getFreshness', 'listCoverage', 'getStock']);

/** A request that is measured: an operation, maybe with parameters that have another plan than it has without them. */
export interface MeasuredRequest {
  /** The operation, and what is asked for beside it. */
  readonly name: string;
  readonly operationId: DataOperationId;
  /** @default none */
  readonly query?: (samples: Samples) => Readonly<Record<string, string>>;
}

const PAIR = ({ token, nextToken }: Samples) => ({ token0: token, token1: nextToken });

/** Requests that have plans of their own. */
const VARIANTS: readonly Omit<MeasuredRequest, 'name'>[] = [
  { operationId: 'listPools', query: PAIR },
  { operationId: 'listPools', query: () => ({ sort: 'liquidity' }) },
  { operationId: 'listPools', query: ({ token }) => ({ token, sort: 'liquidity' }) },
  { operationId: 'listPools', query: (samples) => ({ ...PAIR(samples), sort: 'liquidity' }) },
  { operationId: 'listTokens', query: () => ({ search: 'token 1' }) },
  { operationId: 'listTokens', query: () => ({ search: 'T3' }) },
  { operationId: 'listTokens', query: () => ({ search: '0x0b00' }) },
  ...(
    [
      'listTransfers',
      'listTokenTransfers',
      'listAddressTransfers',
      'listAddressBalances',
      'listTrades',
      'listTokenTrades',
      'listPools',
    ] as const
  ).map((operationId) => ({ operationId, query: () => ({ include: 'token' }) })),
  ...(
    [
      'listBlocks',
      'listTransactions',
      'listTransfers',
      'listTokenTransfers',
      'listAddressTransactions',
      'listAddressTransfers',
      'listAddressNativeTransfers',
      'listAddressInternalTransfers',
      'listLogs',
      'listTrades',
    ] as const
  ).map((operationId) => ({ operationId, query: () => ({ finality: 'latest' }) })),
];

function measuredRequests(): readonly MeasuredRequest[] {
  const example: Samples = {
    address: '',
    token: '',
    nextToken: '',
    collection: '',
    tokenId: '',
    pool: '',
    stock: '',
    hash: '',
    blockHash: '',
    block: 0,
  };
  const variants = VARIANTS.map((variant) => {
    const shown = Object.entries(variant.query?.(example) ?? {}).map(([name, value]) =>
      value === '' ? name : `${name}=${value}`,
    );
    return { ...variant, name: `${variant.operationId} ${shown.join(' ')}` };
  });
  const operationIds = Object.keys(OPERATIONS) as DataOperationId[];
  const plain = operationIds.filter((operationId) => !NOT_MEASURED.has(operationId));
  return [...plain.map((operationId) => ({ name: operationId, operationId })), ...variants];
}

/** Every request whose time is measured. */
export const MEASURED_REQUESTS = measuredRequests();

/** A measured request for rows that are there. */
export function requestPath({ operationId, query }: MeasuredRequest, samples: Samples): SampledRequest {
  const sample = samplePath(operationId, samples);
  const more = Object.entries(query?.(samples) ?? {}).map(([name, value]) => [name, [value]]);
  return { ...sample, query: { ...sample.query, ...Object.fromEntries(more) } };
}

/** Optional parameters that an operation is measured with. */
function isChosen(operationId: DataOperationId, name: string): boolean {
  return (
    (operationId === 'listLogs' && name === 'address') || (operationId === 'listStocks' && name === 'day')
  );
}

/** Most members of a batch. */
const BATCH = 100;

/** A whole batch of members that are there. */
function batchOf(...members: readonly string[]): string {
  return Array.from({ length: BATCH }, (_, index) => members[index % members.length]).join(',');
}

function sampleValue(operationId: DataOperationId, name: string, samples: Samples): string {
  const isItem = /Nft(Collection|Item|Owner|Transfer)/.test(operationId);
  switch (name) {
    case 'address':
      return operationId === 'listLogs' ? samples.token : samples.address;
    case 'token':
      return isItem ? samples.collection : samples.token;
    case 'tokens':
      return operationId === 'getPrices'
        ? batchOf(samples.token, samples.stock)
        : `${samples.token},${samples.stock}`;
    case 'addresses':
      return batchOf(samples.token, samples.stock);
    case 'hashes':
      return batchOf(samples.hash);
    case 'token_id':
      return samples.tokenId;
    case 'pool':
      return operationId === 'listPoolCandles' ? samples.token : samples.pool;
    case 'hash':
      return operationId === 'getBlockByHash' ? samples.blockHash : samples.hash;
    case 'number':
      return String(samples.block);
    case 'time':
      return MOMENT;
    case 'day':
      return DAY;
    case 'dataset':
      return 'transactions';
    default:
      throw new Error(`${operationId} has a parameter ${name} without a sample`);
  }
}

/** A request that is made to take more than others for its price. */
export interface DearRequest extends SampledRequest {
  readonly name: string;
  /** Of a file. @default it asks for a page */
  readonly page?: 'first' | 'later';
}

const SEEDED_TOPIC = `0x${'1'.padStart(64, '0')}`;
const ABSENT_TOPIC = `0x${'ab'.repeat(32)}`;

/** Long rows, by pages and as a file, and searches that find nothing, where so many transfers were seeded. */
export function dearRequests(transfers: number): readonly DearRequest[] {
  const logs = (name: string, query: Readonly<Record<string, string>>, page?: DearRequest['page']) => ({
    name: `listLogs ${name}`,
    path: '/logs',
    query: Object.fromEntries(Object.entries(query).map(([key, value]) => [key, [value]])),
    ...(page && { page }),
  });
  const long = Object.entries(LONG_LOGS).flatMap(([size, address]) => [
    logs(`of ${size}`, { address }),
    logs(`of ${size} limit=500`, { address, limit: '500' }),
    logs(`of ${size}, a file's first`, { address, format: 'ndjson' }, 'first'),
    logs(`of ${size}, a file's later`, { address, format: 'ndjson' }, 'later'),
  ]);
  return [
    ...long,
    logs('absent topic of an address', { address: BUSY_CONTRACT, topic0: ABSENT_TOPIC }),
    logs('absent second topic', { topic0: SEEDED_TOPIC, topic1: ABSENT_TOPIC }),
    logs('absent last topic of an address', { address: BUSY_CONTRACT, topic3: ABSENT_TOPIC }),
    {
      name: 'getTransaction with long logs',
      path: `/transactions/${longTransactionHash(transfers)}`,
      query: { include_logs: ['true'] },
    },
    {
      name: "listTransfers, a file's first",
      path: '/transfers',
      query: { format: ['ndjson'] },
      page: 'first',
    },
    {
      name: "listTransfers, a file's later",
      path: '/transfers',
      query: { format: ['ndjson'] },
      page: 'later',
    },
  ];
}
