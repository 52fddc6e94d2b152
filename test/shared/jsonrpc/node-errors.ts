import type { RefusalKind } from '../../../lambdas/shared/jsonrpc/refusal-kind.ts';

/** One exchange: how a provider or a client words its refusal. Where a source shows no status, it is 200. */
export interface NodeErrorRow {
  readonly source: string;
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
  /** Undefined: the caller's own, which no other node would answer otherwise. */
  readonly kind: RefusalKind | undefined;
  /** The method it is told for. */
  readonly method: string;
}

type Row = readonly [
  source: string,
  status: number,
  code: number,
  message: string,
  kind: RefusalKind | undefined,
  data?: unknown,
];

const ofMethod = (method: string, rows: readonly Row[]): readonly NodeErrorRow[] =>
  rows.map(([source, status, code, message, kind, data]) => ({
    source,
    status,
    code,
    message,
    kind,
    method,
    ...(data !== undefined && { data }),
  }));

const WORK = 'this block range should work: [0x1, 0x1f3]';

/** `eth_getLogs`: ranges, results, addresses. */
export const LOG_ERRORS = ofMethod('eth_getLogs', [
  [
    'Alchemy (paid)',
    400,
    -32600,
    `You can make eth_getLogs requests with up to a 500 block range. Based on your parameters, ${WORK}`,
    'range',
  ],
  [
    'Alchemy (free)',
    400,
    -32600,
    `Under the Free tier plan, you can make eth_getLogs requests with up to a 10 block range. Based on your parameters, ${WORK}`,
    'range',
  ],
  [
    'Alchemy',
    200,
    -32602,
    `Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range and no limit on the response size, or you can request any block range with a cap of 10K logs in the response. Based on your parameters and the response size limit, ${WORK}`,
    'results',
  ],
  [
    'Infura',
    200,
    -32005,
    'query returned more than 10000 results. Try with this block range [0x1, 0x1f3].',
    'results',
    { from: '0x1', to: '0x1f3', limit: 10_000 },
  ],
  ['Infura, short', 200, -32005, 'query returned more than 10000 results', 'results'],
  ['Infura 2026', 200, -32602, 'range 1000000 exceeds limit of 10000', 'range'],
  ['Infura', 200, -32005, 'query timeout exceeded', 'time'],
  ['Infura', 200, -32005, 'This query contains 6000 filters. The current limit is 5000.', 'addresses'],
  ['QuickNode', 413, -32614, 'eth_getLogs is limited to a 10,000 range', 'range'],
  ['QuickNode (trial)', 413, -32614, 'eth_getLogs is limited to a 5 range', 'range'],
  ['Ankr', 200, -32600, 'block range is too wide', 'range'],
  ['Ankr (newer)', 200, -32602, 'maximum [from, to] blocks distance: 10000', 'range'],
  [
    'BlastAPI',
    400,
    -32602,
    'Invalid params',
    'range',
    { range: 'the range 55074203 - 55124202 exceeds the range allowed for your plan (49999 > 2000).' },
  ],
  ['BlastAPI (older), 1RPC', 200, -32000, 'eth_getLogs is limited to a 1024 block range', 'range'],
  ['1RPC', 200, -32000, 'response size should not greater than 2097152 bytes', 'results'],
  [
    'BlockPI',
    200,
    -32602,
    'eth_getLogs is limited to 1024 block range. Please check the parameter requirements',
    'range',
  ],
  ['dRPC', 200, 35, 'ranges over 10000 blocks are not supported on freetier', 'range'],
  ['Chainstack', 200, -32602, 'Block range limit exceeded. See more details at', 'range'],
  ['Cloudflare', 200, -32000, 'Max range: 800', 'range'],
  ['thirdweb', 200, -32000, 'Maximum allowed number of requested blocks is 3500', 'range'],
  ['Coinbase', 200, -32000, 'please limit the query to at most 1000 blocks', 'range'],
  ['PublicNode', 200, -32701, 'maximum block range: 50000', 'range'],
  ['merkle', 200, -32603, 'eth_getLogs range is too large, max is 1k blocks', 'range'],
  ['Base public', 200, -32000, 'block range too large', 'range'],
  ['Sei', 200, -32000, 'block range too large (2500), maximum allowed is 2000 blocks', 'range'],
  [
    'Morph',
    200,
    -32000,
    'block range is larger than max block range, block range = 5120, max block range = 5000',
    'range',
  ],
  ['BSC public', 200, -32000, 'exceed maximum block range: 5000', 'range'],
  ['BSC public, which does not serve logs', 200, -32005, 'limit exceeded', 'plan'],
  ['Avalanche', 200, -32000, 'requested too many blocks from 1 to 5000, maximum is set to 2048', 'range'],
  ['Moonbeam, Frontier', 200, -32000, 'block range is too wide (maximum 1024)', 'range'],
  ['Harmony', 200, -32000, 'query must be smaller than size 1024', 'range'],
  ['Swell', 200, -32000, 'block range greater than 1000 max', 'range'],
  ['Somnia', 200, -32000, 'block range exceeds 1000', 'range'],
  ['Candle', 200, -32600, 'block range too high', 'range'],
  [
    'proxies as of Zircuit',
    200,
    -32005,
    'eth_getLogs block range too large, range: 855077, max: 3500',
    'range',
  ],
  ['geth: from above to', 200, -32602, 'invalid block range params', undefined],
  ['geth', 200, -32602, 'exceed max addresses or topics per search position', 'addresses'],
  ['geth, execution-apis', 200, -32602, 'block range extends beyond current head block', 'unknown'],
  ['Erigon', 200, -32000, 'query block range exceeds server limit, narrow your filter: 1000', 'range'],
  ['Erigon', 200, -32000, 'query returns too many logs, narrow your filter: 20000', 'results'],
  ['Nethermind', 200, -32005, 'Too many logs requested. Max logs per response is 20000.', 'results'],
  ['Besu', 200, -32005, 'Requested range exceeds maximum RPC range limit', 'range'],
  ['Reth, OP-reth, HyperEVM', 200, -32602, 'query exceeds max block range 100000', 'range'],
  ['Reth', 200, -32602, 'query exceeds max results 20000, retry with the range 23879634-23879696', 'results'],
  ['Reth (jsonrpsee)', 200, -32008, 'Response is too big', 'results', 'Exceeded max limit of 167772160'],
  [
    'zkSync Era',
    200,
    -32602,
    'Query returned more than 10000 results. Try with this block range [0x1, 0x1f3].',
    'results',
  ],
  ['eRPC as upstream', 413, -32012, 'getLogs range too large', 'range'],
  ...(
    [
      ['exceeds the range', 'range'],
      ['logs over more', 'results'],
      ['returned more than', 'results'],
      ['too large, max is', 'range'],
      ['response too large', 'results'],
      ['query exceeds limit', 'range'],
      ['limit the query to', 'range'],
      ['range limit exceeded', 'range'],
      ['too many results', 'results'],
      ['try paginating', 'results'],
      ['is too big', 'results'],
      ['specify less number of address', 'addresses'],
    ] as const
  ).map(([words, kind]): Row => ['fragments that eRPC reads', 200, -32005, words, kind]),
]);

