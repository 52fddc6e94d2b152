import {
  accountOperationsOf,
  type DescribedOperation,
  operationsOf,
  readDescription,
} from '../../api/read-description.ts';
import { RPC_EXAMPLES, RPC_METHODS } from '../../api/rpc-methods.ts';
import type { ReleaseFile, ReleaseRequest } from '../../lambdas/probe/release-request.ts';
import { DESCRIPTION_FILES } from '../../lambdas/status/describe-interface.ts';
import type { StageConfig } from '../config/stage-config.ts';
import type { RouteTarget } from '../edge/api-routes.ts';

/** Rows of a page: enough for a next one, and few. */
const LIMIT = '2';
/** Values that lists tell, by what a path calls them; the lists are asked first. */
const LEARNED: Readonly<Record<string, ReleaseRequest['learns']>> = {
  listBlocks: { number: 'data.0.number', block_hash: 'data.0.hash', time: 'data.0.timestamp' },
  listTransactions: { hash: 'data.0.hash', address: 'data.0.from' },
  listTokens: { token: 'data.0.address' },
  listPools: { pool: 'data.0.pool_id' },
  listStocks: { stock: 'data.0.token' },
};
/** What a parameter stands for, by the beginning of its path, where its name has another meaning there. */
const MEANT: readonly (readonly [path: string, name: string, meant: string])[] = [
  ['/{chain}/blocks-by-hash/', 'hash', 'block_hash'],
  ['/{chain}/nfts/', 'token', 'collection'],
  ['/{chain}/stocks/', 'token', 'stock'],
  ['/{chain}/logs', 'address', 'token'],
  ['/{chain}/prices', 'tokens', 'token'],
  ['/{chain}/batch/', 'tokens', 'token'],
  ['/{chain}/batch/', 'addresses', 'token'],
  ['/{chain}/batch/', 'hashes', 'hash'],
];
const CALL = { jsonrpc: '2.0', id: 1 } as const;
const CALLS_BEYOND_BATCH = 101;
/** Bodies that are refused, or answered in part, by what is wrong with them. */
const WRONG_BODIES: Readonly<Record<string, string>> = {
  'no body': '',
  'no JSON': '{',
  'no call': '{}',
  'empty batch': '[]',
  'no id': JSON.stringify({ jsonrpc: '2.0', method: 'eth_chainId' }),
  'unknown method': rpcBody('eth_unknownMethod', []),
  'blocked method': rpcBody('eth_sendTransaction', [{}]),
  'wrong parameters': rpcBody('eth_getBalance', [1]),
  'wide logs': rpcBody('eth_getLogs', [{ fromBlock: '0x0', toBlock: '0xffffffff' }]),
  batch: JSON.stringify([
    { ...CALL, method: 'eth_chainId', params: [] },
    { ...CALL, id: 2, method: 'eth_chainId', params: [] },
    { ...CALL, id: 3, method: 'eth_unknownMethod', params: [] },
  ]),
  'batch too large': JSON.stringify(Array.from({ length: CALLS_BEYOND_BATCH }, () => CALL)),
};

/**
 * What a release is compared by: each method and each operation that is described, each description, and what is refused. No
 * request is a customer's.
 */
export function releaseFile(config: StageConfig): ReleaseFile {
  const chain = config.chains.find((one) => one.default)?.chain ?? '';
  const operations = operationsOf(readDescription());
  const requests: Record<RouteTarget, readonly ReleaseRequest[]> = {
    rpc: rpcRequests(),
    data: operations
      .filter(({ path }) => config.database.enabled || path === '/chains')
      .map(dataRequest)
      .sort(learningFirst),
    status: statusRequests(),
    mcp: mcpRequests(),
  };
  const examples = [...operations, ...accountOperationsOf(readDescription())].flatMap(
    ({ path, parameters }) =>
      parameters.flatMap(({ name, example }) =>
        example === undefined ? [] : [[meantBy(path, name), String(example)] as const],
      ),
  );
  // Of examples with one meaning the first counts: a list of them comes later.
  const values = { ...Object.fromEntries(examples.reverse()), ...RPC_EXAMPLES, chain };
  return { requests, values, declared: config.releases.differences };
}

