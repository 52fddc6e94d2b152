import { type DataOperationId, OPERATIONS } from '../../lambdas/data/operations/operations.ts';
import { type SampledRequest, samplePath } from '../../test/data/plan/sampled-requests.ts';
import {
  BUSY_CONTRACT,
  LONG_LOGS,
  longTransactionHash,
  type Samples,
} from '../../test/data/plan/seeded-rows.ts';

/** What does not read rows that grow with the chain. */
const NOT_MEASURED: ReadonlySet<string> = new Set(['listChains', 'getFreshness', 'listCoverage', 'getStock']);

/** A request that is measured: an operation, maybe with parameters that have another plan than it has without them. */
export interface MeasuredRequest {
  /** The operation, and what is asked for beside it. */
  readonly name: string;
  readonly operationId: DataOperationId;
  /** Whose rows are asked for. @default those of an address that has few, however many there are */
  readonly of?: 'busy' | 'poisoned' | 'made';
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
  { operationId: 'listAddressBalances', query: () => ({ native: 'true' }) },
  { operationId: 'listAddressBalances', of: 'busy', query: () => ({ native: 'true' }) },
  { operationId: 'listAddressApprovals', of: 'busy' },
  { operationId: 'listAddressActivity', of: 'busy' },
  { operationId: 'listAddressActivity', of: 'busy', query: () => ({ order: 'asc', limit: '500' }) },
  ...(['busy', 'poisoned'] as const).map((of) => ({
    operationId: 'listAddressActivity' as const,
    of,
    query: () => ({ possible_spam: 'false', exclude_zero: 'true' }),
  })),
  { operationId: 'getAddress', of: 'busy' },
  { operationId: 'getAddress', of: 'made' },
  ...(
    [
      'listBlocks',
      'listTransactions',
      'listTransfers',
      'listTokenTransfers',
      'listAddressActivity',
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
    busy: '',
    poisoned: '',
    made: '',
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
    const of = variant.of === undefined ? [] : [`of ${variant.of}`];
    return { ...variant, name: [variant.operationId, ...of, ...shown].join(' ') };
  });
  const operationIds = Object.keys(OPERATIONS) as DataOperationId[];
  const plain = operationIds.filter((operationId) => !NOT_MEASURED.has(operationId));
  return [...plain.map((operationId) => ({ name: operationId, operationId })), ...variants];
}

/** Every request whose time is measured. */
export const MEASURED_REQUESTS = measuredRequests();

/** A measured request for rows that are there. */
export function requestPath({ operationId, of, query }: MeasuredRequest, samples: Samples): SampledRequest {
  const sample = samplePath(operationId, of === undefined ? samples : { ...samples, address: samples[of] });
  const more = Object.entries(query?.(samples) ?? {}).map(([name, value]) => [name, [value]]);
  return { ...sample, query: { ...sample.query, ...Object.fromEntries(more) } };
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