/** Rate, quota, plan, key. Those without a body that can be read are in the test of whole responses. */
export const LIMIT_ERRORS = ofMethod('eth_getBlockByNumber', [
  ['Alchemy', 429, 429, 'Your app has exceeded its compute units per second capacity.', 'rate'],
  [
    'Alchemy',
    429,
    429,
    'Monthly capacity limit exceeded. Visit https://x/settings/billing to upgrade.',
    'quota',
  ],
  ['Alchemy', 403, -32600, 'ETH_SEPOLIA is not enabled for this app', 'plan'],
  ['Chainstack', 200, -32005, "You've exceeded the RPS limit available on the current plan.", 'rate'],
  ['Alchemy', 401, -32600, 'Must be authenticated!', 'auth'],
  [
    'Alchemy',
    400,
    -32600,
    'debug_traceBlockByNumber is not available on the Free tier - upgrade to Pay As You Go',
    'plan',
  ],
  [
    'Alchemy',
    403,
    -32600,
    'debug_traceBlockByNumber is not available on the Free tier - upgrade to Pay As You Go',
    'plan',
  ],
  [
    'Infura',
    429,
    -32005,
    'project ID request rate exceeded',
    'rate',
    { rate: { allowed_rps: 1 }, see: 'https://x' },
  ],
  ['Infura', 402, 402, 'Payment Required', 'quota', { details: 'You have reached your daily credit limit.' }],
  ['Infura (older)', 429, -32005, 'daily request count exceeded, request rate limited', 'quota'],
  ['Infura', 403, -32002, 'project ID is required to access archive state', 'plan'],
  ['Infura', 200, -32000, 'project ID does not have access to archive state', 'plan'],
  ['Infura', 200, -32001, 'Resource not found', 'method'],
  ['Infura', 200, -32004, 'method not supported', 'method'],
  [
    'QuickNode',
    429,
    -32007,
    '50/second request limit reached - reduce calls per second or upgrade your account at quicknode.com',
    'rate',
  ],
  ['QuickNode', 200, -32009, '50/second request limit reached - reduce calls per second', 'rate'],
  [
    'QuickNode',
    429,
    429,
    'The requests per second (RPS) of your requests are higher than your plan allows.',
    'rate',
  ],
  ['QuickNode', 200, -32012, 'credits limited to 6000/sec', 'rate'],
  ['QuickNode', 200, -32612, 'trace method not in the plan', 'plan'],
  ['QuickNode', 200, -32613, 'method not in the plan', 'plan'],
  ['QuickNode', 403, -32600, 'custom trace not found', 'plan'],
  ['Ankr (older)', 429, -32000, 'Too many requests', 'rate'],
  ['BlastAPI', 429, -32097, 'Rate limit reached', 'rate'],
  ['BlastAPI', 403, -32098, 'Capacity exceeded', 'quota'],
  ['BlastAPI', 401, -32099, 'Authentication failed', 'auth'],
  ['dRPC', 408, 30, 'Request timeout on the free tier, please upgrade your tier to the paid one', 'time'],
  ['dRPC', 500, 30, 'Request timeout on the free tier, please upgrade your tier to the paid one', 'time'],
  ['dRPC', 402, 0, '', 'quota'],
  ['dRPC', 200, -32000, 'token is invalid', 'auth'],
  ['1RPC', 200, -32001, "You've reached the usage limit for your current plan. Please upgrade.", 'quota'],
  ['Goldsky, eRPC', 429, -32005, 'Too many requests', 'rate'],
  ['BlockVision', 200, -32605, 'rate limit', 'rate'],
  ['BlockVision', 200, -32607, 'call limit reached', 'quota'],
  ['public gateways', 200, -32005, 'rate limit exceeded', 'rate'],
  ['public gateways', 200, -32005, 'limit exceeded', 'rate'],
  ['public gateways', 200, -32005, 'Exceeded the quota', 'quota'],
  ['public gateways', 200, -32005, 'requests limited to 100', 'rate'],
  ['public gateways', 200, -32005, 'under too much load', 'rate'],
  ['public gateways', 200, -32005, 'request limit reached', 'rate'],
  ['OP sequencers', 200, -32000, 'sender is over rate limit', undefined],
  // The same words with the status that some of their gateways, or those before them, give.
  ['Chainstack', 200, -32000, "You've exceeded the RPS limit available on the current plan.", 'rate'],
  ['Infura', 200, -32005, 'project ID request rate exceeded', 'rate'],
  ['Infura', 200, 402, 'Payment Required', 'quota'],
  ['Infura (older)', 200, -32005, 'daily request count exceeded, request rate limited', 'quota'],
  ['QuickNode', 200, -32007, '50/second request limit reached - reduce calls per second', 'rate'],
  [
    'QuickNode',
    200,
    429,
    'The requests per second (RPS) of your requests are higher than your plan allows.',
    'rate',
  ],
  ['Ankr', 200, -32000, 'message: API key not found, trace_id: 1', 'auth'],
  ['Ankr (older)', 200, -32000, 'Too many requests', 'rate'],
  ['BlastAPI', 200, -32097, 'Rate limit reached', 'rate'],
  ['Goldsky, eRPC', 200, -32005, 'Too many requests', 'rate'],
  ['another gateway of this kind', 402, -32020, 'insufficient balance', 'quota'],
]);