function dataRequest({ path, operation, parameters }: DescribedOperation): ReleaseRequest {
  const { operationId: of } = operation;
  if (path === '/chains') return { of, resource: '/v1/data/chains', method: 'GET' };
  const proxy = path
    .slice('/{chain}/'.length)
    .replace(/\{(\w+)\}/g, (_, name: string) => `{${meantBy(path, name)}}`);
  const { [of]: learns } = LEARNED;
  const query = parameters.flatMap(({ name, in: place, required }): [string, string][] => {
    if (place === 'path') return [];
    if (name === 'limit') return [[name, LIMIT]];
    // Pages of final blocks: what is newer is on none of them.
    if (name === 'to_block' && learns === undefined) return [[name, '{number}']];
    // Logs are of a contract or of a topic, though neither is required by itself.
    return required === true || name === 'address' ? [[name, `{${meantBy(path, name)}}`]] : [];
  });
  return {
    of,
    resource: '/v1/data/{chain}/{proxy+}',
    method: 'GET',
    pathParameters: { chain: '{chain}', proxy },
    query: Object.fromEntries(query),
    ...(learns !== undefined && { learns }),
  };
}

function learningFirst(one: ReleaseRequest, other: ReleaseRequest): number {
  return Number(other.learns !== undefined) - Number(one.learns !== undefined);
}

function meantBy(path: string, name: string): string {
  return MEANT.find(([start, named]) => path.startsWith(start) && named === name)?.[2] ?? name;
}

/** The newest final block is asked for first: the others ask for what is in it. */
function rpcRequests(): readonly ReleaseRequest[] {
  const post = (of: string, body: string, learns?: ReleaseRequest['learns']): ReleaseRequest => ({
    of,
    resource: '/v1',
    method: 'POST',
    body,
    ...(learns !== undefined && { learns }),
  });
  const described = Object.values(RPC_METHODS).flatMap((methods) =>
    methods.map(({ method, params }) => post(method, withPlaces(rpcBody(method, params)))),
  );
  const wrong = Object.entries(WRONG_BODIES).map(([of, body]) => post(of, body));
  const transaction = 'result.transactions.0';
  const final = post('eth_getBlockByNumber', rpcBody('eth_getBlockByNumber', ['finalized', true]), {
    quantity: 'result.number',
    block_hash: 'result.hash',
    transaction: `${transaction}.hash`,
    account: `${transaction}.from`,
    contract: `${transaction}.to`,
  });
  return [final, ...described, ...wrong];
}

function rpcBody(method: string, params: readonly unknown[]): string {
  return JSON.stringify({ ...CALL, method, params });
}

/** A body with places in place of the values of one chain. */
function withPlaces(body: string): string {
  return Object.entries(RPC_EXAMPLES).reduce(
    (text, [name, value]) => text.replaceAll(`"${value}"`, `"{${name}}"`),
    body,
  );
}

function statusRequests(): readonly ReleaseRequest[] {
  const get = (resource: string) => ({ of: resource.slice('/v1/'.length), resource, method: 'GET' }) as const;
  const accounts = accountOperationsOf(readDescription()).map(({ path, operation, parameters }) => ({
    ...get(`/v1${path}`),
    of: operation.operationId,
    pathParameters: { hour: '{hour}' },
    query: Object.fromEntries(
      parameters.flatMap(({ name, in: place, example }) =>
        place === 'query' && example !== undefined ? [[name, String(example)]] : [],
      ),
    ),
  }));
  return [
    get('/v1/status'),
    get('/v1/chains'),
    get('/v1/account'),
    ...accounts,
    ...Object.keys(DESCRIPTION_FILES).map((path) => ({ ...get(path), describes: true })),
  ];
}

function mcpRequests(): readonly ReleaseRequest[] {
  const message = (of: string, method: string, params: object, describes = false): ReleaseRequest => ({
    of,
    resource: '/v1/mcp',
    method: 'POST',
    body: JSON.stringify({ ...CALL, method, params }),
    describes,
  });
  const call = (name: string, values: object) => message(name, 'tools/call', { name, arguments: values });
  const clientInfo = { name: 'probe', version: '1' };
  return [
    message(
      'initialize',
      'initialize',
      { protocolVersion: '2025-06-18', capabilities: {}, clientInfo },
      true,
    ),
    message('tools/list', 'tools/list', {}, true),
    message('unknown message', 'unknown/message', {}),
    call('unknown tool', {}),
    call('eth_blockNumber', {}),
    call('eth_getBalance', { address: RPC_EXAMPLES.account }),
    call('listChains', {}),
    call('listBlocks', { chain: '{chain}', limit: Number(LIMIT) }),
  ];
}