/** Methods and batches. */
export const METHOD_ERRORS = ofMethod('debug_traceBlockByNumber', [
  ['geth', 200, -32601, 'the method debug_traceBlockByNumber does not exist/is not available', 'method'],
  ['Besu', 200, -32604, 'Method not enabled', 'method'],
  ['BlastAPI', 400, -32601, 'Method not found', 'method'],
  ['Ankr', 404, -32601, 'Method not found', 'method'],
  ['many', 405, -32000, 'Not Allowed', 'method'],
  ['many', 415, -32000, 'Unsupported', 'method'],
  ['many', 403, -32601, 'Method not found', 'plan'],
  ['many', 200, -32600, 'Unsupported method', 'method'],
  ['many', 200, -32000, 'method is not whitelisted', 'method'],
  ['many', 200, -32000, 'not allowed to access method', 'method'],
  ['many', 200, -32000, 'trace_block is not included in your current plan', 'plan'],
  ['many', 200, -32000, 'Module debug is disabled', 'method'],
  ['Polygon CDK, Hedera', 200, -32600, 'batch requests are disabled', 'batch'],
  ['public proxies', 400, -32600, 'batch requests are disabled', 'batch'],
  ['Besu', 200, -32005, 'Number of requests exceeds max batch size', 'batch_size'],
  ['geth', 200, -32600, 'batch too large', 'batch_size'],
  ['geth', 200, -32002, 'request timed out', 'time'],
  ['Alchemy', 400, -32600, 'Invalid request', 'batch_size', { message: '2 validation errors in batch' }],
]);

/** State that is pruned, or not there yet. */
export const ABSENCE_ERRORS = [
  ...ofMethod('eth_getBlockReceipts', [
    ['geth, Reth', 200, 4444, 'pruned history unavailable', 'pruned'],
    ['Nethermind before 2026', 200, -32001, "Receipt not available for 'From' block '1273020'.", 'pruned'],
    [
      'Nethermind',
      200,
      -32602,
      'Receipts for block 5 (0x12) are neither stored nor reproducible from state history.',
      'pruned',
    ],
    ['Nethermind', 200, -32002, 'No state available for block 0x12', 'pruned'],
    ['Nethermind', 200, -32603, 'missing trie node 0x12', 'pruned'],
    ['Reth', 200, -32603, 'state at block #12369623 is pruned', 'pruned'],
    ['Erigon', 200, -32000, 'data before txNum=2662500000 is not available', 'pruned'],
    [
      'geth, bor',
      200,
      -32000,
      'missing trie node 12 (path ) state 0x12 is not available, not found',
      'pruned',
    ],
    ['geth, bor', 200, -32000, 'required historical state unavailable (reexec=128)', 'pruned'],
    ['Nethermind', 200, -32001, '8633830 could not be found', 'unknown'],
    ['geth', 200, -32000, 'header not found', 'unknown'],
    ['geth', 200, -32000, 'unknown block', 'unknown'],
    ['geth', 200, -32000, 'block not found', 'unknown'],
    ['Avalanche', 200, -32000, 'cannot query unfinalized data', 'unknown'],
    ['Avalanche', 200, -32000, 'requested block is after last accepted block', 'unknown'],
    [
      'Cosmos EVM',
      200,
      -32000,
      'height must be less than or equal to the current blockchain height',
      'unknown',
    ],
    ['Cosmos EVM', 200, -32000, 'height is not available', 'pruned'],
  ]),
  ...ofMethod('eth_getLogs', [['Erigon', 200, -32000, 'block not found 11185311', 'pruned']]),
];

export const ALL_ERRORS = [...LOG_ERRORS, ...LIMIT_ERRORS, ...METHOD_ERRORS, ...ABSENCE_ERRORS];
